package frametree_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"cdpsupervisor/actors/frametree"
	"cdpsupervisor/messages"
)

// orders returns every order of a few steps.
func orders(steps []step) [][]step {
	if len(steps) <= 1 {
		return [][]step{steps}
	}
	var out [][]step
	for i := range steps {
		rest := append(append([]step(nil), steps[:i]...), steps[i+1:]...)
		for _, o := range orders(rest) {
			out = append(out, append([]step{steps[i]}, o...))
		}
	}
	return out
}

func TestOrdersThatDoNotMatter(t *testing.T) {
	tests := []struct {
		name  string
		first []step
		any   []step
		shown bool // F is there in the end
	}{
		{
			name:  "attach and swap",
			first: []step{on("P", attached("F", "M"))},
			any:   []step{on("P", session("I", "F", "M")), on("P", swapped("F"))},
			shown: true,
		},
		{
			name:  "attach, commit in it, its URL",
			first: []step{on("P", attached("F", "M")), on("P", swapped("F"))},
			any: []step{
				on("P", session("I", "F", "M")), on("I", navigated("F", "M", "b.test")), on("", changed("F", "https://stale.test/")),
			},
			shown: true,
		},
		{
			name:  "attach before or after the parent is announced, or the tree told",
			first: nil,
			any: []step{
				on("P", session("I", "F", "A")), on("P", attached("A", "M")),
				reply("P", messages.FrameNode{Frame: frameAt("M", "", "a.test")}),
			},
			shown: true,
		},
		{
			name:  "every way to say that it is gone",
			first: []step{on("P", attached("F", "M")), on("P", session("I", "F", "M")), on("P", swapped("F"))},
			any: []step{
				on("P", removed("F")), on("P", gone("I")),
				on("", &messages.TargetDestroyed{TargetID: "F"}), on("", &messages.TargetCrashed{TargetID: "F"}),
			},
		},
		{
			name:  "removal and what its session still says",
			first: []step{on("P", session("I", "F", "M"))},
			any: []step{
				on("P", removed("F")), on("I", navigated("F", "M", "b.test")), on("I", attached("K", "F")),
				on("I", session("J", "K", "F")),
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var want []string
			for i, order := range orders(tt.any) {
				tr := onPage(t, tt.first...)
				tr.tell(t, order...)
				got := tr.lines()
				if i == 0 {
					want = got
				}
				if !slices.Equal(got, want) {
					t.Fatalf("order\n%sends in %q, another in %q", history(order), got, want)
				}
				if tr.has("F") != tt.shown || !tt.shown && (tr.Frames() != 1 || tr.SessionCount() != 1) {
					t.Fatalf("order\n%sF is there: %t, %d frames, %d sessions", history(order), tr.has("F"), tr.Frames(), tr.SessionCount())
				}
			}
		})
	}
}

func TestSameProcessFrameHasNoSession(t *testing.T) {
	tr := onPage(t, on("P", attached("F", "M")), on("P", navigated("F", "M", "a.test")), on("P", session("I", "O", "F")))
	r := tr.ref(t, "F")
	if r.HasSession || r.OOPIF() || r.OwnerFrame != "M" || r.OwnerSession != "P" || r.Parent != "M" || r.Page != "T" {
		t.Errorf("F: %+v", r)
	}
	tr.tell(t, on("I", attached("K", "O")))
	r = tr.ref(t, "K")
	if r.HasSession || r.OwnerFrame != "O" || r.OwnerSession != "I" || r.PageSession != "P" {
		t.Errorf("K: %+v", r)
	}
	if o := tr.ref(t, "O"); !o.OOPIF() || o.Session != "I" || o.OwnerSession != "I" || o.OwnerFrame != "O" {
		t.Errorf("O: %+v", o)
	}
	if m := tr.ref(t, "M"); m.OOPIF() || !m.Main || !m.HasSession || m.Session != "P" {
		t.Errorf("M: %+v", m)
	}
}

