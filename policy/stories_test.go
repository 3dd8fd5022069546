package policy

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"cdpsupervisor/messages"

	"github.com/cockroachdb/datadriven"
)

// TestStories plays the transcripts of testdata/stories. Each command is one
// input; what stands below it are the effects of the step. A story is rewritten
// with -rewrite; do so only if you understand the difference.
//
//	new [policy=…] [timeout=30s] [on-stop=leave]
//	opened session=P frame=F1 [target=T] [type=confirm] [message=…] [default=…] [via=xhr] [trial] [nav] [top]
//	closed session=P frame=F1 result=true [input=…] [nav] [ordered]
//	reply d-1 [gone] [error=(-32000 …)] [lost] [gen=…]
//	ask accept|dismiss ref=1 [text=…] [id=d-1] [among=d-1]
//	wait 10s          lets time pass and fires the timers that are due
//	removed frames=(F1,F2) · navigated session=P frame=F1 [frames=(…)] [top] [target=T]
//	target-gone T [reason=crashed] · session-gone P · epoch-ended [reason=…]
//	policy auto_accept [timeout=…] · dismiss-all ref=9 [target=T] [by=…] [reason=…] [bridge-only] [until=2s]
//	rebuild           builds the machine again from what it last published
func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata/stories", func(t *testing.T, path string) {
		st := &story{at: start(), sent: map[messages.DialogID]uint64{}}
		datadriven.RunTest(t, path, st.run)
	})
}

type story struct {
	cfg   Config
	s     *State
	at    time.Time
	sent  map[messages.DialogID]uint64
	armed map[messages.DialogID]Arm
	saved Saved
}

func (st *story) run(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "new":
		return st.begin(t, d)
	case "wait":
		return st.wait(t, d)
	case "rebuild":
		cfg := st.cfg
		cfg.Start = st.s.Counters()
		s, effects := Rebuild(cfg, st.saved, st.at, nil)
		st.s = s
		return st.told(effects)
	}
	return st.told(Step(st.s, st.input(t, d), nil))
}

func (st *story) begin(t *testing.T, d *datadriven.TestData) string {
	st.cfg = Config{
		Policy:  messages.Policy(text(t, d, "policy")),
		Timeout: duration(t, d, "timeout"),
		OnStop:  messages.OnStop(text(t, d, "on-stop")),
	}
	st.s, st.at, st.armed = New(st.cfg), start(), map[messages.DialogID]Arm{}
	return ""
}

// wait lets time pass from timer to timer.
func (st *story) wait(t *testing.T, d *datadriven.TestData) string {
	until := st.at.Add(must(time.ParseDuration(d.CmdArgs[0].Key))(t))
	var b strings.Builder
	for {
		var next *Arm
		for _, a := range st.armed {
			if !a.At.After(until) && (next == nil || a.At.Before(next.At) || a.At.Equal(next.At) && a.Gen < next.Gen) {
				next = &a
			}
		}
		if next == nil {
			break
		}
		delete(st.armed, next.Dialog)
		st.at = next.At
		fmt.Fprintf(&b, "timer %s #%d at %s\n", next.Dialog, next.Gen, clock(st.at))
		b.WriteString(st.told(Step(st.s, Timer{At: st.at, Dialog: next.Dialog, Gen: next.Gen}, nil)))
	}
	st.at = until
	return b.String()
}

func (st *story) told(effects []Effect) string {
	for _, e := range effects {
		switch e := e.(type) {
		case Send:
			st.sent[e.Dialog] = e.Gen
		case Arm:
			st.armed[e.Dialog] = e
		case Disarm:
			delete(st.armed, e.Dialog)
		case OpenChanged:
			st.saved.Open = e.Open
		case Publish:
			st.saved.Recent, st.saved.Overflow = e.Recent, e.Overflow
		case SetWill, ClearWill, Answer, Settled, Poisoned, AutoDismissed, Note:
		}
	}
	if len(effects) == 0 {
		return "nothing\n"
	}
	return sentences(effects)
}

