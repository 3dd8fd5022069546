//go:build !race

package cdpwire

import (
	"fmt"
	"testing"

	"cdpsupervisor/messages"
)

// The race detector makes pools forget on purpose, so allocations are counted
// without it.

// TestFrameChurnHardlyAllocates: frames come and go by the thousand on an
// ad-heavy page, each with an id of its own.
func TestFrameChurnHardlyAllocates(t *testing.T) {
	c := bench()
	texts := make([][4][]byte, 4_000)
	for n := range texts {
		for i, layout := range churnLayouts() {
			texts[n][i] = fmt.Appendf(nil, layout, n)
		}
	}
	n, events := 0, 0
	round := func() {
		for range 16 { // 64 events are a batch
			for _, msg := range texts[n%len(texts)] {
				c.take(msg)
				events++
			}
			n++
		}
		if got := c.batch().Len(); got != messages.BatchEvents {
			t.Fatalf("%d events", got)
		}
		c.batch().reset()
	}
	perRound := testing.AllocsPerRun(200, round)
	if perEvent := perRound / messages.BatchEvents; perEvent > 0.1 {
		t.Errorf("%.2f allocations per event", perEvent)
	}
}

// TestATrickleHardlyAllocates: one event, handed over, given back.
func TestATrickleHardlyAllocates(t *testing.T) {
	c := bench()
	c.out.free.Store(messages.BatchCredits)
	var held *messages.Batch
	c.out.deliver = func(b *messages.Batch) { held = b }
	msg := frameAttached(1)
	if n := testing.AllocsPerRun(1_000, func() {
		c.take(msg)
		c.handOver()
		c.Credit(held)
	}); n > 0 {
		t.Errorf("%v allocations per event", n)
	}
}
