package actors

import (
	"strconv"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
	"cdpsupervisor/policy"
)

// supervisorOnLink is a supervisor whose connection stands and whose commands go
// nowhere, and how to have something done as it.
func supervisorOnLink(t *testing.T) (*supervisor, func(func(actor.Context))) {
	t.Helper()
	s, hand, do := parentByHand(t)
	s.env.Secret = func() string { return "secret" }
	socket := s.env.System.Root.Spawn(actor.PropsFromFunc(func(actor.Context) {}, actor.WithDispatcher(hand)))
	t.Cleanup(func() {
		s.env.System.Root.Stop(socket)
		hand.all()
	})
	s.link = newLink(1)
	s.link.socket, s.link.open = socket, true
	s.beginBridge()
	return s, func(f func(actor.Context)) {
		do(f)
		hand.all()
	}
}

// Stops of the debugger are kept of the sessions that there are: of others nobody
// tells the end.
func TestStopsOfUnknownSessionsAreNotKept(t *testing.T) {
	s, do := supervisorOnLink(t)
	s.link.sessions.Set("S", &sessionEntry{id: "S"})
	do(func(ctx actor.Context) {
		for _, session := range []messages.SessionID{"S", "unknown"} {
			s.bridgeEvent(ctx, &messages.Event{Session: session, Body: &messages.DebuggerPaused{CallFrameID: "1"}})
		}
	})
	if stopped := s.link.bridging.stopped; len(stopped) != 1 || stopped["S"] != "1" {
		t.Errorf("kept: %v", stopped)
	}
}

// Popups that a browser tells of without end are asked for no further than they
// could be attached.
func TestExpectedPopupsAreBounded(t *testing.T) {
	s, do := supervisorOnLink(t)
	s.link.pageLevel = true
	s.link.pages.Set("P", &pageEntry{session: ""})
	do(func(ctx actor.Context) {
		for n := range messages.MaxSessions + 10 {
			s.discovered(ctx, &messages.TargetInfo{TargetID: messages.TargetID(strconv.Itoa(n)), Type: messages.TargetPage, OpenerID: "P"})
		}
	})
	if expected, asked := s.link.expected.Len(), s.link.own.Len(); expected != messages.MaxSessions || asked != messages.MaxSessions {
		t.Errorf("%d are expected, %d asked for", expected, asked)
	}
}

// Answers to dialogs whose replies never come are forgotten, the oldest first.
func TestAnswersWithoutRepliesAreBounded(t *testing.T) {
	env := testEnv(t)
	rec := testRecord()
	rec.sent.open = make(map[uint64]sentAnswer)
	d := &dialogsActor{env: env, rec: rec}
	const more = 10
	done := make(chan struct{})
	parent := env.System.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
		if _, ok := ctx.Message().(*actor.Started); ok {
			ctx.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
				if _, ok := ctx.Message().(*actor.Started); ok {
					for n := range maxSentAnswers + more {
						d.send(ctx, policy.Send{Gen: uint64(n), Via: messages.NativeVia{Session: "S"}})
					}
					close(done)
				}
			}))
		}
	}))
	<-done
	env.System.Root.Stop(parent)
	_, oldest := rec.sent.open[more]
	_, kept := rec.sent.open[more+1]
	if len(rec.sent.open) != maxSentAnswers || oldest || !kept {
		t.Errorf("%d are kept; the one that is too old: %t, the oldest that is not: %t", len(rec.sent.open), oldest, kept)
	}
}

// The panics over the sessions of a connection are forgotten with it; those of
// the other children are not.
func TestPanicsOverSessionsEndWithTheirConnection(t *testing.T) {
	rec := testRecord()
	rec.forgetSessions()
	rec.failures = map[string]*FailureWindow{string(ChildDialogs): {}, failuresOf(7): {}, failuresOf(0): {}}
	rec.forgetSessions()
	if left := rec.failures; len(left) != 1 || left[string(ChildDialogs)] == nil {
		t.Errorf("left: %v", left)
	}
}
