package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cdpsupervisor/messages"
)

// openIn opens a confirm in a tab of its own, the nth.
func openIn(c *checker, n int) messages.DialogID {
	tab := fmt.Sprint(n)
	c.feed(Opened{
		At: c.at, Session: messages.SessionID("P" + tab), Target: messages.TargetID("T" + tab), Frame: messages.FrameID("F" + tab),
		Type: messages.DialogConfirm, Message: "in tab " + tab + strings.Repeat("!", 2000),
	})
	return messages.NewDialogID(c.s.Counters().Dialogs)
}

func sends(effects []Effect) []Send {
	var list []Send
	for _, e := range effects {
		if s, ok := e.(Send); ok {
			list = append(list, s)
		}
	}
	return list
}

func answers(effects []Effect) []Answer {
	var list []Answer
	for _, e := range effects {
		if a, ok := e.(Answer); ok {
			list = append(list, a)
		}
	}
	return list
}

func TestTextsAreCut(t *testing.T) {
	c := newChecker(Config{}, t.Fatalf)
	long := strings.Repeat("é", 20<<10)
	c.feed(Opened{At: c.at, Session: "P", Target: "T", Frame: "F", Type: messages.DialogType(long), Message: long, DefaultPrompt: long, URL: long, Origin: long})
	d := c.last.Pending[0]
	for name, got := range map[string][2]int{
		"message": {len(d.Message), messages.MaxDialogMessageBytes}, "default": {len(d.DefaultPrompt), messages.MaxDefaultPromptBytes},
		"url": {len(d.URL), messages.MaxURLBytes}, "origin": {len(d.Origin), messages.MaxURLBytes}, "type": {len(d.Type), messages.MaxIDBytes},
	} {
		if got[0] != got[1] {
			t.Errorf("%s has %d bytes, want %d", name, got[0], got[1])
		}
	}
	if !d.Truncated {
		t.Error("it is not said to be truncated")
	}
	c.feed(Closed{At: c.at, Session: "P", Frame: "F"})
	c.feed(Opened{At: c.at, Session: "P", Target: "T", Frame: "F", Type: messages.DialogPrompt, Message: "short", DefaultPrompt: "d", Truncated: true})
	if !c.last.Pending[0].Truncated {
		t.Error("what the caller had cut is not said to be truncated")
	}
	c.feed(Closed{At: c.at, Session: "P", Frame: "F", Result: true, UserInput: long})
	r := c.last.Recent[len(c.last.Recent)-1]
	if len(*r.PromptText) != messages.MaxDefaultPromptBytes || !r.Truncated {
		t.Errorf("prompt_text has %d bytes (truncated: %v)", len(*r.PromptText), r.Truncated)
	}
	c.finish()
}

func TestPromptTextHasALimit(t *testing.T) {
	for _, size := range []int{messages.MaxPromptTextBytes, messages.MaxPromptTextBytes + 1} {
		c := newChecker(Config{}, t.Fatalf)
		c.feed(Opened{At: c.at, Session: "P", Target: "T", Frame: "F", Type: messages.DialogPrompt})
		text := strings.Repeat("x", size)
		effects := c.feed(Ask{At: c.at, Ref: c.ref(), Action: messages.ActionAccept, Text: &text})
		if sent, fits := len(sends(effects)) == 1, size <= messages.MaxPromptTextBytes; sent != fits {
			t.Errorf("a text of %d bytes: sent %v", size, sent)
		}
		for _, a := range answers(effects) {
			if a.Failure.Code != messages.CodeInvalidArgument || a.Failure.Size != size {
				t.Errorf("failed with %+v", a.Failure)
			}
		}
		c.finish()
	}
}

func TestACutDefaultIsTold(t *testing.T) {
	full := strings.Repeat("x", messages.MaxDefaultPromptBytes)
	for name, tc := range map[string]struct {
		in  Opened
		cut bool
	}{
		"cut here":              {Opened{Type: messages.DialogPrompt, DefaultPrompt: full + "x"}, true},
		"cut by the caller":     {Opened{Type: messages.DialogPrompt, DefaultPrompt: full[:len(full)-3], Truncated: true}, true},
		"only the message":      {Opened{Type: messages.DialogPrompt, DefaultPrompt: "short", Truncated: true}, false},
		"whole":                 {Opened{Type: messages.DialogPrompt, DefaultPrompt: full}, false},
		"nobody sees a default": {Opened{Type: messages.DialogConfirm, DefaultPrompt: full + "x"}, false},
	} {
		c := newChecker(Config{}, t.Fatalf)
		tc.in.At, tc.in.Session, tc.in.Target, tc.in.Frame = c.at, "P", "T", "F"
		c.feed(tc.in)
		sent := sends(c.feed(Ask{At: c.at, Ref: c.ref(), Action: messages.ActionAccept}))
		a := answers(c.feed(AnswerReplied{At: c.at, Dialog: "d-1", Gen: sent[0].Gen}))
		if len(a) != 1 || a[0].Result == nil || strings.Contains(a[0].Result.Note, "default is longer") != tc.cut {
			t.Errorf("%s: answered %+v", name, a)
		}
		c.finish()
	}
}

