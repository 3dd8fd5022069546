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
		"targets.browser-ui": func(t *testing.T) {
			_, c := start(t, nil)
			if m := c.ok("", "Target.getTargets", ""); strings.Count(m.raw, `"browser_ui"`) != 2 {
				t.Errorf("got %s", m.raw)
			}
			c.ok("", "Target.setAutoAttach", `{"autoAttach":true,"flatten":true,"waitForDebuggerOnStart":false}`)
			if n := c.count("", "Target.attachedToTarget"); n != 3 {
				t.Errorf("%d attached without a filter", n)
			}
			if m := c.ok("", "Target.getTargets", `{"filter":[{"type":"page"}]}`); strings.Contains(m.raw, "browser_ui") {
				t.Errorf("got %s", m.raw)
			}
		},
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
		"targets.root-flatten-only": func(t *testing.T) {
			_, c := start(t, nil)
			m := c.call("", "Target.setAutoAttach", `{"autoAttach":true,"flatten":false,"waitForDebuggerOnStart":false}`)
			if m.Error == nil || m.Error.Message != "Only flatten protocol is supported with browser level auto-attach" {
				t.Errorf("got %s", m.raw)
			}
		},
		"targets.created-is-not-held": func(t *testing.T) {
			b, c := start(t, map[string]string{"http://a.test/al": "<script>alert('inline')</script>"})
			c.ok("", "Target.setAutoAttach", autoPages)
			c.ok("", "Target.createTarget", `{"url":"http://a.test/al","background":true}`)
			if m := c.all[len(c.all)-2]; !strings.Contains(m.raw, `"waitingForDebugger":true`) {
				t.Errorf("got %s", m.raw)
			}
			if d := b.OpenDialogs(); len(d) != 1 || d[0].Answerable {
				t.Errorf("open: %+v", d)
			}
		},
		"targets.created-holds-next": func(t *testing.T) {
			_, c := start(t, nil)
			c.ok("", "Target.setAutoAttach", autoPages)
			c.ok("", "Target.createTarget", `{"url":"http://a.test/plain?1","background":true}`)
			s := c.session("plain?1")
			c.want(s, "location.search", `"?1"`)
			nav := c.send(s, "Page.navigate", `{"url":"http://a.test/plain?2"}`)
			if _, ok := c.reply(nav); ok {
				t.Error("navigated without a resume")
			}
			c.ok(s, "Runtime.runIfWaitingForDebugger", "")
			if _, ok := c.reply(nav); !ok {
				t.Error("the resume did not let it go on")
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
		"targets.unknown": func(t *testing.T) {
			_, c := start(t, nil)
			for method, params := range map[string]string{"Target.closeTarget": `{"targetId":"X"}`, "Target.attachToTarget": `{"targetId":"X","flatten":true}`, "Target.getTargetInfo": `{"targetId":"X"}`} {
				if m := c.call("", method, params); m.Error == nil || m.Error.Code != -32602 || m.Error.Message != "No target with given id found" {
					t.Errorf("%s: %s", method, m.raw)
				}
			}
		},
		"session.dead": func(t *testing.T) {
			_, c := start(t, nil)
			target, s := c.page("http://a.test/plain", true)
			pending := c.send(s, "Runtime.evaluate", `{"expression":"new Promise(()=>{})","awaitPromise":true}`)
			c.ok("", "Target.closeTarget", targetID(target))
			m := c.call(s, "Runtime.evaluate", `{"expression":"1"}`)
			if m.Error == nil || m.Error.Code != -32001 || m.Error.Message != "Session with given id not found." || m.Session != "" {
				t.Errorf("got %s", m.raw)
			}
			if m, ok := c.reply(pending); ok {
				t.Errorf("a command of a session that is gone was answered: %s", m.raw)
			}
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
		"popup.opener-held": func(t *testing.T) {
			_, c, s := popups(t, nil)
			id := c.open(s, "setTimeout(()=>{window.late=1},0);open('/plain?p');'after'")
			if v := c.value(id); v != "" {
				t.Errorf("window.open returned before the popup was resumed: %s", v)
			}
			c.want(s, "typeof late", `"undefined"`) // DevTools is served, timers are not
			p := c.session("openerId")
			c.want(p, "location.href+String(opener)", `"about:blank[object Window]"`)
			c.ok(p, "Runtime.runIfWaitingForDebugger", "")
			if v := c.value(id); v != `"after"` {
				t.Errorf("window.open gave %q", v)
			}
			c.want(s, "late", "1")
		},
		"popup.blank-at-once": func(t *testing.T) {
			b, c, s := popups(t, nil)
			id := c.open(s, "window.q=open('about:blank');q.confirm('blank')")
			p := c.session("openerId")
			c.ok(p, "Page.enable", "")
			c.ok(p, "Runtime.runIfWaitingForDebugger", "")
			if d := b.OpenDialogs(); len(d) != 1 || d[0].Message != "blank" {
				t.Errorf("%+v", d)
			}
			c.ok(p, handle, accept)
			if v := c.value(id); v != "true" {
				t.Errorf("confirm gave %q", v)
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
		"popup.noopener": func(t *testing.T) {
			_, c, s := popups(t, nil)
			id := c.open(s, "String(open('http://c.test/plain','_blank','noopener'))")
			if v := c.value(id); v != `"null"` {
				t.Errorf("open gave %q", v)
			}
			p := c.session("openerId")
			held := c.send(p, "Page.enable", "")
			if _, ok := c.reply(held); ok {
				t.Error("answered before the resume")
			}
			c.ok(p, "Runtime.runIfWaitingForDebugger", "")
			if _, ok := c.reply(held); !ok {
				t.Error("not answered after the resume")
			}
			c.want(p, "location.href+opener", `"http://c.test/plainnull"`)
		},
		"popup.blocked": func(t *testing.T) {
			b, c, s := popups(t, nil)
			c.want(s, "String(open('/plain'))", `"null"`)
			if c.count(s, "Page.windowOpen") != 1 || len(b.PageIDs()) != 1 {
				t.Error("no windowOpen, or a page")
			}
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
		"popup.detached-stays-paused": func(t *testing.T) {
			b, c, s := popups(t, nil)
			id := c.open(s, "open('/plain?p');1")
			p := c.session("openerId")
			c.ok("", "Target.detachFromTarget", fmt.Sprintf(`{"sessionId":%q}`, p))
			if v := c.value(id); v != "" {
				t.Errorf("window.open gave %q", v)
			}
			c.ok("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, b.PageIDs()[1]))
			c.ok(c.session(b.PageIDs()[1]), "Runtime.runIfWaitingForDebugger", "")
			if v := c.value(id); v != "1" {
				t.Errorf("window.open gave %q", v)
			}
		},
		"popup.window-reused": func(t *testing.T) {
			_, c, s := popups(t, nil)
			c.open(s, "window.p=open('/plain?p');p.mark=3")
			p := c.session("openerId")
			c.ok(p, "Page.enable", "")
			c.ok(p, "Runtime.enable", "")
			c.ok(p, "Page.addScriptToEvaluateOnNewDocument", `{"source":"window.runs=(window.runs||0)+1","runImmediately":true}`)
			c.ok(p, "Runtime.runIfWaitingForDebugger", "")
			c.want(p, "[location.search,mark,runs]", `["?p",3,2]`)
			if c.count(p, "Runtime.executionContextsCleared") != 0 || c.count(p, "Runtime.executionContextCreated") != 1 {
				t.Error("the context was replaced")
			}
			c.want(s, "[p.location.search,p.closed,p.opener===window]", `["?p",false,true]`)
			c.eval(s, "p.close()")
			c.want(s, "[p.closed]", "[true]")
		},
		"popup.cross-origin": func(t *testing.T) {
			_, c, s := popups(t, nil)
			c.open(s, "window.p=open('http://b.test/plain')")
			p := c.session("openerId")
			c.ok(p, "Runtime.runIfWaitingForDebugger", "")
			if v := c.eval(s, "p.confirm('x')"); !strings.HasPrefix(v, "throws SecurityError: Failed to read a named property 'confirm' from 'Window'") {
				t.Errorf("got %s", v)
			}
			c.eval(s, "addEventListener('message',e=>{window.got=[e.data.a,e.origin]})")
			c.eval(p, "opener.postMessage({a:1},'*')")
			c.want(s, "got", `[1,"http://b.test"]`)
		},
	}
}
