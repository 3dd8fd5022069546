package policy

import (
	"strings"

	"cdpsupervisor/messages"
)

// headBytes is how much of a message a list of candidates shows.
const headBytes = 200

func failAction(a messages.DialogAction) *messages.Failure {
	a2, _ := messages.Cut(string(a), headBytes)
	return messages.Fail(messages.CodeInvalidArgument, "action %q is not known: say accept or dismiss.", a2)
}

func failText(size int) *messages.Failure {
	f := messages.Fail(messages.CodeInvalidArgument,
		"prompt_text has %d bytes and a prompt takes %d at most: send a shorter one.", size, messages.MaxPromptTextBytes)
	f.Size = size
	return f
}

func failNotAllowed(d *messages.Dialog) *messages.Failure {
	return messages.Fail(messages.CodeDenied,
		"Dialog %s may not be accepted: the host's guard denies its page, or it has opened since this call was allowed; dismiss it, or try again.", d.ID).With(d)
}

func failNone() *messages.Failure {
	return messages.Fail(messages.CodeNoDialog, "No dialog is open: there is nothing to answer.")
}

func failUnknown(id messages.DialogID) *messages.Failure {
	head, _ := messages.Cut(string(id), headBytes)
	return messages.Fail(messages.CodeUnknownDialog,
		"No dialog has had the id %q: take an id from pending_dialogs of browser_snapshot.", head)
}

func failAmbiguous(open []messages.Dialog) *messages.Failure {
	for i := range open {
		head, cut := messages.Cut(open[i].Message, headBytes)
		open[i].Message = head
		open[i].Truncated = open[i].Truncated || cut
	}
	f := messages.Fail(messages.CodeAmbiguousDialog, "%d dialogs are open: name one of them with dialog_id.", len(open))
	f.Dialogs = open
	return f
}

// failClosed says who closed a dialog. The record may be nil, when it is no
// longer kept.
func failClosed(id messages.DialogID, record *messages.DialogRecord) *messages.Failure {
	if record == nil {
		return messages.Fail(messages.CodeDialogClosed,
			"Dialog %s is over, and how it ended is no longer kept: take a new browser_snapshot.", id)
	}
	how := string(record.ClosedBy)
	if record.Reason != "" {
		how += ", " + strings.ReplaceAll(string(record.Reason), "_", " ")
	}
	result := "false"
	if record.Result {
		result = "true"
	}
	f := messages.Fail(messages.CodeDialogClosed,
		"Dialog %s is over already: closed by %s, with the result %s. Take a new browser_snapshot.", id, how, result)
	f.Record = record
	return f
}

func (d *dialog) failUnanswerable(v *messages.Dialog) *messages.Failure {
	if d.stranded {
		what := "and the page gets to where it was going, unless it opens another. Take a new browser_snapshot."
		if v.Endless() {
			what = "but the page opens one dialog after another, and what leads out of that is " + messages.WayCloseTab + "."
		}
		return messages.Fail(messages.CodeUnanswerable,
			"The browser takes no answer to dialog %s, because its page has been navigated and only waits for the dialog's end: it is being dismissed, %s", v.ID, what).
			With(v).Ways("Page.navigate", "browser_navigate", messages.WayCloseTab)
	}
	return messages.Fail(messages.CodeUnanswerable,
		"The browser takes no answer to dialog %s, because another dialog was open in its tab: reload or navigate the page to end it. Do not close the tab.", v.ID).
		With(v).Ways("Page.reload", "Page.navigate", "browser_navigate")
}

func failTimeout(v *messages.Dialog) *messages.Failure {
	f := messages.Fail(messages.CodeTimeout,
		"The browser did not end dialog %s within %s of the answer: the dialog is open again, answer once more or reload the page.",
		v.ID, messages.AnswerTimeout).With(v)
	f.MayHaveRun = true
	return f
}

func failLost(v *messages.Dialog) *messages.Failure {
	f := messages.Fail(messages.CodeConnectionLost,
		"The connection went before the browser confirmed the answer to dialog %s; it may have been given: look at browser_snapshot.", v.ID).With(v)
	f.MayHaveRun = true
	return f
}

func failCrowd(v *messages.Dialog) *messages.Failure {
	return messages.Fail(messages.CodeDialogOpen,
		"%d callers wait for the answer to dialog %s already: wait for its end.", maxWaiters, v.ID).With(v)
}

// failReply is the failure for a command that ended without closing its dialog.
func failReply(in AnswerReplied, v *messages.Dialog) *messages.Failure {
	if in.Lost || in.Err == nil {
		return failLost(v)
	}
	text, _ := messages.Cut(in.Err.Message, headBytes)
	f := messages.Fail(messages.CodeCDPError,
		"The browser refused the answer to dialog %s with %q (%d): the dialog is still open, answer once more or reload the page.",
		v.ID, text, in.Err.Code).With(v)
	f.CDPCode = in.Err.Code
	return f
}

// ignoredText says that a text has no effect, and a default that was cut.
func ignoredText(in Ask, d *dialog) string {
	switch {
	case in.Text != nil && d.shown.Type != messages.DialogPrompt:
		return "prompt_text was ignored, because the dialog is not a prompt."
	case in.Text != nil && in.Action == messages.ActionDismiss:
		return "prompt_text was ignored, because a dismissed prompt returns null."
	case in.Text == nil && in.Action == messages.ActionAccept && d.shown.Type == messages.DialogPrompt && d.cutDefault:
		return "The prompt's default is longer than is kept, so the page got a part of it; send prompt_text to answer in full."
	}
	return ""
}

// noteOf is the sentence that goes with a success.
func noteOf(w waiter, action messages.DialogAction, result bool) string {
	parts := make([]string, 0, 3)
	if w.note != "" {
		parts = append(parts, w.note)
	}
	if w.action != action {
		parts = append(parts, "Another answer was on its way already, and it was "+string(action)+".")
	}
	if accepted := action == messages.ActionAccept; result != accepted {
		parts = append(parts, "The browser ended the dialog otherwise than it was told: the page got "+gotten(result)+".")
	}
	return strings.Join(parts, " ")
}

func gotten(accepted bool) string {
	if accepted {
		return "an accept"
	}
	return "a dismiss"
}
