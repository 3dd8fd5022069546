package fakebrowser

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func lateDialogRules() map[string]func(*testing.T) {
	return map[string]func(*testing.T){
		"dialog.navigation-cancels": func(t *testing.T) {
			_, c := start(t, nil)
			_, s := c.page("http://a.test/plain", true)
			for _, url := range []string{"http://a.test/plain?2", "http://b.test/plain", "http://b.test/plain#h", "http://b.test/204", "about:blank"} {
				c.evalID(s, "confirm('q')")
				c.mark()
				c.send(s, "Page.navigate", fmt.Sprintf(`{"url":%q}`, url))
				if got := c.since(); len(got) < 4 || got[2] != "S1 javascriptDialogClosed F1 false" {
					t.Errorf("%s: %v", url, got)
				}
			}
			c.evalID(s, "confirm('q')")
			c.mark()
			c.send(s, "Page.navigate", `{"url":"garbage"}`)
			c.send(s, "Page.stopLoading", "")
			if c.count(s, "Page.javascriptDialogClosed") != 5 {
				t.Error("a navigation that never began closed the dialog")
			}
			c.ok(s, handle, accept)
		},
		"dialog.reload-order": func(t *testing.T) {
			_, c := start(t, nil)
			_, s := c.page("http://a.test/plain", true)
			c.evalID(s, "alert('q');5")
			c.mark()
			c.send(s, "Page.reload", "")
			if got := c.since(); strings.Join(got[:5], "; ") != "S1 frameStartedNavigating F1; S1 frameStartedLoading F1; S1 reply Page.reload; S1 javascriptDialogClosed F1 false; S1 reply Runtime.evaluate" {
				t.Errorf("got %v", got)
			}
		},
		"dialog.close-order": func(t *testing.T) {
			_, c := start(t, nil)
			target, s := c.page("http://a.test/plain", true)
			c.evalID(s, "alert('q');5")
			c.mark()
			c.send("", "Target.closeTarget", fmt.Sprintf(`{"targetId":%q}`, target))
			c.expect("S1 javascriptDialogClosed F1 false\nS1 Inspector.detached Render process gone.\nB detachedFromTarget S1 F1\nB reply Target.closeTarget")
		},
		"dialog.inline-after-commit": func(t *testing.T) {
			_, c := start(t, map[string]string{"http://a.test/al": "<script>alert('in')</script>"})
			_, s := c.page("", true)
			c.mark()
			c.send(s, "Page.navigate", `{"url":"http://a.test/al"}`)
			c.expect(`
				S1 frameStartedNavigating F1
				S1 frameStartedLoading F1
				S1 reply Page.navigate
				S1 executionContextsCleared
				S1 executionContextsCleared
				S1 frameNavigated F1 http://a.test/al
				S1 executionContextCreated 2 F1
				S1 javascriptDialogOpening F1 alert in`)
		},
		"dialog.backend-closes": func(t *testing.T) {
			b, c := start(t, nil)
			_, s := c.page("http://a.test/plain", true)
			b.SetAutoDismiss(&AutoDismiss{After: 15 * time.Millisecond})
			id := c.evalID(s, "confirm('q')")
			b.Advance(14 * time.Millisecond)
			c.pump()
			if c.value(id) != "" {
				t.Error("closed too early")
			}
			b.Advance(time.Millisecond)
			c.pump()
			if v := c.value(id); v != "false" {
				t.Errorf("confirm gave %q", v)
			}
			if m := c.call(s, handle, accept); m.Error == nil {
				t.Errorf("got %s", m.raw)
			}
		},
		"dialog.holds-subframe-commits": func(t *testing.T) {
			b, c, target, s, in := openFrames(t)
			c.evalID(in("other"), "alert('q')")
			c.eval(s, "third.src='http://d.test/plain?new'; var n=document.createElement('iframe'); n.src='http://e.test/plain?born'; document.body.append(n)")
			for _, f := range b.Frames(target) {
				if strings.HasSuffix(f.URL, "?new") || strings.HasSuffix(f.URL, "?born") {
					t.Errorf("%s was committed", f.URL)
				}
			}
			c.ok(s, handle, accept)
			n := 0
			for _, f := range b.Frames(target) {
				if strings.HasSuffix(f.URL, "?new") || strings.HasSuffix(f.URL, "?born") {
					n++
				}
			}
			if n != 2 {
				t.Errorf("%d of 2 frames were committed", n)
			}
		},
	}
}