func (st *story) input(t *testing.T, d *datadriven.TestData) Input {
	first := ""
	if len(d.CmdArgs) > 0 && len(d.CmdArgs[0].Vals) == 0 {
		first = d.CmdArgs[0].Key
	}
	session := messages.SessionID(text(t, d, "session"))
	frame := messages.FrameID(text(t, d, "frame"))
	target := messages.TargetID(text(t, d, "target"))
	switch d.Cmd {
	case "opened":
		return st.openedInput(t, d, session, frame, target)
	case "closed":
		return Closed{At: st.at, Session: session, Frame: frame, Result: text(t, d, "result") == "true",
			UserInput: text(t, d, "input"), NavigationInFlight: d.HasArg("nav"), NavigationOrdered: d.HasArg("ordered")}
	case "reply":
		return st.replyInput(t, d, messages.DialogID(first))
	case "ask":
		in := Ask{At: st.at, Ref: ref(t, d), Action: messages.DialogAction(first), Dialog: messages.DialogID(text(t, d, "id"))}
		if d.HasArg("text") {
			s := text(t, d, "text")
			in.Text = &s
		}
		if d.HasArg("among") {
			in.Accept = []messages.DialogID{messages.DialogID(text(t, d, "among"))}
		}
		return in
	case "stranded":
		return Stranded{At: st.at, Target: messages.TargetID(first)}
	case "removed":
		return FramesRemoved{At: st.at, Frames: frames(t, d)}
	case "navigated":
		return Navigated{At: st.at, Session: session, Target: target, Frame: frame, Frames: frames(t, d), TopFrame: d.HasArg("top")}
	case "target-gone":
		return TargetGone{At: st.at, Target: messages.TargetID(first), Reason: messages.CloseReason(text(t, d, "reason"))}
	case "session-gone":
		return SessionGone{At: st.at, Session: messages.SessionID(first), Reason: messages.CloseReason(text(t, d, "reason"))}
	case "epoch-ended":
		return EpochEnded{At: st.at, Reason: messages.CloseReason(text(t, d, "reason"))}
	case "policy":
		return SetPolicy{At: st.at, Policy: messages.Policy(first), Timeout: duration(t, d, "timeout")}
	case "dismiss-all":
		in := DismissAll{At: st.at, Ref: ref(t, d), Target: target, BridgeOnly: d.HasArg("bridge-only"),
			By: messages.ClosedBy(text(t, d, "by")), Reason: messages.CloseReason(text(t, d, "reason"))}
		if u := duration(t, d, "until"); u > 0 {
			in.Until = st.at.Add(u)
		}
		return in
	}
	d.Fatalf(t, "unknown command %q", d.Cmd)
	return nil
}

func (st *story) openedInput(t *testing.T, d *datadriven.TestData, session messages.SessionID, frame messages.FrameID, target messages.TargetID) Input {
	in := Opened{
		At: st.at, Session: session, Target: target, Frame: frame, Type: messages.DialogType(text(t, d, "type")),
		Message: text(t, d, "message"), DefaultPrompt: text(t, d, "default"), URL: "https://a.test/", Origin: "https://a.test",
		NavigationInFlight: d.HasArg("nav"), TopFrame: d.HasArg("top"), Trial: d.HasArg("trial"),
	}
	switch in.Target {
	case "":
		in.Target = "T"
	case "none":
		in.Target = ""
	}
	if in.Type == "" {
		in.Type = messages.DialogConfirm
	}
	switch text(t, d, "via") {
	case "xhr":
		in.Via = messages.XHRVia{Session: session, Request: messages.RequestID(text(t, d, "request"))}
	case "debugger":
		in.Via = messages.DebuggerVia{Session: session, CallFrame: "0"}
	}
	return in
}

func (st *story) replyInput(t *testing.T, d *datadriven.TestData, id messages.DialogID) Input {
	in := AnswerReplied{At: st.at, Dialog: id, Gen: st.sent[id], Lost: d.HasArg("lost")}
	if g := text(t, d, "gen"); g != "" {
		in.Gen = must(strconv.ParseUint(g, 10, 64))(t)
	}
	if d.HasArg("gone") {
		in.Err = &messages.ProtocolError{Code: -32602, Message: "No dialog is showing"}
	}
	if e := text(t, d, "error"); e != "" {
		code, words, _ := strings.Cut(e, " ")
		in.Err = &messages.ProtocolError{Code: must(strconv.ParseInt(code, 10, 64))(t), Message: words}
	}
	return in
}

// text is the value of an argument, or "". One with blanks stands in
// parentheses.
func text(t *testing.T, d *datadriven.TestData, key string) string {
	for _, a := range d.CmdArgs {
		if a.Key == key && len(a.Vals) > 0 {
			return a.Vals[0]
		}
	}
	return ""
}

func duration(t *testing.T, d *datadriven.TestData, key string) time.Duration {
	s := text(t, d, key)
	if s == "" {
		return 0
	}
	return must(time.ParseDuration(s))(t)
}

func frames(t *testing.T, d *datadriven.TestData) []messages.FrameID {
	var ids []messages.FrameID
	for _, a := range d.CmdArgs {
		if a.Key == "frames" {
			for _, v := range a.Vals {
				ids = append(ids, messages.FrameID(v))
			}
		}
	}
	return ids
}

func ref(t *testing.T, d *datadriven.TestData) messages.Ref {
	return messages.Ref{Owner: messages.OwnerAsk, N: must(strconv.ParseUint(text(t, d, "ref"), 10, 64))(t)}
}

// must returns the value or fails the test.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
