package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"cdpsupervisor/backends"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// started is a task on a page that was there before, and how long that took.
func started(t *testing.T, b *browser, target string) *tab {
	t.Helper()
	start := time.Now()
	p := b.tab(t, newHost(t), registry.WithTarget(messages.TargetID(target)))
	if took := time.Since(start); took > messages.StartTimeout+2*time.Second {
		t.Errorf("the start took %s", took)
	}
	return p
}

// silenced opens a page whose script reports and then keeps its renderer from
// answering, and returns when it does.
func (b *browser) silenced(t *testing.T, script string) (target string) {
	t.Helper()
	r := dialRaw(t, b.endpoint)
	target = field(t, r.call("", "Target.createTarget", params{"url": b.page("a.test", `<script>`+script+`</script>`)}), "targetId")
	session := field(t, r.call("", "Target.attachToTarget", params{"targetId": target, "flatten": true}), "sessionId")
	b.reported(t)
	for range 10 {
		if r.silent(session, "Runtime.evaluate", params{"expression": "1"}, 300*time.Millisecond) {
			return target
		}
	}
	t.Fatal("the page answers still")
	return ""
}

// TestBlockedBeforeWeCame attaches to a page with a dialog that opened when no
// client was there: nobody can see or answer it any more.
func TestBlockedBeforeWeCame(t *testing.T) {
	t.Parallel()
	b := launch(t)
	// wedge opens a page that asks once, at its first load.
	wedge := func(t *testing.T) string {
		t.Helper()
		return b.silenced(t, `if (!sessionStorage.asked) { sessionStorage.asked = 1; report("now"); seen.push(confirm("too early")); }`)
	}
	blocked := func(t *testing.T) *tab {
		t.Helper()
		p := started(t, b, wedge(t))
		state := p.status(messages.StatusBlocked)
		if len(state.WaysOut) == 0 || state.Reason == "" {
			t.Errorf("no way out is named: %+v", state)
		}
		if s := p.task.Snapshot(); s.Ready || len(s.PendingDialogs) != 0 {
			t.Error(p.state())
		}
		quick(t, "a call on a blocked page", func() {
			_, err := p.try(at{}, "1")
			if f := refused(t, err, messages.CodePageBlocked); len(f.WaysOut) == 0 {
				t.Errorf("no way out is named: %+v", f)
			}
		})
		return p
	}
	wellAgain := func(p *tab) {
		p.t.Helper()
		p.status("")
		p.poll("the page to answer", func() bool {
			v, err := p.try(at{}, `typeof later`)
			return err == nil && v == "function"
		})
		p.later(`confirm("in time")`)
		p.accept(p.dialog())
		p.saw(true)
	}
	t.Run("a reload leads out", func(t *testing.T) {
		p := blocked(t)
		if _, err := p.call(messages.CallRequest{Method: "Page.reload"}); err != nil {
			t.Fatal(err)
		}
		wellAgain(p)
	})
	t.Run("a navigation leads out", func(t *testing.T) {
		p := blocked(t)
		p.open(p.blank("a.test"))
		wellAgain(p)
	})
	t.Run("closing leads out", func(t *testing.T) {
		p := blocked(t)
		target := p.task.Snapshot().PageTargetID
		if _, err := p.call(messages.CallRequest{Method: "Target.closeTarget", Params: fmt.Appendf(nil, `{"targetId":%q}`, target)}); err != nil {
			t.Fatal(err)
		}
		p.status(messages.StatusTabGone)
		p.open(p.blank("a.test"))
		wellAgain(p)
	})
	t.Run("a stop works", func(t *testing.T) { blocked(t) })
	b.mustLive(t)
}

// TestBusyRenderer attaches to a page whose script does not return.
func TestBusyRenderer(t *testing.T) {
	t.Parallel()
	b := launch(t)
	busy := func(t *testing.T, loop string) string {
		t.Helper()
		return b.silenced(t, `setTimeout(() => { report("now"); `+loop+` })`)
	}
	t.Run("for a while", func(t *testing.T) {
		p := started(t, b, busy(t, `for (const end = Date.now() + 9000; Date.now() < end;);`))
		p.status(messages.StatusBlocked)
		p.status("") // by itself
		p.later(`confirm("well again")`)
		p.accept(p.dialog())
		p.saw(true)
	})
	t.Run("for ever", func(t *testing.T) {
		p := started(t, b, busy(t, `for (;;);`))
		p.status(messages.StatusBlocked)
		p.open(p.blank("b.test"))
		p.status("")
	})
	b.mustLive(t)
}

// TestClosesDuringSetUp closes pages while a task attaches to them.
func TestClosesDuringSetUp(t *testing.T) {
	t.Parallel()
	b := launch(t)
	h := newHost(t)
	r := dialRaw(t, b.endpoint)
	for range 10 {
		target := field(t, r.call("", "Target.createTarget", params{"url": b.blank("a.test")}), "targetId")
		id := h.newID()
		done := make(chan error, 1)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		go func() {
			_, err := h.GetOrStart(ctx, id, backends.Static(b.endpoint), registry.WithTarget(messages.TargetID(target)))
			done <- err
		}()
		r.send("", "Target.closeTarget", params{"targetId": target})
		err := <-done
		cancel()
		switch task, ok := h.Get(id); {
		case err != nil: // it says why
			if messages.CodeOf(err) == "" {
				t.Errorf("the start failed without a code: %v", err)
			}
		case !ok:
			t.Error("the start succeeded and there is no task")
		default:
			(&tab{site: b.site, t: t, host: h, task: task}).status(messages.StatusTabGone)
		}
		h.end(t, id)
	}
	b.mustLive(t)
}

// TestTabGone closes the task's page by another client.
func TestTabGone(t *testing.T) {
	t.Parallel()
	b := launch(t)
	r := dialRaw(t, b.endpoint)
	p := b.tab(t, newHost(t))
	p.open(p.blank("a.test"))
	before := p.task.Snapshot().PageTargetID
	r.call("", "Target.closeTarget", params{"targetId": string(before)})
	if state := p.status(messages.StatusTabGone); len(state.WaysOut) == 0 {
		t.Errorf("no way out is named: %+v", state)
	}
	quick(t, "a call without a tab", func() {
		_, err := p.try(at{}, "1")
		refused(t, err, messages.CodeTabGone)
	})
	p.open(p.blank("a.test")) // opens a tab of its own
	if after := p.task.Snapshot().PageTargetID; after == before || after == "" {
		t.Errorf("the page is %s still", after)
	}
	p.status("")
	p.later(`confirm("m")`)
	p.accept(p.dialog())
	p.saw(true)
	b.mustLive(t)
}

// TestPausedPopupsOfOthers: pages that no task supervises are neither held nor
// kept.
func TestPausedPopupsOfOthers(t *testing.T) {
	t.Parallel()
	b := launch(t)
	b.tab(t, newHost(t))
	r := dialRaw(t, b.endpoint)
	_, session := r.page(b.blank("a.test"))
	if got := r.eval(session, `open("`+b.blank("a.test")+`") !== null`); got != true {
		t.Errorf("window.open gave %v", got)
	}
	if got := r.eval(session, "1 + 1"); got != 2.0 {
		t.Errorf("the opener answers %v", got)
	}
}
