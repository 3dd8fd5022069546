package policy

import (
	"slices"
	"testing"
	"time"

	"cdpsupervisor/messages"
)

// at is the time of the nth step of a table's case.
func at(n int) time.Time { return start().Add(time.Duration(n) * time.Second) }

// inPhase is a machine whose dialog d-1 (session P, frame F1, target T) is in
// the phase.
func inPhase(t *testing.T, p phase) *State {
	t.Helper()
	s := New(Config{})
	native := Opened{At: at(0), Session: "P", Target: "T", Frame: "F1", Type: messages.DialogConfirm, Message: "Sure?"}
	ask := Ask{At: at(1), Ref: messages.Ref{N: 1}, Action: messages.ActionAccept}
	closed := Closed{At: at(2), Session: "P", Frame: "F1", Result: true}
	history := map[phase][]Input{
		phaseNone:         nil,
		phaseOpen:         {native},
		phaseAnswering:    {native, ask},
		phaseSettling:     {native, ask, closed},
		phaseUnanswerable: {native, Closed{At: at(1), Session: "P", Frame: "F9"}, ask, AnswerReplied{At: at(2), Dialog: "d-1", Gen: 2, Err: noDialog()}},
		phaseClosed:       {native, closed},
	}
	for _, in := range history[p] {
		Step(s, in, nil)
	}
	if got := phaseOf(s); got != p {
		t.Fatalf("the history of %s leads to %s", p, got)
	}
	return s
}

func noDialog() *messages.ProtocolError {
	return &messages.ProtocolError{Code: -32602, Message: "No dialog is showing"}
}

func strandedReply() *messages.ProtocolError {
	return &messages.ProtocolError{Code: -32000, Message: "Not attached to an active page"}
}

func phaseOf(s *State) phase {
	switch {
	case s.find("d-1") != nil:
		return s.find("d-1").phase
	case s.Counters().Dialogs > 0 && len(s.ring) > 0:
		return phaseClosed
	}
	return phaseNone
}

