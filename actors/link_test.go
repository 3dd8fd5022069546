package actors

import (
	"testing"
	"time"

	"cdpsupervisor/messages"
)

// A navigation is in flight until its frame commits, is gone, or it is forgotten.
func TestNavigationsInFlight(t *testing.T) {
	l := newLink(1)
	at := time.Unix(1_700_000_000, 0)
	for _, frame := range []messages.FrameID{"A", "B"} {
		l.startNavigating("P", frame, at)
	}
	l.navigatesNoMore("P", []messages.FrameID{"A", "C"})
	if !l.navigating("P", at) {
		t.Error("the navigation of B is lost")
	}
	l.navigatesNoMore("P", []messages.FrameID{"B"})
	if l.navigating("P", at) || len(l.navigation["P"]) > 0 {
		t.Errorf("navigations of frames that are gone are kept: %v", l.navigation)
	}
	l.navigatesNoMore("nobody", []messages.FrameID{"B"})
	l.startNavigating("P", "D", at)
	if l.navigating("P", at.Add(navigationForgotten)) || len(l.navigation["P"]) > 0 {
		t.Error("a navigation that never commits is not forgotten")
	}
}

// What stays in its document commits nothing, so it is not waited for.
func TestSameDocument(t *testing.T) {
	for typ, want := range map[string]bool{
		"sameDocument": true, "historySameDocument": true,
		"differentDocument": false, "historyDifferentDocument": false, "reload": false, "restore": false, "": false,
	} {
		if got := sameDocument(&messages.FrameStartedNavigating{Type: typ}); got != want {
			t.Errorf("%q: %v", typ, got)
		}
	}
}
