package e2e

import (
	"testing"
	"time"

	"cdpsupervisor/messages"
)

// atOnce bounds what must not wait for anybody: far less than any timeout of
// the engine, and enough for a busy machine.
const atOnce = 3 * time.Second

// quick checks that f takes no time worth the name.
func quick(t *testing.T, what string, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took > atOnce {
		t.Errorf("%s took %s", what, took.Round(time.Millisecond))
	}
}

// TestNothingHangsOnADialog makes calls while dialogs are open.
func TestNothingHangsOnADialog(t *testing.T) {
	play(t, []scenario{
		{name: "a call that the dialog blocks", run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`confirm("m")`)
			d := p.dialog()
			for _, method := range []string{"Runtime.evaluate", "Page.getFrameTree", "DOM.getDocument", "Page.captureScreenshot", "Accessibility.getFullAXTree"} {
				quick(p.t, method, func() {
					_, err := p.call(messages.CallRequest{Method: method, Params: []byte(`{"expression":"1"}`)})
					if f := refused(p.t, err, messages.CodeDialogOpen); f.Dialog == nil || f.Dialog.ID != d.ID {
						p.t.Errorf("%s: the failure carries %+v", method, f.Dialog)
					}
				})
			}
			p.accept(d)
			p.saw(true)
		}},
		{name: "a call that no dialog blocks", run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`confirm("m")`)
			d := p.dialog()
			for _, method := range []string{"Page.getNavigationHistory", "Network.getCookies", "Target.getTargets", "Browser.getVersion", "Storage.getCookies"} {
				if _, err := p.call(messages.CallRequest{Method: method}); err != nil {
					p.t.Errorf("%s: %v", method, err)
				}
			}
			p.accept(d)
		}},
		{name: "an evaluation that opens the dialog", run: func(p *tab) {
			p.open(p.blank("a.test"))
			var f *messages.Failure
			quick(p.t, "the evaluation", func() {
				_, err := p.try(at{}, `seen.push(confirm("m"))`)
				f = refused(p.t, err, messages.CodeDialogOpened)
			})
			if f.Dialog == nil || f.Dialog.Message != "m" || !f.MayHaveRun {
				p.t.Fatalf("the failure is %+v", f)
			}
			p.accept(*f.Dialog)
			p.saw(true)
		}},
		{name: "a call in flight when the dialog opens", run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.evalIn(at{}, `setTimeout(() => seen.push(confirm("m")), 300), 0`)
			quick(p.t, "the evaluation", func() {
				_, err := p.try(at{}, `new Promise(() => {})`)
				refused(p.t, err, messages.CodeDialogOpened)
			})
			p.dismiss(p.dialog())
			p.saw(false)
		}},
		{name: "a click that opens the dialog", run: func(p *tab) {
			p.open(p.page("a.test", `<body style="margin:0"><button style="width:99px;height:99px" onclick='seen.push(confirm("m"))'>x</button>`))
			press := func(kind string) error {
				_, err := p.call(messages.CallRequest{Method: "Input.dispatchMouseEvent",
					Params: []byte(`{"type":"` + kind + `","x":50,"y":50,"button":"left","clickCount":1}`)})
				return err
			}
			if err := press("mousePressed"); err != nil {
				p.t.Fatal(err)
			}
			quick(p.t, "the click", func() {
				if err := press("mouseReleased"); err != nil && messages.CodeOf(err) != messages.CodeDialogOpened {
					p.t.Error(err)
				}
			})
			p.accept(p.dialog())
			p.saw(true)
		}},
		{name: "a reload ends the dialog", run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`confirm("m")`)
			d := p.dialog()
			if _, err := p.call(messages.CallRequest{Method: "Page.reload"}); err != nil {
				p.t.Fatal(err)
			}
			if r := p.record(d.ID); r.ClosedBy != messages.ClosedByRemote || r.Reason != messages.ReasonNavigation || r.Result {
				p.t.Errorf("the record is %+v", r)
			}
			p.poll("the new document", func() bool {
				n, err := p.try(at{}, "typeof seen === 'object' && seen.length")
				return err == nil && n == 0.0
			})
		}},
		{name: "a navigation is refused for an answerable dialog", run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`confirm("m")`)
			d := p.dialog()
			ctx, cancel := p.context()
			defer cancel()
			_, err := p.task.Navigate(ctx, p.blank("a.test"))
			if f := refused(p.t, err, messages.CodeDialogOpen); f.Dialog == nil || f.Dialog.ID != d.ID {
				p.t.Errorf("the failure carries %+v", f.Dialog)
			}
			p.accept(d)
			p.saw(true)
		}},
		{name: "a dialog while the page loads", run: func(p *tab) {
			url := p.page("a.test", `<script>seen.push(confirm("first thing"))</script>`)
			ctx, cancel := p.context()
			defer cancel()
			r, err := p.task.Navigate(ctx, url)
			if err != nil || r.URL != url {
				p.t.Fatalf("navigate: %+v, %v", r, err)
			}
			p.accept(p.dialog())
			p.saw(true)
		}},
		{name: "refused methods", run: func(p *tab) {
			p.open(p.blank("a.test"))
			for _, method := range []string{"Fetch.enable", "Page.disable", "Runtime.disable", "Debugger.enable", "Target.setAutoAttach", "Target.detachFromTarget", "Browser.crash"} {
				_, err := p.call(messages.CallRequest{Method: method})
				refused(p.t, err, messages.CodeDenied)
			}
			p.later(`confirm("still seen")`)
			p.accept(p.dialog())
			p.saw(true)
		}},
	})
}

