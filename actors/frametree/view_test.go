package frametree_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"cdpsupervisor/messages"
)

func ids(list []messages.FrameEntry) []messages.FrameID {
	var out []messages.FrameID
	for _, e := range list {
		out = append(out, e.FrameID)
	}
	return out
}

func TestViewIsTheContract(t *testing.T) {
	tr := onPage(t,
		on("P", doc("B", "M", "about:srcdoc", "://")),
		on("P", session("SID", "C", "M")), on("SID", navigated("C", "M", "ads.test")),
	)
	tr.SetSessionState("SID", "")
	got, err := json.Marshal(tr.View("T", true))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"top":{"frame_id":"M","url":"https://a.test/","origin":"https://a.test"},` +
		`"children":[{"frame_id":"B","parent_frame_id":"M","url":"about:srcdoc","origin":"https://a.test","is_oopif":false},` +
		`{"frame_id":"C","parent_frame_id":"M","url":"https://ads.test/","origin":"https://ads.test","is_oopif":true,"session_id":"SID"}],` +
		`"truncated":false}`
	if string(got) != want {
		t.Errorf("have %s\nwant %s", got, want)
	}
	for _, e := range tr.View("T", false).Children {
		if e.SessionID != "" {
			t.Errorf("a session id in a view without: %+v", e)
		}
	}
	if v := onPage(t).View("T", true); v.Children == nil || len(v.Children) != 0 || v.Truncated {
		t.Errorf("a page without frames: %+v", v)
	}
}

func TestViewGoesBreadthFirst(t *testing.T) {
	tr := onPage(t)
	for i := range 20 { // 20 children, each with two
		f := messages.FrameID(fmt.Sprint("c", i))
		tr.tell(t, on("P", attached(f, "M")), on("P", attached(f+"a", f)), on("P", attached(f+"b", f)))
	}
	v := tr.View("T", true)
	if len(v.Children) != messages.MaxViewFrames || !v.Truncated || v.Omitted != 60-messages.MaxViewFrames {
		t.Fatalf("%d children, truncated %t, omitted %d", len(v.Children), v.Truncated, v.Omitted)
	}
	got := ids(v.Children)
	for i := range 20 {
		if want := messages.FrameID(fmt.Sprint("c", i)); got[i] != want {
			t.Errorf("child %d is %s, want %s", i, got[i], want)
		}
	}
	if got[20] != "c0a" || got[21] != "c0b" || got[29] != "c4b" {
		t.Errorf("the second row is %v", got[20:])
	}
	if full := tr.FullView("T", true); len(full.Children) != 60 || full.Truncated || full.Omitted != 0 {
		t.Errorf("the full view has %d children, truncated %t, omitted %d", len(full.Children), full.Truncated, full.Omitted)
	}
}

func TestViewAtTheCap(t *testing.T) {
	for n := messages.MaxViewFrames - 1; n <= messages.MaxViewFrames+1; n++ {
		tr := onPage(t)
		for i := range n {
			tr.tell(t, on("P", attached(messages.FrameID(fmt.Sprint("c", i)), "M")))
		}
		v := tr.View("T", true)
		over := max(0, n-messages.MaxViewFrames)
		if len(v.Children) != n-over || v.Truncated != (over > 0) || v.Omitted != over {
			t.Errorf("of %d: %d children, truncated %t, omitted %d", n, len(v.Children), v.Truncated, v.Omitted)
		}
	}
}

func TestViewCountsHopsNotDepth(t *testing.T) {
	tr := onPage(t,
		on("P", attached("L1", "M")), on("P", attached("L2", "L1")), on("P", attached("L3", "L2")), on("P", attached("L4", "L3")),
		on("P", session("S1", "O1", "L4")), on("S1", attached("K1", "O1")), on("S1", session("S2", "O2", "K1")),
		on("S2", attached("K2", "O2")), on("S2", session("S3", "O3", "K2")), on("S3", attached("K3", "O3")),
		on("S2", attached("K4", "O2")),
	)
	v := tr.View("T", true)
	want := []messages.FrameID{"L1", "L2", "L3", "L4", "O1", "K1", "O2", "K2", "K4"}
	if got := ids(v.Children); !slices.Equal(got, want) || v.Omitted != 2 || !v.Truncated {
		t.Errorf("shows %v, omits %d, want %v and two more", got, v.Omitted, want)
	}
	if r := tr.ref(t, "K3"); r.OwnerSession != "S3" {
		t.Errorf("a frame that is not shown: %+v", r)
	}
}

func TestDirty(t *testing.T) {
	tr := onPage(t, on("", pageTarget("P2", "T2")), on("P2", navigated("M2", "", "b.test")))
	if !tr.Dirty("T") || !tr.Dirty("T2") || tr.Dirty("T9") {
		t.Fatal("pages are dirty from the start, and only pages")
	}
	clean := func() { tr.View("T", true); tr.View("T2", true) }
	changes := []struct {
		name string
		do   func()
	}{
		{"frameAttached", func() { tr.tell(t, on("P", attached("F", "M"))) }},
		{"attachedToTarget", func() { tr.tell(t, on("P", session("I", "F", "M"))) }},
		{"frameNavigated", func() { tr.tell(t, on("I", navigated("F", "M", "b.test"))) }},
		{"a session's state", func() { tr.SetSessionState("I", "") }},
		{"pushState", func() { tr.tell(t, on("I", &messages.NavigatedWithinDocument{FrameID: "F", URL: "x"})) }},
		{"a target's URL", func() { tr.tell(t, on("P", changed("F", "y"))) }},
		{"a crash", func() { tr.tell(t, on("I", &messages.InspectorCrashed{})) }},
		{"a reload", func() { tr.tell(t, on("I", &messages.InspectorReloaded{})) }},
		{"a reply", func() { tr.tell(t, reply("I", messages.FrameNode{Frame: frameAt("F", "M", "b.test")})) }},
		{"detachedFromTarget", func() { tr.tell(t, on("P", gone("I"))) }},
		{"a swap", func() { tr.tell(t, on("P", swapped("F"))) }},
		{"a removal", func() { tr.tell(t, on("P", removed("F"))) }},
	}
	for _, c := range changes {
		clean()
		c.do()
		if !tr.Dirty("T") || tr.Dirty("T2") {
			t.Errorf("%s: T dirty %t, T2 dirty %t, want only T", c.name, tr.Dirty("T"), tr.Dirty("T2"))
		}
		if tr.FullView("T", true); !tr.Dirty("T") {
			t.Errorf("%s: a full view has cleaned the page", c.name)
		}
	}
	clean()
	tr.SetSessionState("P", "")
	tr.tell(t, on("P", removed("nobody")), on("P", &messages.FrameStartedNavigating{FrameID: "M"}), on("X", attached("A", "M")),
		on("", &messages.TargetCrashed{TargetID: "F"}), on("P", &messages.ConsoleMessage{}))
	if tr.Dirty("T") || tr.Dirty("T2") {
		t.Error("dirty although nothing has changed")
	}
}
