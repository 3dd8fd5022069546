package e2e

import (
	"context"
	"errors"
	"testing"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// TestStop ends tasks, and looks at what they leave behind by another client.
func TestStop(t *testing.T) {
	t.Parallel()
	b := launch(t)
	h := newHost(t)
	r := dialRaw(t, b.endpoint)
	stop := func(t *testing.T, p *tab) {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := h.Stop(ctx, p.task.ID()); err != nil {
			t.Fatal(err)
		}
		if _, ok := h.Get(p.task.ID()); ok {
			t.Error("the task is there still")
		}
		_, err := p.try(at{}, "1")
		if !errors.Is(err, messages.ErrTaskStopped) {
			t.Errorf("a call ends with %v, want ErrTaskStopped", err)
		}
	}
	// page is a tab of somebody else's, adopted by a task.
	page := func(t *testing.T, opts ...registry.TaskOption) *tab {
		t.Helper()
		target := field(t, r.call("", "Target.createTarget", params{"url": "about:blank"}), "targetId")
		p := b.tab(t, h, append(opts, registry.WithTarget(messages.TargetID(target)))...)
		p.open(p.blank("a.test"))
		return p
	}
	exists := func(target messages.TargetID) bool {
		for _, info := range targets(t, r.call("", "Target.getTargets", nil)) {
			if info.TargetID == string(target) {
				return true
			}
		}
		return false
	}

	t.Run("an open dialog is dismissed", func(t *testing.T) {
		p := page(t)
		p.later(`confirm("m")`)
		d := p.dialog()
		target := p.task.Snapshot().PageTargetID
		stop(t, p)
		if rec := p.record(d.ID); rec.ClosedBy != messages.ClosedByAutoPolicy || rec.Reason != messages.ReasonStopped || rec.Result {
			t.Errorf("the record is %+v", rec)
		}
		session := r.attach(string(target))
		if got := r.eval(session, `seen[0]`); got != false {
			t.Errorf("the page saw %v", got)
		}
	})
	t.Run("an open dialog is left when so told", func(t *testing.T) {
		p := page(t, registry.WithOnStop(messages.OnStopLeave))
		session := r.attach(string(p.task.Snapshot().PageTargetID)) // a person's client, who can answer
		p.later(`confirm("m")`)
		p.dialog()
		stop(t, p)
		r.event(session, "Page.javascriptDialogOpening")
		r.call(session, "Page.handleJavaScriptDialog", params{"accept": true})
		if got := r.eval(session, `seen[0]`); got != true {
			t.Errorf("the page saw %v", got)
		}
	})
	t.Run("a tab of its own is closed, another is not", func(t *testing.T) {
		own, other := b.tab(t, h), page(t)
		ownPage, otherPage := own.task.Snapshot().PageTargetID, other.task.Snapshot().PageTargetID
		stop(t, own)
		stop(t, other)
		for late := time.Now().Add(patience); exists(ownPage); { // it takes a moment to go
			if time.Now().After(late) {
				t.Fatal("the engine's tab is there still")
			}
		}
		if !exists(otherPage) {
			t.Error("a tab that is not the engine's was closed")
		}
	})
	t.Run("a call in flight ends", func(t *testing.T) {
		p := page(t)
		done := make(chan error, 1)
		ctx, cancel := p.context()
		defer cancel()
		go func() {
			_, err := p.task.Call(ctx, evaluation(at{}, `document.title = "waiting", new Promise(() => {})`))
			done <- err
		}()
		p.poll("the call to run", func() bool { return p.eval("document.title") == "waiting" })
		stop(t, p)
		quick(t, "the call in flight", func() {
			if err := <-done; !errors.Is(err, messages.ErrTaskStopped) {
				t.Errorf("it ends with %v, want ErrTaskStopped", err)
			}
		})
	})
	t.Run("nothing waits for a debugger afterwards", func(t *testing.T) {
		p := page(t)
		target := string(p.task.Snapshot().PageTargetID)
		stop(t, p)
		session := r.attach(target)
		url := b.embed("a.test", b.blank("b.test"))
		r.call(session, "Page.navigate", params{"url": url})
		r.call(session, "Runtime.evaluate", params{"expression": loaded, "awaitPromise": true})
		if got := r.eval(session, `open("about:blank") !== null`); got != true {
			t.Errorf("window.open gave %v", got)
		}
	})
	b.mustLive(t)
}

// TestStopOfATabThatAsks stops tasks whose tabs ask a question as soon as they are
// loaded, so that some dialogs open while the tab is being closed.
func TestStopOfATabThatAsks(t *testing.T) {
	t.Parallel()
	b := launch(t)
	h := newHost(t)
	url := b.page("a.test", `<script>setTimeout(() => confirm("before you go"))</script>`)
	for range 8 {
		p := b.tab(t, h)
		ctx, cancel := p.context()
		if _, err := p.task.Navigate(ctx, url); err != nil && messages.CodeOf(err) != messages.CodeDialogOpened {
			t.Error(err)
		}
		cancel()
		h.end(t, p.task.ID())
	}
	for _, left := range targets(t, dialRaw(t, b.endpoint).call("", "Target.getTargets", nil)) {
		if left.URL == url {
			t.Errorf("tab %s is left", left.TargetID)
		}
	}
	b.mustLive(t)
}
