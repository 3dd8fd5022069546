package frametree_test

import (
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

func TestNoFrameGetsAboveItself(t *testing.T) {
	tr := onPage(t, on("P", attached("A", "M")), on("P", attached("B", "A")), on("P", attached("C", "B")))
	tr.tell(t,
		on("P", attached("A", "C")), on("P", attached("A", "A")), on("P", attached("M", "C")),
		on("P", attached("X", "Y")), on("P", attached("Y", "X")), on("P", session("I", "B", "C")),
	)
	// Nor a session's frame above the session, by a parent that nobody knows.
	tr.tell(t, on("P", session("J", "S", "C")), on("J", attached("A", "nobody")))
	for f, parent := range map[messages.FrameID]messages.FrameID{"A": "M", "B": "A", "C": "B"} {
		if got := tr.ref(t, f).Parent; got != parent {
			t.Errorf("%s is under %q, want %q", f, got, parent)
		}
	}
}

func TestPagesAreApart(t *testing.T) {
	tr := onPage(t, on("", pageTarget("P2", "T2")), on("P2", navigated("M2", "", "b.test")), on("P2", attached("F", "M2")))
	tr.tell(t, on("P", attached("F", "M")), on("P", removed("F")), on("P", attached("K", "F")), on("P", session("I", "F", "M2")))
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
