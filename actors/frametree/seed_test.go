package frametree_test

import (
	"fmt"
	"slices"
	"testing"

	"cdpsupervisor/actors/frametree"
	"cdpsupervisor/messages"
)

func TestSeedMerges(t *testing.T) {
	tr := onPage(t, on("P", navigated("A", "M", "a.test")), on("P", attached("B", "M")), on("P", session("I", "F", "M")))
	effects := tr.tell(t, reply("P", messages.FrameNode{Frame: frameAt("M", "", "a.test"), Children: []messages.FrameNode{
		{Frame: messages.FrameInfo{ID: "A", ParentID: "M", LoaderID: "L-A-a.test"}},
		{Frame: messages.FrameInfo{ID: "B", ParentID: "M", LoaderID: "LB", URL: "about:blank", Origin: "://", Name: "b"}},
		{Frame: frameAt("C", "M", "a.test"), Children: []messages.FrameNode{{Frame: frameAt("D", "C", "a.test")}}},
	}}))
	if len(effects) != 0 {
		t.Errorf("effects\n%s", show(effects))
	}
	if got := tr.ref(t, "A").URL; got != "https://a.test/" {
		t.Errorf("A is at %q: an empty URL has overwritten a known one", got)
	}
	if r := tr.ref(t, "B"); r.URL != "about:blank" || r.Name != "b" || r.Origin != "https://a.test" || !r.Loaded {
		t.Errorf("B: %+v", r)
	}
	if r := tr.ref(t, "D"); r.Parent != "C" {
		t.Errorf("D: %+v", r)
	}
	if !tr.ref(t, "F").OOPIF() {
		t.Error("a reply that lists local frames only has taken F's session")
	}
}

func TestSeedThatIsOlderThanTheEvents(t *testing.T) {
	tr := onPage(t, on("P", navigated("A", "M", "a.test")), on("P", navigated("A", "M", "new.test")))
	tr.tell(t, reply("P", messages.FrameNode{Frame: frameAt("M", "", "a.test"), Children: []messages.FrameNode{
		{Frame: frameAt("A", "M", "a.test"), Children: []messages.FrameNode{{Frame: frameAt("OLD", "A", "a.test")}}},
		{Frame: frameAt("C", "M", "a.test")},
	}}))
	if r := tr.ref(t, "A"); r.URL != "https://new.test/" || tr.has("OLD") || !tr.has("C") {
		t.Errorf("the tree is %q", tr.lines())
	}
	tr.tell(t, on("P", navigated("M", "", "next.test")), reply("P", messages.FrameNode{
		Frame: frameAt("M", "", "a.test"), Children: []messages.FrameNode{{Frame: frameAt("A", "M", "a.test")}},
	}))
	if r := tr.ref(t, "M"); r.URL != "https://next.test/" || tr.has("A") {
		t.Errorf("the tree is %q", tr.lines())
	}
}

func TestSeedOfAnotherDocumentThanTheOneBefore(t *testing.T) {
	// The session of F was not paused and missed the commit.
	tr := onPage(t, on("P", navigated("F", "M", "a.test")), on("P", attached("OLD", "F")), on("P", session("I", "F", "M")))
	effects := tr.tell(t, reply("I", messages.FrameNode{Frame: frameAt("F", "M", "b.test"), Children: []messages.FrameNode{
		{Frame: frameAt("NEW", "F", "b.test")},
	}}))
	p := all[*frametree.FramesPruned](effects)
	if len(effects) != 1 || len(p) != 1 || !slices.Equal(p[0].Frames, []messages.FrameID{"OLD"}) {
		t.Errorf("effects\n%s", show(effects))
	}
	if r := tr.ref(t, "F"); r.URL != "https://b.test/" || tr.has("OLD") || tr.ref(t, "NEW").OwnerSession != "I" {
		t.Errorf("the tree is %q", tr.lines())
	}
}