// An order to dismiss waits for what opens past the cap too.
func TestTooManyDialogsInASweep(t *testing.T) {
	c := newChecker(Config{}, t.Fatalf)
	for n := range messages.MaxPendingDialogs {
		openIn(c, n)
	}
	c.feed(DismissAll{At: c.at, Ref: c.ref(), By: messages.ClosedByAgent, Reason: messages.ReasonTargetClosed})
	openIn(c, 99)
	for n := range messages.MaxPendingDialogs + 1 {
		id := messages.NewDialogID(uint64(n + 1))
		settled := slices.ContainsFunc(c.feed(AnswerReplied{At: c.at, Dialog: id, Gen: c.wire[id]}), func(e Effect) bool { _, ok := e.(Settled); return ok })
		if settled != (n == messages.MaxPendingDialogs) {
			t.Errorf("after %s settled: %v", id, settled)
		}
	}
	c.finish()
}

// The 33rd dialog blocks nobody: it is dismissed at once, counted and recorded.
func TestTooManyDialogs(t *testing.T) {
	c := newChecker(Config{}, t.Fatalf)
	for n := range messages.MaxPendingDialogs {
		openIn(c, n)
	}
	if c.last.Overflow != 0 || len(c.wire) != 0 {
		t.Fatalf("at the cap: overflow %d, %d commands", c.last.Overflow, len(c.wire))
	}
	id := openIn(c, 99)
	if !c.crowded[id] || len(c.crowded) != 1 {
		t.Errorf("told to be too many: %v", c.crowded)
	}
	if c.last.Overflow != 1 || c.wire[id] == 0 {
		t.Fatalf("past the cap: overflow %d, wire %v", c.last.Overflow, c.wire)
	}
	if slices.ContainsFunc(c.last.Pending, func(d messages.Dialog) bool { return d.ID == id }) {
		t.Errorf("%s is shown", id)
	}
	// Who knows its id can still ask, and shares the outcome.
	c.feed(Ask{At: c.at, Ref: c.ref(), Action: messages.ActionAccept, Dialog: id})
	c.feed(Closed{At: c.at, Session: "P99", Frame: "F99"})
	a := answers(c.feed(AnswerReplied{At: c.at, Dialog: id, Gen: c.wire[id]}))
	if len(a) != 1 || a[0].Failure == nil || a[0].Failure.Record.ClosedBy != messages.ClosedByAutoPolicy {
		t.Errorf("answered %+v", a)
	}
	r := c.last.Recent[0]
	if r.ID != id || r.ClosedBy != messages.ClosedByAutoPolicy || len(r.Message) != overflowTextBytes || !r.Truncated {
		t.Errorf("recorded %.80v", r)
	}
	// When its dismissal fails it is not lost: it is tried again.
	id = openIn(c, 100)
	c.feed(AnswerReplied{At: c.at, Dialog: id, Gen: c.wire[id], Err: &messages.ProtocolError{Message: "Internal error"}})
	timer := c.armed[id]
	c.at = timer.At
	c.feed(Timer{At: c.at, Dialog: id, Gen: timer.Gen})
	if c.wire[id] == 0 {
		t.Error("the watchdog does not dismiss it")
	}
	c.finish()
}

