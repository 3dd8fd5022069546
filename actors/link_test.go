package actors

import (
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

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
	if l.navigating("P", at.Add(navigationForgotten)) {
		t.Error("a navigation that never commits is not forgotten")
	}
}

// What a page has begun itself is known for as long as it takes, also over a
// silence. Of its frames it is not.
func TestAPageThatMayLeave(t *testing.T) {
	l, at := newLink(1), time.Unix(1_700_000_000, 0)
	if !l.mayLeave("P") {
		t.Error("a page that is not known yet does not leave, though it may have begun before")
	}
	l.tree.AddPage("S", &messages.TargetInfo{TargetID: "P", Type: messages.TargetPage}, false, nil)
	l.tree.Seed("S", &messages.FrameNode{Frame: messages.FrameInfo{ID: "P"}, Children: []messages.FrameNode{{Frame: messages.FrameInfo{ID: "child", ParentID: "P"}}}}, nil)
	l.pages.Set("P", &pageEntry{session: "S"})
	l.startNavigating("P", "child", at)
	if l.mayLeave("P") {
		t.Error("the page leaves with a frame of it")
	}
	l.startNavigating("P", "P", at)
	l.compactNavigation(make(messages.Strings))
	if !l.mayLeave("P") || len(l.navigation["P"]) != 1 {
		t.Errorf("after a silence %v is known", l.navigation)
	}
	delete(l.navigation["P"], "P")
	if l.compactNavigation(make(messages.Strings)); l.mayLeave("P") || l.navigation != nil {
		t.Errorf("a page that has got there leaves: %v", l.navigation)
	}
}

// What a session that is gone was asked is never answered, and is forgotten.
func TestNothingIsKeptOfASession(t *testing.T) {
	l := newLink(1)
	l.bridging = &bridging{stopped: map[messages.SessionID]string{"S": "1", "T": "2"}}
	for _, session := range []messages.SessionID{"S", "T", "", "S"} {
		l.ask(session, func(actor.Context, *messages.Reply) {})
	}
	l.forget("S")
	if l.own.Len() != 2 || len(l.bridging.stopped) != 1 {
		t.Errorf("%d questions and %d stops are kept", l.own.Len(), len(l.bridging.stopped))
	}
	if l.answered(2) == nil || l.answered(3) == nil || l.answered(4) != nil || l.own.Len() != 0 {
		t.Error("the others are not answered once each")
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
