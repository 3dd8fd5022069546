package e2e

import (
	"context"
	"errors"
	"strings"
	"testing"

	"cdpsupervisor/backends"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// TestReconnect cuts the connection and lets it come back.
func TestReconnect(t *testing.T) {
	t.Parallel()
	b := launch(t)
	h := newHost(t)
	w := b.behindWire(t)
	over := w.through(b, false)

	t.Run("the page is the same", func(t *testing.T) {
		p := over.tab(t, h)
		inner := p.blank("b.test")
		p.open(p.embed("a.test", inner))
		p.frame(inner)
		p.eval(`console.error("before"), seen.push("before")`)
		p.later(`confirm("before")`)
		first := p.dialog()
		p.accept(first)
		before := p.task.Snapshot()
		w.lead("")
		if state := p.status(messages.StatusReconnecting); state.Reason == "" {
			t.Error("no reason is given")
		}
		s := p.task.Snapshot()
		if s.FrameTree == nil || len(s.FrameTree.Children) != 1 || s.FrameTree.Children[0].SessionID != "" {
			t.Errorf("meanwhile the last tree is to be shown, without sessions: %s", p.state())
		}
		w.lead(b.address)
		p.status("")
		s = p.task.Snapshot()
		if s.Epoch <= before.Epoch || s.PageTargetID != before.PageTargetID || len(s.RecentDialogs) != 1 || len(s.ConsoleErrors) != 1 {
			t.Errorf("before: epoch %d, page %s; %s", before.Epoch, before.PageTargetID, p.state())
		}
		p.frame(inner)
		p.agrees(b)
		p.saw(true)
		p.later(`confirm("after")`)
		d := p.dialog()
		if d.ID == first.ID {
			t.Error("a dialog id was given twice")
		}
		p.accept(d)
		p.saw(true)
	})
	t.Run("a call in flight", func(t *testing.T) {
		p := over.tab(t, h)
		p.open(p.blank("a.test"))
		ctx, cancel := p.context()
		defer cancel()
		done := make(chan error, 1)
		go func() {
			_, err := p.task.Call(ctx, evaluation(at{}, `document.title = "waiting", new Promise(() => {})`))
			done <- err
		}()
		p.poll("the call to run", func() bool { return p.eval("document.title") == "waiting" })
		w.lead("")
		quick(t, "the call in flight", func() {
			if f := refused(t, <-done, messages.CodeConnectionLost); !f.MayHaveRun {
				t.Error("it does not say that the call may have run")
			}
		})
		w.lead(b.address)
		p.status("")
	})
	t.Run("a call meanwhile waits", func(t *testing.T) {
		p := over.tab(t, h)
		p.open(p.blank("a.test"))
		w.lead("")
		p.status(messages.StatusReconnecting)
		ctx, cancel := p.context()
		defer cancel()
		done := make(chan error, 1)
		go func() {
			_, err := p.task.Call(ctx, evaluation(at{}, `document.title = "late"`))
			done <- err
		}()
		w.lead(b.address)
		if err := <-done; err != nil {
			t.Errorf("the call: %v", err)
		}
		if got := p.eval("document.title"); got != "late" {
			t.Errorf("the title is %v", got)
		}
	})
	t.Run("a call without end", func(t *testing.T) {
		p := over.tab(t, h)
		p.open(p.blank("a.test"))
		w.lead("")
		p.status(messages.StatusReconnecting)
		req := evaluation(at{}, "1")
		req.Timeout = messages.MinCallTimeout
		_, err := p.call(req)
		if code := messages.CodeOf(err); code != messages.CodeTimeout && code != messages.CodeConnectionLost {
			t.Errorf("code %q (%v)", code, err)
		}
		if f, ok := errors.AsType[*messages.Failure](err); !ok || f.MayHaveRun || !strings.Contains(f.Message, "was not sent") {
			t.Errorf("the failure is %v", err)
		}
		w.lead(b.address)
		p.status("")
	})
	t.Run("with a dialog open", func(t *testing.T) {
		p := over.tab(t, h)
		p.open(p.blank("a.test"))
		p.later(`confirm("m")`)
		d := p.dialog()
		w.lead("")
		if r := p.record(d.ID); r.ClosedBy != messages.ClosedByRemote || r.Reason != messages.ReasonDisconnected {
			t.Errorf("the record is %+v", r)
		}
		quick(t, "an answer without a connection", func() {
			_, err := p.respond(messages.DialogRequest{Action: messages.ActionAccept, DialogID: d.ID})
			refused(t, err, messages.CodeDialogClosed)
		})
		w.lead(b.address)
		// The browser keeps the dialog open and tells nobody.
		p.status(messages.StatusBlocked)
		if _, err := p.call(messages.CallRequest{Method: "Page.reload"}); err != nil {
			t.Fatal(err)
		}
		p.status("")
	})
	b.mustLive(t)
}

// TestBrowserRestarts leads the same address to another browser, as when a
// browser was restarted on its port.
func TestBrowserRestarts(t *testing.T) {
	t.Parallel()
	first, second := launch(t), launch(t)
	w := first.behindWire(t)
	p := w.through(first, true).tab(t, newHost(t))
	p.open(p.blank("a.test"))
	before := p.task.Snapshot()
	w.lead(second.address)
	s := p.wait("the second browser", func(s *messages.Snapshot) bool { return s.Ready && s.Epoch > before.Epoch })
	if s.PageTargetID == before.PageTargetID {
		t.Error("the page is the first browser's still")
	}
	if got := p.eval("location.href"); got != "about:blank" {
		t.Errorf("the page is %v", got)
	}
	first.mustLive(t)
}

// TestBrowserDies ends the browser for good.
func TestBrowserDies(t *testing.T) {
	t.Parallel()
	b := launch(t)
	h := newHost(t)
	p := b.tab(t, h)
	p.open(p.blank("a.test"))
	dialRaw(t, b.endpoint).send("", "Browser.close", nil)
	p.status(messages.StatusReconnecting)
	ctx, cancel := context.WithTimeout(t.Context(), 4*patience)
	defer cancel()
	s, err := p.task.Wait(ctx, func(s *messages.Snapshot) bool {
		return s.Supervisor != nil && s.Supervisor.Status == messages.StatusFailed
	})
	if err != nil {
		t.Fatalf("the task does not give up: %v\n%s", err, p.state())
	}
	if s.Supervisor.Reason == "" {
		t.Error("no reason is given")
	}
	if task, ok := h.Get(p.task.ID()); !ok || task.Snapshot() != p.task.Snapshot() {
		t.Error("a task that failed is to be found until it is stopped")
	}
	_, err = p.try(at{}, "1")
	if !errors.Is(err, messages.ErrTaskFailed) {
		t.Errorf("a call ends with %v, want ErrTaskFailed", err)
	}
	// The same id starts again on a browser that is there.
	next := launch(t)
	q := next.join(t, h, p.task.ID(), registry.WithOwnTab())
	q.status("")
	q.open(q.blank("a.test"))
}

// TestRebind moves a task to another browser.
func TestRebind(t *testing.T) {
	t.Parallel()
	first, second := launch(t), launch(t)
	w := first.behindWire(t)
	h := newHost(t)
	p := w.through(first, false).tab(t, h)
	p.open(p.blank("a.test"))
	p.eval(`console.error("first")`)
	p.later(`confirm("first")`)
	d := p.dialog()
	before := p.task.Snapshot()

	q := second.join(t, h, p.task.ID(), registry.WithOwnTab())
	q.status("")
	s := q.task.Snapshot()
	if len(s.PendingDialogs)+len(s.RecentDialogs)+len(s.ConsoleErrors) != 0 || s.PageTargetID == before.PageTargetID {
		t.Errorf("state crossed over: %s", q.state())
	}
	if r := p.record(d.ID); r.ClosedBy != messages.ClosedByAutoPolicy || r.Reason != messages.ReasonStopped {
		t.Errorf("the record of the old dialog is %+v", r)
	}
	p.poll("the first connection to end", func() bool { open, _ := w.connections(); return open == 0 })
	_, err := p.try(at{}, "1")
	if !errors.Is(err, messages.ErrTaskStopped) {
		t.Errorf("a call on the old task ends with %v, want ErrTaskStopped", err)
	}
	q.open(q.blank("a.test"))
	q.later(`confirm("second")`)
	if n := q.dialog(); n.ID == d.ID {
		t.Errorf("dialog id %s was given twice", n.ID)
	}
	q.accept(q.dialog())
	q.saw(true)
	r := dialRaw(t, first.endpoint)
	for _, info := range targets(t, r.call("", "Target.getTargets", nil)) {
		if info.TargetID == string(before.PageTargetID) {
			t.Error("the tab in the first browser was left behind")
		}
	}
	first.mustLive(t)
}

// TestGetOrStart asks for one task from many sides at once.
func TestGetOrStart(t *testing.T) {
	t.Parallel()
	b := launch(t)
	w := b.behindWire(t)
	h := newHost(t)
	source := backends.Static(w.through(b, false).endpoint)
	const n = 100
	results := make(chan any, n)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for range n {
		go func() {
			task, err := h.GetOrStart(ctx, "one", source, registry.WithOwnTab())
			if err != nil {
				results <- err
				return
			}
			results <- task
		}()
	}
	first := <-results
	for range n - 1 {
		if other := <-results; other != first {
			t.Fatalf("one got %v, another %v", first, other)
		}
	}
	task, ok := first.(*registry.Task)
	if !ok {
		t.Fatal(first)
	}
	if open, total := w.connections(); open != 1 || total != 1 {
		t.Errorf("%d connections, %d in all; want 1", open, total)
	}
	p := &tab{site: b.site, t: t, host: h, task: task}
	result, err := p.call(messages.CallRequest{Method: "Target.getTargets"})
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for _, info := range targets(t, result.Result) {
		if info.Type == "page" {
			pages++
		}
	}
	if pages != 2 {
		t.Errorf("%d pages; want the browser's own and one of the task's", pages)
	}
	_, err = h.GetOrStart(ctx, "one", source) // without a tab of its own
	if !errors.Is(err, messages.ErrTaskOptions) {
		t.Errorf("other options: %v, want ErrTaskOptions", err)
	}
	if _, err := h.GetOrStart(ctx, "one", source, registry.WithOwnTab(), registry.WithPolicy(messages.PolicyAutoAccept)); err != nil {
		t.Errorf("another policy: %v", err)
	}
	p.open(p.blank("a.test"))
	p.later(`confirm("m")`)
	p.last(1)
	p.saw(true)
}