func TestParentFromTheSessionItCameOn(t *testing.T) {
	tr := onPage(t, on("P", session("I", "F", "M")), on("I", session("J", "G", "")))
	if got := tr.ref(t, "G").Parent; got != "F" {
		t.Fatalf("G is under %q, want F, the root of the session that announced it", got)
	}
	// The frame's own word is better than the guess, and its parent's word best.
	tr.tell(t, on("I", attached("A", "F")), on("J", navigated("G", "A", "c.test")))
	if got := tr.ref(t, "G").Parent; got != "A" {
		t.Errorf("G is under %q, want A, which it names itself", got)
	}
	tr.tell(t, on("I", attached("B", "F")), on("I", attached("G", "B")), on("J", navigated("G", "A", "d.test")))
	if got := tr.ref(t, "G").Parent; got != "B" {
		t.Errorf("G is under %q, want B, which frameAttached names", got)
	}
	if !tr.ref(t, "G").OOPIF() {
		t.Error("a frameAttached that comes after the attach has taken the session away")
	}
}

func TestParentOfAPageWhoseTreeIsNotKnown(t *testing.T) {
	tr := newTree()
	tr.tell(t, on("", pageTarget("P", "T")), on("P", session("I", "F", "")), on("P", attached("A", "M")))
	if v := tr.View("T", true); v != nil {
		t.Fatalf("a view without a main frame: %+v", v)
	}
	if r := tr.ref(t, "F"); r.Parent != "" || r.OwnerSession != "I" || r.Main {
		t.Errorf("F: %+v", r)
	}
	if r := tr.ref(t, "A"); r.Parent != "" || r.OwnerSession != "P" {
		t.Errorf("A: %+v", r)
	}
	tr.tell(t, reply("P", messages.FrameNode{Frame: frameAt("M", "", "a.test")}))
	for _, f := range []messages.FrameID{"F", "A"} {
		if got := tr.ref(t, f).Parent; got != "M" {
			t.Errorf("%s is under %q, want M", f, got)
		}
	}
	if v := tr.View("T", true); len(v.Children) != 2 {
		t.Errorf("view %+v", v)
	}
}

func TestMainFrameIDComesFromTheTree(t *testing.T) {
	tr := newTree()
	tr.tell(t, on("", pageTarget("P", "T")))
	if _, ok := tr.MainFrame("T"); ok {
		t.Fatal("a main frame before anybody has told it")
	}
	tr.tell(t, reply("P", messages.FrameNode{Frame: frameAt("F9", "", "a.test")}))
	if r, _ := tr.MainFrame("T"); r.Frame != "F9" || !r.Main {
		t.Errorf("main frame %+v, want F9", r)
	}
	if tr.has("T") {
		t.Error("the target's id has become a frame")
	}
	// A prerendered page takes over: another main frame in the same target.
	tr.tell(t, on("P", attached("A", "F9")), on("P", attached("B", "F10")))
	effects := tr.tell(t, on("P", navigated("F10", "", "b.test")))
	if r, _ := tr.MainFrame("T"); r.Frame != "F10" || r.URL != "https://b.test/" {
		t.Errorf("main frame %+v, want F10", r)
	}
	c := all[*frametree.Committed](effects)
	if len(c) != 1 || !c[0].MainFrame || !slices.Contains(c[0].Frames, "F9") || !slices.Contains(c[0].Frames, "A") {
		t.Errorf("effects %+v", c)
	}
	if tr.Frames() != 1 || tr.SessionCount() != 1 {
		t.Errorf("%d frames, %d sessions, want one of each", tr.Frames(), tr.SessionCount())
	}
}

func TestRemoval(t *testing.T) {
	tr := onPage(t,
		on("P", attached("F", "M")), on("P", session("I", "F", "M")), on("P", swapped("F")),
		on("I", attached("K", "F")), on("I", session("J", "G", "F")), on("J", attached("L", "G")),
	)
	effects := tr.tell(t, on("P", removed("F")))
	want := []frametree.Effect{
		&frametree.FramesRemoved{Page: "T", Frames: []messages.FrameID{"F", "K", "G", "L"}},
		&frametree.SessionEnded{Session: "I", Page: "T", Frame: "F"},
		&frametree.SessionEnded{Session: "J", Page: "T", Frame: "G"},
	}
	if !sameEffects(effects, want) {
		t.Errorf("effects\n%swant\n%s", show(effects), show(want))
	}
	if effects = tr.tell(t, on("P", gone("I")), on("P", removed("F")), on("I", removed("K"))); len(effects) != 0 {
		t.Errorf("what comes late has effects\n%s", show(effects))
	}
	if tr.Frames() != 1 || tr.SessionCount() != 1 {
		t.Errorf("%d frames and %d sessions are left", tr.Frames(), tr.SessionCount())
	}
}

