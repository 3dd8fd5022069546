package fakebrowser

import (
	"strings"
	"testing"
)

func tabRules() map[string]func(*testing.T) {
	return map[string]func(*testing.T){
		"tab.crash": func(t *testing.T) {
			_, c := start(t, map[string]string{"http://a.test/top": `<iframe src="http://b.test/plain"></iframe><iframe src="/plain"></iframe>`})
			c.setup(true)
			c.ok("", "Target.setDiscoverTargets", `{"discover":true,"filter":[{"type":"page"}]}`)
			_, s := c.page("http://a.test/top", true)
			c.mark()
			c.send(s, "Page.crash", "")
			c.expect("S1 frameDetached F3 remove\nS1 detachedFromTarget S2 F3\nS1 Inspector.targetCrashed\nB targetCrashed F2")
			var pending []int64
			for _, m := range []string{"Runtime.evaluate", "Page.enable", "Page.getFrameTree"} {
				pending = append(pending, c.send(s, m, `{"expression":"1"}`))
			}
			c.ok(s, "Page.getNavigationHistory", "")
			c.ok(s, "Target.getTargetInfo", "")
			for _, id := range pending {
				if m, ok := c.reply(id); ok {
					t.Errorf("got %s", m.raw)
				}
			}
			c.mark()
			c.send(s, "Page.reload", "")
			got := c.since()
			want := "S1 error Page.crash -32000 Target crashed; S1 error Runtime.evaluate -32000 Target crashed; S1 error Page.enable -32000 Target crashed; " +
				"S1 error Page.getFrameTree -32000 Target crashed; S1 Inspector.targetReloadedAfterCrash; S1 frameStartedNavigating F2; S1 frameStartedLoading F2; S1 reply Page.reload; " +
				"S1 executionContextsCleared; S1 executionContextCreated 1 F2; S1 executionContextsCleared; S1 frameNavigated F2 http://a.test/top Navigation"
			if strings.Join(got[:12], "; ") != want {
				t.Errorf("got %s", strings.Join(got[:12], "\n"))
			}
			c.want(s, "document.title+1", `"1"`)
			c.complete(c.b.PageIDs()[1], s)
		},
		"tab.frame-crash": func(t *testing.T) {
			_, c := start(t, map[string]string{"http://a.test/top": `<iframe id=f src="http://b.test/plain"></iframe>`})
			c.setup(true)
			_, s := c.page("http://a.test/top", true)
			f := c.session("iframe")
			c.mark()
			c.send(f, "Page.crash", "")
			c.expect("S2 Inspector.targetCrashed")
			pending := c.evalID(f, "1")
			c.want(s, "1", "1")
			c.eval(s, "f.src='http://b.test/plain?2'")
			if v := c.value(pending); v != "error Target crashed" {
				t.Errorf("got %q", v)
			}
			if c.count(f, "Inspector.targetReloadedAfterCrash") != 1 {
				t.Error("no revival")
			}
			c.want(f, "location.search", `"?2"`)
		},
		"tab.closed": func(t *testing.T) {
			_, c := start(t, nil)
			target, _ := c.page("http://a.test/plain", true)
			c.mark()
			c.send("", "Target.closeTarget", targetID(target))
			c.expect("B reply Target.closeTarget\nS1 Inspector.detached Render process gone.\nB detachedFromTarget S1 F1")
		},
	}
}