// TestBeforeUnload is about leaving a page that asks first.
func TestBeforeUnload(t *testing.T) {
	asking := `<script>onbeforeunload = e => { seen.push("asked"); e.preventDefault(); return "x" }</script>`
	leave := func(p *tab) (to string, err error) {
		p.open(p.page("a.test", asking))
		p.eval("1") // evaluating counts as a person's touch
		to = p.blank("a.test")
		ctx, cancel := p.context()
		defer cancel()
		_, err = p.task.Navigate(ctx, to)
		return to, err
	}
	play(t, []scenario{
		{name: "dismissed", run: func(p *tab) {
			_, err := leave(p)
			f := refused(p.t, err, messages.CodeDialogOpened)
			if f.Dialog == nil || f.Dialog.Type != messages.DialogBeforeUnload {
				p.t.Fatalf("the failure carries %+v", f.Dialog)
			}
			if r := p.dismiss(*f.Dialog); r.ClosedBy != messages.ClosedByAgent || r.Result {
				p.t.Errorf("the record is %+v", r)
			}
			p.saw("asked") // the same document
		}},
		{name: "accepted", run: func(p *tab) {
			to, err := leave(p)
			f := refused(p.t, err, messages.CodeDialogOpened)
			if f.Dialog == nil {
				p.t.Fatal("the failure carries no dialog")
			}
			if r := p.accept(*f.Dialog); r.ClosedBy != messages.ClosedByAgent || !r.Result {
				p.t.Errorf("the record is %+v", r)
			}
			p.wait("the next page", func(s *messages.Snapshot) bool { return s.Page.URL == to })
			if got := p.eval("location.href"); got != to {
				p.t.Errorf("the page is %v, want %s", got, to)
			}
		}},
		{name: "by auto_dismiss", run: func(p *tab) {
			p.policy(messages.PolicyAutoDismiss, 0)
			_, err := leave(p)
			refused(p.t, err, messages.CodeCancelledByDialog)
			p.saw("asked")
		}},
		{name: "by auto_accept", run: func(p *tab) {
			p.policy(messages.PolicyAutoAccept, 0)
			to, err := leave(p)
			if err != nil {
				p.t.Fatal(err)
			}
			if got := p.eval("location.href"); got != to {
				p.t.Errorf("the page is %v, want %s", got, to)
			}
		}},
		{name: "a page that nobody touched does not ask", run: func(p *tab) {
			ctx, cancel := p.context()
			defer cancel()
			for _, url := range []string{p.page("a.test", asking), p.blank("a.test")} {
				if _, err := p.task.Navigate(ctx, url); err != nil {
					p.t.Fatal(err)
				}
			}
			if n := len(p.task.Snapshot().RecentDialogs); n != 0 {
				p.t.Errorf("%d dialogs", n)
			}
		}},
	})
}
