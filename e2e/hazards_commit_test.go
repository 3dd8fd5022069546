package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"cdpsupervisor/backends"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// notActive is what the browser says of a session whose page is about to be
// replaced.
const notActive = "Not attached to an active page"

// leaving makes a script that navigates to a page of the same host, and asks
// its question as soon as the browser has asked for that page. The document
// comes when deliver is called.
func (s *site) leaving(t *testing.T, window string) (script string, deliver func()) {
	t.Helper()
	asked, come := make(chan struct{}), make(chan struct{})
	began := sync.OnceFunc(func() { close(asked) })
	deliver = sync.OnceFunc(func() { close(come) })
	t.Cleanup(began)
	t.Cleanup(deliver)
	next := s.handle("a.test", func(w http.ResponseWriter, _ *http.Request) {
		began()
		<-come
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, prelude)
	})
	wait := s.handle("a.test", func(http.ResponseWriter, *http.Request) { <-asked })
	return fmt.Sprintf(`fetch(%q).then(() => { %s.confirm("in the way") }); location.href = %q; 1`, wait, window, next), deliver
}

// stranded brings a tab to where a navigation waits for its dialog: it began
// before the dialog opened, and its document is for the renderer that the
// dialog blocks.
func stranded(t *testing.T, subframe bool, opts ...registry.TaskOption) *danger {
	t.Helper()
	t.Parallel()
	b := launch(t)
	p := b.tab(t, newHost(t), opts...)
	p.open(b.embed("a.test", b.blank("a.test")))
	window := "window"
	if subframe {
		window = "frames[0]"
	}
	script, deliver := b.leaving(t, window)
	if _, err := p.try(at{}, script); err != nil && messages.CodeOf(err) != messages.CodeDialogOpened {
		t.Fatal(err)
	}
	d := &danger{tab: p, b: b, dialog: p.dialog()}
	s := p.task.Snapshot()
	d.target, d.loader = s.PageTargetID, s.Page.LoaderID
	deliver()
	p.poll("the document to come", func() bool {
		_, err := p.call(messages.CallRequest{Method: "Page.getNavigationHistory"})
		return err != nil || len(p.task.Snapshot().PendingDialogs) == 0 // the engine has seen it first, and acted
	})
	return d
}

// takesNoAnswer answers the dialog, unless the engine has found out before that
// it takes no answer.
func (d *danger) takesNoAnswer() {
	d.t.Helper()
	_, err := d.respond(messages.DialogRequest{Action: messages.ActionAccept})
	switch messages.CodeOf(err) {
	case messages.CodeUnanswerable:
		f := refused(d.t, err, messages.CodeUnanswerable)
		if f.Dialog == nil || f.Dialog.State != messages.StateUnanswerable || len(f.WaysOut) == 0 {
			d.t.Errorf("the failure is %+v", f)
		}
	case messages.CodeNoDialog, messages.CodeDialogClosed, messages.CodeUnknownDialog:
	default:
		d.t.Errorf("the answer: %v", err)
	}
}

// freed waits until the dialog is over by itself and the page is where it was
// going.
func (d *danger) freed() {
	d.t.Helper()
	d.wait("the page to get to where it was going", func(s *messages.Snapshot) bool {
		return s.Page.LoaderID != d.loader && s.Ready && s.Supervisor == nil && len(s.PendingDialogs) == 0
	})
	if r := d.record(d.dialog.ID); r.ClosedBy != messages.ClosedByRemote || r.Reason != messages.ReasonNavigation || r.Result {
		d.t.Errorf("the record is %+v", r)
	}
	d.wellAgain()
}

// TestHazardCommit is about a dialog that a navigation waits for: nobody can
// answer it, and Chromium dies when the page's session goes.
func TestHazardCommit(t *testing.T) {
	t.Run("answer", func(t *testing.T) {
		d := stranded(t, false)
		d.takesNoAnswer()
		d.freed()
	})
	t.Run("nobody answers", func(t *testing.T) {
		d := stranded(t, true)
		d.freed()
	})
	for _, subframe := range []bool{false, true} {
		for name, do := range map[string]func(context.Context, *danger) error{
			"stop": func(ctx context.Context, d *danger) error { return d.host.Stop(ctx, d.task.ID()) },
			"rebind": func(ctx context.Context, d *danger) error {
				_, err := d.host.GetOrStart(ctx, d.task.ID(), backends.Static(launch(d.t).endpoint))
				return err
			},
			"close the tab": func(_ context.Context, d *danger) error {
				_, err := d.call(messages.CallRequest{Method: "Target.closeTarget", Params: fmt.Appendf(nil, `{"targetId":%q}`, d.target)})
				return err
			},
		} {
			for tab, opts := range map[string][]registry.TaskOption{"own tab": {registry.WithOwnTab()}, "adopted tab": {registry.WithScope(messages.ScopePage)},
				"left to a person": {registry.WithScope(messages.ScopePage), registry.WithOnStop(messages.OnStopLeave)}} {
				t.Run(fmt.Sprintf("%s, %s, subframe %v", name, tab, subframe), func(t *testing.T) {
					d := stranded(t, subframe, opts...)
					ctx, cancel := d.context()
					defer cancel()
					if err := do(ctx, d); err != nil {
						t.Error(err)
					}
					// What a client says that comes later is heard later.
					dialRaw(t, d.b.endpoint).call("", "Target.getTargets", nil)
					d.b.mustLive(t)
				})
			}
		}
	}
}

// TestHazardCommitIsReal shows the same without our care.
func TestHazardCommitIsReal(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(r *raw, session string){
		"Page.disable":            func(r *raw, session string) { r.send(session, "Page.disable", nil) },
		"Target.detachFromTarget": func(r *raw, session string) { r.send("", "Target.detachFromTarget", params{"sessionId": session}) },
		"the connection ends":     func(r *raw, _ string) { r.close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := launch(t)
			r, watch := dialRaw(t, b.endpoint), dialRaw(t, b.endpoint)
			_, session := r.page("about:blank")
			r.call(session, "Page.navigate", params{"url": b.blank("a.test")})
			r.call(session, "Runtime.evaluate", params{"awaitPromise": true, "expression": loaded})
			script, deliver := b.leaving(t, "window")
			r.eval(session, script)
			r.event(session, "Page.javascriptDialogOpening")
			deliver()
			for {
				if _, err := r.try(session, "Page.getNavigationHistory", nil); err != nil && err.Error() == notActive+" (-32000)" {
					break
				}
				if t.Context().Err() != nil {
					t.Fatal("the document does not come")
				}
			}
			do(r, session)
			if !watch.dies() {
				t.Error("the browser lives; this is no hazard any more")
			}
		})
	}
}
