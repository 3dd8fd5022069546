package e2e

import (
	"strings"
	"testing"

	"cdpsupervisor/messages"
)

// TestFirstDialogOfAFrameThatIsGone tells of a task's first dialog after its
// frame was removed, as sessions of different renderers can. To answer it would
// end the browser.
func TestFirstDialogOfAFrameThatIsGone(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	p := s.tab()
	s.say(`{"method":"Page.frameAttached","params":{"frameId":"F9","parentFrameId":"T1"},"sessionId":"S1"}`,
		`{"method":"Page.frameDetached","params":{"frameId":"F9","reason":"remove"},"sessionId":"S1"}`,
		strings.Replace(scriptedOpening, `"frameId":"T1"`, `"frameId":"F9"`, 1))
	p.status(messages.StatusPoisoned)
	shown := p.task.Snapshot()
	if len(shown.PendingDialogs) != 0 || len(shown.RecentDialogs) != 1 || shown.RecentDialogs[0].Reason != messages.ReasonFrameRemoved {
		t.Errorf("pending %+v, recent %+v", shown.PendingDialogs, shown.RecentDialogs)
	}
	if n := len(s.heard("Page.handleJavaScriptDialog")); n != 0 {
		t.Errorf("it was answered %d times", n)
	}
}
