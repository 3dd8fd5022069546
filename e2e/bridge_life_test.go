package e2e

import (
	"testing"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// TestBridgeStops checks that a stop leaves a page as it was, without a reload.
func TestBridgeStops(t *testing.T) {
	t.Parallel()
	b := launch(t)
	h := newHost(t)
	for _, by := range []messages.BridgeTransport{messages.TransportXHR, messages.TransportDebugger} {
		t.Run(string(by), func(t *testing.T) {
			other := dialRaw(t, b.endpoint)
			target, session := other.page(b.blank("a.test"))
			other.poll(session, loaded+`.then(() => typeof later)`, "function")
			other.eval(session, `{ const f = document.createElement("iframe"); f.src = "`+b.blank("b.test")+`"; document.documentElement.append(f); 1 }`)
			child := other.child(session)
			other.poll(child, loaded+`.then(() => typeof later)`, "function")
			p := b.tab(t, h, registry.WithTarget(messages.TargetID(target)), registry.WithBridge(messages.BridgeOn), transport(by))
			where := at{frame: p.frames().Children[0].FrameID}
			for _, where := range []at{{}, where} {
				if got := p.evalIn(where, `alert.toString()`); got == nativeAlert {
					t.Fatal("the page is not bridged")
				}
			}
			p.eval(`(window.kept = confirm, 1)`)
			p.asksIn(where, messages.ViaKind(by))
			p.later(`confirm("open at the stop")`)
			p.dialog()
			h.end(t, p.task.ID())
			for _, s := range []string{session, child} {
				if got := other.eval(s, `alert.toString() + confirm.toString() + prompt.toString()`); got != nativeAlert+"function confirm() { [native code] }function prompt() { [native code] }" {
					t.Errorf("after the stop the page finds %v", got)
				}
			}
			if got := other.eval(session, `seen.join()`); got != "false" {
				t.Errorf("the open dialog came to %v", got)
			}
			// What the page kept of the bridge calls the native.
			id := other.send(session, "Runtime.evaluate", params{"expression": `kept("still")`, "returnByValue": true})
			other.event(session, "Page.javascriptDialogOpening")
			for range 2 {
				// Page.enable was answered, and so is the dialog.
				if _, err := other.try(session, "Page.handleJavaScriptDialog", params{"accept": true}); err == nil {
					break
				}
			}
			if !other.until(patience, func() bool { _, ok := other.replies[id]; return ok }) {
				t.Error("the kept function does not return")
			}
		})
	}
	t.Run("other people's Fetch", func(t *testing.T) {
		p := b.tab(t, h, bridgeOn(transport(messages.TransportXHR))...)
		p.open(p.blank("a.test"))
		other := dialRaw(t, b.endpoint)
		session := other.attach(string(p.task.Snapshot().PageTargetID))
		other.call(session, "Fetch.enable", params{"patterns": []any{params{"urlPattern": "http://a.test/theirs*"}}})
		p.eval(`(fetch("/theirs").then(r => r.text()).then(text => window.theirs = text), 1)`)
		request := field(t, other.event(session, "Fetch.requestPaused").Params, "requestId")
		p.asks(messages.ViaXHR)
		other.call(session, "Fetch.fulfillRequest", params{"requestId": request, "responseCode": 200, "body": "bWluZQ=="})
		p.poll("their answer to arrive", func() bool { v, err := p.try(at{}, `window.theirs`); return err == nil && v == "mine" })
	})
	t.Run("another endpoint", func(t *testing.T) {
		p := b.tab(t, h, bridgeOn()...)
		p.open(p.blank("a.test"))
		p.later(`confirm("held")`)
		p.dialog()
		second := launch(t)
		q := second.join(t, h, p.task.ID(), bridgeOn()...)
		if s := q.task.Snapshot(); len(s.PendingDialogs)+len(s.RecentDialogs) != 0 {
			t.Errorf("dialogs went along: %s", q.state())
		}
		q.open(q.blank("a.test"))
		q.asks(messages.ViaXHR)
	})
	b.mustLive(t)
}

// TestBridgeEnds is about what else ends a dialog that the bridge holds.
func TestBridgeEnds(t *testing.T) {
	on := bridgeOn(transport(messages.TransportXHR))
	hold := func(p *tab) messages.Dialog {
		p.t.Helper()
		p.open(p.blank("a.test"))
		p.later(`confirm("held")`)
		return p.dialog()
	}
	ends := func(p *tab, d messages.Dialog, by messages.ClosedBy, reason messages.CloseReason) {
		p.t.Helper()
		if r := p.record(d.ID); r.ClosedBy != by || r.Reason != reason || r.Via != messages.ViaXHR {
			p.t.Errorf("the record is %+v, want %s/%s", r, by, reason)
		}
	}
	play(t, []scenario{
		{name: "fail-fast, and the watchdog", opts: append(bridgeOn(transport(messages.TransportXHR)), registry.WithDialogTimeout(2*time.Second)), run: func(p *tab) {
			d := hold(p)
			_, err := p.try(at{}, "1")
			if code := messages.CodeOf(err); code != messages.CodeDialogOpen && code != messages.CodeDialogOpened {
				p.t.Errorf("a call meanwhile ends with %v", err)
			}
			ends(p, d, messages.ClosedByWatchdog, "")
			p.saw(false)
		}},
		{name: "auto_accept", opts: append(bridgeOn(), registry.WithPolicy(messages.PolicyAutoAccept)), run: func(p *tab) {
			p.open(p.blank("a.test"))
			if got := p.outcome(`prompt("m", "the default")`); got != "returned the default" && got != `prompt "m" by default "the default"; returned the default` {
				p.t.Errorf("the page got %v", got)
			}
		}},
		{name: "auto_dismiss", opts: append(bridgeOn(), registry.WithPolicy(messages.PolicyAutoDismiss)), run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`prompt("m", "the default")`)
			p.poll("the page to go on", func() bool { v, err := p.try(at{}, `seen.length`); return err == nil && v == float64(1) })
			p.saw(nil)
		}},
		{name: "a reload", opts: on, run: func(p *tab) {
			d := hold(p)
			if _, err := p.call(messages.CallRequest{Method: "Page.reload"}); err != nil {
				p.t.Fatal(err)
			}
			ends(p, d, messages.ClosedByRemote, messages.ReasonNavigation)
			p.poll("the page to load again", func() bool {
				v, err := p.try(at{}, `typeof seen !== "undefined" && seen.length`)
				return err == nil && v == float64(0)
			})
			p.asks(messages.ViaXHR)
		}},
		{name: "a raw navigation to the same site", opts: on, run: func(p *tab) {
			d := hold(p)
			url := p.blank("a.test")
			if _, err := p.call(messages.CallRequest{Method: "Page.navigate", Params: []byte(`{"url":"` + url + `"}`)}); err != nil {
				p.t.Fatal(err)
			}
			ends(p, d, messages.ClosedByRemote, messages.ReasonNavigation)
			p.poll("the page to move", func() bool { v, err := p.try(at{}, `location.href`); return err == nil && v == url })
		}},
		{name: "its frame is removed", opts: on, run: func(p *tab) {
			inner := p.blank("b.test")
			p.open(p.embed("a.test", inner))
			p.laterIn(at{frame: p.frame(inner).FrameID}, `confirm("held")`)
			d := p.dialog()
			p.eval(`(document.querySelector("iframe").remove(), 1)`)
			ends(p, d, messages.ClosedByRemote, messages.ReasonFrameRemoved)
			p.status("") // nothing is poisoned: no native dialog was open
			p.asks(messages.ViaXHR)
		}},
		{name: "a page that is being left asks", opts: on, run: func(p *tab) {
			next := p.blank("b.test")
			p.open(p.blank("a.test"))
			p.later(`{ location = "` + next + `"; return confirm("too late") }`)
			p.wait("the next page", func(s *messages.Snapshot) bool { return s.Page.URL == next })
			// What it asked is over, and keeps nobody from the page. For a moment it
			// may show as the native dialog of a document that is on its way out.
			p.poll("the next page to ask", func() bool {
				_, err := p.try(at{}, `setTimeout(() => confirm("asked"))`)
				if code := messages.CodeOf(err); err != nil && code != messages.CodeDialogOpened && code != messages.CodeDialogOpen {
					return false // there is no document yet
				}
				d := p.dialog()
				_, err = p.respond(messages.DialogRequest{Action: messages.ActionAccept, DialogID: d.ID})
				return err == nil && d.Message == "asked" && d.Via == messages.ViaXHR
			})
			p.status("")
		}},
		{name: "its frame crashes", opts: on, run: func(p *tab) {
			inner := p.blank("b.test")
			p.open(p.embed("a.test", inner))
			where := at{frame: p.frame(inner).FrameID}
			p.laterIn(where, `confirm("held")`)
			d := p.dialog()
			_, _ = p.call(messages.CallRequest{Method: "Page.crash", FrameID: where.frame, Timeout: time.Second}) // never answered
			ends(p, d, messages.ClosedByRemote, messages.ReasonCrashed)
		}},
		{name: "the page is closed", opts: on, run: func(p *tab) {
			d := hold(p)
			if _, err := p.call(messages.CallRequest{Method: "Target.closeTarget", Params: []byte(`{"targetId":"` + string(d.TargetID) + `"}`)}); err != nil {
				p.t.Fatal(err)
			}
			ends(p, d, messages.ClosedByAgent, messages.ReasonTargetClosed)
			p.status(messages.StatusTabGone)
		}},
	})
}

// poll evaluates a promise until it comes to a value.
func (r *raw) poll(session, expression string, want any) {
	r.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		result, err := r.try(session, "Runtime.evaluate", params{"expression": expression, "returnByValue": true, "awaitPromise": true})
		if err == nil && value(r.t, expression, result) == want {
			return
		}
	}
	r.t.Fatalf("%s did not come to %v", expression, want)
}
