package demo

import (
	"context"
	"fmt"

	"cdpsupervisor/messages"
)

func tabCrash(ctx context.Context, w *world) error {
	if _, err := w.eval(ctx, at{}, `seen.push("before the crash")`); err != nil {
		return err
	}
	// The browser never answers this one; the engine does.
	_, err := w.task.Call(ctx, messages.CallRequest{Method: "Page.crash"})
	var c checks
	if err != nil {
		_, err = refusal(err, messages.CodeTargetCrashed)
		c.failed(err)
	}
	if err := w.status(ctx, messages.StatusCrashed); err != nil {
		return err
	}
	_, err = w.eval(ctx, at{}, "1 + 1")
	_, err = refusal(err, messages.CodeTargetCrashed)
	c.failed(err)
	if err := w.open(ctx, shopPage); err != nil {
		return err
	}
	if _, err := w.healthy(ctx); err != nil {
		return err
	}
	found, err := w.eval(ctx, at{}, "document.title + seen.length")
	c.failed(err)
	c.equal("the new document", found, "Shop0")
	return c.err()
}

func socketDrop(ctx context.Context, w *world) error {
	if _, err := w.eval(ctx, at{}, `seen.push("before the drop")`); err != nil {
		return err
	}
	epoch := w.task.Snapshot().Epoch
	between := w.stands[0].proxy
	between.cut()
	defer between.mend()
	if err := w.status(ctx, messages.StatusReconnecting); err != nil {
		return err
	}
	between.mend()
	s, err := w.healthy(ctx)
	if err != nil {
		return err
	}
	var c checks
	c.that(s.Epoch > epoch, "the connection is still the old one")
	c.failed(w.saw(ctx, at{}, "before the drop"))
	// And dialogs are seen again.
	d, err := w.asks(ctx, at{}, `confirm("Still there?")`)
	if err != nil {
		return err
	}
	_, err = w.answer(ctx, d, messages.ActionAccept, nil)
	c.failed(err)
	c.failed(w.saw(ctx, at{}, true))
	return c.err()
}

func rebind(ctx context.Context, w *world) error {
	old := w.task.Snapshot()
	second, err := newStand(ctx, w.stage)
	if err != nil {
		return fmt.Errorf("a second browser: %w", err)
	}
	w.stands = append(w.stands, second)
	if w.task, err = w.registry.GetOrStart(ctx, taskID, second.source); err != nil {
		return fmt.Errorf("rebind: %w", err)
	}
	s, err := w.healthy(ctx)
	if err != nil {
		return err
	}
	w.show("page_target_id", s.PageTargetID)
	var c checks
	c.that(len(old.RecentDialogs) > 0, "the first browser has no history, so the step shows nothing")
	c.equal("recent_dialogs", s.RecentDialogs, []any{})
	c.equal("console errors", len(s.ConsoleErrors), 0)
	c.that(s.PageTargetID != old.PageTargetID, "the task still shows the page of the first browser")
	if err := w.stands[0].proxy.deserted(ctx); err != nil {
		c.failed(fmt.Errorf("the first browser: %w", err))
	}
	found, err := w.eval(ctx, at{}, "location.href")
	c.failed(err)
	c.equal("the second browser's page", found, "about:blank")
	c.failed(w.open(ctx, shopPage))
	d, err := w.asks(ctx, at{}, `confirm("Here, too?")`)
	if err != nil {
		return err
	}
	_, err = w.answer(ctx, d, messages.ActionAccept, nil)
	c.failed(err)
	c.failed(w.saw(ctx, at{}, true))
	return c.err()
}

func stop(ctx context.Context, w *world) error {
	d, err := w.asks(ctx, at{}, `confirm("Shall I stay open?")`)
	if err != nil {
		return err
	}
	page := w.task.Snapshot().PageTargetID
	if err := w.registry.Stop(ctx, taskID); err != nil {
		return fmt.Errorf("stop: %w", err)
	}
	last := w.task.Snapshot()
	var c checks
	c.equal("pending_dialogs", last.PendingDialogs, []any{})
	for _, r := range last.RecentDialogs {
		if r.ID == d.ID {
			w.show("recent_dialogs", []messages.DialogRecord{r})
			c.equal("closed_by", r.ClosedBy, messages.ClosedByAutoPolicy)
			c.equal("reason", r.Reason, messages.ReasonStopped)
		}
	}
	_, found := w.registry.Get(taskID)
	c.that(!found, "the registry still has the task")
	// The page is asked through a task of its own what became of its confirm.
	if w.task, err = w.registry.GetOrStart(ctx, taskID, w.stands[len(w.stands)-1].source); err != nil {
		return fmt.Errorf("ask the page afterwards: %w", err)
	}
	c.equal("the page afterwards", w.task.Snapshot().PageTargetID, page)
	c.failed(w.saw(ctx, at{}, false))
	return c.err()
}
