package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"cdpsupervisor/messages"
)

// answersTwo checks that calls reach the page.
func (p *tab) answersTwo() {
	p.t.Helper()
	if got := p.eval("1 + 1"); got != 2.0 {
		p.t.Errorf("the page answers %v", got)
	}
}

// TestBackendsRefuse is about backends that refuse parts of the set-up.
func TestBackendsRefuse(t *testing.T) {
	notAllowed := func(c scriptedCommand) { c.refuse(-32000, "Not allowed") }
	cases := []struct {
		name   string
		script func(*scripted)
		status messages.Status // "" means that nothing is lost
	}{
		{"nothing", func(*scripted) {}, ""},
		{"auto-attach on the page", func(s *scripted) {
			s.on("Target.setAutoAttach", func(c scriptedCommand) {
				if c.SessionID != "" {
					notAllowed(c)
					return
				}
				c.attachPage()
				c.reply(`{}`)
			})
		}, messages.StatusDegraded},
		{"auto-attach everywhere", func(s *scripted) { s.on("Target.setAutoAttach", notAllowed) }, messages.StatusDegraded},
		{"discovery of targets", func(s *scripted) { s.on("Target.setDiscoverTargets", notAllowed) }, messages.StatusDegraded},
		{"the frame tree", func(s *scripted) { s.on("Page.getFrameTree", notAllowed) }, messages.StatusDegraded},
		{"resuming", func(s *scripted) {
			s.on("Runtime.runIfWaitingForDebugger", func(c scriptedCommand) { c.refuse(-32601, "'Runtime.runIfWaitingForDebugger' wasn't found") })
		}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t)
			c.script(s)
			p := s.tab()
			p.answersTwo()
			if c.status != "" {
				if state := p.status(c.status); len(state.Capabilities) == 0 {
					t.Errorf("it is not said what is lost: %+v", state)
				}
			} else if state := p.task.Snapshot().Supervisor; state != nil {
				t.Errorf("the state is %+v", state)
			}
			s.say(scriptedOpening)
			d := p.dialog()
			s.on("Page.handleJavaScriptDialog", func(c scriptedCommand) {
				s.say(fmt.Sprintf(scriptedClosed, true))
				c.reply(`{}`)
			})
			if r := p.accept(d); r.ClosedBy != messages.ClosedByAgent || !r.Result {
				t.Errorf("the record is %+v", r)
			}
			resumed := s.heard("Runtime.runIfWaitingForDebugger")
			if len(resumed) == 0 {
				t.Error("the page was never resumed")
			}
		})
	}
}

// TestPageGoesDuringSetUp is about a session that ends before it is set up.
func TestPageGoesDuringSetUp(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	s.on("Page.enable", func(c scriptedCommand) {
		s.say(`{"method":"Target.detachedFromTarget","params":{"sessionId":"S1","targetId":"T1"}}`,
			`{"method":"Target.targetDestroyed","params":{"targetId":"T1"}}`)
		s.say(fmt.Sprintf(`{"id":%d,"error":{"code":-32001,"message":"Session with given id not found."}}`, c.ID))
	})
	p := s.tab()
	p.status(messages.StatusTabGone)
	_, err := p.try(at{}, "1")
	refused(t, err, messages.CodeTabGone)
}

// TestNewTabWithoutAutoAttach opens a tab in place of one that is gone, on a
// backend that attaches nothing by itself.
func TestNewTabWithoutAutoAttach(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	s.on("Target.setAutoAttach", func(c scriptedCommand) { c.refuse(-32000, "Not allowed") })
	p := s.tab()
	p.answersTwo()
	s.say(`{"method":"Target.detachedFromTarget","params":{"sessionId":"S1","targetId":"T1"}}`,
		`{"method":"Target.targetDestroyed","params":{"targetId":"T1"}}`)
	p.status(messages.StatusTabGone)

	second := strings.NewReplacer("S1", "S2", "T1", "T2", "L1", "L2").Replace
	s.on("Target.createTarget", func(c scriptedCommand) { c.reply(`{"targetId":"T2"}`) })
	s.on("Target.attachToTarget", func(c scriptedCommand) { s.say(second(scriptedAttach)); c.reply(`{"sessionId":"S2"}`) })
	s.on("Page.getFrameTree", func(c scriptedCommand) { c.reply(second(scriptedTree)) })
	s.on("Page.navigate", func(c scriptedCommand) { c.reply(`{"frameId":"T2","loaderId":"L2"}`) })
	p.open("http://scripted.test/")
	if got := p.task.Snapshot().PageTargetID; got != "T2" {
		t.Errorf("the page is %q", got)
	}
	p.answersTwo()
}

