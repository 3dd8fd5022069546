package fakebrowser

import (
	"strings"
	"testing"
)

func swapRules() map[string]func(*testing.T) {
	return map[string]func(*testing.T){
		"swap.local-to-remote": func(t *testing.T) {
			_, c := start(t, map[string]string{"http://a.test/top": `<iframe id=f src="/plain"></iframe>`})
			c.setup(true)
			_, s := c.page("http://a.test/top", true)
			c.mark()
			c.eval(s, "f.src='http://b.test/plain?r'")
			c.expect(`
				S1 frameScheduledNavigation F2 scriptInitiated
				S1 frameRequestedNavigation F2 scriptInitiated
				S1 frameStartedNavigating F2
				S1 frameStartedLoading F2
				S1 frameClearedScheduledNavigation F2
				S1 reply Runtime.evaluate
				S1 attachedToTarget S2 F2 url= wait=true
				S2 reply Page.enable
				S2 reply Runtime.enable
				S2 reply Target.setAutoAttach
				S2 executionContextsCleared
				S2 frameNavigated F2 http://b.test/plain?r Navigation
				S1 targetInfoChanged F2 url=http://b.test/plain?r attached=true
				S2 executionContextCreated 1 F2
				S1 frameDetached F2 swap
				S1 executionContextDestroyed
				S2 reply Runtime.runIfWaitingForDebugger
				S2 domContentEventFired
				S2 loadEventFired
				S2 frameStoppedLoading F2`)
		},
		"swap.remote-to-local": func(t *testing.T) {
			_, c := start(t, map[string]string{"http://a.test/top": `<iframe id=f src="http://b.test/plain"></iframe>`})
			c.setup(true)
			_, s := c.page("http://a.test/top", true)
			c.mark()
			c.eval(s, "f.src='/plain?home'")
			c.expect(`
				S1 frameRequestedNavigation F2 scriptInitiated
				S2 frameStartedNavigating F2
				S2 frameStartedLoading F2
				S1 reply Runtime.evaluate
				S1 detachedFromTarget S2 F2
				S1 frameAttached F2
				S1 frameNavigated F2 http://a.test/plain?home Navigation
				S1 executionContextCreated 3 F2
				S1 frameStoppedLoading F2`)
		},
		"swap.remote-to-remote": func(t *testing.T) {
			_, c := start(t, map[string]string{"http://a.test/top": `<iframe id=f src="http://b.test/plain"></iframe>`})
			c.setup(true)
			_, s := c.page("http://a.test/top", true)
			c.mark()
			c.eval(s, "f.src='http://c.test/plain'")
			c.expect(`
				S1 frameRequestedNavigation F2 scriptInitiated
				S2 frameStartedNavigating F2
				S2 frameStartedLoading F2
				S1 reply Runtime.evaluate
				S2 executionContextsCleared
				S2 executionContextsCleared
				S2 frameNavigated F2 http://c.test/plain Navigation
				S1 targetInfoChanged F2 url=http://c.test/plain attached=true
				S2 executionContextCreated 1 F2
				S2 domContentEventFired
				S2 loadEventFired
				S2 frameStoppedLoading F2`)
		},
		"frame.removal": func(t *testing.T) {
			b, c := start(t, nestedPages())
			c.setup(true)
			target, s := c.page("http://a.test/n1", true)
			c.mark()
			c.eval(s, "a.remove()")
			c.expect(`
				S1 frameSubtreeWillBeDetached F3
				S1 frameDetached F4 remove
				S1 detachedFromTarget S3 F4
				S1 frameDetached F3 remove
				S1 executionContextDestroyed
				S1 reply Runtime.evaluate`)
			c.eval(s, "b.remove()")
			c.expect(`
				S1 frameSubtreeWillBeDetached F2
				S4 frameDetached F7 remove
				S4 detachedFromTarget S5 F7
				S2 frameDetached F6 remove
				S2 detachedFromTarget S4 F6
				S1 frameDetached F2 remove
				S1 detachedFromTarget S2 F2
				S1 reply Runtime.evaluate`)
			if f := b.Frames(target); len(f) != 1 {
				t.Errorf("%+v", f)
			}
		},
		"frame.navigation-drops-children": func(t *testing.T) {
			_, c := start(t, nestedPages())
			c.setup(true)
			_, s := c.page("http://a.test/n1", true)
			live := c.attached(s)
			c.mark()
			c.ok(s, "Page.navigate", `{"url":"http://a.test/plain"}`)
			c.expect(`
				S1 frameStartedNavigating F1
				S1 frameStartedLoading F1
				S1 reply Page.navigate
				S1 detachedFromTarget S2 F2
				S1 detachedFromTarget S3 F4
				S1 executionContextsCleared
				S1 executionContextsCleared
				S1 frameNavigated F1 http://a.test/plain Navigation
				S1 executionContextCreated 4 F1
				S1 domContentEventFired
				S1 loadEventFired
				S1 frameStoppedLoading F1`)
			for _, f := range live {
				if m := c.call(f, "Page.getFrameTree", ""); m.Error == nil || m.Error.Code != -32001 || m.Session != "" {
					t.Errorf("got %s", m.raw)
				}
			}
		},
		"frame.reload-removes-children": func(t *testing.T) {
			_, c := start(t, map[string]string{"http://a.test/top": `<iframe src="http://b.test/plain"></iframe><iframe src="/plain"></iframe>`})
			c.setup(true)
			_, s := c.page("http://a.test/top", true)
			c.mark()
			c.send(s, "Page.reload", "")
			if got := strings.Join(c.since()[:8], "; "); got != "S1 frameStartedNavigating F1; S1 frameStartedLoading F1; S1 reply Page.reload; S1 detachedFromTarget S2 F2; "+
				"S1 executionContextsCleared; S1 frameDetached F2 remove; S1 executionContextsCleared; S1 frameNavigated F1 http://a.test/top Navigation" {
				t.Errorf("got %s", got)
			}
		},
		"frame.blank-at-once": func(t *testing.T) {
			_, c := start(t, nil)
			_, s := c.page("http://a.test/plain", true)
			c.mark()
			c.eval(s, "var f=document.createElement('iframe');document.body.append(f);f.contentWindow.x=1;f.contentDocument.URL")
			c.expect(`
				S1 frameAttached F2
				S1 frameRequestedNavigation F2 initialFrameNavigation
				S1 frameNavigated F2 about:blank Navigation
				S1 frameStartedLoading F2
				S1 executionContextCreated 3 F2
				S1 frameStoppedLoading F2
				S1 reply Runtime.evaluate`)
			c.want(s, "f.contentWindow.x", "1")
		},
		"frame.same-document": func(t *testing.T) {
			_, c := start(t, nil)
			_, s := c.page("http://a.test/plain", true)
			c.mark()
			c.eval(s, "location.hash='x'")
			c.eval(s, "history.pushState({},'','/pushed')")
			c.send(s, "Page.navigate", `{"url":"http://a.test/pushed#z"}`)
			c.eval(s, "history.back()")
			c.expect(`
				S1 frameScheduledNavigation F1 scriptInitiated
				S1 frameStartedLoading F1
				S1 navigatedWithinDocument F1 http://a.test/plain#x
				S1 frameStoppedLoading F1
				S1 frameClearedScheduledNavigation F1
				S1 reply Runtime.evaluate
				S1 frameStartedLoading F1
				S1 navigatedWithinDocument F1 http://a.test/pushed
				S1 frameStoppedLoading F1
				S1 reply Runtime.evaluate
				S1 frameStartedNavigating F1
				S1 frameStartedLoading F1
				S1 reply Page.navigate
				S1 navigatedWithinDocument F1 http://a.test/pushed#z
				S1 frameStoppedLoading F1
				S1 frameStartedNavigating F1
				S1 frameStartedLoading F1
				S1 reply Runtime.evaluate
				S1 navigatedWithinDocument F1 http://a.test/pushed
				S1 frameStoppedLoading F1`)
		},
		"frame.origins": func(t *testing.T) {
			b, c := start(t, map[string]string{"http://a.test/top": `<iframe srcdoc=x></iframe><iframe></iframe><iframe src="data:text/html,x"></iframe><iframe sandbox></iframe>`})
			target, s := c.page("http://a.test/top", true)
			var got []string
			for _, f := range b.Frames(target) {
				got = append(got, f.Origin)
			}
			if want := "http://a.test http://a.test http://a.test null null"; strings.Join(got, " ") != want {
				t.Errorf("got %v", got)
			}
			if m := c.ok(s, "Page.getFrameTree", ""); strings.Count(m.raw, `"securityOrigin":"://"`) != 4 {
				t.Errorf("got %s", m.raw)
			}
		},
	}
}
