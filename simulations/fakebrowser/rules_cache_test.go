package fakebrowser

import (
	"strings"
	"testing"
)

func cachePages() map[string]string {
	return map[string]string{
		"http://a.test/two": `<title>two</title><iframe src="/plain?same"></iframe><iframe src="http://c.test/plain?oop"></iframe>`,
	}
}

func cacheRules() map[string]func(*testing.T) {
	return map[string]func(*testing.T){
		"bfcache.restore": func(t *testing.T) {
			b, c := start(t, cachePages())
			c.setup(true)
			target, s := c.page("http://a.test/two", true)
			c.eval(s, "window.kept=5")
			before := b.Frames(target)
			c.ok(s, "Page.navigate", `{"url":"http://b.test/plain"}`)
			if n := c.count(s, "Page.frameDetached"); n != 1 {
				t.Errorf("%d frames were detached", n) // the swap
			}
			c.mark()
			c.eval(s, "history.back()")
			c.expect(`
				S1 frameStartedNavigating F1
				S1 frameStartedLoading F1
				S1 reply Runtime.evaluate
				S1 attachedToTarget S3 F3 url=http://c.test/plain?oop wait=false
				S1 frameStoppedLoading F1
				S1 executionContextsCleared
				S1 executionContextCreated 3 F2
				S1 executionContextCreated 2 F1
				S1 frameNavigated F1 http://a.test/two BackForwardCacheRestore
				S3 reply Page.enable
				S3 executionContextCreated 1 F3
				S3 reply Runtime.enable
				S3 reply Target.setAutoAttach`)
			c.want(s, "kept", "5")
			for i, f := range b.Frames(target) {
				if f != before[i] {
					t.Errorf("frame %+v came back as %+v", before[i], f)
				}
			}
			c.complete(target, s)
			c.mark()
			c.eval(s, "history.forward()")
			if got := strings.Join(c.since()[2:5], "; "); got != "S1 reply Runtime.evaluate; S1 detachedFromTarget S3 F3; S1 frameStoppedLoading F1" {
				t.Errorf("got %s", got)
			}
		},
		"bfcache.eviction": func(t *testing.T) {
			_, c := start(t, cachePages())
			c.setup(true)
			target, s := c.page("http://a.test/two", true)
			c.ok(s, "Page.navigate", `{"url":"http://b.test/plain"}`)
			c.mark()
			c.send("", "Target.closeTarget", targetID(target))
			if got := c.since(); got[0] != "B reply Target.closeTarget" || got[1] != "S1 frameDetached F3 remove" {
				t.Errorf("got %v", got)
			}
		},
	}
}
