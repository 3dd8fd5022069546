package e2e

import (
	"net/http"
	"testing"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// TestBridgeDebugger is about the transport that needs no request.
func TestBridgeDebugger(t *testing.T) {
	t.Parallel()
	b := launchSecure(t)
	h := newHost(t)
	opts := bridgeOn(transport(messages.TransportDebugger), registry.WithoutCSPBypass())
	for name, header := range map[string]http.Header{
		"no header":       nil,
		"sync-xhr=()":     {"Permissions-Policy": {"sync-xhr=()"}},
		"a CSP":           {"Content-Security-Policy": {"default-src 'none'; script-src 'unsafe-inline'; connect-src 'self'"}},
		"a sandbox's CSP": {"Content-Security-Policy": {"sandbox allow-scripts allow-same-origin"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := b.tab(t, h, opts...)
			if name == "a sandbox's CSP" {
				p.open(p.served("a.test", true, header, ""))
				if got := p.eval(`confirm("x")`); got != false {
					t.Errorf("the page got %v", got)
				}
				return // without allow-modals there are no dialogs
			}
			p.show(p.served("a.test", true, header, askAll))
			answerAll(p, messages.ViaDebugger, "https://a.test")
		})
	}
	t.Run("frames", func(t *testing.T) {
		p := b.tab(t, h, opts...)
		sandboxed, oopif := p.blank("a.test"), p.blank("b.test")
		p.open(p.page("a.test", `<iframe sandbox="allow-scripts allow-same-origin allow-modals" src="`+sandboxed+`"></iframe><iframe src="`+oopif+`"></iframe>`))
		d := p.asksIn(at{frame: p.frame(sandboxed).FrameID, sameProcess: true}, messages.ViaDebugger)
		if want := p.frame(sandboxed).FrameID; d.FrameID != want || d.Origin != "http://a.test" {
			t.Errorf("the dialog is shown as %+v, want frame %s", d, want)
		}
		d = p.asksIn(at{frame: p.frame(oopif).FrameID}, messages.ViaDebugger)
		if want := p.frame(oopif).FrameID; d.FrameID != want || d.Origin != "http://b.test" {
			t.Errorf("the dialog is shown as %+v, want frame %s", d, want)
		}
	})
	t.Run("beforeunload", func(t *testing.T) {
		p := b.tab(t, h, opts...)
		p.open(p.page("a.test", `<script>addEventListener("beforeunload", () => { report(confirm("really")) })</script>`))
		p.later(`{ location = "` + p.blank("a.test") + `"; return 1 }`)
		d := p.dialog()
		if d.Via != messages.ViaDebugger {
			t.Errorf("the dialog came by %s", d.Via)
		}
		p.accept(d)
		if got := p.reported(t); got != true {
			t.Errorf("the page got %v", got)
		}
	})
	t.Run("while it waits, the page still answers", func(t *testing.T) {
		p := b.tab(t, h, opts...)
		p.open(p.blank("a.test"))
		p.later(`confirm("held")`)
		d := p.dialog()
		result, err := p.call(messages.CallRequest{Method: "Runtime.evaluate", Params: []byte(`{"expression":"location.hostname","returnByValue":true}`)})
		if err != nil || value(t, "location.hostname", result.Result) != "a.test" {
			t.Errorf("evaluated to %+v, %v", result, err)
		}
		if _, err := p.call(messages.CallRequest{Method: "Page.captureScreenshot"}); err != nil {
			t.Errorf("a screenshot: %v", err)
		}
		p.accept(d)
		p.saw(true)
	})
	t.Run("the page's own debugger statements", func(t *testing.T) {
		p := b.tab(t, h, opts...)
		p.open(p.page("a.test", `<script>function stops() { debugger; return 1 }</script>`))
		for name, script := range map[string]string{
			"of a script": `stops()`, "of an eval": `eval("debugger; 1")`, "of a Function": `new Function("debugger; return 1")()`,
			"in the bridge's name": `eval("(function askDebugger(){ let question = '{}', answer; debugger; return 1 })() //# sourceURL=b-x")`,
		} {
			took := p.eval(`(() => { const t = performance.now(); for (let i = 0; i < 100; i++) ` + script + `; return performance.now() - t })()`)
			t.Logf("100 debugger statements %s took %.1f ms", name, took)
			if ms, ok := took.(float64); !ok || ms > 5000 {
				t.Errorf("100 debugger statements %s took %v ms", name, took)
			}
		}
		if s := p.task.Snapshot(); len(s.PendingDialogs)+len(s.RecentDialogs) != 0 {
			t.Errorf("a dialog came of it: %s", p.state())
		}
		p.asks(messages.ViaDebugger)
	})
	t.Run("a second debugger", func(t *testing.T) {
		p := b.tab(t, h, opts...)
		p.open(p.blank("a.test"))
		other := dialRaw(t, b.endpoint)
		session := other.attach(string(p.task.Snapshot().PageTargetID))
		other.call(session, "Debugger.enable", nil)
		p.asks(messages.ViaDebugger)
		// The other one lets the script go on: the native dialog takes over.
		p.later(`confirm("let go")`)
		d := p.dialog()
		other.event(session, "Debugger.paused")
		other.event(session, "Debugger.paused")
		other.call(session, "Debugger.resume", nil)
		if r := p.record(d.ID); r.ClosedBy != messages.ClosedByRemote || r.Reason != messages.ReasonAnsweredElsewhere {
			t.Errorf("the record is %+v", r)
		}
		native := p.dialog()
		if native.Via != messages.ViaNative {
			t.Errorf("the dialog came by %s", native.Via)
		}
		p.accept(native)
		p.saw(true)
	})
	t.Run("what it costs", func(t *testing.T) {
		const heavy = `(() => { const t = performance.now(); for (let i = 0; i < 2000; i++) new Function("return " + i + "+" + Math.random())();
			let x = 0; for (let i = 0; i < 3e7; i++) x += i % 7; return performance.now() - t })()`
		for name, opts := range map[string][]registry.TaskOption{
			"off": {registry.WithOwnTab(), registry.WithBridge(messages.BridgeOff)}, "xhr": bridgeOn(transport(messages.TransportXHR)), "debugger": opts,
		} {
			p := b.tab(t, h, opts...)
			p.open(p.blank("a.test"))
			p.eval(heavy)
			began := time.Now()
			t.Logf("%s: a page with 2 000 scripts took %.0f ms in its own time, %s in ours", name, p.eval(heavy), time.Since(began).Round(time.Millisecond))
		}
	})
	b.mustLive(t)
}
