package policy

import (
	"fmt"
	"strings"
	"time"

	"cdpsupervisor/messages"
)

// start is when every test begins.
func start() time.Time { return time.Unix(1_650_000_000, 0) }

// clock prints a time as seconds since the start.
func clock(at time.Time) string { return fmt.Sprintf("%gs", at.Sub(start()).Seconds()) }

func seconds(s messages.Seconds) string { return clock(s.Time()) }

// sentence prints effects the way one would tell them.
func sentences(effects []Effect) string {
	var b strings.Builder
	for _, e := range effects {
		for line := range strings.SplitSeq(sentence(e), "\n") {
			if line != "" {
				fmt.Fprintln(&b, line)
			}
		}
	}
	return b.String()
}

func sentence(e Effect) string {
	switch e := e.(type) {
	case Send:
		return fmt.Sprintf("send %s to %s #%d%s", action(e.Accept), e.Dialog, e.Gen, quoted(" text ", e.Text))
	case Arm:
		return fmt.Sprintf("arm %s #%d at %s", e.Dialog, e.Gen, clock(e.At))
	case Disarm:
		return fmt.Sprintf("disarm %s", e.Dialog)
	case SetWill:
		return fmt.Sprintf("will: dismiss %s (%s)", e.Dialog, e.Via.Kind())
	case ClearWill:
		return fmt.Sprintf("will: not %s", e.Dialog)
	case Answer:
		return answerSentence(e)
	case Settled:
		return fmt.Sprintf("settled %d, left:%s", e.Ref.N, list(e.Left))
	case Publish:
		return publishSentence(e)
	case OpenChanged:
		return openSentence(e)
	case Poisoned:
		return fmt.Sprintf("poisoned %s: %s", e.Target, e.Reason)
	case AutoDismissed:
		s := fmt.Sprintf("auto-dismissed on %s after %s, %d in a row", e.Target, e.After, e.InARow)
		if e.NavigationInFlight {
			s += ", navigation in flight"
		}
		return s
	case Note:
		return noteSentence(e)
	}
	return fmt.Sprintf("unknown effect %T", e)
}

func answerSentence(e Answer) string {
	if e.Failure != nil {
		f := e.Failure
		s := fmt.Sprintf("answer %d: %s: %s", e.Ref.N, f.Code, f.Message)
		if f.Dialog != nil {
			s += fmt.Sprintf("\n  dialog %s", dialogSentence(*f.Dialog))
		}
		if f.Record != nil {
			s += fmt.Sprintf("\n  record %s", recordSentence(*f.Record))
		}
		if len(f.Dialogs) > 0 {
			s += "\n  candidates:" + list(f.Dialogs)
		}
		return s
	}
	r := e.Result
	return fmt.Sprintf("answer %d: %s ok, record %s%s", e.Ref.N, r.Action, recordSentence(r.Record), quoted("\n  note ", r.Note))
}

func publishSentence(e Publish) string {
	var b strings.Builder
	b.WriteString("publish")
	if e.Overflow > 0 {
		fmt.Fprintf(&b, " overflow=%d", e.Overflow)
	}
	for _, d := range e.Pending {
		fmt.Fprintf(&b, "\n  pending %s", dialogSentence(d))
	}
	for _, r := range e.Recent {
		fmt.Fprintf(&b, "\n  recent %s", recordSentence(r))
	}
	return b.String()
}

func openSentence(e OpenChanged) string {
	s := "open:"
	for _, o := range e.Open {
		s += " " + string(o.ID)
	}
	if len(e.Open) == 0 {
		s += " none"
	}
	return s
}

func noteSentence(e Note) string {
	names := map[NoteKind]string{
		NoteOpened: "opened", NoteAnswering: "answering", NoteClosed: "closed", NoteWatchdog: "watchdog",
		NoteAnswerFailed: "answer failed", NoteUnanswerable: "unanswerable", NoteOverflow: "overflow", NoteTried: "tried",
	}
	s := fmt.Sprintf("note %s %s", names[e.Kind], e.Dialog.ID)
	if e.By != "" {
		s += " by " + string(e.By)
	}
	if e.Failure != nil {
		s += ": " + string(e.Failure.Code)
	}
	return s
}

func dialogSentence(d messages.Dialog) string {
	s := fmt.Sprintf("%s %s %q frame=%s target=%s %s", d.ID, d.Type, head(d.Message), d.FrameID, d.TargetID, d.Via)
	if d.State != "" {
		s += " " + string(d.State)
	}
	if d.DeadlineAt != 0 {
		s += " deadline=" + seconds(d.DeadlineAt)
	}
	if d.Count != 0 {
		s += fmt.Sprintf(" count=%d", d.Count)
	}
	if d.Truncated {
		s += " truncated"
	}
	return s
}

func recordSentence(r messages.DialogRecord) string {
	s := fmt.Sprintf("%s %s %q %s", r.ID, r.Type, head(r.Message), r.ClosedBy)
	if r.Reason != "" {
		s += "/" + string(r.Reason)
	}
	s += fmt.Sprintf(" result=%v at=%s", r.Result, seconds(r.ClosedAt))
	if r.PromptText != nil {
		s += fmt.Sprintf(" prompt_text=%q", head(*r.PromptText))
	}
	if r.Count != 0 {
		s += fmt.Sprintf(" count=%d", r.Count)
	}
	return s
}

func head(s string) string {
	h, cut := messages.Cut(s, 24)
	if cut {
		h += "…"
	}
	return h
}

func quoted(label, s string) string {
	if s == "" {
		return ""
	}
	return fmt.Sprintf("%s%q", label, s)
}

func action(accept bool) messages.DialogAction {
	if accept {
		return messages.ActionAccept
	}
	return messages.ActionDismiss
}

func list(open []messages.Dialog) string {
	if len(open) == 0 {
		return " none"
	}
	s := ""
	for _, d := range open {
		s += " " + string(d.ID)
	}
	return s
}

func containsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}
