package demo

import (
	"context"
	"strings"
	"time"

	"cdpsupervisor/messages"
)

// answered is a dialog of the page that the agent answers.
type answered struct {
	script string
	kind   messages.DialogType
	action messages.DialogAction
	text   *string
	saw    any // what the page's call returned
}

func (a answered) run(ctx context.Context, w *world) error {
	d, err := w.asks(ctx, at{}, a.script)
	if err != nil {
		return err
	}
	record, err := w.answer(ctx, d, a.action, a.text)
	if err != nil {
		return err
	}
	var c checks
	c.equal("type", d.Type, a.kind)
	c.that(strings.Contains(a.script, d.Message), "the message %q is not the page's", d.Message)
	c.equal("origin", d.Origin, "http://shop.test")
	c.equal("closed_by", record.ClosedBy, messages.ClosedByAgent)
	c.equal("result", record.Result, a.action == messages.ActionAccept)
	c.failed(w.saw(ctx, at{}, a.saw))
	return c.err()
}

// blockingAlert also shows that nothing hangs on an open dialog.
func blockingAlert(ctx context.Context, w *world) error {
	d, err := w.asks(ctx, at{}, `alert("Welcome!")`)
	if err != nil {
		return err
	}
	var c checks
	c.equal("type", d.Type, messages.DialogAlert)
	c.equal("message", d.Message, "Welcome!")
	_, err = w.eval(ctx, at{}, "1 + 1")
	f, err := refusal(err, messages.CodeDialogOpen)
	c.failed(err)
	c.that(f == nil || f.Dialog != nil && f.Dialog.ID == d.ID, "the refusal does not carry the dialog")
	w.show("pending_dialogs", []messages.Dialog{d})
	record, err := w.answer(ctx, d, messages.ActionAccept, nil)
	if err != nil {
		return err
	}
	c.equal("closed_by", record.ClosedBy, messages.ClosedByAgent)
	c.failed(w.saw(ctx, at{}, nil)) // alert returns undefined
	found, err := w.eval(ctx, at{}, "seen.length")
	c.failed(err)
	c.equal("answers that the page saw", found, 1)
	return c.err()
}

// leaving navigates away from the form and returns the dialog in the way.
func leaving(ctx context.Context, w *world) (*messages.Dialog, error) {
	// A browser asks only where a person has touched the page: every
	// evaluation of the demo counts as a touch.
	if _, err := w.eval(ctx, at{}, "seen.length"); err != nil {
		return nil, err
	}
	_, err := w.task.Navigate(ctx, shopPage)
	f, err := refusal(err, messages.CodeDialogOpened)
	if err != nil {
		return nil, err
	}
	var c checks
	c.that(f.Dialog != nil, "the failure does not carry the dialog")
	if f.Dialog != nil {
		c.equal("type", f.Dialog.Type, messages.DialogBeforeUnload)
	}
	return f.Dialog, c.err()
}

func staysOnPage(ctx context.Context, w *world) error {
	d, err := leaving(ctx, w)
	if err != nil {
		return err
	}
	record, err := w.answer(ctx, *d, messages.ActionDismiss, nil)
	if err != nil {
		return err
	}
	var c checks
	c.equal("result", record.Result, false)
	c.failed(w.saw(ctx, at{}, "asked")) // the same document still
	c.equal("URL", w.task.Snapshot().Page.URL, formPage)
	return c.err()
}

func leavesPage(ctx context.Context, w *world) error {
	d, err := leaving(ctx, w)
	if err != nil {
		return err
	}
	record, err := w.answer(ctx, *d, messages.ActionAccept, nil)
	if err != nil {
		return err
	}
	if _, err := w.wait(ctx, "the shop", func(s *messages.Snapshot) bool { return s.Page.URL == shopPage }); err != nil {
		return err
	}
	var c checks
	c.equal("result", record.Result, true)
	found, err := w.eval(ctx, at{}, "location.href")
	c.failed(err)
	c.equal("the page's own address", found, shopPage)
	return c.err()
}

// evaluateOpensDialog has the evaluation itself open the dialog.
func evaluateOpensDialog(ctx context.Context, w *world) error {
	const soon = 3 * time.Second // the call's own timeout is 30 s
	start := w.clock.Now()
	_, err := w.eval(ctx, at{}, `seen.push(confirm("Really?"))`)
	took := w.clock.Now().Sub(start)
	f, err := refusal(err, messages.CodeDialogOpened)
	if err != nil {
		return err
	}
	var c checks
	c.that(took < soon, "the call took %s, expected less than %s", took.Round(time.Millisecond), soon)
	c.that(f.MayHaveRun, "the failure does not say that the call may have run")
	if f.Dialog == nil {
		c.that(false, "the failure does not carry the dialog")
		return c.err()
	}
	if _, err := w.answer(ctx, *f.Dialog, messages.ActionAccept, nil); err != nil {
		return err
	}
	c.failed(w.saw(ctx, at{}, true))
	return c.err()
}

func popupAlerts(ctx context.Context, w *world) error {
	if err := w.later(ctx, at{}, `window.open("`+offerPage+`") !== null`); err != nil {
		return err
	}
	d, err := w.opened(ctx)
	if err != nil {
		return err
	}
	var c checks
	c.equal("message", d.Message, "You have won!")
	c.that(d.TargetID != w.task.Snapshot().PageTargetID, "the dialog is shown as the page's, not the popup's")
	if _, err := w.answer(ctx, d, messages.ActionAccept, nil); err != nil {
		return err
	}
	c.failed(w.saw(ctx, at{target: d.TargetID}, "went on"))
	c.failed(w.saw(ctx, at{}, true)) // the opener got its window
	_, err = w.task.Call(ctx, messages.CallRequest{
		Method: "Target.closeTarget", Params: []byte(`{"targetId":"` + string(d.TargetID) + `"}`),
	})
	c.failed(err)
	return c.err()
}
