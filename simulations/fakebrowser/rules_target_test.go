package fakebrowser

import (
	"fmt"
	"strings"
	"testing"
)

const (
	autoPages = `{"autoAttach":true,"flatten":true,"waitForDebuggerOnStart":true,"filter":[{"type":"page"}]}`
	autoOff   = `{"autoAttach":false,"flatten":true,"waitForDebuggerOnStart":false}`
)

func targetRules() map[string]func(*testing.T) {
	return map[string]func(*testing.T){
		"targets.root-attaches-existing": func(t *testing.T) {
			_, c := start(t, nil)
			c.send("", "Target.setAutoAttach", autoPages)
			c.expect("B attachedToTarget S1 F1 url=about:blank wait=false\nB reply Target.setAutoAttach")
		},
		"targets.root-again": func(t *testing.T) {
			b, c := start(t, nil)
			c.ok("", "Target.setAutoAttach", autoPages)
			id := b.PageIDs()[0]
			s := c.session(id)
			c.ok("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, id))
			if b.Sessions() != 2 {
				t.Error("an explicit attach gave no second session")
			}
			c.ok("", "Target.setAutoAttach", autoPages)
			if b.Sessions() != 2 {
				t.Error("a second setAutoAttach attached again")
			}
			c.ok("", "Target.detachFromTarget", fmt.Sprintf(`{"sessionId":%q}`, s))
			c.ok("", "Target.setAutoAttach", autoPages)
			if b.Sessions() != 2 {
				t.Error("a detached page was not attached again")
			}
			c.ok("", "Target.setAutoAttach", autoOff)
			if b.Sessions() != 1 {
				t.Error("the explicit session went with auto-attach, or the automatic one stayed")
			}
		},
		"targets.discovery": func(t *testing.T) {
			b, c := start(t, nil)
			c.ok("", "Target.setDiscoverTargets", `{"discover":true,"filter":[{"type":"page"}]}`)
			if n := c.count("", "Target.targetCreated"); n != 1 {
				t.Errorf("%d targets told", n)
			}
			c.mark()
			c.ok("", "Target.createTarget", `{"url":"about:blank"}`)
			id := b.PageIDs()[1]
			c.ok("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, id))
			c.ok("", "Target.closeTarget", targetID(id))
			c.expect(`
				B targetCreated F2 url=about:blank attached=false
				B reply Target.createTarget
				B targetInfoChanged F2 url=about:blank attached=false
				B targetInfoChanged F2 url=about:blank attached=true
				B attachedToTarget S1 F2 url=about:blank wait=false
				B reply Target.attachToTarget
				B reply Target.closeTarget
				S1 Inspector.detached Render process gone.
				B targetInfoChanged F2 url=about:blank attached=false
				B detachedFromTarget S1 F2
				B targetDestroyed F2`)
		},
		"session.takes-children-along": func(t *testing.T) {
			_, c := start(t, nestedPages())
			c.setup(true)
			_, s := c.page("http://a.test/n1", true)
			kids := c.attached(s)
			c.mark()
			c.ok("", "Target.detachFromTarget", fmt.Sprintf(`{"sessionId":%q}`, s))
			c.expect("B detachedFromTarget S1 F1\nB reply Target.detachFromTarget")
			for _, k := range kids {
				if m := c.call(k, "Page.enable", ""); m.Error == nil || m.Error.Code != -32001 {
					t.Errorf("got %s", m.raw)
				}
			}
		},
	}
}

// popups attaches a client as an engine does, and returns the session of a
// page that shows a.test. Waiting popups stay waiting.
func popups(t *testing.T, site map[string]string, change ...func(*Options)) (b *Browser, c *client, s string) {
	t.Helper()
	b, c = start(t, site, change...)
	c.ok("", "Target.setAutoAttach", autoPages)
	s = c.session(b.PageIDs()[0])
	c.ok(s, "Page.enable", "")
	c.ok(s, "Page.navigate", `{"url":"http://a.test/plain"}`)
	c.mark()
	return b, c, s
}

// open evaluates with a user gesture.
func (c *client) open(s, expr string) int64 {
	return c.send(s, "Runtime.evaluate", `{"userGesture":true,"returnByValue":true,"expression":`+quote(expr)+`}`)
}

func popupRules() map[string]func(*testing.T) {
	return map[string]func(*testing.T){
		"popup.paused": func(t *testing.T) {
			b, c, s := popups(t, map[string]string{"http://a.test/pop": "<script>alert('first')</script>"})
			id := c.open(s, "window.p=open('/pop');p.mark=3;String(p.location)")
			c.expect("S1 windowOpen - http://a.test/pop\nB attachedToTarget S2 F2 url= wait=true")
			p := c.session("openerId")
			c.ok(p, "Page.enable", "")
			c.ok(p, "Runtime.enable", "")
			c.mark()
			c.ok(p, "Runtime.runIfWaitingForDebugger", "")
			c.expect(`
				S2 reply Runtime.runIfWaitingForDebugger
				S2 frameRequestedNavigation F2 other
				S2 frameStartedNavigating F2
				S2 frameStartedLoading F2
				S1 reply Runtime.evaluate
				S2 frameNavigated F2 http://a.test/pop Navigation
				S2 javascriptDialogOpening F2 alert first`)
			if v := c.value(id); v != `"about:blank"` {
				t.Errorf("the opener saw %s", v)
			}
			if d := b.OpenDialogs(); len(d) != 1 || !d[0].Answerable {
				t.Errorf("%+v", d)
			}
		},
		"popup.shares-thread": func(t *testing.T) {
			b, c, s := popups(t, nil)
			c.open(s, "window.p=open('/plain?p')")
			p := c.session("openerId")
			c.ok(p, "Page.enable", "")
			c.ok(p, "Runtime.runIfWaitingForDebugger", "")
			c.evalID(p, "setTimeout(()=>confirm('in popup'),0);1")
			held := c.evalID(s, "setTimeout(()=>confirm('in opener'),0);1")
			if d := b.OpenDialogs(); c.value(held) != "" || len(d) != 1 || d[0].Message != "in popup" {
				t.Errorf("opener gave %q, open %+v", c.value(held), d)
			}
			if m := c.call(s, handle, accept); m.Error == nil {
				t.Error("the opener's session answered the popup's dialog")
			}
			c.ok(p, handle, accept)
			if d := b.OpenDialogs(); c.value(held) != "1" || len(d) != 1 || d[0].Message != "in opener" {
				t.Errorf("opener gave %q, open %+v", c.value(held), d)
			}
			c.ok(s, handle, accept)
			c.evalID(s, "p.confirm('by the opener')")
			c.ok(p, handle, accept)
		},
		"popup.page-session-is-blind": func(t *testing.T) {
			b, c := start(t, nil)
			c.setup(true)
			_, s := c.page("http://a.test/plain", true)
			c.mark()
			c.open(s, "open('/plain?p');1")
			for _, l := range c.since() {
				if strings.Contains(l, "attachedToTarget") {
					t.Errorf("got %s", l)
				}
			}
			if c.count(s, "Page.windowOpen") != 1 || len(b.PageIDs()) != 3 {
				t.Error("no windowOpen, or no page")
			}
		},
	}
}
