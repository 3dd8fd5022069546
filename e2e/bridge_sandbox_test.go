package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/dismissproxy"
)

// askBridged is askAll for documents that run before anything can be installed
// in them: it waits until the functions are the bridge's.
var askBridged = strings.NewReplacer(
	"<script>", `<script>const wait = setInterval(() => { if (alert.toString() !== "`+nativeAlert+`") { clearInterval(wait); `,
	"</script>", ` } }, 5)</script>`,
).Replace(askAll)

// sandboxPlace is a way for a document to be in a sandbox.
type sandboxPlace struct {
	name   string
	origin string
	// page returns the page to show; allow are the sandbox's words.
	page func(s *site, allow string) string
}

func sandboxPlaces() []sandboxPlace {
	csp := func(allow string) http.Header { return http.Header{"Content-Security-Policy": {"sandbox " + allow}} }
	frame := func(allow, url, more string) string {
		return fmt.Sprintf(`<iframe sandbox=%q src=%q></iframe>%s`, allow, url, more)
	}
	same := func(allow string) string { return allow + " allow-same-origin" }
	return []sandboxPlace{
		{"a frame", "null", func(s *site, allow string) string {
			return s.page("a.test", frame(allow, s.page("a.test", askAll), ""))
		}},
		{"a frame of another site", "null", func(s *site, allow string) string {
			return s.page("a.test", frame(allow, s.page("b.test", askAll), ""))
		}},
		{"a frame of the same origin", "http://a.test", func(s *site, allow string) string {
			return s.page("a.test", frame(same(allow), s.page("a.test", askAll), ""))
		}},
		{"a frame of another site with its origin", "http://b.test", func(s *site, allow string) string {
			return s.page("a.test", frame(same(allow), s.page("b.test", askAll), ""))
		}},
		{"srcdoc", "null", func(s *site, allow string) string {
			return s.page("a.test", `<iframe sandbox="`+allow+`" srcdoc='`+prelude+askBridged+`'></iframe>`)
		}},
		{"srcdoc of the same origin", "http://a.test", func(s *site, allow string) string {
			return s.page("a.test", `<iframe sandbox="`+same(allow)+`" srcdoc='`+prelude+askAll+`'></iframe>`)
		}},
		{"a CSP of the page", "null", func(s *site, allow string) string { return s.served("a.test", false, csp(allow), askAll) }},
		{"a CSP of the page with its origin", "http://a.test", func(s *site, allow string) string {
			return s.served("a.test", false, csp(same(allow)), askAll)
		}},
		{"a CSP of a frame", "null", func(s *site, allow string) string {
			return s.embed("a.test", s.served("a.test", false, csp(allow), askAll))
		}},
		{"a frame in a sandboxed page", "null", func(s *site, allow string) string {
			return s.served("a.test", false, csp(allow), `<iframe src="`+s.page("b.test", askAll)+`"></iframe>`)
		}},
		{"a frame in a sandboxed frame with its origin", "http://b.test", func(s *site, allow string) string {
			return s.page("a.test", frame(same(allow), s.page("b.test", `<iframe src="`+s.page("b.test", askAll)+`"></iframe>`), ""))
		}},
		{"a frame of a script's own, at once", "http://b.test", func(s *site, allow string) string {
			return s.page("a.test", frame(same(allow), s.page("b.test", `<script>setTimeout(() => { const f = document.createElement("iframe"); document.documentElement.append(f);
				const w = f.contentWindow; report([w.alert("a"), w.confirm("yes"), w.confirm("no"), w.prompt("text"), w.prompt("empty"), w.prompt("default", "dflt"), w.prompt("never", "x")].map(v => v === undefined ? "undefined" : v)) })</script>`), ""))
		}},
		{"an attribute that has changed since", "http://a.test", func(s *site, allow string) string {
			other := map[bool]string{true: "allow-scripts", false: "allow-scripts allow-modals"}[strings.Contains(allow, "modals")]
			return s.page("a.test", frame(same(allow), s.page("a.test", `<script>frameElement.sandbox = "`+same(other)+`"</script>`+askAll), ""))
		}},
	}
}

// forbidden is what askAll reports where dialogs do nothing.
const forbidden = "[undefined false false <nil> <nil> <nil> <nil>]"

