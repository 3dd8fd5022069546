package frametree_test

import (
	"slices"
	"testing"

	"cdpsupervisor/actors/frametree"
	"cdpsupervisor/messages"
)

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

func TestRemovalOfWhatIsNotThere(t *testing.T) {
	tr := onPage(t, on("P", attached("K", "ghost")), on("P", attached("A", "M")))
	effects := tr.tell(t, on("P", removed("ghost")))
	if want := (&frametree.FramesRemoved{Page: "T", Frames: []messages.FrameID{"K"}}); !sameEffects(effects, []frametree.Effect{want}) {
		t.Errorf("effects\n%s", show(effects))
	}
	if effects = tr.tell(t, on("P", removed("nobody")), on("P", removed("M")), on("P", swapped("M"))); len(effects) != 0 || !tr.has("A") {
		t.Errorf("the main frame, or none: effects\n%s", show(effects))
	}
}

func TestFrameOfTwoSessions(t *testing.T) {
	// A frame goes from one renderer's account to another's.
	tr := onPage(t, on("P", session("I", "F", "M")), on("P", navigated("K", "M", "a.test")), on("I", attached("K", "F")))
	tr.tell(t, reply("I", messages.FrameNode{Frame: frameAt("F", "M", "b.test"), Children: []messages.FrameNode{
		{Frame: frameAt("K", "F", "b.test")},
	}}))
	if r := tr.ref(t, "K"); r.Parent != "F" || r.URL != "https://b.test/" || r.OwnerSession != "I" {
		t.Errorf("K: %+v", r)
	}
	// One with a session of its own does not.
	tr.tell(t, on("P", session("J", "G", "M")), on("I", attached("G", "F")), on("P", gone("I")))
	if r, ok := tr.Lookup("G"); !ok || r.Parent != "M" || !r.OOPIF() {
		t.Errorf("G: %+v", r)
	}
	// A main frame may have been taken for a child.
	tr.tell(t, on("P", attached("M2", "ghost")), on("P", navigated("M2", "", "c.test")))
	if r, _ := tr.MainFrame("T"); r.Frame != "M2" || tr.Frames() != 1 {
		t.Errorf("the tree is %q", tr.lines())
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

func TestOldBrowsersGiveNoReason(t *testing.T) {
	leave := on("P", &messages.FrameDetached{FrameID: "F"})
	tr := onPage(t, on("P", attached("F", "M")), on("P", session("I", "F", "M")), leave)
	if got := phase(tr); got != arriving {
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