func TestRemovedFrameStaysRemoved(t *testing.T) {
	late := []step{
		on("I", navigated("F", "M", "b.test")), on("I", attached("K", "F")), on("P", changed("F", "https://b.test/")),
		on("", changed("F", "https://b.test/")), on("I", session("J", "K", "F")), on("J", navigated("K", "F", "c.test")),
		on("P", &messages.NavigatedWithinDocument{FrameID: "F", URL: "x"}), on("P", swapped("F")), on("P", gone("I")),
		reply("I", messages.FrameNode{Frame: frameAt("F", "M", "b.test")}),
	}
	tr := onPage(t, on("P", attached("F", "M")), on("P", session("I", "F", "M")), on("P", removed("F")))
	tr.tell(t, late...)
	if tr.Frames() != 1 || tr.SessionCount() != 1 || tr.Early() != 0 {
		t.Errorf("%d frames, %d sessions, %d events kept", tr.Frames(), tr.SessionCount(), tr.Early())
	}
	tr.tell(t, on("P", attached("F", "M")))
	if got := phase(tr); got != local {
		t.Errorf("a frame that is announced anew is %s", got)
	}
}

func TestSessionEndsWithThoseNestedInIt(t *testing.T) {
	tr := onPage(t,
		on("P", attached("F", "M")), on("P", session("I", "F", "M")), on("P", swapped("F")),
		on("I", attached("K", "F")), on("I", session("J", "G", "K")), on("J", session("H", "L", "G")),
	)
	effects := tr.tell(t, on("P", gone("I")))
	var ended []messages.SessionID
	for _, e := range all[*frametree.SessionEnded](effects) {
		ended = append(ended, e.Session)
	}
	if !slices.Equal(ended, []messages.SessionID{"I", "J", "H"}) {
		t.Errorf("ended %v, want I, J, H", ended)
	}
	pruned := all[*frametree.FramesPruned](effects)
	if len(pruned) != 1 || len(pruned[0].Frames) != 3 || len(all[*frametree.FramesRemoved](effects)) != 0 {
		t.Errorf("effects\n%s", show(effects))
	}
	r := tr.ref(t, "F")
	if r.State != messages.FrameSwapping || r.HasSession || r.OOPIF() || r.Loaded {
		t.Errorf("F: %+v", r)
	}
	if effects = tr.tell(t, on("I", gone("J")), on("J", gone("H")), on("P", gone("I"))); len(effects) != 0 {
		t.Errorf("what comes late has effects\n%s", show(effects))
	}
	// Five seconds later the session is back.
	tr.tell(t, on("P", session("I2", "F", "M")))
	if r := tr.ref(t, "F"); r.Session != "I2" || !r.OOPIF() || r.State != messages.FramePending {
		t.Errorf("F: %+v", r)
	}
}

func TestSwappingFrameGoesWithItsParentsDocument(t *testing.T) {
	tr := onPage(t, on("P", session("I", "F", "M")), on("P", gone("I")), on("P", navigated("M", "", "b.test")))
	if tr.has("F") {
		t.Error("F has outlived the document that it was in")
	}
}

func TestCommitDropsTheOldDocument(t *testing.T) {
	tr := onPage(t,
		on("P", attached("A", "M")), on("P", attached("B", "A")), on("P", session("I", "F", "M")),
		on("I", attached("K", "F")), on("P", session("J", "G", "A")), on("P", attached("C", "ghost")),
	)
	effects := tr.tell(t, on("P", gone("I")), on("P", navigated("M", "", "b.test")), on("P", gone("J")))
	c := all[*frametree.Committed](effects)
	if len(c) != 1 {
		t.Fatalf("effects\n%s", show(effects))
	}
	slices.Sort(c[0].Frames)
	want := &frametree.Committed{
		Page: "T", Session: "P", Frame: "M", MainFrame: true, Loader: "L-M-b.test", Type: messages.NavigationPlain,
		Frames: []messages.FrameID{"A", "B", "C", "F", "G"},
	}
	if !reflect.DeepEqual(c[0], want) {
		t.Errorf("committed %+v, want %+v", c[0], want)
	}
	if tr.Frames() != 1 || tr.SessionCount() != 1 {
		t.Errorf("%d frames, %d sessions", tr.Frames(), tr.SessionCount())
	}
	tr.tell(t, on("P", attached("D", "M")))
	if effects = tr.tell(t, on("P", navigated("M", "", "b.test"))); !tr.has("D") {
		t.Errorf("the same commit, told twice, drops what came after it:\n%s", show(effects))
	}
	for _, f := range []messages.FrameID{"A", "B", "F", "G"} {
		tr.tell(t, on("P", removed(f))) // evicted from the cache, much later
	}
	if tr.Frames() != 2 {
		t.Errorf("%d frames, want 2", tr.Frames())
	}
}