// TestSurplusSession attaches one page twice: each event would come twice.
func TestSurplusSession(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	p := s.tab()
	s.say(strings.Replace(scriptedAttach, "S1", "S2", 1))
	p.poll("the second session to be detached", func() bool {
		for _, c := range s.heard("Target.detachFromTarget") {
			return strings.Contains(string(c.Params), "S2")
		}
		return false
	})
	for _, c := range s.heard("Page.enable") {
		if c.SessionID == "S2" {
			t.Error("the second session was set up")
		}
	}
	p.answersTwo()
}

// TestSessionToldTwice hears of its own sessions once more: they are no surplus.
func TestSessionToldTwice(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	p := s.tab()
	frame := `{"method":"Target.attachedToTarget","params":{"sessionId":"S3","targetInfo":{"targetId":"F3","type":"iframe",` +
		`"title":"","url":"http://other.test/","attached":true,"parentFrameId":"T1"},"waitingForDebugger":true},"sessionId":"S1"}`
	s.say(scriptedAttach, frame, frame)
	p.poll("the frame to be set up", func() bool {
		for _, c := range s.heard("Runtime.runIfWaitingForDebugger") {
			if c.SessionID == "S3" {
				return true
			}
		}
		return false
	})
	p.answersTwo() // after all of that
	if got := s.heard("Target.detachFromTarget"); len(got) > 0 {
		t.Errorf("detached: %s", got[0].Params)
	}
}

// TestOddMessages says what no browser should.
func TestOddMessages(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	p := s.tab()
	odd := []string{
		``, ` `, `x`, `{`, `null`, `[]`, `"s"`, `7`, `{}`, `{"id":null}`, `{"id":"1"}`, `{"id":1.5}`, `{"id":-7,"result":{}}`,
		`{"id":99999999999999999999}`, `{"id":4000000000,"result":{}}`, `{"method":5}`, `{"method":""}`, `{"method":"Page"}`,
		`{"method":"No.such","params":{}}`, `{"method":"Page.frameAttached"}`, `{"method":"Page.frameAttached","params":null}`,
		`{"method":"Page.frameAttached","params":[],"sessionId":"S1"}`, `{"method":"Page.frameAttached","params":{"frameId":7},"sessionId":"S1"}`,
		`{"method":"Page.frameNavigated","params":{"frame":{}},"sessionId":"S1"}`,
		`{"method":"Page.frameNavigated","params":{"frame":{"id":"T1","url":"http://x.test/"}},"sessionId":"NOBODY"}`,
		`{"method":"Page.frameDetached","params":{"frameId":"NOBODY","reason":"remove"},"sessionId":"S1"}`,
		`{"method":"Page.javascriptDialogClosed","params":{"frameId":"NOBODY","result":true,"userInput":""},"sessionId":"S1"}`,
		`{"method":"Target.attachedToTarget","params":{"sessionId":"","targetInfo":{}}}`,
		`{"method":"Target.attachedToTarget","params":{"sessionId":"` + strings.Repeat("x", 5000) + `","targetInfo":` + scriptedTarget + `}}`,
		`{"method":"Target.detachedFromTarget","params":{"sessionId":"NOBODY"}}`,
		`{"id":1,"result":{}}`, `{"id":1,"result":{}}`, `{"id":1,"error":"odd"}`, `{"id":2,"error":{"code":"x"}}`, `{"id":3,"error":[]}`,
		`{"error":{"code":-32700,"message":"JSON: parse error"}}`,
		`{"method":"Runtime.consoleAPICalled","params":{"type":"error","args":[{"type":"string","value":"` + strings.Repeat("y", 5<<20) + `"}],"executionContextId":1,"timestamp":1},"sessionId":"S1"}`,
		strings.Repeat(`[`, 100000),
		`{"a":` + strings.Repeat(`{"a":`, 50000) + `1` + strings.Repeat(`}`, 50000) + `}`,
		"{\"method\":\"Page.frame\xff\xfeAttached\",\"params\":{}}",
	}
	s.say(odd...)
	s.mu.Lock()
	for _, text := range odd[:20] { // binary frames are no different
		if err := s.conn.WriteMessage(websocket.BinaryMessage, []byte(text)); err != nil {
			t.Error(err)
		}
	}
	s.mu.Unlock()
	p.answersTwo()
	snap := p.task.Snapshot()
	if snap.Epoch != 1 || len(snap.PendingDialogs) > 0 || snap.FrameTree == nil || snap.FrameTree.Top.URL != "http://scripted.test/" {
		t.Error(p.state())
	}
}

