package fakebrowser

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func lateDialogRules() map[string]func(*testing.T) {
	return map[string]func(*testing.T){
		"dialog.two-clients": func(t *testing.T) {
			b, c := start(t, nil)
			target, s := c.page("http://a.test/plain", true)
			c2 := newClient(t, b)
			c2.ok("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, target))
			s2 := c2.session(target)
			c2.ok(s2, "Page.enable", "")
			c.evalID(s, "confirm('q')")
			c2.pump()
			c2.ok(s2, handle, accept)
			c.pump()
			if m := c.call(s, handle, accept); m.Error == nil || m.Error.Message != "No dialog is showing" {
				t.Errorf("got %s", m.raw)
			}
			for _, x := range []*client{c, c2} {
				if x.count("*", "Page.javascriptDialogOpening") != 1 || x.count("*", "Page.javascriptDialogClosed") != 1 {
					t.Error("a client did not hear of the dialog")
				}
			}
			c.evalID(s, "confirm('again')")
			if err := c2.tr.Close(); err != nil {
				t.Fatal(err)
			}
			c.ok(s, handle, accept)
		},
		"dialog.needs-page-enable": func(t *testing.T) {
			_, c := start(t, nil)
			target, s := c.page("http://a.test/plain", true)
			c.ok("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, target))
			s2 := c.session(target)
			c.evalID(s, "confirm('q')")
			if m := c.call(s2, handle, accept); m.Error == nil || m.Error.Message != "No dialog is showing" {
				t.Errorf("got %s", m.raw)
			}
			c.ok(s, handle, accept)
		},
		"dialog.orphan": func(t *testing.T) {
			for _, way := range []string{"disable", "detach", "disconnect"} {
				b, c := start(t, nil)
				target, s := c.page("http://a.test/plain", true)
				c.evalID(s, "confirm('q')")
				switch way {
				case "disable":
					c.send(s, "Page.disable", "")
				case "detach":
					c.ok("", "Target.detachFromTarget", fmt.Sprintf(`{"sessionId":%q}`, s))
				case "disconnect":
					_ = c.tr.Close()
				}
				c2 := newClient(t, b)
				c2.ok("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, target))
				s2 := c2.session(target)
				ids := []int64{}
				for _, m := range []string{"Page.enable", "Runtime.enable", "Page.getFrameTree"} {
					ids = append(ids, c2.send(s2, m, ""))
				}
				c2.ok(s2, "Fetch.enable", `{"patterns":[{"urlPattern":"x"}]}`)
				if m := c2.call(s2, handle, accept); m.Error == nil || m.Error.Message != "No dialog is showing" {
					t.Errorf("%s: got %s", way, m.raw)
				}
				for _, id := range ids {
					if m, ok := c2.reply(id); ok {
						t.Errorf("%s: answered %s", way, m.raw)
					}
				}
				if c2.count(s2, "Page.javascriptDialogOpening") != 0 {
					t.Errorf("%s: the opening was replayed", way)
				}
				c2.ok(s2, "Page.navigate", `{"url":"http://a.test/plain?2"}`)
				for _, id := range ids {
					if m, ok := c2.reply(id); !ok || m.Error != nil {
						t.Errorf("%s: %s", way, m.raw)
					}
				}
				if c2.count(s2, "Page.javascriptDialogClosed") != 1 {
					t.Errorf("%s: the end was not told", way)
				}
			}
		},
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
		"dialog.cross-origin-flag": func(t *testing.T) {
			_, c, _, s, in := openFrames(t, func(o *Options) { o.BlockCrossOriginDialogs = true })
			c.want(in("other"), "confirm('q')", "false")
			if m := c.call(s, handle, accept); m.Error == nil {
				t.Errorf("got %s", m.raw)
			}
			if c.count(s, "Page.javascriptDialogOpening") != 0 || c.count(s, "Page.javascriptDialogClosed") != 1 {
				t.Error("not the end alone was told")
			}
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