func TestCommitOfASubframe(t *testing.T) {
	tr := onPage(t, on("P", attached("A", "M")), on("P", attached("B", "A")), on("P", attached("C", "M")))
	effects := tr.tell(t, on("P", navigated("A", "M", "a.test")))
	c := all[*frametree.Committed](effects)
	if len(c) != 1 || c[0].MainFrame || !slices.Equal(c[0].Frames, []messages.FrameID{"B"}) || !tr.has("C") {
		t.Errorf("effects\n%s", show(effects))
	}
	// To another renderer: what the old one had below it goes when the new speaks.
	tr.tell(t, on("P", attached("B2", "A")), on("P", session("I", "A", "M")), on("P", swapped("A")))
	if !tr.has("B2") {
		t.Error("a swap has taken the subtree away")
	}
	tr.tell(t, on("I", navigated("A", "M", "b.test")), on("I", attached("D", "A")), on("P", attached("B3", "A")))
	if tr.has("B2") || tr.has("B3") || !tr.has("D") {
		t.Errorf("B2 %t, B3 %t, D %t, want only D", tr.has("B2"), tr.has("B3"), tr.has("D"))
	}
}

func TestNewDocumentAnnouncedBeforeItsCommit(t *testing.T) {
	started := on("P", &messages.FrameStartedNavigating{FrameID: "M", LoaderID: "L-M-b.test"})
	tests := []struct {
		name  string
		steps []step
		keeps bool
	}{
		{"attached since the navigation began", []step{started, on("P", session("I", "F", "M"))}, true},
		{"attached before", []step{on("P", session("I", "F", "M")), started}, false},
		{"another navigation", []step{
			on("P", &messages.FrameStartedNavigating{FrameID: "M", LoaderID: "other"}), on("P", session("I", "F", "M")),
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := onPage(t, tt.steps...)
			tr.tell(t, on("P", navigated("M", "", "b.test")))
			if tr.has("F") != tt.keeps {
				t.Fatalf("kept: %t, want %t", tr.has("F"), tt.keeps)
			}
			tr.tell(t, on("P", gone("I")))
			if tr.has("F") {
				t.Error("a frame that was kept on trust has outlived its session")
			}
		})
	}
}

func TestBackForwardCache(t *testing.T) {
	tr := onPage(t,
		on("P", attached("A", "M")), on("P", session("I", "F", "M")),
		on("P", gone("I")), on("P", navigated("M", "", "b.test")),
		on("P", attached("B", "M")), on("P", session("J", "G", "M")),
	)
	effects := tr.tell(t,
		on("P", gone("J")), on("P", session("I2", "F", "M")), on("P", session("I3", "F2", "A")), on("I2", session("N", "H", "F")),
		on("P", restored("M", "a.test")),
	)
	if !tr.has("F") || !tr.has("H") || tr.has("B") || tr.has("G") || tr.has("A") {
		t.Errorf("the tree is %q", tr.lines())
	}
	var asked []messages.SessionID
	for _, e := range all[*frametree.Reseed](effects) {
		asked = append(asked, e.Session)
	}
	if !slices.Equal(asked, []messages.SessionID{"P", "I2", "I3", "N"}) {
		t.Errorf("asks for the trees of %v", asked)
	}
	tr.tell(t, reply("P", messages.FrameNode{Frame: frameAt("M", "", "a.test"), Children: []messages.FrameNode{
		{Frame: frameAt("A", "M", "a.test")},
	}}))
	if r := tr.ref(t, "F2"); r.Parent != "A" || !tr.has("A") {
		t.Errorf("F2 is under %q, want A", r.Parent)
	}
}

func TestDuplicatesChangeNothing(t *testing.T) {
	steps := []step{
		on("P", attached("F", "M")), on("P", session("I", "F", "M")), on("I", navigated("F", "M", "b.test")),
		on("P", changed("F", "https://b.test/")), on("P", swapped("F")), on("I", attached("K", "F")),
		on("I", navigated("K", "F", "b.test")), on("P", attached("A", "M")), on("P", removed("A")),
	}
	once, twice := onPage(t, steps...), onPage(t)
	for _, st := range steps {
		twice.tell(t, st, st)
	}
	if !slices.Equal(once.lines(), twice.lines()) {
		t.Errorf("once %q, twice %q", once.lines(), twice.lines())
	}
}