// TestRepliesInAnyOrder answers calls in the other order.
func TestRepliesInAnyOrder(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	p := s.tab()
	const n = 20
	waiting := make(chan scriptedCommand, n)
	s.on("Runtime.evaluate", func(c scriptedCommand) { waiting <- c })
	type outcome struct{ want, got any }
	outcomes := make(chan outcome, n)
	ctx, cancel := p.context()
	defer cancel()
	for i := range n {
		go func() {
			result, err := p.task.Call(ctx, evaluation(at{}, fmt.Sprint(i)))
			if err != nil {
				outcomes <- outcome{float64(i), err}
				return
			}
			outcomes <- outcome{float64(i), value(t, "", result.Result)}
		}()
	}
	var all []scriptedCommand
	for range n {
		all = append(all, <-waiting)
	}
	for i := range all {
		c := all[n-1-i]
		_, number, _ := strings.Cut(string(c.Params), `"expression":"`)
		number, _, _ = strings.Cut(number, `"`)
		c.reply(`{"result":{"type":"number","value":` + number + `}}`)
	}
	for range n {
		if o := <-outcomes; o.got != o.want {
			t.Errorf("a call got %v, want %v", o.got, o.want)
		}
	}
}

// TestAnswerWithoutReply is about a browser that does not react to an answer.
func TestAnswerWithoutReply(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	p := s.tab()
	s.on("Page.handleJavaScriptDialog", silence)
	s.say(scriptedOpening)
	d := p.dialog()
	start := time.Now()
	_, err := p.respond(messages.DialogRequest{Action: messages.ActionAccept, DialogID: d.ID})
	refused(t, err, messages.CodeTimeout)
	if took := time.Since(start); took < messages.AnswerTimeout || took > messages.AnswerTimeout+atOnce {
		t.Errorf("it took %s", took)
	}
	again := p.wait("the dialog to be open again", func(s *messages.Snapshot) bool {
		return len(s.PendingDialogs) == 1 && s.PendingDialogs[0].State == ""
	}).PendingDialogs[0]
	if again.ID != d.ID || again.DeadlineAt == 0 {
		t.Errorf("it is shown as %+v", again)
	}
	s.on("Page.handleJavaScriptDialog", func(c scriptedCommand) { c.refuse(-32602, "No dialog is showing") })
	_, err = p.respond(messages.DialogRequest{Action: messages.ActionAccept, DialogID: d.ID})
	f := refused(t, err, messages.CodeDialogClosed)
	if f.Record == nil || f.Record.ClosedBy != messages.ClosedByRemote {
		t.Errorf("the failure carries %+v", f.Record)
	}
}

// TestFlood sends more than anybody reads.
func TestFlood(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	p := s.tab()
	message := `{"method":"Runtime.consoleAPICalled","params":{"type":"error","args":[{"type":"string","value":"` +
		strings.Repeat("z", 500) + `"}],"executionContextId":1,"timestamp":1},"sessionId":"S1"}`
	flood := make([]string, 10_000)
	for i := range flood {
		flood[i] = message
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 5 {
			s.say(flood...)
		}
		s.say(scriptedOpening)
	}()
	d := p.dialog()
	<-done
	s.on("Page.handleJavaScriptDialog", func(c scriptedCommand) {
		s.say(fmt.Sprintf(scriptedClosed, true))
		c.reply(`{}`)
	})
	p.accept(d)
	if n := len(p.task.Snapshot().ConsoleErrors); n != messages.MaxConsoleErrors {
		t.Errorf("%d console errors are kept", n)
	}
}
