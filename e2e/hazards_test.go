package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"cdpsupervisor/backends"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// danger is a tab in which a subframe's dialog is open: what follows kills a
// browser that is not cared for.
type danger struct {
	*tab
	b      *browser
	dialog messages.Dialog
	target messages.TargetID
	loader messages.LoaderID // the document that the dialog holds up
}

// inDanger brings a tab there. With nested, the dialog's frame is inside
// another frame of a third site.
func inDanger(t *testing.T, nested bool, opts ...registry.TaskOption) *danger {
	t.Helper()
	t.Parallel()
	b := launch(t)
	p := b.tab(t, newHost(t), opts...)
	asking := b.blank("b.test")
	outer := asking
	if nested {
		asking = b.blank("c.test")
		outer = b.embed("b.test", asking)
	}
	p.open(b.embed("a.test", outer))
	f := p.frame(asking)
	p.laterIn(in(f), `confirm("in the frame")`)
	d := &danger{tab: p, b: b, dialog: p.dialog()}
	s := p.task.Snapshot()
	d.target, d.loader = s.PageTargetID, s.Page.LoaderID
	if d.dialog.FrameID != f.FrameID {
		t.Fatalf("the dialog is shown as frame %s's, want %s", d.dialog.FrameID, f.FrameID)
	}
	return d
}

// removesFrame has the page remove the dialog's frame, or what it is in.
func (d *danger) removesFrame() {
	d.t.Helper()
	d.later(`{ ` + removeFrame + ` }`)
	r := d.record(d.dialog.ID)
	if r.ClosedBy != messages.ClosedByRemote || r.Reason != messages.ReasonFrameRemoved || r.Result {
		d.t.Errorf("the record is %+v", r)
	}
}

// healed waits until the engine has brought its own tab back to life.
func (d *danger) healed() {
	d.t.Helper()
	d.wait("another document", func(s *messages.Snapshot) bool {
		return s.Page.LoaderID != d.loader && s.Ready && s.Supervisor == nil
	})
	d.poll("the page to be loaded anew", func() bool {
		v, err := d.try(at{}, "typeof later + document.readyState")
		return err == nil && v == "functioncomplete"
	})
}

// wellAgain checks that the tab works, dialogs and all, and that the browser
// survived.
func (d *danger) wellAgain() {
	d.t.Helper()
	d.status("")
	d.open(d.blank("a.test"))
	d.later(`confirm("afterwards")`)
	d.accept(d.tab.dialog())
	d.saw(true)
	d.b.mustLive(d.t)
}

func TestHazardStop(t *testing.T) {
	for _, name := range []string{"own tab", "adopted tab"} {
		t.Run(name, func(t *testing.T) {
			opts := []registry.TaskOption{registry.WithOwnTab()}
			if name == "adopted tab" {
				opts = []registry.TaskOption{registry.WithScope(messages.ScopePage)}
			}
			d := inDanger(t, false, opts...)
			ctx, cancel := d.context()
			defer cancel()
			if err := d.host.Stop(ctx, d.task.ID()); err != nil {
				t.Fatal(err)
			}
			if r := d.record(d.dialog.ID); r.ClosedBy != messages.ClosedByAutoPolicy || r.Reason != messages.ReasonStopped {
				t.Errorf("the record is %+v", r)
			}
			d.b.mustLive(t)
			// A client that closes every tab after us must not kill it either.
			r := dialRaw(t, d.b.endpoint)
			for _, info := range targets(t, r.call("", "Target.getTargets", nil)) {
				if info.Type == "page" {
					_, _ = r.try("", "Target.closeTarget", params{"targetId": info.TargetID})
				}
			}
		})
	}
}

func TestHazardRebind(t *testing.T) {
	d := inDanger(t, false)
	second := launch(t)
	ctx, cancel := d.context()
	defer cancel()
	if _, err := d.host.GetOrStart(ctx, d.task.ID(), backends.Static(second.endpoint), registry.WithOwnTab()); err != nil {
		t.Fatal(err)
	}
	d.b.mustLive(t)
}