// Past what is followed to the end a dialog is still dismissed.
func TestFarTooManyDialogs(t *testing.T) {
	s := New(Config{})
	var effects []Effect
	open := func(n int) {
		tab := fmt.Sprint(n)
		effects = Step(s, Opened{At: start(), Session: messages.SessionID(tab), Target: messages.TargetID(tab), Frame: messages.FrameID(tab), Type: messages.DialogPrompt, Message: tab}, effects[:0])
	}
	for n := range maxDialogs {
		open(n)
	}
	if len(s.live) != maxDialogs {
		t.Fatalf("%d dialogs are followed", len(s.live))
	}
	open(maxDialogs)
	if sent := sends(effects); len(s.live) != maxDialogs || len(sent) != 1 || sent[0].Accept {
		t.Errorf("%d are followed, sent %v", len(s.live), sent)
	}
	if r := s.ring[len(s.ring)-1].record; r.ID != messages.NewDialogID(maxDialogs+1) || r.ClosedBy != messages.ClosedByAutoPolicy {
		t.Errorf("recorded %v", r)
	}
	if want := uint64(maxDialogs + 1 - messages.MaxPendingDialogs); s.overflow != want {
		t.Errorf("overflow %d, want %d", s.overflow, want)
	}
	// A second one in a full tab takes no answer, so none is sent.
	effects = Step(s, Opened{At: start(), Session: "0", Target: "0", Frame: "new"}, effects[:0])
	effects = Step(s, Opened{At: start(), Session: "more", Target: "more"}, effects[:0])
	effects = Step(s, Opened{At: start(), Session: "0", Target: "0", Frame: "newer"}, effects[:0])
	if len(s.live) > maxDialogs || len(sends(effects)) != 0 {
		t.Errorf("%d are followed, sent %v", len(s.live), sends(effects))
	}
}

func TestTooManyCallers(t *testing.T) {
	c := newChecker(Config{}, t.Fatalf)
	id := openIn(c, 1)
	for range maxWaiters {
		if a := answers(c.feed(Ask{At: c.at, Ref: c.ref(), Action: messages.ActionAccept})); len(a) != 0 {
			t.Fatalf("answered %+v", a)
		}
	}
	a := answers(c.feed(Ask{At: c.at, Ref: c.ref(), Action: messages.ActionAccept}))
	if len(a) != 1 || a[0].Failure.Code != messages.CodeDialogOpen || a[0].Failure.Dialog.ID != id {
		t.Errorf("answered %+v", a)
	}
	if a := answers(c.feed(AnswerReplied{At: c.at, Dialog: id, Gen: c.wire[id]})); len(a) != maxWaiters {
		t.Errorf("%d are answered", len(a))
	}
	c.finish()
}

func TestTooManySweeps(t *testing.T) {
	c := newChecker(Config{}, t.Fatalf)
	id := openIn(c, 1)
	for n := range maxSweeps + 3 {
		effects := c.feed(DismissAll{At: c.at, Ref: c.ref(), Until: c.at.Add(time.Hour)})
		settled := slices.ContainsFunc(effects, func(e Effect) bool {
			s, ok := e.(Settled)
			return ok && len(s.Left) == 1
		})
		if settled != (n >= maxSweeps) {
			t.Errorf("sweep %d is settled at once: %v", n, settled)
		}
	}
	c.feed(AnswerReplied{At: c.at, Dialog: id, Gen: c.wire[id]})
	c.finish()
}

func TestRecordsAreARing(t *testing.T) {
	c := newChecker(Config{}, t.Fatalf)
	for n := range messages.MaxRecentDialogs + 5 {
		openIn(c, n)
		c.feed(Closed{At: c.at, Session: messages.SessionID(fmt.Sprint("P", n)), Frame: messages.FrameID(fmt.Sprint("F", n))})
	}
	if len(c.last.Recent) != messages.MaxRecentDialogs || c.last.Recent[0].ID != "d-6" || c.last.Recent[19].ID != "d-25" {
		t.Errorf("recent are %d, from %s", len(c.last.Recent), c.last.Recent[0].ID)
	}
	a := answers(c.feed(Ask{At: c.at, Ref: c.ref(), Action: messages.ActionAccept, Dialog: "d-5"}))
	if len(a) != 1 || a[0].Failure.Code != messages.CodeDialogClosed || a[0].Failure.Record != nil {
		t.Errorf("an end that is no longer kept: %+v", a)
	}
	c.finish()
}

// A storm of equal dialogs is one record, under any of its ids.
func TestAStormIsOneRecord(t *testing.T) {
	c := newChecker(Config{Policy: messages.PolicyAutoDismiss}, t.Fatalf)
	const storm = 500
	for range storm {
		sent := sends(c.feed(Opened{At: c.at, Session: "P", Target: "T", Frame: "F", Type: messages.DialogAlert, Message: "spam"}))
		c.feed(Closed{At: c.at, Session: "P", Frame: "F"})
		c.feed(AnswerReplied{At: c.at, Dialog: sent[0].Dialog, Gen: sent[0].Gen})
	}
	if len(c.last.Recent) != 1 || c.last.Recent[0].Count != storm || c.last.Recent[0].ID != messages.NewDialogID(storm) {
		t.Fatalf("recorded %+v", c.last.Recent)
	}
	for id, known := range map[messages.DialogID]bool{"d-500": true, "d-440": true, "d-1": false} {
		a := answers(c.feed(Ask{At: c.at, Ref: c.ref(), Action: messages.ActionAccept, Dialog: id}))
		if len(a) != 1 || a[0].Failure.Code != messages.CodeDialogClosed || (a[0].Failure.Record != nil) != known {
			t.Errorf("%s: %+v", id, a)
		}
	}
	if n := len(c.s.ring[0].ids); n != maxEntryIDs {
		t.Errorf("%d ids are kept", n)
	}
	c.finish()
}

