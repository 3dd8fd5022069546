package demo

import (
	"context"
	"strings"
	"time"

	"cdpsupervisor/messages"
)

// byPolicy has the page ask under a policy and returns the record of a dialog
// that nobody answered.
func byPolicy(ctx context.Context, w *world, p messages.Policy, timeout time.Duration, script string) (messages.DialogRecord, error) {
	if err := w.task.SetPolicy(ctx, p, timeout); err != nil {
		return messages.DialogRecord{}, err
	}
	last := w.newest()
	if err := w.later(ctx, at{}, script); err != nil {
		return messages.DialogRecord{}, err
	}
	record, err := w.ended(ctx, last)
	if err != nil {
		return messages.DialogRecord{}, err
	}
	return record, w.task.SetPolicy(ctx, messages.PolicyMustRespond, messages.DefaultDialogTimeout)
}

func watchdog(ctx context.Context, w *world) error {
	const patience = 300 * time.Millisecond
	record, err := byPolicy(ctx, w, messages.PolicyMustRespond, patience, `confirm("Anybody there?")`)
	if err != nil {
		return err
	}
	open := time.Duration(float64(record.ClosedAt-record.OpenedAt) * float64(time.Second))
	var c checks
	c.equal("closed_by", record.ClosedBy, messages.ClosedByWatchdog)
	c.that(open > patience*9/10, "it was dismissed after %s, expected %s", open, patience)
	c.failed(w.saw(ctx, at{}, false))
	return c.err()
}

func autoDismiss(ctx context.Context, w *world) error {
	record, err := byPolicy(ctx, w, messages.PolicyAutoDismiss, 0, `confirm("Subscribe?")`)
	if err != nil {
		return err
	}
	var c checks
	c.equal("closed_by", record.ClosedBy, messages.ClosedByAutoPolicy)
	c.failed(w.saw(ctx, at{}, false))
	return c.err()
}

func autoAccept(ctx context.Context, w *world) error {
	record, err := byPolicy(ctx, w, messages.PolicyAutoAccept, 0, `prompt("How many?", "12")`)
	if err != nil {
		return err
	}
	var c checks
	c.equal("closed_by", record.ClosedBy, messages.ClosedByAutoPolicy)
	c.equal("prompt_text", record.PromptText, "12")
	c.failed(w.saw(ctx, at{}, "12"))
	return c.err()
}

func consoleErrors(ctx context.Context, w *world) error {
	s, err := w.wait(ctx, "two console errors", func(s *messages.Snapshot) bool { return len(s.ConsoleErrors) == 2 })
	if err != nil {
		return err
	}
	w.show("console_errors", s.ConsoleErrors)
	var c checks
	c.equal("first kind", s.ConsoleErrors[0].Kind, "error")
	c.equal("first text", s.ConsoleErrors[0].Text, "no price for apples")
	c.equal("second kind", s.ConsoleErrors[1].Kind, "exception")
	c.equal("second text", strings.Contains(s.ConsoleErrors[1].Text, "basket is undefined"), true)
	c.failed(w.saw(ctx, at{}, "threw"))
	return c.err()
}
