package e2e

import (
	"strings"
	"testing"
	"time"

	"cdpsupervisor/messages"
)

const (
	scriptedCommitting = `{"frameId":"T1","loaderId":"L2"}`
	scriptedCrashed    = `{"method":"Inspector.targetCrashed","params":{},"sessionId":"S1"}`
	scriptedDetached   = `{"method":"Target.detachedFromTarget","params":{"sessionId":"S1","targetId":"T1"}}`
)

// TestNavigationIntoACrash: a document that was on its way into a renderer that
// crashes never comes, and nothing tells. One that is still on its way from the
// server comes to the next renderer.
func TestNavigationIntoACrash(t *testing.T) {
	t.Parallel()
	for _, committing := range []bool{true, false} {
		s := newScripted(t)
		s.on("Page.navigate", func(c scriptedCommand) {
			if committing {
				c.reply(scriptedCommitting)
			}
			s.say(scriptedCrashed)
			if !committing {
				c.reply(scriptedCommitting)
				s.say(`{"method":"Page.frameNavigated","params":{"frame":{"id":"T1","loaderId":"L2","url":"http://scripted.test/2","domainAndRegistry":"scripted.test","securityOrigin":"http://scripted.test","mimeType":"text/html"},"type":"Navigation"},"sessionId":"S1"}`)
			}
		})
		p := s.tab()
		ctx, cancel := p.context()
		defer cancel()
		start := time.Now()
		_, err := p.task.Navigate(ctx, "http://scripted.test/2")
		if took := time.Since(start); !committing && err != nil || took > messages.NavigateTimeout/2 {
			t.Errorf("%v after %s", err, took)
		}
		if committing {
			if f := refused(t, err, messages.CodeTargetCrashed); !f.MayHaveRun {
				t.Errorf("got %+v", f)
			}
		}
	}
}

// TestNavigationOfAClosedPage: who navigates a page that the browser is closing
// gets there in another one.
func TestNavigationOfAClosedPage(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	second := strings.NewReplacer("S1", "S2", "T1", "T2", "L1", "L2").Replace
	s.on("Target.createTarget", func(c scriptedCommand) {
		c.reply(`{"targetId":"T2"}`)
		s.say(second(scriptedAttach))
	})
	s.on("Page.getFrameTree", func(c scriptedCommand) {
		if c.SessionID == "S2" {
			c.reply(second(scriptedTree))
			return
		}
		c.reply(scriptedTree)
	})
	s.on("Page.navigate", func(c scriptedCommand) {
		if c.SessionID == "S1" {
			s.say(scriptedDetached)
			return
		}
		c.reply(`{"frameId":"T2"}`) // it is there
	})
	p := s.tab()
	ctx, cancel := p.context()
	defer cancel()
	at, err := p.task.Navigate(ctx, "http://scripted.test/")
	if err != nil || at.PageTargetID != "T2" {
		t.Errorf("got %+v, %v", at, err)
	}
}
