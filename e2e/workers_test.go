package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// TestWorkers: whatever a page starts beside itself starts, and runs, as if
// nobody supervised it.
func TestWorkers(t *testing.T) {
	t.Parallel()
	b := launchSecure(t)
	h := newHost(t)
	script := func(text string) string {
		url := b.handle("a.test", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = io.WriteString(w, text)
		})
		return url[strings.LastIndex(url, "/"):]
	}
	plain := script(`postMessage("runs")`)
	kinds := map[string]string{
		"a worker":             `const w = new Worker("` + plain + `"); w.onmessage = e => f(e.data)`,
		"a worker of a blob":   `const w = new Worker(URL.createObjectURL(new Blob(['postMessage("runs")']))); w.onmessage = e => f(e.data)`,
		"a worker of a worker": `const w = new Worker("` + script(`const w = new Worker("`+plain+`"); w.onmessage = e => postMessage(e.data)`) + `"); w.onmessage = e => f(e.data)`,
		"a shared worker":      `const w = new SharedWorker("` + script(`onconnect = e => e.ports[0].postMessage("runs")`) + `"); w.port.onmessage = e => f(e.data)`,
		"a service worker":     `navigator.serviceWorker.register("` + script(`addEventListener("activate", e => e.waitUntil(clients.claim()))`) + `").then(() => navigator.serviceWorker.ready).then(() => f("runs"))`,
		"a worklet":            `const a = new OfflineAudioContext(1, 128, 44100); a.audioWorklet.addModule("` + script(`registerProcessor("p", class extends AudioWorkletProcessor {})`) + `").then(() => { new AudioWorkletNode(a, "p"); f("runs") })`,
	}
	for _, mode := range []messages.BridgeMode{messages.BridgeOff, messages.BridgeOn} {
		p := b.tab(t, h, registry.WithOwnTab(), registry.WithBridge(mode))
		frame := p.served("b.test", true, nil, "")
		p.open(p.served("a.test", true, nil, `<iframe src="`+frame+`"></iframe>`))
		for name, start := range kinds {
			if got := p.eval(`new Promise((f, no) => { ` + start + `; setTimeout(f, 10000, "nothing came") })`); got != "runs" {
				t.Errorf("with the bridge %s, %s: %v", mode, name, got)
			}
		}
		if got := p.evalIn(at{frame: p.frame(frame).FrameID}, `new Promise(f => { `+kinds["a worker of a blob"]+`; setTimeout(f, 10000, "nothing came") })`); got != "runs" {
			t.Errorf("with the bridge %s, a worker of an OOPIF: %v", mode, got)
		}
	}
	b.mustLive(t)
}
