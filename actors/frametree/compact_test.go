package frametree_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"cdpsupervisor/messages"
)

// TestCompactedTreesGoOn replays ad-heavy pages into two trees, one of which is
// moved after every event.
func TestCompactedTreesGoOn(t *testing.T) {
	for _, trace := range []string{"adheavy-small", "oopif-kinds", "oopif-waitfalse", "oopif-waittrue"} {
		t.Run(trace, func(t *testing.T) {
			tr, moved := newTree(), newTree()
			for i, st := range readTrace(t, trace) {
				want := tr.tell(t, st)
				if got := moved.tell(t, st); !reflect.DeepEqual(got, want) {
					t.Fatalf("step %d, %v: effects\n%v, want\n%v", i, st, got, want)
				}
				moved.Compact(make(messages.Strings))
				if err := moved.Verify(); err != nil {
					t.Fatalf("after step %d, %v: %v", i, st, err)
				}
				if got, want := moved.flatLines(), tr.flatLines(); !reflect.DeepEqual(got, want) {
					t.Fatalf("after step %d, %v:\nhave %q\nwant %q", i, st, got, want)
				}
			}
		})
	}
}

// TestCompactedTreesGoOnWithAnything does the same with what no browser would
// say: frames and sessions that meet in any order.
func TestCompactedTreesGoOnWithAnything(t *testing.T) {
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 1))
		data := make([]byte, 4*120)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		s := script{data}
		tr, twin := newTree(), newTree()
		for {
			op, a, b, c, ok := s.next()
			if !ok {
				break
			}
			st := s.make(op, a, b, c)
			compactedToo(t, twin, st, tr.do(st), rng.IntN(4) == 0)
			if twin.Frames() != tr.Frames() || twin.Early() != tr.Early() {
				t.Fatalf("seed %d, after %v: %d frames and %d early events, want %d and %d", seed, st, twin.Frames(), twin.Early(), tr.Frames(), tr.Early())
			}
			for _, p := range tr.Pages(nil) {
				if got, want := twin.FullView(p, true), tr.FullView(p, true); !reflect.DeepEqual(got, want) {
					t.Fatalf("seed %d, after %v the compacted tree shows\n%+v, want\n%+v", seed, st, got, want)
				}
			}
		}
	}
}
