package frametree_test

import (
	"reflect"
	"slices"
	"testing"

	"cdpsupervisor/actors/frametree"
	"cdpsupervisor/messages"
)

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
