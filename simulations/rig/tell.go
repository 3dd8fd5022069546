package rig

import (
	"fmt"
	"strings"

	"cdpsupervisor/messages"
)

// Tell is an answer in words.
func Tell(answer any) string {
	switch a := answer.(type) {
	case nil:
		return "no answer yet"
	case *messages.Failure:
		s := string(a.Code) + ": " + a.Message
		if a.Dialog != nil {
			s += " (" + string(a.Dialog.ID) + ")"
		}
		if len(a.WaysOut) > 0 {
			s += " [" + strings.Join(a.WaysOut, ", ") + "]"
		}
		return s
	case *messages.CallResult:
		return "result " + string(a.Result)
	case *messages.NavigateResult:
		return "at " + a.URL
	case *messages.FocusResult:
		return "the task's page is " + string(a.PageTargetID)
	case *messages.DialogResult:
		s := fmt.Sprintf("%s: %s is closed by %s", a.Action, a.Record.ID, a.Record.ClosedBy)
		if a.Record.Reason != "" {
			s += "/" + string(a.Record.Reason)
		}
		s += fmt.Sprintf(", result %v", a.Record.Result)
		if a.Record.PromptText != nil {
			s += fmt.Sprintf(", text %q", *a.Record.PromptText)
		}
		if a.Note != "" {
			s += "; " + a.Note
		}
		return s
	case *messages.PolicyResult:
		return fmt.Sprintf("policy %s, watchdog %s", a.Policy, a.Timeout)
	case *messages.FramesResult:
		return "the frames"
	case *messages.TaskStarted:
		return "started"
	case *messages.TaskEnded:
		return "stopped"
	}
	return fmt.Sprintf("%T", answer)
}