func TestSeedOfADocumentThatIsOnItsWay(t *testing.T) {
	// F is about to move to a renderer of its own. Until the commit, which a
	// dialog of the page holds back, it shows what it showed, with what is in it.
	tr := onPage(t, on("P", navigated("F", "M", "a.test")), on("P", session("C", "OLD", "F")), on("P", session("I", "F", "M")))
	effects := tr.tell(t, reply("I", messages.FrameNode{Frame: messages.FrameInfo{ID: "F", ParentID: "M", LoaderID: "EMPTY", Origin: "://"}}))
	if len(effects) != 0 {
		t.Errorf("effects\n%s", show(effects))
	}
	if r := tr.ref(t, "F"); r.URL != "https://a.test/" || r.Origin != "https://a.test" || !tr.has("OLD") {
		t.Errorf("before the commit the tree is %q, %+v", tr.lines(), r)
	}
	effects = tr.tell(t, on("I", navigated("F", "M", "b.test")))
	if c := all[*frametree.Committed](effects); len(c) != 1 || !slices.Equal(c[0].Frames, []messages.FrameID{"OLD"}) {
		t.Errorf("effects\n%s", show(effects))
	}
	if r := tr.ref(t, "F"); r.URL != "https://b.test/" || tr.has("OLD") {
		t.Errorf("after the commit the tree is %q, %+v", tr.lines(), r)
	}
}

func TestSeedBeforeTheDocument(t *testing.T) {
	// F is about to go to another renderer, whose session is paused, and then
	// goes nowhere: its navigation is ended by one to nothing.
	tr := onPage(t, on("P", navigated("F", "M", "a.test")), on("P", attached("K", "F")), on("P", session("I", "F", "M")))
	effects := tr.tell(t, reply("I", notYet("F", "M")), on("P", attached("L", "F")))
	if len(effects) != 0 || !tr.has("K") || !tr.has("L") {
		t.Errorf("a renderer that has shown nothing has taken frames: %q, effects\n%s", tr.lines(), show(effects))
	}
	effects = tr.tell(t, on("P", gone("I")))
	if e := all[*frametree.SessionEnded](effects); len(e) != 1 || len(effects) != 1 {
		t.Errorf("effects\n%s", show(effects))
	}
	if r := tr.ref(t, "F"); r.State != "" || r.OOPIF() || r.URL != "https://a.test/" || !tr.has("K") || !tr.has("L") {
		t.Errorf("F: %+v, the tree is %q", r, tr.lines())
	}
}

