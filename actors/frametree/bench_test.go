package frametree_test

import (
	"fmt"
	"testing"

	"cdpsupervisor/actors/frametree"
	"cdpsupervisor/messages"
)

// full is a page with n frames, a third of them in renderers of their own.
func full(tb testing.TB, n int) *tree {
	tb.Helper()
	tr := onPage(tb)
	parents := []messages.FrameID{"M"}
	sessions := map[messages.FrameID]messages.SessionID{"M": "P"}
	for i := 0; tr.Frames() < n; i++ {
		f := messages.FrameID(fmt.Sprintf("%032X", i))
		parent := parents[i%len(parents)]
		at := sessions[parent]
		tr.do(on(at, attached(f, parent)))
		sessions[f] = at
		if i%3 == 0 && tr.SessionCount() < messages.MaxSessions/2 {
			s := messages.SessionID("s" + string(f))
			tr.do(on(at, session(s, f, parent)))
			tr.do(on(at, swapped(f)))
			sessions[f] = s
		}
		tr.do(on(sessions[f], navigated(f, parent, fmt.Sprintf("h%d.test", i%64))))
		if len(parents) < n/10 {
			parents = append(parents, f)
		}
	}
	return tr
}

// churn is what an ad slot does: a frame comes, loads, goes to a renderer of its
// own, is filled, and is removed. Ids do not come again soon.
func churn(rounds int) []messages.Event {
	var out []messages.Event
	say := func(on messages.SessionID, body messages.EventBody) {
		out = append(out, messages.Event{Session: on, Body: body})
	}
	for i := range rounds {
		f := messages.FrameID(fmt.Sprintf("churn%d", i))
		s, k := messages.SessionID("s"+f), "k"+f
		say("P", attached(f, "M"))
		say("P", &messages.FrameStartedNavigating{FrameID: f, LoaderID: "L"})
		say("P", session(s, f, "M"))
		say(s, navigated(f, "M", "ad.test"))
		say("P", changed(f, "https://ad.test/"))
		say(s, attached(k, f))
		say("P", swapped(f))
		say(s, navigated(k, f, "ad.test"))
		say(s, attached(k+"2", f))
		say(s, navigated(k+"2", f, "ad.test"))
		say(s, removed(k+"2"))
		say("P", removed(f))
		say("P", gone(s))
	}
	return out
}

func BenchmarkApplyChurn(b *testing.B) {
	for _, n := range []int{1_000, 9_990} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			tr := full(b, n)
			const rounds = 5_000 // more than the ids of ended sessions that are remembered
			events := churn(rounds)
			var dst []frametree.Effect
			b.ReportAllocs()
			b.ResetTimer()
			for i := 0; i < b.N; i++ {
				dst = tr.Apply(&events[i%len(events)], dst[:0])
			}
			b.StopTimer()
			if err := tr.Verify(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

func BenchmarkView(b *testing.B) {
	for _, n := range []int{30, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			tr := full(b, n)
			b.ReportAllocs()
			for b.Loop() {
				if tr.View("T", true) == nil {
					b.Fatal("no view")
				}
			}
		})
	}
}

// BenchmarkDrain is what an owner pays: a batch of 64 events and one view.
func BenchmarkDrain(b *testing.B) {
	tr := full(b, 9_990)
	events := churn(5_000)
	var dst []frametree.Effect
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		dst = tr.Apply(&events[i%len(events)], dst[:0])
		if i%messages.BatchEvents == 0 && tr.Dirty("T") {
			tr.View("T", true)
		}
	}
}

// TestChurnAllocatesLittle holds the cost of one event of frame churn.
func TestChurnAllocatesLittle(t *testing.T) {
	tr := full(t, 1_000)
	events := churn(5_000)
	var dst []frametree.Effect
	all := testing.AllocsPerRun(2, func() { // it counts whole numbers only
		for i := range events {
			dst = tr.Apply(&events[i], dst[:0])
		}
	})
	per := all / float64(len(events))
	t.Logf("%.3f allocations an event", per)
	if per > 0.25 {
		t.Errorf("%.3f allocations an event", per)
	}
}
