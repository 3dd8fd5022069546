package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// TestClosedWithoutReply closes a page whose end comes before the reply to what
// closes it, or without one.
func TestClosedWithoutReply(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, method, params string
		reply                bool
	}{
		{"Page.close, then the reply", "Page.close", `{}`, true},
		{"Page.close without a reply", "Page.close", `{}`, false},
		{"Target.closeTarget, then the reply", "Target.closeTarget", `{"targetId":"T1"}`, true},
		{"Target.closeTarget without a reply", "Target.closeTarget", `{"targetId":"T1"}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t)
			p := s.tab()
			s.on(c.method, func(got scriptedCommand) {
				s.say(`{"method":"Target.detachedFromTarget","params":{"sessionId":"S1","targetId":"T1"}}`,
					`{"method":"Target.targetDestroyed","params":{"targetId":"T1"}}`)
				if c.reply {
					got.reply(`{}`)
				}
			})
			quick(t, c.method, func() {
				if _, err := p.call(messages.CallRequest{Method: c.method, Params: []byte(c.params)}); err != nil {
					t.Error(err)
				}
			})
			p.status(messages.StatusTabGone)
		})
	}
}

// TestClosedOnItsWay closes a page that is on its way to another document: should
// its old one open a dialog now, the browser would die of Page.disable.
func TestClosedOnItsWay(t *testing.T) {
	t.Parallel()
	for _, leaves := range []bool{false, true} {
		t.Run(fmt.Sprintf("leaves %v", leaves), func(t *testing.T) {
			t.Parallel()
			s := newScripted(t)
			p := s.tab()
			if leaves {
				s.say(`{"method":"Page.frameStartedNavigating","params":{"frameId":"T1","url":"http://scripted.test/next","loaderId":"L2","navigationType":"differentDocument"},"sessionId":"S1"}`)
			}
			p.eval("1") // what came before its reply has arrived
			if _, err := p.call(messages.CallRequest{Method: "Target.closeTarget", Params: []byte(`{"targetId":"T1"}`)}); err != nil {
				t.Fatal(err)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			disabled := slices.ContainsFunc(s.commands, func(c scriptedCommand) bool { return c.Method == "Page.disable" })
			if disabled == leaves {
				t.Errorf("the Page domain was turned off: %v", disabled)
			}
		})
	}
}

// TestOneTabForAllConnections cuts the connection again and again: the tab that
// was made for the task is used again, and no other is made or closed.
func TestOneTabForAllConnections(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	own := strings.NewReplacer("S1", "S2", "T1", "T2").Replace
	made := false
	s.on("Target.createTarget", func(c scriptedCommand) { made = true; c.reply(`{"targetId":"T2"}`) })
	s.on("Target.getTargets", func(c scriptedCommand) {
		list := scriptedTarget
		if made {
			list += "," + own(scriptedTarget)
		}
		c.reply(`{"targetInfos":[` + list + `]}`)
	})
	s.on("Target.setAutoAttach", func(c scriptedCommand) {
		if c.SessionID == "" {
			s.say(scriptedAttach, own(scriptedAttach))
		}
		c.reply(`{}`)
	})
	s.on("Page.getFrameTree", func(c scriptedCommand) { c.reply(own(scriptedTree)) })
	b := &browser{site: &site{}, endpoint: s.endpoint}
	h := newHost(t)
	p := b.join(t, h, h.newID(), registry.WithOwnTab())
	for range 3 {
		p.answersTwo()
		before := p.task.Snapshot()
		if before.PageTargetID != "T2" {
			t.Fatalf("the page is %q", before.PageTargetID)
		}
		if err := s.hangUp(); err != nil {
			t.Fatal(err)
		}
		p.wait("another connection", func(s *messages.Snapshot) bool { return s.Ready && s.Epoch > before.Epoch })
	}
	if n, closed := len(s.heard("Target.createTarget")), len(s.heard("Target.closeTarget")); n != 1 || closed != 0 {
		t.Errorf("%d tabs were made and %d closed", n, closed)
	}
}

// TestCanaryOfALostConnection cuts the connection while the bridge tries itself
// out in a tab of its own: the tab is not left behind.
func TestCanaryOfALostConnection(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	asked := make(chan struct{}, 8)
	s.on("Target.createTarget", func(c scriptedCommand) {
		n := fmt.Sprint(10 + len(s.heard("Target.createTarget")))
		s.say(strings.NewReplacer("S1", "S"+n, "T1", "T"+n).Replace(scriptedAttach))
		c.reply(`{"targetId":"T` + n + `"}`)
	})
	s.on("Runtime.evaluate", func(c scriptedCommand) {
		if c.SessionID != "S1" {
			asked <- struct{}{}
			return
		}
		c.reply(`{"result":{"type":"number","value":2}}`)
	})
	b := &browser{site: &site{}, endpoint: s.endpoint}
	h := newHost(t)
	p := b.join(t, h, h.newID(), registry.WithBridge(messages.BridgeOn))
	<-asked
	if err := s.hangUp(); err != nil {
		t.Fatal(err)
	}
	p.poll("the tab to be closed", func() bool {
		for _, c := range s.heard("Target.closeTarget") {
			if strings.Contains(string(c.Params), "T11") {
				return true
			}
		}
		return false
	})
}

// TestStartOnAClosingTab starts a task while the tab that it takes is being closed,
// as one is whose task has just stopped: it takes another.
func TestStartOnAClosingTab(t *testing.T) {
	t.Parallel()
	const destroyed = `{"method":"Target.targetDestroyed","params":{"targetId":"T1"}}`
	for name, end := range map[string][]string{
		"before it is attached": {destroyed},
		"when it is attached":   {scriptedAttach, `{"method":"Target.detachedFromTarget","params":{"sessionId":"S1","targetId":"T1"}}`, destroyed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t)
			other := strings.NewReplacer("S1", "S2", "T1", "T2").Replace
			s.on("Target.getTargets", func(c scriptedCommand) {
				if len(s.heard(c.Method)) == 1 {
					c.reply(`{"targetInfos":[` + scriptedTarget + `,` + other(scriptedTarget) + `]}`)
					return
				}
				c.reply(`{"targetInfos":[` + other(scriptedTarget) + `]}`)
			})
			s.on("Target.setAutoAttach", func(c scriptedCommand) {
				switch {
				case c.SessionID != "":
				case len(s.heard("Target.getTargets")) == 1:
					s.say(end...)
				default:
					s.say(other(scriptedAttach))
				}
				c.reply(`{}`)
			})
			s.on("Target.attachToTarget", func(c scriptedCommand) { c.refuse(-32602, "No target with given id found") })
			s.on("Page.enable", func(c scriptedCommand) {
				if c.SessionID == "S2" {
					c.reply(`{}`)
				}
			})
			s.on("Page.getFrameTree", func(c scriptedCommand) { c.reply(other(scriptedTree)) })
			p := s.tab()
			if got := p.task.Snapshot(); got.PageTargetID != "T2" || got.Supervisor != nil {
				t.Errorf("the task has started with %s", p.state())
			}
			p.answersTwo()
		})
	}
}

// TestStopClosesTheTab stops a task with a tab of its own. Where that is on its way
// to another document, a dialog that opens now may be one under which the browser
// dies of Page.disable. Where a dialog opens at the same moment, the browser says
// that it closes the tab, and keeps it.
func TestStopClosesTheTab(t *testing.T) {
	t.Parallel()
	own := strings.NewReplacer("S1", "S2", "T1", "T2").Replace
	const begins = `{"method":"Page.frameStartedNavigating","params":{"frameId":%q,"url":"http://scripted.test/next","loaderId":"L2","navigationType":"differentDocument"},"sessionId":"S2"}`
	const left = `{"method":"Page.frameNavigated","params":{"frame":{"id":"T2","loaderId":"L2","url":"http://scripted.test/next","securityOrigin":"http://scripted.test","mimeType":"text/html"},"type":"Navigation"},"sessionId":"S2"}`
	const ordered = "has left, and an agent has asked for more"
	for _, c := range []struct {
		name, said       string
		disabled, closes int
	}{
		{"at rest", "", 1, 1},
		{"whose first close is lost", "", 1, 2},
		{"leaving", fmt.Sprintf(begins, "T2"), 0, 1},
		{"leaving, under a dialog that stays", fmt.Sprintf(begins, "T2") + "\n" + own(scriptedOpening) + "\n" + own(strings.Replace(scriptedOpening, "T1", "F1", 1)), 0, 1},
		{"a frame that leaves", fmt.Sprintf(begins, "F1"), 1, 1},
		{"has left", fmt.Sprintf(begins, "T2") + "\n" + left, 1, 1},
		{ordered, left, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t)
			s.on("Target.createTarget", func(c scriptedCommand) {
				s.say(`{"method":"Target.targetCreated","params":{"targetInfo":` + own(scriptedTarget) + `}}`)
				c.reply(`{"targetId":"T2"}`)
			})
			s.on("Target.setAutoAttach", func(c scriptedCommand) {
				if c.SessionID == "" {
					s.say(scriptedAttach, own(scriptedAttach))
				}
				c.reply(`{}`)
			})
			s.on("Page.getFrameTree", func(c scriptedCommand) { c.reply(own(scriptedTree)) })
			s.on("Target.closeTarget", func(got scriptedCommand) {
				got.reply(`{"success":true}`)
				if len(s.heard(got.Method)) == c.closes {
					s.say(`{"method":"Target.targetDestroyed","params":{"targetId":"T2"}}`)
				}
			})
			b := &browser{site: &site{}, endpoint: s.endpoint}
			h := newHost(t)
			p := b.join(t, h, h.newID(), registry.WithOwnTab())
			if c.name == ordered {
				s.on("Page.navigate", func(scriptedCommand) {}) // it takes its time
				asked := make(chan struct{})
				go func() {
					defer close(asked)
					if _, err := p.task.Navigate(t.Context(), "http://scripted.test/more"); messages.CodeOf(err) != messages.CodeStopped {
						t.Errorf("the navigation that the stop ends: %v", err)
					}
				}()
				defer func() { <-asked }()
				eventually(t, "the navigation is sent", func() bool { return len(s.heard("Page.navigate")) == 1 })
			}
			s.say(strings.Fields(c.said)...)
			if strings.Contains(c.said, "javascriptDialogOpening") {
				p.status(messages.StatusBlocked) // it takes no answer
			} else {
				p.answersTwo() // behind what was said
			}
			h.end(t, p.task.ID())
			if n := len(s.heard("Target.closeTarget")); n != c.closes {
				t.Errorf("the tab is closed %d times, want %d", n, c.closes)
			}
			if n := len(s.heard("Page.disable")); n != c.disabled {
				t.Errorf("the Page domain is taken back %d times, want %d", n, c.disabled)
			}
		})
	}
}