func TestFirstWordOfAPage(t *testing.T) {
	// Attached while it loads: what is announced before the first commit that we
	// hear of cannot be told from the new document's, where it has a session.
	tr := newTree()
	tr.tell(t, on("", pageTarget("P", "T")), on("P", session("I", "F", "M")), on("P", attached("A", "M")), on("P", session("J", "G", "")))
	effects := tr.tell(t, on("P", navigated("M", "", "a.test")))
	if !tr.has("F") || !tr.has("G") || tr.has("A") {
		t.Errorf("effects\n%s", show(effects))
	}
}

func TestTwoRenderersAtOneFrame(t *testing.T) {
	base := []step{on("P", navigated("F", "M", "a.test")), on("P", session("I", "F", "M"))}
	old := on("P", attached("OLD", "F"))
	tests := []struct {
		name  string
		steps []step
		frame messages.FrameID
		want  bool
	}{
		{"the new renderer has said nothing", []step{old, on("P", swapped("F"))}, "OLD", true},
		{"the new one has committed", []step{on("I", navigated("F", "M", "b.test")), old}, "OLD", false},
		{"the new one has a frame", []step{on("I", attached("NEW", "F")), old}, "OLD", false},
		{"the new one has a frame with a session", []step{on("I", session("J", "NEW", "F")), old}, "OLD", false},
		{"the new one has gone on without a commit", []step{
			on("I", &messages.NavigatedWithinDocument{FrameID: "F", URL: "x"}), old,
		}, "OLD", false},
		{"a commit in the old one", []step{on("I", navigated("F", "M", "b.test")), on("P", navigated("OLD", "F", "a.test"))}, "OLD", false},
		{"a reply of the old one", []step{on("I", navigated("F", "M", "b.test")), reply("P", messages.FrameNode{
			Frame: frameAt("M", "", "a.test"), Children: []messages.FrameNode{{
				Frame: frameAt("F", "M", "a.test"), Children: []messages.FrameNode{{Frame: frameAt("OLD", "F", "a.test")}},
			}},
		})}, "OLD", false},
		{"a session in the old one, on trust", []step{
			on("I", navigated("F", "M", "b.test")), on("P", session("J", "OLD", "F")),
		}, "OLD", true},
		{"which goes with its session", []step{
			on("I", navigated("F", "M", "b.test")), on("P", session("J", "OLD", "F")), on("P", gone("J")),
		}, "OLD", false},
		{"the new one is gone after the swap", []step{old, on("P", swapped("F")), on("P", gone("I"))}, "OLD", false},
		{"the new one is gone before it", []step{old, on("P", gone("I"))}, "OLD", true},
		{"what the new one had is gone with it", []step{on("I", attached("NEW", "F")), on("P", gone("I"))}, "NEW", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := onPage(t, base...)
			tr.tell(t, tt.steps...)
			if got := tr.has(tt.frame); got != tt.want {
				t.Errorf("%s is there: %t, want %t; the tree is %q", tt.frame, got, tt.want, tr.lines())
			}
		})
	}
}

func TestParentStaysWhereItIsKnown(t *testing.T) {
	tr := onPage(t, on("P", attached("A", "M")), on("P", attached("F", "A")), on("P", session("I", "F", "")))
	if got := tr.ref(t, "F").Parent; got != "A" {
		t.Errorf("F is under %q: an attach without a parent has moved it", got)
	}
	tr.tell(t, on("I", navigated("F", "M", "b.test")))
	if got := tr.ref(t, "F").Parent; got != "A" {
		t.Errorf("F is under %q: its own word counts more than its parent's", got)
	}
}

func TestOldBrowsersGiveNoReason(t *testing.T) {
	leave := on("P", &messages.FrameDetached{FrameID: "F"})
	tr := onPage(t, on("P", attached("F", "M")), on("P", session("I", "F", "M")), leave)
	if got := phase(tr); got != remote {
		t.Errorf("after the swap F is %s", got)
	}
	tr.tell(t, leave)
	if got := phase(tr); got != unknown {
		t.Errorf("after the removal F is %s", got)
	}
	tr.tell(t, on("P", attached("F", "M")), leave)
	if got := phase(tr); got != unknown {
		t.Errorf("after the removal of a local frame F is %s", got)
	}
}

