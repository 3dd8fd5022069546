package tools

import (
	"slices"

	"cdpsupervisor/messages"
)

// shownChars is how much of a dialog's text is shown where the whole stands
// elsewhere, or stood there while the dialog was open.
const shownChars = 200

// shortText cuts a text to a beginning that tells it from others.
func shortText(s string) (string, bool) {
	n := 0
	for i := range s {
		if n == shownChars {
			return s[:i] + "…", true
		}
		n++
	}
	return s, false
}

// shorten cuts the texts of dialogs where the caller has them in full: those of the
// failure's dialog that is also pending, and those of closed ones.
func shorten(r *Result) {
	if closed, ok := r.Fields[fieldRecent].([]messages.DialogRecord); ok {
		r.Fields[fieldRecent] = mapped(closed, shortRecord)
	}
	open, _ := r.Fields[fieldPending].([]messages.Dialog)
	d, ok := r.Fields["dialog"].(*messages.Dialog)
	if ok && slices.ContainsFunc(open, func(p messages.Dialog) bool { return p.ID == d.ID }) {
		r.Fields["dialog"] = shortDialog(*d)
	}
}

// shortRecord cuts what was pending before. What the policy answered was not: its
// record is the only place to read it.
func shortRecord(r messages.DialogRecord) messages.DialogRecord {
	if r.ClosedBy == messages.ClosedByAutoPolicy {
		return r
	}
	var message, preset, answer bool
	r.Message, message = shortText(r.Message)
	r.DefaultPrompt, preset = shortText(r.DefaultPrompt)
	if r.PromptText != nil {
		var text string
		text, answer = shortText(*r.PromptText)
		r.PromptText = &text
	}
	r.Truncated = r.Truncated || message || preset || answer
	return r
}

func shortDialog(d messages.Dialog) *messages.Dialog {
	var message, preset bool
	d.Message, message = shortText(d.Message)
	d.DefaultPrompt, preset = shortText(d.DefaultPrompt)
	d.Truncated = d.Truncated || message || preset
	return &d
}
