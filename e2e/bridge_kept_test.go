package e2e

import (
	"net/http"
	"testing"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/dismissproxy"
)

// wraps is a page script that puts functions of its own around the dialogs, as
// zone.js does in every Angular page.
const wraps = `<script>for (const name of ["alert", "confirm", "prompt"]) { const f = window[name]; window[name] = function () { return f.apply(this, arguments) } }</script>`

// TestBridgeWrapped: what a page has put around the functions keeps the bridge
// neither from asking over a reconnect, nor from another transport, nor from
// being put back.
func TestBridgeWrapped(t *testing.T) {
	t.Parallel()
	direct := launchSecure(t)
	h := newHost(t)
	for _, by := range []messages.BridgeTransport{messages.TransportXHR, messages.TransportDebugger} {
		t.Run("a reconnect/"+string(by), func(t *testing.T) {
			w := direct.behindWire(t)
			far := w.through(direct, false)
			far.address = w.address
			b, proxy := far.behind(t, dismissproxy.Options{Delay: soon})
			p := b.tab(t, h, bridgeOn(transport(by))...)
			p.open(p.served("a.test", true, nil, wraps))
			p.asks(messages.ViaKind(by))
			w.lead("")
			p.wait("the loss", func(s *messages.Snapshot) bool { return !s.Ready })
			w.lead(direct.address)
			p.status("")
			p.asks(messages.ViaKind(by))
			if n := proxy.Closed(); n != 0 {
				t.Errorf("%d dialogs were native", n)
			}
		})
		t.Run("a stop/"+string(by), func(t *testing.T) {
			other := dialRaw(t, direct.endpoint)
			target, session := other.page(direct.served("a.test", true, nil, wraps))
			other.poll(session, loaded+`.then(() => typeof later)`, "function")
			p := direct.tab(t, h, registry.WithTarget(messages.TargetID(target)), registry.WithBridge(messages.BridgeOn), transport(by))
			p.open(p.served("a.test", true, nil, wraps))
			p.asks(messages.ViaKind(by))
			h.end(t, p.task.ID())
			const requests = `performance.getEntriesByType("resource").filter(e => e.name.includes("bridge")).length`
			before := other.eval(session, requests)
			id := other.send(session, "Runtime.evaluate", params{"expression": `confirm("native")`})
			for other.event(session, "Page.javascriptDialogOpening"); ; {
				if _, err := other.try(session, "Page.handleJavaScriptDialog", params{"accept": true}); err == nil {
					break
				}
			}
			if !other.until(patience, func() bool { _, ok := other.replies[id]; return ok }) {
				t.Fatal("the page's function does not return")
			}
			if after := other.eval(session, requests); after != before {
				t.Errorf("after the stop the page asked us: %v requests, and then %v", before, after)
			}
		})
	}
	t.Run("another transport", func(t *testing.T) {
		p := direct.tab(t, h, bridgeOn()...)
		p.open(p.served("a.test", true, http.Header{"Permissions-Policy": {"sync-xhr=()"}}, wraps))
		p.asks(messages.ViaNative) // which is how it is noticed
		p.asks(messages.ViaDebugger)
	})
	direct.mustLive(t)
}

// TestBridgeWindows is about documents that share a window, and functions that
// are used on another: behind a backend that closes native dialogs, the agent
// answers.
func TestBridgeWindows(t *testing.T) {
	t.Parallel()
	direct := launchSecure(t)
	b, proxy := direct.behind(t, dismissproxy.Options{Delay: soon})
	h := newHost(t)
	for _, by := range []messages.BridgeTransport{messages.TransportXHR, messages.TransportDebugger} {
		for name, ask := range map[string]string{
			"a document that a javascript: URL wrote": `{ const f = document.createElement("iframe"); window.heard = v => seen.push(v);
				f.src = "javascript:'<script>parent.heard(confirm(\"asked\"))</' + 'script>'"; document.documentElement.append(f) }`,
			"a function of a frame on the page": `{ const f = document.createElement("iframe"); document.documentElement.append(f); window.confirm = f.contentWindow.confirm; return window.confirm("asked") }`,
			"a function of the page on a frame": `{ const f = document.createElement("iframe"); document.documentElement.append(f); return confirm.call(f.contentWindow, "asked") }`,
			"an event of the page's own":        `{ dispatchEvent(new Event("pagehide")); return confirm("asked") }`,
		} {
			t.Run(name+"/"+string(by), func(t *testing.T) {
				p := b.tab(t, h, bridgeOn(transport(by))...)
				p.open(p.served("a.test", true, nil, ""))
				p.later(ask)
				d := p.dialog()
				if d.Via != messages.ViaKind(by) || d.Origin != "https://a.test" {
					t.Errorf("the dialog is shown as %+v", d)
				}
				p.accept(d)
				p.poll("the page to go on", func() bool {
					v, err := p.try(at{}, `seen.filter(v => v !== undefined).join()`)
					return err == nil && v == "true"
				})
			})
		}
		t.Run("a function of a window that is gone/"+string(by), func(t *testing.T) {
			native, p := direct.tab(t, h, registry.WithOwnTab(), registry.WithBridge(messages.BridgeOff)), b.tab(t, h, bridgeOn(transport(by))...)
			elsewhere := p.served("b.test", true, nil, "")
			for _, gone := range []string{
				`{ const f = document.querySelector("iframe"), w = f.contentWindow, c = w.confirm; f.remove(); [tried(c), tried(() => c.call(w, "x")), tried(() => confirm.call(w, "x"))].join() }`,
				`new Promise(f => { const e = document.querySelector("iframe"), c = e.contentWindow.confirm; e.onload = () => f(tried(c)); e.removeAttribute("srcdoc"); e.src = "` + elsewhere + `" })`,
			} {
				var got []any
				for _, p := range []*tab{native, p} {
					p.open(p.served("a.test", true, nil, `<script>const tried = f => { try { return f("x") } catch (e) { return e.name } }</script><iframe srcdoc="x"></iframe>`))
					got = append(got, p.eval(gone))
				}
				if got[0] != got[1] {
					t.Errorf("%s: the page gets %v, natively %v", gone, got[1], got[0])
				}
			}
		})
	}
	if n := proxy.Closed(); n != 0 {
		t.Errorf("%d dialogs were native", n)
	}
	direct.mustLive(t)
}