func TestNoFrameGetsAboveItself(t *testing.T) {
	tr := onPage(t, on("P", attached("A", "M")), on("P", attached("B", "A")), on("P", attached("C", "B")))
	tr.tell(t,
		on("P", attached("A", "C")), on("P", attached("A", "A")), on("P", attached("M", "C")),
		on("P", attached("X", "Y")), on("P", attached("Y", "X")), on("P", session("I", "B", "C")),
	)
	for f, parent := range map[messages.FrameID]messages.FrameID{"A": "M", "B": "A", "C": "B"} {
		if got := tr.ref(t, f).Parent; got != parent {
			t.Errorf("%s is under %q, want %q", f, got, parent)
		}
	}
}

func TestPagesAreApart(t *testing.T) {
	tr := onPage(t, on("", pageTarget("P2", "T2")), on("P2", navigated("M2", "", "b.test")), on("P2", attached("F", "M2")))
	tr.tell(t, on("P", attached("F", "M")), on("P", removed("F")), on("P", attached("K", "M2")), on("P", session("I", "F", "M2")))
	if r := tr.ref(t, "F"); r.Page != "T2" || r.Parent != "M2" {
		t.Errorf("F: %+v", r)
	}
	if tr.has("K") {
		t.Error("a frame under another page's frame")
	}
	if got := tr.Pages(nil); !slices.Equal(got, []messages.TargetID{"T", "T2"}) {
		t.Errorf("pages %v", got)
	}
	effects := tr.tell(t, on("", gone("P2")))
	if tr.has("F") || tr.has("M2") || !tr.has("M") || tr.View("T2", true) != nil || tr.Dirty("T2") {
		t.Errorf("effects\n%s", show(effects))
	}
	if got := tr.Pages(nil); !slices.Equal(got, []messages.TargetID{"T"}) {
		t.Errorf("pages %v", got)
	}
	// The same target may come again with another session.
	tr.tell(t, on("", pageTarget("P3", "T2")), on("P3", navigated("M3", "", "b.test")))
	if r, ok := tr.MainFrame("T2"); !ok || r.Frame != "M3" {
		t.Errorf("main frame %+v", r)
	}
	tr.tell(t, on("", &messages.TargetDestroyed{TargetID: "T2"}))
	if tr.has("M3") {
		t.Error("the page has outlived its target")
	}
}

func TestPageOnTheRootSession(t *testing.T) {
	tr := newTree()
	tr.tell(t, on("", navigated("M", "", "a.test"))) // before its owner has said what it is
	tr.effects = tr.AddPage("", &messages.TargetInfo{TargetID: "T", Type: messages.TargetPage}, false, nil)
	tr.tell(t, on("", session("I", "F", "M")), on("I", attached("K", "F")), on("", changed("F", "https://b.test/")))
	if r := tr.ref(t, "M"); !r.HasSession || r.Session != "" || r.URL != "https://a.test/" {
		t.Errorf("M: %+v", r)
	}
	if r := tr.ref(t, "K"); r.OwnerSession != "I" || r.PageSession != "" || r.Page != "T" {
		t.Errorf("K: %+v", r)
	}
	if p, s, ok := tr.PageOf("I"); p != "T" || s != "" || !ok {
		t.Errorf("page of I: %q %q %t", p, s, ok)
	}
	if p, ok := tr.ParentSession("I"); p != "" || !ok {
		t.Errorf("parent of I: %q %t", p, ok)
	}
	if _, ok := tr.ParentSession(""); ok {
		t.Error("a page's session has a parent")
	}
	effects := tr.tell(t, on("", &messages.TargetDestroyed{TargetID: "T"}))
	if n := len(all[*frametree.SessionEnded](effects)); n != 2 || tr.Frames() != 0 {
		t.Errorf("effects\n%s", show(effects))
	}
}

func sameEffects(a, b []frametree.Effect) bool {
	return slices.EqualFunc(a, b, func(x, y frametree.Effect) bool { return reflect.DeepEqual(x, y) })
}

func show(list []frametree.Effect) string {
	out := ""
	for _, e := range list {
		out += fmt.Sprintf("%T %+v\n", e, e)
	}
	return out
}
