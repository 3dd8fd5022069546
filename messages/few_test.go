package messages

import (
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// TestFewIsAMap does the same to a Few and to a map, around the size at which
// its list becomes one.
func TestFewIsAMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var few Few[int, string]
		want := make(map[int]string)
		key := rapid.IntRange(0, 14)
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				k, v := key.Draw(t, "key"), rapid.StringN(0, 2, -1).Draw(t, "value")
				few.Set(k, v)
				want[k] = v
			},
			"delete": func(t *rapid.T) {
				k := key.Draw(t, "key")
				few.Delete(k)
				delete(want, k)
			},
			"delete some while going through": func(t *rapid.T) {
				odd := rapid.IntRange(0, 1).Draw(t, "odd")
				for k := range few.All() {
					if k%2 == odd {
						few.Delete(k)
					}
				}
				maps.DeleteFunc(want, func(k int, _ string) bool { return k%2 == odd })
			},
			"compact": func(*rapid.T) { few.Compact() },
			"clear": func(*rapid.T) {
				few.Clear()
				clear(want)
			},
			"": func(t *rapid.T) {
				if few.Len() != len(want) {
					t.Fatalf("%d entries, want %d", few.Len(), len(want))
				}
				if got := maps.Collect(few.All()); !maps.Equal(got, want) {
					t.Fatalf("it has %v, want %v", got, want)
				}
				for k := range 15 {
					v, ok := few.Lookup(k)
					if wantV, wantOK := want[k]; v != wantV || ok != wantOK || few.Get(k) != wantV || few.Has(k) != wantOK {
						t.Fatalf("key %d: %q %t, want %q %t", k, v, ok, wantV, wantOK)
					}
				}
			},
		})
	})
}

// TestFewStopsWhenTold goes through a list and through a map, one entry each.
func TestFewStopsWhenTold(t *testing.T) {
	t.Parallel()
	for _, n := range []int{3, 30} {
		var few Few[int, int]
		for i := range n {
			few.Set(i, i)
		}
		seen := 0
		for range few.All() {
			seen++
			break
		}
		if seen != 1 {
			t.Errorf("of %d entries it gave %d after the loop had ended", n, seen-1)
		}
	}
}
