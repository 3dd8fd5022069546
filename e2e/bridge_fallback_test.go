package e2e

import (
	"net/http"
	"strings"
	"testing"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/dismissproxy"
)

// transport is an option that leaves no choice.
func transport(t messages.BridgeTransport) registry.TaskOption {
	return registry.WithBridgeTransport(t)
}

// bridgeSays waits for a state of the bridge in the snapshot, with a reason.
func (p *tab) bridgeSays(state string) *messages.BridgeState {
	p.t.Helper()
	s := p.wait("the bridge to be "+state, func(s *messages.Snapshot) bool {
		return s.Supervisor != nil && s.Supervisor.Bridge != nil && s.Supervisor.Bridge.State == state
	})
	if s.Supervisor.Bridge.Reason == "" {
		p.t.Errorf("the bridge is %s and nobody says why", state)
	}
	return s.Supervisor.Bridge
}

// TestBridgeFallback is about pages and browsers that keep the question from
// being asked: the page gets the agent's answer or the native dialog, and the
// snapshot says which and why.
func TestBridgeFallback(t *testing.T) {
	t.Parallel()
	b := launchSecure(t)
	h := newHost(t)
	policy := func(name, value string) http.Header { return http.Header{name: []string{value}} }
	connect := policy("Content-Security-Policy", "connect-src 'self'")
	meta := `<meta http-equiv="Content-Security-Policy" content="connect-src 'self'">`
	syncXHR := policy("Permissions-Policy", "sync-xhr=()")
	isolated := http.Header{"Cross-Origin-Embedder-Policy": {"require-corp"}, "Cross-Origin-Opener-Policy": {"same-origin"}}
	xhr := transport(messages.TransportXHR)
	for _, c := range []struct {
		name   string
		header http.Header
		html   string
		via    messages.ViaKind
		opts   []registry.TaskOption
	}{
		{"a CSP, bypassed", connect, "", messages.ViaXHR, bridgeOn(xhr)},
		{"a CSP, kept", connect, "", messages.ViaNative, bridgeOn(xhr, registry.WithoutCSPBypass())},
		{"a CSP in a meta element, bypassed", nil, meta, messages.ViaXHR, bridgeOn(xhr)},
		{"a CSP in a meta element, kept", nil, meta, messages.ViaNative, bridgeOn(xhr, registry.WithoutCSPBypass())},
		{"sync-xhr=()", syncXHR, "", messages.ViaNative, bridgeOn(xhr)},
		{"cross-origin isolation", isolated, "", messages.ViaXHR, bridgeOn(xhr)},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := b.tab(t, h, c.opts...)
			p.open(p.served("a.test", true, c.header, c.html))
			p.asks(c.via)
			if c.via == messages.ViaNative {
				p.bridgeSays("failed")
			}
		})
	}
	t.Run("where the request fails, auto takes the debugger", func(t *testing.T) {
		p := b.tab(t, h, bridgeOn()...)
		p.open(p.served("a.test", true, syncXHR, ""))
		p.asks(messages.ViaNative) // which is how it is noticed
		p.asks(messages.ViaDebugger)
		p.open(p.served("a.test", true, nil, ""))
		p.asks(messages.ViaDebugger)
	})
	t.Run("a sandbox without allow-modals", func(t *testing.T) {
		p := b.tab(t, h, bridgeOn()...)
		inner := p.blank("a.test")
		p.open(p.page("a.test", `<iframe sandbox="allow-scripts allow-same-origin" src="`+inner+`"></iframe>`))
		where := at{frame: p.frame(inner).FrameID, sameProcess: true}
		if got := p.evalIn(where, `[typeof alert("x"), confirm("x"), prompt("x")].join()`); got != "undefined,false," {
			t.Errorf("the frame got %v", got)
		}
		if s := p.task.Snapshot(); len(s.PendingDialogs)+len(s.RecentDialogs) != 0 {
			t.Errorf("a dialog came of it: %s", p.state())
		}
		p.asks(messages.ViaXHR)
	})
	t.Run("dialogs of a page that is left", func(t *testing.T) {
		p := b.tab(t, h, bridgeOn(xhr)...)
		p.open(p.page("a.test", `<script>for (const e of ["beforeunload", "pagehide", "unload"])
			addEventListener(e, () => { const got = confirm(e); report(e + " " + got) })</script>`))
		p.show(p.blank("a.test"))
		got := map[any]bool{}
		for !got["beforeunload false"] || !got["pagehide false"] { // beacons come in any order
			got[p.reported(t)] = true
		}
		for _, e := range []string{"beforeunload", "pagehide", "unload"} {
			if got[e+" true"] {
				t.Errorf("the page got true in %s", e)
			}
		}
		if s := p.task.Snapshot(); len(s.PendingDialogs)+len(s.RecentDialogs) != 0 {
			t.Errorf("a dialog came of it: %s", p.state())
		}
	})
	t.Run("a service worker in the way", func(t *testing.T) {
		p := b.tab(t, h, bridgeOn(xhr)...)
		worker := p.handle("worker.test", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write([]byte(`addEventListener("install", () => skipWaiting());
				addEventListener("activate", e => e.waitUntil(clients.claim()));
				addEventListener("fetch", e => e.respondWith(new Response('{"accept":true,"text":"the worker"}')))`))
		})
		p.open(p.served("worker.test", true, nil, ""))
		p.eval(`navigator.serviceWorker.register("` + strings.TrimPrefix(worker, "http://worker.test") + `").then(() => navigator.serviceWorker.ready)
			.then(() => navigator.serviceWorker.controller || new Promise(f => navigator.serviceWorker.addEventListener("controllerchange", f))).then(() => 1)`)
		p.later(`prompt("over the worker")`)
		d := p.dialog()
		text := "the agent"
		p.answer(messages.DialogRequest{Action: messages.ActionAccept, DialogID: d.ID, PromptText: &text})
		p.saw("the agent")
	})
	for _, c := range []struct {
		name string
		o    dismissproxy.Options
	}{
		{"Fetch.enable refused", dismissproxy.Options{RefuseFetch: true}},
		{"Fetch.enable accepted, and nothing is held", dismissproxy.Options{IgnoreFetch: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			behind, _ := b.behind(t, c.o)
			p := behind.tab(t, h, bridgeOn(xhr)...)
			p.open(p.served("a.test", true, nil, ""))
			p.asks(messages.ViaNative)
			p.bridgeSays("failed")
			q := behind.tab(t, h, bridgeOn()...)
			q.open(q.served("a.test", true, nil, ""))
			q.poll("auto to take the debugger", func() bool {
				q.later(`confirm("which way")`)
				d := q.dialog()
				q.accept(d)
				return d.Via == messages.ViaDebugger
			})
		})
	}
	t.Run("the socket is lost while a dialog is held", func(t *testing.T) {
		w := b.behindWire(t)
		p := w.through(b, false).tab(t, h, bridgeOn(xhr)...)
		p.open(p.served("a.test", true, nil, ""))
		// Without a client Chromium cancels the dialogs of a tab in the background.
		if _, err := p.call(messages.CallRequest{Method: "Page.bringToFront"}); err != nil {
			t.Fatal(err)
		}
		p.later(`confirm("held")`)
		d := p.dialog()
		w.lead("")
		if r := p.record(d.ID); r.ClosedBy != messages.ClosedByRemote || r.Reason != messages.ReasonDisconnected {
			t.Errorf("the record is %+v", r)
		}
		w.lead(b.address)
		// The page fell back to the native dialog. One that opened before we were
		// back can be neither seen nor answered, but it shows.
		p.wait("the native dialog", func(s *messages.Snapshot) bool {
			return len(s.PendingDialogs) > 0 && s.PendingDialogs[0].Via == messages.ViaNative ||
				s.Supervisor != nil && s.Supervisor.Status == messages.StatusBlocked
		})
		if open := p.task.Snapshot().PendingDialogs; len(open) > 0 {
			p.dismiss(open[0])
		}
		p.open(p.served("a.test", true, nil, ""))
		p.asks(messages.ViaXHR)
	})
	b.mustLive(t)
}