// TestEveryPhaseTakesEveryInput holds, for each input, the phase that d-1 goes
// to from each phase. "-" means that it stays.
func TestEveryPhaseTakesEveryInput(t *testing.T) {
	const stay = phase(99)
	// The order of a row is none, open, answering, settling, unanswerable, closed.
	rows := []struct {
		name string
		in   Input
		to   [6]phase
	}{
		{"opened", Opened{At: at(3), Session: "P", Target: "T", Frame: "F1", Type: messages.DialogConfirm, Message: "Sure?"},
			[6]phase{phaseOpen, stay, stay, stay, stay, stay}},
		{"another opened in the tab", Opened{At: at(3), Session: "P", Target: "T", Frame: "F2", Type: messages.DialogAlert},
			[6]phase{phaseOpen, phaseClosed, phaseSettling, stay, phaseClosed, stay}},
		{"another opened elsewhere", Opened{At: at(3), Session: "Q", Target: "U", Frame: "G1", Type: messages.DialogAlert},
			[6]phase{phaseOpen, stay, stay, stay, stay, stay}},
		{"closed", Closed{At: at(3), Session: "P", Frame: "F1"},
			[6]phase{stay, phaseClosed, phaseSettling, stay, phaseClosed, stay}},
		{"closed, no frame", Closed{At: at(3), Session: "P"},
			[6]phase{stay, phaseClosed, phaseSettling, stay, phaseClosed, stay}},
		{"closed, other frame", Closed{At: at(3), Session: "P", Frame: "F2"}, [6]phase{stay, stay, stay, stay, stay, stay}},
		{"closed, other session", Closed{At: at(3), Session: "Q", Frame: "F1"}, [6]phase{stay, stay, stay, stay, stay, stay}},
		{"replied yes", AnswerReplied{At: at(3), Dialog: "d-1", Gen: 2},
			[6]phase{stay, stay, phaseClosed, phaseClosed, stay, stay}},
		{"replied: no dialog", AnswerReplied{At: at(3), Dialog: "d-1", Gen: 2, Err: noDialog()},
			[6]phase{stay, stay, phaseClosed, phaseClosed, stay, stay}},
		{"replied no", AnswerReplied{At: at(3), Dialog: "d-1", Gen: 2, Err: &messages.ProtocolError{Code: -32000, Message: "Internal error"}},
			[6]phase{stay, stay, phaseOpen, phaseClosed, stay, stay}},
		{"replied: the page is being replaced", AnswerReplied{At: at(3), Dialog: "d-1", Gen: 2, Err: strandedReply()},
			[6]phase{stay, stay, phaseUnanswerable, phaseClosed, stay, stay}},
		{"stranded", Stranded{At: at(3), Target: "T"}, [6]phase{stay, phaseUnanswerable, stay, stay, stay, stay}},
		{"another page is stranded", Stranded{At: at(3), Target: "U"}, [6]phase{stay, stay, stay, stay, stay, stay}},
		{"reply lost", AnswerReplied{At: at(3), Dialog: "d-1", Gen: 2, Lost: true},
			[6]phase{stay, stay, phaseOpen, phaseClosed, stay, stay}},
		{"reply of no command", AnswerReplied{At: at(3), Dialog: "d-1", Gen: 77}, [6]phase{stay, stay, stay, stay, stay, stay}},
		{"reply of gen 0", AnswerReplied{At: at(3), Dialog: "d-1"}, [6]phase{stay, stay, stay, stay, stay, stay}},
		{"asked", Ask{At: at(3), Ref: messages.Ref{N: 2}, Action: messages.ActionDismiss, Dialog: "d-1"},
			[6]phase{stay, phaseAnswering, stay, stay, stay, stay}},
		{"asked without id", Ask{At: at(3), Ref: messages.Ref{N: 2}, Action: messages.ActionDismiss},
			[6]phase{stay, phaseAnswering, stay, stay, stay, stay}},
		{"asked nonsense", Ask{At: at(3), Ref: messages.Ref{N: 2}, Action: "shrug", Dialog: "d-1"}, [6]phase{stay, stay, stay, stay, stay, stay}},
		{"watchdog", Timer{At: at(300), Dialog: "d-1", Gen: 1}, [6]phase{stay, phaseAnswering, stay, stay, stay, stay}},
		{"answer timer", Timer{At: at(300), Dialog: "d-1", Gen: 3}, [6]phase{stay, stay, phaseOpen, phaseClosed, stay, stay}},
		{"timer 0", Timer{At: at(300), Dialog: "d-1"}, [6]phase{stay, stay, stay, stay, stay, stay}},
		{"frame removed", FramesRemoved{At: at(3), Frames: []messages.FrameID{"F1"}},
			[6]phase{stay, phaseClosed, phaseClosed, stay, phaseClosed, stay}},
		{"navigated", Navigated{At: at(3), Session: "P", Frame: "F1"},
			[6]phase{stay, phaseClosed, phaseClosed, stay, phaseClosed, stay}},
		{"page navigated", Navigated{At: at(3), Session: "P", Target: "T", Frame: "F0", TopFrame: true},
			[6]phase{stay, phaseClosed, phaseClosed, stay, phaseClosed, stay}},
		{"navigated on a child session", Navigated{At: at(3), Session: "C", Frame: "F1"}, [6]phase{stay, stay, stay, stay, stay, stay}},
		{"target gone", TargetGone{At: at(3), Target: "T"},
			[6]phase{stay, phaseClosed, phaseClosed, phaseClosed, phaseClosed, stay}},
		{"no target gone", TargetGone{At: at(3)}, [6]phase{stay, stay, stay, stay, stay, stay}},
		{"session gone", SessionGone{At: at(3), Session: "P"},
			[6]phase{stay, phaseClosed, phaseClosed, phaseClosed, phaseClosed, stay}},
		{"epoch ended", EpochEnded{At: at(3)},
			[6]phase{stay, phaseClosed, phaseClosed, phaseClosed, phaseClosed, stay}},
		{"policy must_respond", SetPolicy{At: at(3), Policy: messages.PolicyMustRespond, Timeout: time.Minute}, [6]phase{stay, stay, stay, stay, stay, stay}},
		{"policy auto_accept", SetPolicy{At: at(3), Policy: messages.PolicyAutoAccept, Timeout: time.Minute},
			[6]phase{stay, phaseAnswering, stay, stay, stay, stay}},
		{"policy nonsense", SetPolicy{At: at(3), Policy: "odd", Timeout: -1}, [6]phase{stay, stay, stay, stay, stay, stay}},
		{"dismiss all", DismissAll{At: at(3), Ref: messages.Ref{N: 9}}, [6]phase{stay, phaseAnswering, stay, stay, stay, stay}},
		{"dismiss all of another tab", DismissAll{At: at(3), Ref: messages.Ref{N: 9}, Target: "U"}, [6]phase{stay, stay, stay, stay, stay, stay}},
	}
	for _, row := range rows {
		for i, from := range phases() {
			t.Run(row.name+"/"+from.String(), func(t *testing.T) {
				s := inPhase(t, from)
				s.observe = func(from phase, on event, to phase) {
					if !slices.Contains(moves(from, on), to) {
						t.Errorf("the table does not know %s", move(from, on, to))
					}
				}
				want := row.to[i]
				if want == stay {
					want = from
				}
				effects := Step(s, row.in, nil)
				if got := phaseOf(s); got != want {
					t.Errorf("is %s, want %s; effects:\n%s", got, want, sentences(effects))
				}
				checkAnswers(t, row.in, s, effects)
			})
		}
	}
}

// checkAnswers: an ask is answered now, or somebody waits for it.
func checkAnswers(t *testing.T, in Input, s *State, effects []Effect) {
	t.Helper()
	answers := 0
	for _, e := range effects {
		if a, ok := e.(Answer); ok && a.Ref.N == 2 {
			answers++
		}
	}
	waits := 0
	for _, d := range s.live {
		for _, w := range d.waiters {
			if w.ref.N == 2 {
				waits++
			}
		}
	}
	if _, asked := in.(Ask); asked && answers+waits != 1 {
		t.Errorf("answered %d times, waits %d times", answers, waits)
	}
}

func TestNothingIsAnInput(t *testing.T) {
	if got := Step(nil, Opened{}, nil); got != nil {
		t.Errorf("no machine: %v", got)
	}
	if got := Step(New(Config{}), nil, nil); got != nil {
		t.Errorf("no input: %v", got)
	}
}
