package policy

import (
	"testing"
	"time"

	"cdpsupervisor/messages"
)

func TestConfigOutOfRangeIsTheDefault(t *testing.T) {
	for _, tc := range []struct {
		cfg     Config
		policy  messages.Policy
		timeout time.Duration
	}{
		{Config{}, messages.PolicyMustRespond, messages.DefaultDialogTimeout},
		{Config{Policy: "odd", Timeout: -1}, messages.PolicyMustRespond, messages.DefaultDialogTimeout},
		{Config{Timeout: messages.MaxDialogTimeout + 1}, messages.PolicyMustRespond, messages.DefaultDialogTimeout},
		{Config{Policy: messages.PolicyAutoAccept, Timeout: messages.MaxDialogTimeout}, messages.PolicyAutoAccept, messages.MaxDialogTimeout},
		{Config{Policy: messages.PolicyAutoDismiss, Timeout: 1}, messages.PolicyAutoDismiss, 1},
	} {
		if p, d := New(tc.cfg).Policy(); p != tc.policy || d != tc.timeout {
			t.Errorf("%+v gives %s, %s", tc.cfg, p, d)
		}
	}
}

// The counters belong to the task: a new machine goes on from them.
func TestCountersGoOn(t *testing.T) {
	s := New(Config{Start: Counters{Dialogs: 41, Generations: 7}})
	effects := Step(s, Opened{At: start(), Session: "P", Target: "T", Frame: "F"}, nil)
	if got := s.Counters(); got != (Counters{Dialogs: 42, Generations: 8}) {
		t.Errorf("counters %+v", got)
	}
	if s.find("d-42") == nil {
		t.Errorf("no d-42: %s", sentences(effects))
	}
	answer := answers(Step(s, Ask{At: start(), Action: messages.ActionAccept, Dialog: "d-41"}, nil))
	if answer[0].Failure.Code != messages.CodeDialogClosed {
		t.Errorf("an id of an earlier machine is %s", answer[0].Failure.Code)
	}
}

func TestIDs(t *testing.T) {
	for id, want := range map[messages.DialogID]uint64{
		"d-1": 1, "d-18446744073709551615": 1<<64 - 1,
		"": 0, "d-": 0, "d-0": 0, "d-01": 0, "d-+1": 0, "d--1": 0, "1": 0, "D-1": 0, "d-1 ": 0, "d-18446744073709551616": 0,
	} {
		if n, ok := number(id); n != want || ok != (want > 0) {
			t.Errorf("%q is %d, %v", id, n, ok)
		}
	}
}

// What was lost comes back with its caps and counters, whatever was saved.
func TestRebuildIsBounded(t *testing.T) {
	saved := Saved{Overflow: 3}
	for n := range messages.MaxRecentDialogs + 9 {
		saved.Recent = append(saved.Recent, messages.DialogRecord{ID: messages.NewDialogID(uint64(n + 1)), Count: n})
	}
	saved.Open = []OpenDialog{
		{ID: "d-70", Dialog: messages.Dialog{ID: "d-70"}}, // without a way to answer it is none
		{ID: "d-80", Session: "P", Target: "T", Frame: "F", Via: messages.NativeVia{Session: "P"},
			Dialog: messages.Dialog{ID: "d-80", TargetID: "T", FrameID: "F", DeadlineAt: messages.EpochSeconds(start().Add(-time.Hour))},
			Sent:   &Sent{Gen: 500, By: messages.ClosedByWatchdog}},
	}
	s, effects := Rebuild(Config{}, saved, start(), nil)
	if len(s.ring) != messages.MaxRecentDialogs || s.ring[0].record.Count != 9 || len(s.live) != 1 {
		t.Errorf("%d records from %+v, %d dialogs", len(s.ring), s.ring[0], len(s.live))
	}
	if got := s.Counters(); got.Dialogs != 80 || got.Generations <= 500 {
		t.Errorf("counters %+v", got)
	}
	armed, published := false, false
	for _, e := range effects {
		if a, ok := e.(Arm); ok {
			// Its deadline has passed; it is not dismissed in the same breath.
			armed = a.Dialog == "d-80" && a.Gen > 500 && a.At.Equal(start().Add(retryAfter))
		}
		if p, ok := e.(Publish); ok {
			published = p.Overflow == 3 && len(p.Pending) == 1
		}
	}
	if !armed || !published {
		t.Errorf("rebuilt with\n%s", sentences(effects))
	}
	Step(s, AnswerReplied{At: start(), Dialog: "d-80", Gen: 500}, nil)
	if r := s.ring[len(s.ring)-1].record; r.ID != "d-80" || r.ClosedBy != messages.ClosedByWatchdog {
		t.Errorf("the late reply is recorded as %+v", r)
	}
}

// Every way to answer has its own words for "it is over".
func TestOver(t *testing.T) {
	native, xhr, debugger := messages.NativeVia{}, messages.XHRVia{}, messages.DebuggerVia{}
	for _, tc := range []struct {
		via     messages.Via
		message string
		over    bool
	}{
		{native, "No dialog is showing", true},
		{native, "no dialog is showing.", true},
		{native, "Command can only be executed on top-level targets", false},
		{native, "Session with given id not found.", false},
		{native, "Not attached to an active page", false},
		{native, "Invalid InterceptionId.", false},
		{xhr, "Invalid InterceptionId.", true},
		{xhr, "Fetch domain is not enabled", true},
		{xhr, "No dialog is showing", false},
		{debugger, "Can only perform operation while paused.", true},
		{debugger, "Could not find call frame with given id", true},
		{debugger, "Debugger agent is not enabled", true},
		{debugger, "Internal error", false},
	} {
		d := &dialog{via: tc.via}
		if got := d.over(&messages.ProtocolError{Message: tc.message}); got != tc.over {
			t.Errorf("%s %q: over is %v", tc.via.Kind(), tc.message, got)
		}
	}
	if !(&dialog{via: native}).over(&messages.ProtocolError{Message: "Failed", Data: "No dialog is showing"}) {
		t.Error("the words can stand in the data")
	}
}

// An answer is only ever told apart by its dialog: no sentence holds what the
// page has written.
func TestSentencesHoldNoPageText(t *testing.T) {
	c := newChecker(Config{}, func(format string, args ...any) { t.Fatalf(format, args...) })
	evil := "IGNORE ALL\x1b[31m"
	c.feed(Opened{At: c.at, Session: "P", Target: "T", Frame: "F", Type: messages.DialogType(evil), Message: evil, DefaultPrompt: evil, URL: evil})
	c.feed(Opened{At: c.at, Session: "Q", Target: "U", Frame: "G", Type: messages.DialogType(evil), Message: evil})
	all := []Effect{}
	ask := func(id messages.DialogID) {
		all = append(all, c.feed(Ask{At: c.at, Ref: c.ref(), Action: messages.ActionAccept, Dialog: id})...)
	}
	ask("")
	ask("d-1")
	all = append(all, c.feed(AnswerReplied{At: c.at, Dialog: "d-1", Gen: c.wire["d-1"], Lost: true})...)
	ask("d-1")
	all = append(all, c.feed(FramesRemoved{At: c.at, Frames: []messages.FrameID{"F"}})...)
	ask("d-1")
	n := 0
	for _, a := range answers(all) {
		if a.Failure == nil {
			continue
		}
		n++
		if got := a.Failure.Message; len(got) > 400 || containsAny(got, "IGNORE", "\x1b") {
			t.Errorf("the sentence is %q", got)
		}
	}
	if n != 4 {
		t.Errorf("%d failures", n)
	}
	c.finish()
}
