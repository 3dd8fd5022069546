package e2e

import (
	"fmt"
	"strings"
	"testing"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// TestGuardHasNoWayAround tries the ways past a host's guard.
func TestGuardHasNoWayAround(t *testing.T) {
	t.Parallel()
	guarded := func(t *testing.T) (*scripted, *tab) {
		t.Helper()
		s := newScripted(t)
		s.on("Page.handleJavaScriptDialog", func(c scriptedCommand) {
			s.say(fmt.Sprintf(scriptedClosed, strings.Contains(string(c.Params), "true")))
			c.reply(`{}`)
		})
		return s, s.tab(registry.WithGuard(denyBank))
	}
	raw := func(accept bool) messages.CallRequest {
		return messages.CallRequest{Method: "Page.handleJavaScriptDialog", Params: fmt.Appendf(nil, `{"accept":%t}`, accept)}
	}
	t.Run("a raw answer to a denied frame's dialog", func(t *testing.T) {
		t.Parallel()
		s, p := guarded(t)
		s.say(strings.Replace(scriptedOpening, "http://scripted.test/", "http://bank.test/", 1))
		d := p.dialog()
		_, err := p.call(raw(true))
		refused(t, err, messages.CodeDenied)
		if n := len(s.heard("Page.handleJavaScriptDialog")); n != 0 {
			t.Errorf("%d answers were sent", n)
		}
		if _, err := p.call(raw(false)); err != nil { // is always allowed
			t.Error(err)
		}
		if r := p.record(d.ID); r.ClosedBy != messages.ClosedByAgent || r.Result {
			t.Errorf("the record is %+v", r)
		}
	})
	t.Run("a raw answer to an allowed page's dialog", func(t *testing.T) {
		t.Parallel()
		s, p := guarded(t)
		s.say(scriptedOpening)
		d := p.dialog()
		if _, err := p.call(raw(true)); err != nil {
			t.Error(err)
		}
		if r := p.record(d.ID); r.ClosedBy != messages.ClosedByAgent || !r.Result {
			t.Errorf("the record is %+v", r)
		}
	})
	t.Run("a frame whose URL nobody knows yet", func(t *testing.T) {
		t.Parallel()
		s, p := guarded(t)
		s.on("Page.getFrameTree", silence)
		s.say(`{"method":"Page.frameAttached","params":{"frameId":"F2","parentFrameId":"T1"},"sessionId":"S1"}`,
			`{"method":"Target.attachedToTarget","params":{"sessionId":"S2","waitingForDebugger":true,"targetInfo":`+
				`{"targetId":"F2","type":"iframe","title":"","url":"","attached":true,"parentFrameId":"T1"}},"sessionId":"S1"}`)
		p.poll("the frame", func() bool { return len(s.heard("Runtime.runIfWaitingForDebugger")) > 1 })
		before := len(s.heard("Runtime.evaluate"))
		_, err := p.try(at{frame: "F2"}, "1")
		refused(t, err, messages.CodeDenied)
		if n := len(s.heard("Runtime.evaluate")); n != before {
			t.Error("it was sent")
		}
	})
}
