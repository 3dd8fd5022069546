package e2e

import (
	"context"
	"errors"
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
// gets there in another one, whatever the browser makes of the navigation.
func TestNavigationOfAClosedPage(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(scriptedCommand){
		"no word":   silence,
		"given up":  func(c scriptedCommand) { c.reply(`{"frameId":"T1","loaderId":"L2","errorText":"net::ERR_ABORTED"}`) },
		"committed": func(c scriptedCommand) { c.reply(scriptedCommitting) },
		"an error":  func(c scriptedCommand) { c.refuse(-32000, "Inspected target navigated or closed") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t)
			second := strings.NewReplacer("S1", "S2", "T1", "T2", "L1", "L2").Replace
			s.on("Target.closeTarget", func(c scriptedCommand) { c.reply(`{"success":true}`) })
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
					if left := strings.Contains(string(c.Params), "/left"); left {
						c.reply(scriptedCommitting)
						return
					}
					answer(c)
					s.say(scriptedDetached)
					return
				}
				c.reply(`{"frameId":"T2"}`) // it is there
			})
			p := s.tab()
			ctx, cancel := p.context()
			defer cancel()
			left := make(chan error, 1)
			go func() {
				_, err := p.task.Navigate(ctx, "http://scripted.test/left")
				left <- err
			}()
			eventually(t, "a first navigation is on its way", func() bool { return len(s.heard("Page.navigate")) == 1 })
			if _, err := p.call(messages.CallRequest{Method: "Target.closeTarget", Params: []byte(`{"targetId":"T1"}`)}); err != nil {
				t.Fatal(err)
			}
			if at, err := p.task.Navigate(ctx, "http://scripted.test/"); err != nil || at.PageTargetID != "T2" {
				t.Errorf("got %+v, %v", at, err)
			}
			refused(t, <-left, messages.CodeSessionLost) // it is over with its page
			if sent := s.heard("Page.navigate"); len(sent) != 3 {
				t.Errorf("%d navigations were sent", len(sent))
			}
		})
	}
}

// TestNavigationOfAPageThatStays: where the browser does not close the page after
// all, the navigation ends as it says.
func TestNavigationOfAPageThatStays(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	s.on("Target.closeTarget", func(c scriptedCommand) { c.reply(`{"success":true}`) })
	s.on("Page.navigate", func(c scriptedCommand) { c.reply(`{"frameId":"T1","loaderId":"L2","errorText":"net::ERR_ABORTED"}`) })
	p := s.tab()
	if _, err := p.call(messages.CallRequest{Method: "Target.closeTarget", Params: []byte(`{"targetId":"T1"}`)}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := p.context()
	defer cancel()
	_, err := p.task.Navigate(ctx, "http://scripted.test/")
	refused(t, err, messages.CodeCDPError)
}

// TestSilentPages: a call that has no answer in its time says what holds the page
// up, and what leads out of that.
func TestSilentPages(t *testing.T) {
	t.Parallel()
	const started = `{"method":"Page.frameStartedNavigating","params":{"frameId":"T1","url":"http://scripted.test/2","loaderId":"L2","navigationType":"differentDocument"},"sessionId":"S1"}`
	for name, c := range map[string]struct {
		before   []string // what the page says before the call
		navigate bool     // the agent has navigated, and given up waiting
		says     string
		ways     string
	}{
		"a busy script":               {nil, false, "Runtime.terminateExecution", "terminateExecution another site closeTarget"},
		"a server that thinks":        {[]string{started}, false, "on its way to another document", "stopLoading closeTarget"},
		"a document that has no room": {[]string{started}, true, "the next document has come", "closeTarget"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t)
			s.on("Page.navigate", func(c scriptedCommand) { c.reply(scriptedCommitting) })
			p := s.tab()
			s.on("Runtime.evaluate", silence)
			s.say(c.before...)
			if c.navigate {
				ctx, cancel := context.WithCancel(t.Context())
				s.on("Page.navigate", func(c scriptedCommand) { c.reply(scriptedCommitting); cancel() })
				if _, err := p.task.Navigate(ctx, "http://scripted.test/2"); !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
			}
			_, err := p.call(messages.CallRequest{Method: "Runtime.evaluate", Params: []byte(`{"expression":"1"}`), Timeout: time.Second})
			f := refused(t, err, messages.CodeTimeout)
			if !f.MayHaveRun || !strings.Contains(f.Message, c.says) || len(f.WaysOut) != len(strings.Fields(c.ways)) && name != "a busy script" {
				t.Errorf("got %+v", f)
			}
			for _, way := range strings.Fields(c.ways) {
				if !strings.Contains(strings.Join(f.WaysOut, " "), way) {
					t.Errorf("%s is no way out of %q", way, f.WaysOut)
				}
			}
			_, err = p.call(messages.CallRequest{Method: "Page.stopLoading", Timeout: time.Second})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