func TestManyRemovedFrames(t *testing.T) {
	c := newChecker(Config{}, t.Fatalf)
	frames := make([]messages.FrameID, messages.MaxFrames)
	for i := range frames {
		frames[i] = messages.FrameID(fmt.Sprint("F", i))
	}
	openIn(c, 3) // in F3, the first to be forgotten
	effects := c.feed(FramesRemoved{At: c.at, Frames: frames})
	if !slices.ContainsFunc(effects, func(e Effect) bool { p, ok := e.(Poisoned); return ok && p.Target == "T3" }) {
		t.Errorf("T3 is not poisoned: %s", sentences(effects))
	}
	openIn(c, messages.MaxFrames-1) // the last to be remembered
	if len(c.last.Pending) != 0 || len(c.last.Recent) != 2 {
		t.Errorf("pending %v", c.last.Pending)
	}
	c.feed(FramesRemoved{At: c.at, Frames: frames[:3]})
	if n := len(c.s.removed); n != MaxRemovedFrames || c.s.removed[n-1] != "F2" {
		t.Errorf("%d are remembered, the last is %s", n, c.s.removed[n-1])
	}
	c.finish()
}

// A browser that stands still gets a dismissal now and then, and when it wakes
// up its first yes counts.
func TestABrowserThatStandsStill(t *testing.T) {
	c := newChecker(Config{Timeout: time.Second}, t.Fatalf)
	id := openIn(c, 1)
	for range 4 * maxStale {
		timer := c.armed[id]
		c.at = timer.At
		c.feed(Timer{At: c.at, Dialog: id, Gen: timer.Gen})
	}
	d := c.s.find(id)
	if len(d.stale) != maxStale {
		t.Fatalf("%d commands are remembered", len(d.stale))
	}
	c.feed(Closed{At: c.at, Session: "P1", Frame: "F1"})
	c.feed(AnswerReplied{At: c.at, Dialog: id, Gen: d.stale[0].Gen})
	if r := c.last.Recent[0]; r.ClosedBy != messages.ClosedByWatchdog {
		t.Errorf("recorded %v", r)
	}
	c.finish()
}

// A stranded dialog whose page opens the next one at once does not get the page to
// where it was going: then only the close of the page is promised.
func TestStrandedInALoop(t *testing.T) {
	for count, promises := range map[int]bool{0: true, 2: true, 3: false} {
		f := (&dialog{stranded: true}).failUnanswerable(&messages.Dialog{ID: "d-1", Count: count})
		if strings.Contains(f.Message, "gets to where it was going") != promises || strings.Contains(f.Message, "one dialog after another") == promises || !slices.Contains(f.WaysOut, messages.WayCloseTab) {
			t.Errorf("%d in a row: %+v", count, f)
		}
	}
}

// A loop that counts says something else each time; a page that asks when the
// last answer has been looked at begins anew, and so does another frame.
func TestDialogsInARow(t *testing.T) {
	for name, tt := range map[string]struct {
		frame string
		each  int // how often the same is said
		gap   time.Duration
		want  bool
	}{
		"a loop":                 {"F", 1, time.Millisecond, true},
		"each is said two times": {"F", 2, time.Millisecond, true},
		"one by one":             {"F", 1, 2 * time.Second, false},
		"of other frames":        {"", 1, time.Millisecond, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := newChecker(Config{}, t.Fatalf)
			for n := 1; n <= 2*messages.EndlessRow; n++ {
				frame := messages.FrameID(tt.frame)
				if frame == "" {
					frame = messages.FrameID(fmt.Sprint(n % 2))
				}
				c.feed(Opened{At: c.at, Session: "P", Target: "T", Frame: frame, Type: messages.DialogAlert, Message: fmt.Sprint(n / tt.each)})
				if got, want := c.last.Pending[0].Endless(), tt.want && n >= messages.EndlessRow; got != want {
					t.Fatalf("the %dth: endless is %v, want %v", n, got, want)
				}
				c.at = c.at.Add(time.Minute)
				c.feed(Closed{At: c.at, Session: "P", Frame: frame, Result: true})
				c.at = c.at.Add(tt.gap)
			}
		})
	}
}
