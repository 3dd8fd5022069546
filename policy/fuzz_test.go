package policy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"cdpsupervisor/messages"
)

// ops reads a stream of small numbers and makes inputs of them.
type ops struct {
	data []byte
	c    *checker
}

func (o *ops) more() bool { return len(o.data) > 0 }

// pick is a number below n.
func (o *ops) pick(n int) int {
	if len(o.data) == 0 {
		return 0
	}
	v := int(o.data[0]) % n
	o.data = o.data[1:]
	return v
}

func (o *ops) flag() bool { return o.pick(2) == 1 }

func one[T any](o *ops, list ...T) T { return list[o.pick(len(list))] }

func (o *ops) session() messages.SessionID {
	return one[messages.SessionID](o, "P", "P", "Q", "C", "")
}
func (o *ops) target() messages.TargetID { return one[messages.TargetID](o, "T", "T", "U", "") }
func (o *ops) frame() messages.FrameID {
	return one[messages.FrameID](o, "F1", "F2", "F1", "F2", "G1", "F3", "")
}

// dialog names one of the last dialogs.
func (o *ops) dialog() messages.DialogID {
	n := o.c.s.Counters().Dialogs
	back := uint64(o.pick(4))
	if back >= n {
		return "d-7000"
	}
	return messages.NewDialogID(n - back)
}

func (o *ops) frames() []messages.FrameID {
	list := make([]messages.FrameID, o.pick(3))
	for i := range list {
		list[i] = o.frame()
	}
	return list
}

func (o *ops) input() Input {
	c := o.c
	c.at = c.at.Add(one(o, 0, time.Millisecond, 20*time.Millisecond, 90*time.Millisecond, time.Second, 9*time.Second))
	switch o.pick(20) {
	case 0, 1, 2, 3:
		return o.opened()
	case 4, 5, 6:
		return Closed{At: c.at, Session: o.session(), Frame: o.frame(), Result: o.flag(), UserInput: one(o, "", "typed"), NavigationInFlight: o.flag(), NavigationOrdered: o.pick(4) == 3}
	case 7, 8, 9:
		return o.reply()
	case 10, 11, 12:
		return o.ask()
	case 13, 14:
		return o.timer()
	case 15:
		if o.flag() {
			return FramesRemoved{At: c.at, Frames: o.frames()}
		}
		return Navigated{At: c.at, Session: o.session(), Target: o.target(), Frame: o.frame(), Frames: o.frames(), TopFrame: o.flag()}
	case 16:
		if o.flag() {
			return TargetGone{At: c.at, Target: o.target(), Reason: one(o, "", messages.ReasonCrashed)}
		}
		if o.flag() {
			return Stranded{At: c.at, Target: o.target()}
		}
		return SessionGone{At: c.at, Session: o.session()}
	case 17:
		if o.pick(4) == 0 {
			return EpochEnded{At: c.at}
		}
		return o.ask()
	case 18:
		return SetPolicy{At: c.at, Policy: one(o, messages.PolicyMustRespond, messages.PolicyAutoAccept, messages.PolicyAutoDismiss, "odd"),
			Timeout: one(o, 30*time.Second, time.Second, -time.Second)}
	}
	in := DismissAll{At: c.at, Ref: c.ref(), Target: o.target(), BridgeOnly: o.flag(), By: one(o, messages.ClosedByAgent, ""),
		Reason: one(o, messages.ReasonStopped, messages.ReasonTargetClosed)}
	if o.flag() {
		in.Until = c.at.Add(2 * time.Second)
	}
	return in
}

func (o *ops) opened() Input {
	in := Opened{
		At: o.c.at, Session: o.session(), Target: o.target(), Frame: o.frame(),
		Type:    one(o, messages.DialogAlert, messages.DialogConfirm, messages.DialogPrompt, messages.DialogBeforeUnload, "odd"),
		Message: one(o, "one", "two", ""), DefaultPrompt: one(o, "", "default"), NavigationInFlight: o.flag(), TopFrame: o.flag(), Trial: o.pick(4) == 3,
	}
	switch o.pick(6) {
	case 0:
		in.Via = messages.XHRVia{Session: in.Session, Request: one[messages.RequestID](o, "R1", "R2", "R3")}
	case 1:
		in.Via = messages.DebuggerVia{Session: in.Session, CallFrame: "0"}
	case 2:
		in.Via = messages.NativeVia{Session: in.Session}
	}
	return in
}