func TestHazardClose(t *testing.T) {
	for _, method := range []string{"Target.closeTarget", "Page.close"} {
		t.Run(method, func(t *testing.T) {
			d := inDanger(t, false)
			req := messages.CallRequest{Method: method}
			if method == "Target.closeTarget" {
				req.Params = fmt.Appendf(nil, `{"targetId":%q}`, d.target)
			}
			if _, err := d.call(req); err != nil {
				t.Errorf("%s: %v", method, err)
			}
			if r := d.record(d.dialog.ID); r.ClosedBy != messages.ClosedByAgent || r.Reason != messages.ReasonTargetClosed || r.Result {
				t.Errorf("the record is %+v", r)
			}
			d.status(messages.StatusTabGone)
			d.b.mustLive(t)
			d.open(d.blank("a.test")) // into a new tab
			d.wellAgain()
		})
	}
	t.Run("another task's tab", func(t *testing.T) {
		d := inDanger(t, false)
		other := d.b.tab(t, d.host)
		_, err := other.call(messages.CallRequest{Method: "Target.closeTarget", Params: fmt.Appendf(nil, `{"targetId":%q}`, d.target)})
		refused(t, err, messages.CodeDenied)
		d.b.mustLive(t)
		d.accept(d.dialog)
	})
	t.Run("nobody's tab", func(t *testing.T) {
		t.Parallel()
		b := launch(t)
		p := b.tab(t, newHost(t))
		target, _ := dialRaw(t, b.endpoint).page(b.blank("a.test"))
		if _, err := p.call(messages.CallRequest{Method: "Target.closeTarget", Params: fmt.Appendf(nil, `{"targetId":%q}`, target)}); err != nil {
			t.Error(err)
		}
	})
	t.Run("by the dialog's frame", func(t *testing.T) {
		d := inDanger(t, false)
		_, err := d.call(messages.CallRequest{Method: "Target.closeTarget", Params: fmt.Appendf(nil, `{"targetId":%q}`, d.dialog.FrameID)})
		refused(t, err, messages.CodeInvalidArgument)
		_, err = d.call(messages.CallRequest{Method: "Page.close", FrameID: d.dialog.FrameID})
		refused(t, err, messages.CodeInvalidArgument)
		other := d.b.tab(t, d.host)
		_, err = other.call(messages.CallRequest{Method: "Target.closeTarget", Params: fmt.Appendf(nil, `{"targetId":%q}`, d.dialog.FrameID)})
		refused(t, err, messages.CodeInvalidArgument)
		d.b.mustLive(t)
		d.accept(d.dialog)
	})
	t.Run("Target.disposeBrowserContext", func(t *testing.T) {
		d := inDanger(t, false)
		_, err := d.call(messages.CallRequest{Method: "Target.disposeBrowserContext", Params: []byte(`{"browserContextId":"X"}`)})
		refused(t, err, messages.CodeDenied)
		d.b.mustLive(t)
	})
}

// TestHazardFrameRemoved is about a dialog whose frame is removed by its
// parent: Chromium forgets to close it, and dies when it is touched.
func TestHazardFrameRemoved(t *testing.T) {
	cases := []struct {
		name   string
		nested bool
		do     func(*danger)
	}{
		{"then the agent answers", false, func(d *danger) {
			_, err := d.respond(messages.DialogRequest{Action: messages.ActionAccept, DialogID: d.dialog.ID})
			if f := refused(d.t, err, messages.CodeDialogClosed); f.Record == nil || f.Record.Reason != messages.ReasonFrameRemoved {
				d.t.Errorf("the failure carries %+v", f.Record)
			}
		}},
		{"then the agent answers by the raw method", false, func(d *danger) {
			_, err := d.call(messages.CallRequest{Method: "Page.handleJavaScriptDialog", Params: []byte(`{"accept":true}`)})
			if err == nil {
				d.t.Error("it succeeded")
			}
		}},
		{"with its ancestor, then the agent answers", true, func(d *danger) {
			_, err := d.respond(messages.DialogRequest{Action: messages.ActionDismiss, DialogID: d.dialog.ID})
			refused(d.t, err, messages.CodeDialogClosed)
		}},
		{"then another dialog opens", false, func(d *danger) {
			d.healed()
			d.later(`confirm("another")`)
			d.accept(d.tab.dialog())
			d.saw(true)
		}},
		{"then the page is navigated", false, func(d *danger) {
			d.healed()
			d.open(d.blank("a.test"))
		}},
		{"then the page navigates itself", false, func(d *danger) {
			d.healed()
			next := d.blank("a.test")
			d.eval(`location.href = "` + next + `", 0`)
			d.wait("the next page", func(s *messages.Snapshot) bool { return s.Page.URL == next })
		}},
		{"then the tab is closed", false, func(d *danger) {
			if _, err := d.call(messages.CallRequest{Method: "Target.closeTarget", Params: fmt.Appendf(nil, `{"targetId":%q}`, d.target)}); err != nil {
				d.t.Error(err)
			}
			d.status(messages.StatusTabGone)
			d.open(d.blank("a.test"))
		}},
		{"then the task stops", false, func(d *danger) {
			ctx, cancel := d.context()
			defer cancel()
			if err := d.host.Stop(ctx, d.task.ID()); err != nil {
				d.t.Error(err)
			}
			d.b.mustLive(d.t)
			d.tab = d.b.tab(d.t, d.host)
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := inDanger(t, c.nested)
			d.removesFrame()
			c.do(d)
			d.wellAgain()
		})
	}
}

