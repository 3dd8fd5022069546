package frametree_test

import (
	"reflect"
	"testing"

	"cdpsupervisor/messages"
)

// TestCompactedTreesGoOn replays ad-heavy pages into two trees, one of which is
// moved after every event.
func TestCompactedTreesGoOn(t *testing.T) {
	for _, trace := range []string{"adheavy-small", "oopif-waittrue"} {
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