// reply ends a command: mostly the one on the wire, sometimes an older one or
// none at all.
func (o *ops) reply() Input {
	in := AnswerReplied{At: o.c.at, Dialog: o.dialog()}
	if sent := o.c.sent[in.Dialog]; len(sent) > 0 {
		in.Gen = sent[max(0, len(sent)-1-max(0, o.pick(4)-2))]
	}
	switch o.pick(8) {
	case 0, 6:
		in.Err = &messages.ProtocolError{Code: -32602, Message: "No dialog is showing"}
	case 1:
		in.Err = &messages.ProtocolError{Code: -32000, Message: "Internal error"}
	case 2:
		in.Lost = true
	case 7:
		in.Err = strandedReply()
	case 3:
		in.Err = &messages.ProtocolError{Code: -32602, Message: "Invalid InterceptionId."}
	}
	return in
}

func (o *ops) ask() Input {
	in := Ask{At: o.c.at, Ref: o.c.ref(), Action: one(o, messages.ActionAccept, messages.ActionDismiss, messages.ActionAccept, "odd")}
	if o.pick(3) > 0 {
		in.Dialog = o.dialog()
	}
	if o.flag() {
		s := one(o, "", "text")
		in.Text = &s
	}
	return in
}

// timer fires what is due next, or one that is not.
func (o *ops) timer() Input {
	var due []Arm
	for _, a := range o.c.armed {
		due = append(due, a)
	}
	if len(due) == 0 || o.pick(8) == 0 {
		return Timer{At: o.c.at, Dialog: o.dialog(), Gen: uint64(o.pick(8))}
	}
	slices.SortFunc(due, func(a, b Arm) int { return a.At.Compare(b.At)*2 + int(max(-1, min(1, int64(a.Gen)-int64(b.Gen)))) })
	a := due[0]
	if a.At.After(o.c.at) {
		o.c.at = a.At
	}
	return Timer{At: o.c.at, Dialog: a.Dialog, Gen: a.Gen}
}

// play runs a stream to its end and returns the moves that were seen.
func play(data []byte, fatalf func(string, ...any)) map[string]bool {
	o := &ops{data: data}
	cfg := Config{
		Policy:  one(o, messages.PolicyMustRespond, messages.PolicyMustRespond, messages.PolicyAutoAccept, messages.PolicyAutoDismiss),
		Timeout: one(o, 30*time.Second, 0), OnStop: one(o, messages.OnStopDismiss, messages.OnStopLeave, ""),
	}
	o.c = newChecker(cfg, fatalf)
	for o.more() {
		o.c.feed(o.input())
	}
	o.c.finish()
	return o.c.moves
}

// FuzzStep: no stream of inputs breaks what the checker knows.
func FuzzStep(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("0000 a dialog, an answer, its end"))
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		data := make([]byte, 400)
		for i := range data {
			data[i] = byte(rnd.UintN(256))
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<14 {
			return
		}
		play(data, t.Fatalf)
	})
}

// TestTableIsLived: random histories make every move of the table and no other.
func TestTableIsLived(t *testing.T) {
	seen := map[string]bool{}
	rnd := rand.New(rand.NewPCG(7, 9))
	for run := range 1200 {
		data := make([]byte, 300)
		for i := range data {
			data[i] = byte(rnd.UintN(256))
		}
		for m := range play(data, func(format string, args ...any) { t.Fatalf("run %d: %s", run, fmt.Sprintf(format, args...)) }) {
			seen[m] = true
		}
	}
	for _, from := range phases() {
		for _, on := range events() {
			for _, to := range moves(from, on) {
				if m := move(from, on, to); !seen[m] {
					t.Errorf("never seen: %s", m)
				}
			}
		}
	}
}