// TestBridgeSandbox: in a sandbox that allows dialogs the agent answers them,
// behind a backend that closes native ones, and nobody sees what was tried; in
// one that does not, nothing shows.
func TestBridgeSandbox(t *testing.T) {
	t.Parallel()
	direct := launch(t)
	b, _ := direct.behind(t, dismissproxy.Options{Delay: soon})
	h := newHost(t)
	for _, via := range []messages.ViaKind{messages.ViaXHR, messages.ViaDebugger} {
		// A bypassed CSP has no sandbox.
		opts := bridgeOn(transport(messages.BridgeTransport(via)), registry.WithoutCSPBypass())
		for _, place := range sandboxPlaces() {
			t.Run(fmt.Sprintf("%s/%s/with modals", via, place.name), func(t *testing.T) {
				p := b.tab(t, h, opts...)
				p.show(place.page(p.site, "allow-scripts allow-modals"))
				answerAll(p, via, place.origin)
				for _, r := range p.task.Snapshot().RecentDialogs {
					if r.Via != via {
						t.Errorf("a dialog came by %s: %s", r.Via, p.state())
					}
				}
			})
			t.Run(fmt.Sprintf("%s/%s/without", via, place.name), func(t *testing.T) {
				p := b.tab(t, h, opts...)
				p.show(place.page(p.site, "allow-scripts"))
				if got := fmt.Sprint(p.reported(t)); got != forbidden {
					t.Errorf("the page got %s", got)
				}
				if s := p.task.Snapshot(); len(s.PendingDialogs)+len(s.RecentDialogs) != 0 {
					t.Errorf("a dialog came of it: %s", p.state())
				}
			})
		}
	}
	for _, allow := range []string{"allow-modals ", ""} {
		t.Run("a popup of a page that may "+allow, func(t *testing.T) {
			p := b.tab(t, h, bridgeOn(registry.WithoutCSPBypass())...)
			p.open(p.served("a.test", false, http.Header{"Content-Security-Policy": {"sandbox allow-scripts allow-popups " + allow}}, ""))
			p.later(`open("` + p.page("b.test", askAll) + `") !== null`)
			if allow != "" {
				answerAll(p, messages.ViaXHR, "null")
			} else if got := fmt.Sprint(p.reported(t)); got != forbidden {
				t.Errorf("the page got %s", got)
			}
		})
	}
	t.Run("an automatic policy", func(t *testing.T) {
		p := b.tab(t, h, bridgeOn(registry.WithPolicy(messages.PolicyAutoAccept))...)
		p.show(p.page("a.test", `<iframe sandbox="allow-scripts allow-modals" src="`+p.page("b.test", askAll)+`"></iframe>`))
		if got := fmt.Sprint(p.reported(t)); got != "[undefined true true   dflt x]" {
			t.Errorf("the page got %s", got)
		}
	})
	t.Run("a CSP that is bypassed", func(t *testing.T) {
		p := b.tab(t, h, bridgeOn(transport(messages.TransportXHR))...)
		p.show(p.served("a.test", false, http.Header{"Content-Security-Policy": {"sandbox allow-scripts"}}, askAll))
		answerAll(p, messages.ViaXHR, "http://a.test")
	})
	direct.mustLive(t)
}

// TestBridgeSandboxOff: with the bridge off a sandbox is the browser's business
// alone.
func TestBridgeSandboxOff(t *testing.T) {
	t.Parallel()
	b := launch(t)
	h := newHost(t)
	for _, mode := range []messages.BridgeMode{messages.BridgeOff, messages.BridgeAuto} {
		for _, place := range sandboxPlaces() {
			if place.name == "srcdoc" {
				continue // it waits for the bridge
			}
			t.Run(fmt.Sprintf("%s/%s", mode, place.name), func(t *testing.T) {
				p := b.tab(t, h, registry.WithOwnTab(), registry.WithBridge(mode))
				p.show(place.page(p.site, "allow-scripts allow-modals"))
				answerAll(p, messages.ViaNative, place.origin)
				p.show(place.page(p.site, "allow-scripts"))
				if got := fmt.Sprint(p.reported(t)); got != forbidden {
					t.Errorf("the page got %s", got)
				}
				if n := len(p.task.Snapshot().RecentDialogs); n != 7 {
					t.Errorf("%d dialogs: %s", n, p.state())
				}
			})
		}
	}
	b.mustLive(t)
}
