package fakebrowser

import (
	"fmt"
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
		"bfcache.not-for": func(t *testing.T) {
			for name, prepare := range map[string]func(c *client, s string){
				"unload handler": func(c *client, s string) { c.eval(s, "addEventListener('unload',()=>{})") },
				"popups": func(c *client, s string) {
					c.send(s, "Runtime.evaluate", `{"expression":"open('/plain');1","userGesture":true}`)
				},
			} {
				_, c := start(t, cachePages())
				c.setup(true)
				_, s := c.page("http://a.test/two", true)
				prepare(c, s)
				c.eval(s, "window.kept=5")
				c.ok(s, "Page.navigate", `{"url":"http://b.test/plain"}`)
				c.eval(s, "history.back()")
				c.want(s, "[location.pathname,typeof kept]", `["/two","undefined"]`)
				if c.count(s, "Page.frameNavigated") == 0 || strings.Contains(c.all[len(c.all)-1].raw, "Restore") {
					t.Errorf("%s: restored", name)
				}
			}
		},
		"history.entries": func(t *testing.T) {
			_, c := start(t, nil)
			_, s := c.page("http://a.test/plain", true)
			c.ok(s, "Page.navigate", `{"url":"http://a.test/plain?2"}`)
			var h struct {
				Current int `json:"currentIndex"`
				Entries []struct {
					ID  int    `json:"id"`
					URL string `json:"url"`
				} `json:"entries"`
			}
			c.decode(c.ok(s, "Page.getNavigationHistory", ""), &h)
			if h.Current != 2 || len(h.Entries) != 3 || h.Entries[0].URL != "about:blank" || h.Entries[2].URL != "http://a.test/plain?2" {
				t.Errorf("%+v", h)
			}
			c.ok(s, "Page.navigateToHistoryEntry", fmt.Sprintf(`{"entryId":%d}`, h.Entries[1].ID))
			c.want(s, "location.href", `"http://a.test/plain"`)
			// An entry keeps its title when the cache gives up its document.
			c.eval(s, "document.title='kept'")
			for i := range maxCachedPages + 1 {
				c.ok(s, "Page.navigate", fmt.Sprintf(`{"url":"http://a.test/plain?more%d"}`, i))
			}
			if m := c.ok(s, "Page.getNavigationHistory", ""); !strings.Contains(m.raw, `"title":"kept"`) {
				t.Errorf("got %s", m.raw)
			}
			if m := c.call(s, "Page.navigateToHistoryEntry", `{"entryId":9999}`); m.Error == nil || m.Error.Message != "No entry with passed id" {
				t.Errorf("got %s", m.raw)
			}
		},
	}
}
