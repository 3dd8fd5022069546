package e2e

import (
	"fmt"
	"strings"
	"testing"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
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

// TestHealsToWholeURLs: a poisoned tab of our own is healed by a navigation to
// where it is, and not where only the beginning of its URL is known.
func TestHealsToWholeURLs(t *testing.T) {
	t.Parallel()
	long := "http://scripted.test/?" + strings.Repeat("x", messages.MaxURLBytes)
	for _, url := range []string{"http://scripted.test/", long} {
		s := newScripted(t)
		own := strings.NewReplacer("S1", "S2", "T1", "T2", "http://scripted.test/", url).Replace
		s.on("Target.createTarget", func(c scriptedCommand) { c.reply(`{"targetId":"T2"}`) })
		s.on("Target.setAutoAttach", func(c scriptedCommand) {
			if c.SessionID == "" {
				s.say(scriptedAttach, own(scriptedAttach))
			}
			c.reply(`{}`)
		})
		s.on("Page.getFrameTree", func(c scriptedCommand) { c.reply(own(scriptedTree)) })
		s.on("Page.navigate", func(c scriptedCommand) { c.reply(`{"frameId":"T2","loaderId":"L2"}`) })
		b := &browser{site: &site{}, endpoint: s.endpoint}
		h := newHost(t)
		p := b.join(t, h, h.newID(), registry.WithOwnTab())
		s.say(`{"method":"Page.frameAttached","params":{"frameId":"F9","parentFrameId":"T2"},"sessionId":"S2"}`,
			strings.NewReplacer(`"frameId":"T1"`, `"frameId":"F9"`, "S1", "S2").Replace(scriptedOpening))
		p.dialog()
		s.say(`{"method":"Page.frameDetached","params":{"frameId":"F9","reason":"remove"},"sessionId":"S2"}`)
		if url != long {
			eventually(t, "the tab is healed", func() bool { return len(s.heard("Page.navigate")) == 1 })
			p.status("")
			continue
		}
		p.status(messages.StatusPoisoned)
		if _, err := p.call(messages.CallRequest{Method: "Page.navigate", Params: fmt.Appendf(nil, `{"url":%q}`, url)}); err != nil {
			t.Error(err)
		}
		p.status("")
		if sent := s.heard("Page.navigate"); len(sent) != 1 || !strings.Contains(string(sent[0].Params), url) {
			t.Errorf("navigated %d times", len(sent))
		}
		if kept := p.task.Snapshot().Page.URL; len(kept) > messages.MaxURLBytes {
			t.Errorf("%d bytes of the URL are kept", len(kept))
		}
	}
}
