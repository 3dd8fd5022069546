package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/dismissproxy"
)

// TestBridgeIsolation: pages that isolate themselves, and what they embed, get
// the agent's answers behind a backend that closes native dialogs.
func TestBridgeIsolation(t *testing.T) {
	t.Parallel()
	direct := launchSecure(t)
	b, _ := direct.behind(t, dismissproxy.Options{Delay: soon})
	h := newHost(t)
	for _, via := range []messages.ViaKind{messages.ViaXHR, messages.ViaDebugger} {
		for _, coep := range []string{"require-corp", "credentialless"} {
			// Both are wanted: a page is isolated with both only.
			isolated := http.Header{
				"Cross-Origin-Embedder-Policy": {coep}, "Cross-Origin-Opener-Policy": {"same-origin"},
				"Cross-Origin-Resource-Policy": {"cross-origin"},
			}
			embedding := func(s *site, html string) string {
				return s.served("a.test", true, isolated, `<script>if (!crossOriginIsolated) report("it is not isolated")</script>`+html)
			}
			for _, place := range []struct {
				name, origin string
				page         func(*site) string
			}{
				{"the page", "https://a.test", func(s *site) string { return embedding(s, askAll) }},
				{"a frame of the same origin", "https://a.test", func(s *site) string {
					return embedding(s, `<iframe src="`+s.served("a.test", true, isolated, askAll)+`"></iframe>`)
				}},
				{"srcdoc", "https://a.test", func(s *site) string { return embedding(s, `<iframe srcdoc='`+prelude+askAll+`'></iframe>`) }},
				{"an OOPIF", "https://b.test", func(s *site) string {
					return embedding(s, `<iframe src="`+s.served("b.test", true, isolated, askAll)+`"></iframe>`)
				}},
				{"an OOPIF that is isolated with its page", "https://b.test", func(s *site) string {
					return embedding(s, `<iframe allow="cross-origin-isolated" src="`+s.served("b.test", true, isolated, askAll)+`"></iframe>`)
				}},
				{"an OOPIF without credentials", "https://b.test", func(s *site) string {
					return embedding(s, `<iframe credentialless src="`+s.served("b.test", true, nil, askAll)+`"></iframe>`)
				}},
				{"a sandboxed OOPIF", "null", func(s *site) string {
					return embedding(s, `<iframe sandbox="allow-scripts allow-modals" src="`+s.served("b.test", true, isolated, askAll)+`"></iframe>`)
				}},
			} {
				t.Run(fmt.Sprintf("%s/%s/%s", via, coep, place.name), func(t *testing.T) {
					p := b.tab(t, h, bridgeOn(transport(messages.BridgeTransport(via)))...)
					p.show(place.page(p.site))
					answerAll(p, via, place.origin)
				})
			}
		}
	}
	t.Run("a frame that may not be embedded", func(t *testing.T) {
		p := b.tab(t, h, bridgeOn(registry.WithoutCSPBypass())...)
		p.open(p.served("a.test", true, http.Header{"Cross-Origin-Embedder-Policy": {"require-corp"}}, `<iframe src="`+p.served("b.test", true, nil, askAll)+`"></iframe>`))
		p.asks(messages.ViaXHR)
		if n := len(p.task.Snapshot().RecentDialogs); n != 1 {
			t.Errorf("%d dialogs: %s", n, p.state())
		}
	})
	direct.mustLive(t)
}