func TestSeedOfAFrameThatCameBack(t *testing.T) {
	came := reply("P", messages.FrameNode{Frame: frameAt("M", "", "a.test"), Children: []messages.FrameNode{
		{Frame: frameAt("F", "M", "back.test")},
	}})
	for name, away := range map[string][]step{
		"with a session of its own":    {on("P", session("I", "F", "M")), on("I", navigated("F", "M", "b.test")), on("P", gone("I"))},
		"without, as far as was heard": {on("P", swapped("F"))},
	} {
		tr := onPage(t, on("P", navigated("F", "M", "a.test")))
		tr.tell(t, away...)
		tr.tell(t, on("P", attached("F", "M")), came)
		if r := tr.ref(t, "F"); r.URL != "https://back.test/" || r.Loader != "L-F-back.test" {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestSeedThatIsNotForUs(t *testing.T) {
	tr := onPage(t, on("P", session("I", "F", "M")))
	before := tr.lines()
	tr.tell(t,
		reply("nobody", messages.FrameNode{Frame: frameAt("X", "", "x.test")}),
		reply("P", messages.FrameNode{}),
		reply("P", messages.FrameNode{Frame: frameAt("X", "", "x.test")}),
		reply("I", messages.FrameNode{Frame: frameAt("X", "M", "x.test")}),
	)
	if got := tr.lines(); !slices.Equal(got, before) {
		t.Errorf("have %q, want %q", got, before)
	}
	if effects := tr.Seed("P", nil, nil); len(effects) != 0 {
		t.Errorf("no reply at all has effects\n%s", show(effects))
	}
}

func TestSeedDepthIsCapped(t *testing.T) {
	root := messages.FrameNode{Frame: frameAt("M", "", "a.test")}
	at := &root
	const depth = messages.MaxFrameDepth + 10
	for i := range depth {
		at.Children = []messages.FrameNode{{Frame: messages.FrameInfo{ID: messages.FrameID(fmt.Sprint("d", i))}}}
		at = &at.Children[0]
	}
	tr := onPage(t)
	tr.tell(t, reply("P", root))
	if got := tr.Frames(); got != messages.MaxFrameDepth+1 {
		t.Errorf("%d frames of a chain of %d", got, depth)
	}
	if tr.Dropped().Frames == 0 {
		t.Error("nothing is counted as dropped")
	}
}

func TestFramesAreCapped(t *testing.T) {
	tr := onPage(t)
	for i := range messages.MaxFrames + 5 {
		tr.do(on("P", attached(messages.FrameID(fmt.Sprint("f", i)), "M")))
	}
	if tr.Frames() != messages.MaxFrames || tr.Dropped().Frames != 6 {
		t.Fatalf("%d frames, %d dropped", tr.Frames(), tr.Dropped().Frames)
	}
	effects := tr.tell(t, on("P", session("I", "over", "M")), on("P", attached("x", "unknown")), on("P", session("J", "f0", "M")))
	u := all[*frametree.SessionUnclaimed](effects)
	if len(u) != 1 || u[0].Session != "I" || u[0].Why != frametree.UnclaimedCap {
		t.Errorf("effects\n%s", show(effects))
	}
	if !tr.ref(t, "f0").OOPIF() || tr.has("x") {
		t.Error("a tracked frame gets no session, or another one was tracked")
	}
	// The main frame of another page is tracked all the same.
	tr.tell(t, on("", pageTarget("P2", "T2")), on("P2", navigated("M2", "", "b.test")))
	if _, ok := tr.MainFrame("T2"); !ok {
		t.Error("a page without its main frame")
	}
	if v := tr.View("T", true); v.Omitted != messages.MaxFrames-1-messages.MaxViewFrames {
		t.Errorf("omitted %d", v.Omitted)
	}
	effects = tr.tell(t, on("P", navigated("M", "", "b.test")))
	if c := all[*frametree.Committed](effects); len(c) != 1 || len(c[0].Frames) != messages.MaxFrames-1 || tr.Frames() != 2 {
		t.Errorf("%d frames are left", tr.Frames())
	}
}

func TestLastFrameBelowTheCap(t *testing.T) {
	tr := onPage(t)
	for i := range messages.MaxFrames - 2 {
		tr.do(on("P", attached(messages.FrameID(fmt.Sprint("f", i)), "M")))
	}
	tr.tell(t, on("P", attached("x", "unknown"))) // room for the ghost, not for its child
	if tr.has("x") || tr.Frames() != messages.MaxFrames-1 {
		t.Errorf("%d frames, x there: %t", tr.Frames(), tr.has("x"))
	}
	tr.tell(t, on("P", attached("y", "M")))
	if !tr.has("y") {
		t.Error("the last place is lost to a ghost without children")
	}
}

func TestDeepTreesAreTakenDown(t *testing.T) {
	tr := onPage(t)
	parent := messages.FrameID("M")
	for i := range messages.MaxFrames - 1 {
		f := messages.FrameID(fmt.Sprint("f", i))
		tr.do(on("P", attached(f, parent)))
		parent = f
	}
	if r := tr.ref(t, parent); r.OwnerSession != "P" || r.Origin != "https://a.test" {
		t.Errorf("the deepest frame: %+v", r)
	}
	tr.tell(t, on("P", removed("f0")))
	if tr.Frames() != 1 {
		t.Errorf("%d frames are left", tr.Frames())
	}
}

func TestSessionsAreCapped(t *testing.T) {
	tr := onPage(t)
	for i := range messages.MaxSessions - 1 {
		f := messages.FrameID(fmt.Sprint("f", i))
		tr.do(on("P", session(messages.SessionID("s-"+f), f, "M")))
	}
	effects := tr.tell(t, on("P", session("I", "F", "M")), on("I", attached("K", "F")))
	u := all[*frametree.SessionUnclaimed](effects)
	if tr.SessionCount() != messages.MaxSessions || len(u) != 1 || u[0].Why != frametree.UnclaimedCap || tr.Early() != 0 {
		t.Errorf("%d sessions, %d early, effects\n%s", tr.SessionCount(), tr.Early(), show(effects))
	}
	effects = tr.AddPage("P2", &messages.TargetInfo{TargetID: "T2"}, false, nil)
	if u := all[*frametree.SessionUnclaimed](effects); len(u) != 1 || u[0].Why != frametree.UnclaimedCap {
		t.Errorf("effects\n%s", show(effects))
	}
	if tr.Dropped().Sessions != 2 {
		t.Errorf("dropped %+v", tr.Dropped())
	}
}

func TestEndedSessionsAreForgottenInTheEnd(t *testing.T) {
	tr := onPage(t)
	for i := range 3 * messages.MaxSessions {
		id := messages.SessionID(fmt.Sprint("s", i))
		tr.do(on("P", session(id, "F", "M")))
		tr.do(on("P", gone(id)))
	}
	if err := tr.Verify(); err != nil { // has the cap on what is remembered
		t.Fatal(err)
	}
	last := messages.SessionID(fmt.Sprint("s", 3*messages.MaxSessions-1))
	tr.tell(t, on(last, attached("K", "F")))
	if tr.has("K") || tr.Early() != 0 {
		t.Error("the session that ended last is forgotten")
	}
}