// TestHazardPoisonedTab is about a tab that is not the engine's own: it must
// not be navigated unasked, so it is shown as what it is.
func TestHazardPoisonedTab(t *testing.T) {
	d := inDanger(t, false, registry.WithScope(messages.ScopePage))
	d.removesFrame()
	state := d.status(messages.StatusPoisoned)
	if len(state.WaysOut) == 0 || state.Reason == "" {
		t.Errorf("no way out is named: %+v", state)
	}
	if got := d.eval("1 + 1"); got != 2.0 {
		t.Errorf("the page answers %v", got)
	}
	d.open(d.blank("a.test")) // the way out that the agent chose
	d.wellAgain()
}

// TestHazardPoisonedTabGoesOn: what the page of such a tab does next, by itself, ends
// no browser, and the way out leads out.
func TestHazardPoisonedTabGoesOn(t *testing.T) {
	for name, script := range map[string]string{
		"another dialog":            `alert("next")`,
		"a reload":                  `location.reload()`,
		"a frame and then a dialog": `const f = document.createElement("iframe"); f.src = FRAME; f.onload = () => alert("next"); document.body.append(f)`,
		"a navigation":              `location.href = NEXT`,
		"a popup":                   `open(NEXT)`,
	} {
		t.Run(name, func(t *testing.T) {
			d := inDanger(t, false, registry.WithScope(messages.ScopePage))
			d.removesFrame()
			d.status(messages.StatusPoisoned)
			d.later(strings.NewReplacer("FRAME", strconv.Quote(d.b.blank("b.test")), "NEXT", strconv.Quote(d.b.blank("c.test"))).Replace(`{ report("now"); ` + script + ` }`))
			d.b.reported(t)
			d.poll("a navigation that nothing of the page's own cancels", func() bool {
				_, err := d.task.Navigate(t.Context(), d.b.blank("a.test"))
				return err == nil
			})
			d.wellAgain()
		})
	}
}

// TestHazardPoisonedTabStays: a way out that the browser refuses leads nowhere, and
// the page is as dangerous as before.
func TestHazardPoisonedTabStays(t *testing.T) {
	d := inDanger(t, false, registry.WithScope(messages.ScopePage))
	d.removesFrame()
	d.status(messages.StatusPoisoned)
	_, err := d.call(messages.CallRequest{Method: "Page.navigate", Params: []byte(`{"url":"nonsense"}`)})
	refused(t, err, messages.CodeCDPError)
	d.status(messages.StatusPoisoned)
	d.later(`{ report("now"); alert("next") }`)
	d.b.reported(t)
	d.open(d.b.blank("a.test"))
	d.wellAgain()
}

// TestHazardStopWhilePoisoned ends the task on a tab that nobody healed, and
// then the tab.
func TestHazardStopWhilePoisoned(t *testing.T) {
	d := inDanger(t, false, registry.WithScope(messages.ScopePage))
	d.removesFrame()
	d.status(messages.StatusPoisoned)
	ctx, cancel := d.context()
	defer cancel()
	if err := d.host.Stop(ctx, d.task.ID()); err != nil {
		t.Fatal(err)
	}
	d.b.mustLive(t)
	r := dialRaw(t, d.b.endpoint)
	r.call("", "Target.createTarget", params{"url": "about:blank"}) // so that a page is left
	r.call("", "Target.closeTarget", params{"targetId": string(d.target)})
	d.b.mustLive(t)
}
