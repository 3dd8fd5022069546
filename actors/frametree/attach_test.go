package frametree_test

import (
	"slices"
	"testing"

	"cdpsupervisor/actors/frametree"
	"cdpsupervisor/messages"
)

func TestEachAttachHasOneAnswer(t *testing.T) {
	worker := session("W", "worker", "M")
	worker.Info.Type = "worker"
	running := session("I", "F", "M")
	running.Waiting = false
	tests := []struct {
		name   string
		before []step
		step   step
		want   frametree.Effect
	}{
		{"an iframe", nil, on("P", session("I", "F", "M")),
			&frametree.SessionAttached{Session: "I", Parent: "P", Page: "T", Target: "F", Frame: "F", Waiting: true}},
		{"an iframe that runs already", nil, on("P", running),
			&frametree.SessionAttached{Session: "I", Parent: "P", Page: "T", Target: "F", Frame: "F"}},
		{"a nested iframe", []step{on("P", session("I", "F", "M"))}, on("I", session("J", "G", "")),
			&frametree.SessionAttached{Session: "J", Parent: "I", Page: "T", Target: "G", Frame: "G", Waiting: true}},
		{"a page", nil, on("P", pageTarget("P2", "T2")),
			&frametree.SessionUnclaimed{Session: "P2", Parent: "P", Info: pageTarget("", "T2").Info, Why: frametree.UnclaimedType}},
		{"a worker", nil, on("P", worker),
			&frametree.SessionUnclaimed{Session: "W", Parent: "P", Info: worker.Info, Waiting: true, Why: frametree.UnclaimedType}},
		{"a second session of a frame", []step{on("P", session("I", "F", "M"))}, on("P", session("I2", "F", "M")),
			&frametree.SessionUnclaimed{Session: "I2", Parent: "P", Info: session("", "F", "M").Info, Waiting: true, Why: frametree.UnclaimedSurplus}},
		{"the same session again", []step{on("P", session("I", "F", "M"))}, on("P", session("I", "F", "M")),
			&frametree.SessionUnclaimed{Session: "I", Parent: "P", Info: session("", "F", "M").Info, Waiting: true, Why: frametree.UnclaimedSurplus}},
		{"an iframe on the browser's session", nil, on("", session("I", "F", "M")),
			&frametree.SessionUnclaimed{Session: "I", Info: session("", "F", "M").Info, Waiting: true, Why: frametree.UnclaimedStranger}},
		{"on a session that is over", []step{on("P", session("I", "F", "M")), on("P", gone("I"))}, on("I", session("J", "G", "F")),
			&frametree.SessionUnclaimed{Session: "J", Parent: "I", Info: session("", "G", "F").Info, Waiting: true, Why: frametree.UnclaimedOver}},
		{"a session that is over", []step{on("P", gone("I"))}, on("P", session("I", "F", "M")),
			&frametree.SessionUnclaimed{Session: "I", Parent: "P", Info: session("", "F", "M").Info, Waiting: true, Why: frametree.UnclaimedOver}},
		{"below itself", []step{on("P", attached("F", "M")), on("P", attached("K", "F"))}, on("P", session("I", "F", "K")),
			&frametree.SessionUnclaimed{Session: "I", Parent: "P", Info: session("", "F", "K").Info, Waiting: true, Why: frametree.UnclaimedOver}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := onPage(t, tt.before...)
			got := tr.Apply(&tt.step.ev, nil)
			if !sameEffects(got, []frametree.Effect{tt.want}) {
				t.Errorf("effects\n%swant\n%s", show(got), show([]frametree.Effect{tt.want}))
			}
			if err := tr.Verify(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWorkersAreForgotten(t *testing.T) {
	worker := func(id messages.SessionID) *messages.AttachedToTarget {
		a := session(id, "worker", "")
		a.Info.Type = "service_worker"
		return a
	}
	tr := onPage(t, on("P", worker("W")), on("", worker("W2")), on("", session("X", "F", "M")))
	tr.tell(t, on("W", attached("A", "M")), on("W2", attached("A", "M")), on("X", attached("A", "M")))
	if tr.has("A") || tr.Early() != 0 {
		t.Errorf("A there: %t, %d events are kept", tr.has("A"), tr.Early())
	}
}

func TestAddPage(t *testing.T) {
	s := frametree.New()
	info := messages.TargetInfo{TargetID: "T", Type: messages.TargetPage}
	got := s.AddPage("P", &info, true, nil)
	want := []frametree.Effect{&frametree.SessionAttached{Session: "P", Page: "T", Target: "T", Waiting: true}}
	if !sameEffects(got, want) {
		t.Errorf("effects\n%s", show(got))
	}
	for _, tt := range []struct {
		session messages.SessionID
		target  messages.TargetID
		why     frametree.Unclaimed
	}{{"P2", "T", frametree.UnclaimedSurplus}, {"P", "T2", frametree.UnclaimedSurplus}} {
		other := messages.TargetInfo{TargetID: tt.target, Type: messages.TargetPage}
		got := s.AddPage(tt.session, &other, true, nil)
		want := []frametree.Effect{&frametree.SessionUnclaimed{Session: tt.session, Info: other, Waiting: true, Why: tt.why}}
		if !sameEffects(got, want) {
			t.Errorf("%s of %s: effects\n%s", tt.session, tt.target, show(got))
		}
	}
	s.SessionGone("P", nil)
	got = s.AddPage("P", &info, false, nil)
	if !sameEffects(got, []frametree.Effect{&frametree.SessionUnclaimed{Session: "P", Info: info, Why: frametree.UnclaimedOver}}) {
		t.Errorf("a session that is over: effects\n%s", show(got))
	}
	if s.SessionCount() != 0 || s.Frames() != 0 || len(s.Pages(nil)) != 0 {
		t.Errorf("%d sessions, %d frames, %v", s.SessionCount(), s.Frames(), s.Pages(nil))
	}
}

func TestSessionsOfAPage(t *testing.T) {
	tr := onPage(t,
		on("P", session("I", "F", "M")), on("I", session("J", "G", "F")), on("P", session("K", "H", "M")),
		on("", pageTarget("P2", "T2")), on("P", gone("I")),
	)
	if got := tr.Sessions("T", nil); !slices.Equal(got, []messages.SessionID{"P", "K"}) {
		t.Errorf("sessions %v", got)
	}
	if got, ok := tr.PageSession("T2"); got != "P2" || !ok {
		t.Errorf("session of T2: %q %t", got, ok)
	}
	if _, ok := tr.PageSession("T9"); ok {
		t.Error("a session of no page")
	}
	if r, ok := tr.RootFrame("K"); !ok || r.Frame != "H" {
		t.Errorf("root of K: %+v", r)
	}
	if _, ok := tr.RootFrame("P2"); ok {
		t.Error("a root before it is known")
	}
	if _, _, ok := tr.PageOf("I"); ok {
		t.Error("a page of a session that is over")
	}
}

func TestEventsOfASessionNotYetKnown(t *testing.T) {
	tr := newTree()
	body := navigated("M", "", "a.test")
	early := []step{on("P", body), on("P", attached("F", "M")), on("P", session("I", "F", "M")), on("I", attached("K", "F"))}
	for _, st := range early {
		if effects := tr.do(st); len(effects) != 0 {
			t.Errorf("%v has effects\n%s", st, show(effects))
		}
	}
	*body = messages.FrameNavigated{} // it belongs to its batch
	effects := tr.tell(t, on("", pageTarget("P", "T")))
	var sessions []messages.SessionID
	for _, e := range all[*frametree.SessionAttached](effects) {
		sessions = append(sessions, e.Session)
	}
	if !slices.Equal(sessions, []messages.SessionID{"P", "I"}) || tr.Early() != 0 {
		t.Errorf("attached %v, %d events left", sessions, tr.Early())
	}
	if r := tr.ref(t, "K"); r.Parent != "F" || r.OwnerSession != "I" || tr.ref(t, "M").URL != "https://a.test/" {
		t.Errorf("the tree is %q", tr.lines())
	}
}

func TestEarlyEventsAreCapped(t *testing.T) {
	tr := newTree()
	for range 1023 {
		tr.do(on("X", attached("F", "M")))
	}
	for range 10 {
		tr.do(on("X", &messages.ConsoleMessage{})) // not kept, so not counted
	}
	tr.do(on("X", session("A", "E", "M")))
	effects := tr.tell(t, on("X", attached("F", "M")), on("X", session("I", "G", "M")))
	u := all[*frametree.SessionUnclaimed](effects)
	if len(u) != 1 || u[0].Session != "I" || u[0].Why != frametree.UnclaimedStranger || !u[0].Waiting {
		t.Errorf("a paused target is lost: effects\n%s", show(effects))
	}
	if tr.Early() != 1024 || tr.Dropped().Early != 2 {
		t.Errorf("%d kept, %d dropped", tr.Early(), tr.Dropped().Early)
	}
	tr.tell(t, on("", gone("X")))
	if tr.Early() != 0 {
		t.Errorf("%d events of a session that is over", tr.Early())
	}
}

// Sessions that never come take the room of those that do for a while only. What
// they brought along is let go.
func TestEarlyEventsAge(t *testing.T) {
	tr := newTree()
	tr.do(on("X1", session("A", "E", "M")))
	for range 511 {
		tr.do(on("X1", attached("F", "M")))
		tr.do(on("X2", attached("F", "M")))
	}
	tr.do(on("X2", attached("F", "M")))
	effects := tr.tell(t, on("P", navigated("M", "", "a.test")), on("P", attached("F", "M")))
	u := all[*frametree.SessionUnclaimed](effects)
	if len(u) != 1 || u[0].Session != "A" || u[0].Why != frametree.UnclaimedStranger || !u[0].Waiting {
		t.Errorf("a paused target is lost: effects\n%s", show(effects))
	}
	if tr.Early() != 512+2 || tr.Dropped().Early != 512 {
		t.Errorf("%d kept, %d dropped", tr.Early(), tr.Dropped().Early)
	}
	tr.tell(t, on("", pageTarget("P", "T")))
	if !tr.has("F") || tr.Early() != 512 {
		t.Errorf("F is there: %t, %d events are kept", tr.has("F"), tr.Early())
	}
}
