package e2e

import (
	"testing"

	"cdpsupervisor/messages"
)

// TestConsoleKeepsNothingAlive logs objects: a debugger that listens must not
// be what keeps them in the page's memory for ever.
func TestConsoleKeepsNothingAlive(t *testing.T) {
	const logged = 5000
	play(t, []scenario{{name: "objects", run: func(p *tab) {
		p.open(p.blank("a.test"))
		p.eval(`globalThis.collected = 0, globalThis.registry = new FinalizationRegistry(() => collected++), 1`)
		for range 5 {
			p.eval(`for (let i = 0; i < 1000; i++) { const o = {i}; registry.register(o); console.log(o) }`)
		}
		p.poll("the objects to be collected", func() bool {
			if _, err := p.call(messages.CallRequest{Method: "HeapProfiler.collectGarbage"}); err != nil {
				p.t.Fatal(err)
			}
			n, ok := p.eval(`collected`).(float64)
			// The browser itself keeps the last thousand, whoever listens.
			p.t.Log(n)
			return ok && n >= logged-2000
		})
	}}})
}
