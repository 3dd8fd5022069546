package fakebrowser

import (
	"strings"
	"testing"
)

const (
	accept  = `{"accept":true}`
	dismiss = `{"accept":false}`
	handle  = "Page.handleJavaScriptDialog"
)

// framesPage has one frame of each kind, with ids to find them by.
func framesPage() map[string]string {
	return map[string]string{"http://a.test/top": `<title>top</title>
		<iframe id=same src="/plain?same"></iframe><iframe id=other src="http://b.test/plain?other"></iframe>
		<iframe id=third src="http://c.test/plain?third"></iframe>
		<iframe id=boxed sandbox="allow-scripts" src="/plain?boxed"></iframe>
		<iframe id=modal sandbox="allow-scripts allow-modals" src="/plain?modal"></iframe>
		<iframe id=doc srcdoc="hi"></iframe>`}
}

// openFrames loads framesPage and returns the page's session and those of its
// frames by the id in their URL.
func openFrames(t *testing.T, change ...func(*Options)) (b *Browser, c *client, target, s string, in func(string) string) {
	t.Helper()
	b, c = start(t, framesPage(), change...)
	c.setup(true)
	target, s = c.page("http://a.test/top", true)
	byURL := map[string]string{}
	for _, m := range c.all {
		if m.Method == "Page.frameNavigated" && m.Session != s {
			var p struct {
				Frame struct {
					URL string `json:"url"`
				} `json:"frame"`
			}
			c.decode(m, &p)
			byURL[p.Frame.URL] = m.Session
		}
	}
	c.mark()
	return b, c, target, s, func(key string) string {
		for u, id := range byURL {
			if strings.HasSuffix(u, "?"+key) {
				return id
			}
		}
		t.Fatalf("no session for %s", key)
		return ""
	}
}

func dialogRules() map[string]func(*testing.T) {
	return map[string]func(*testing.T){
		"dialog.order": func(t *testing.T) {
			_, c := start(t, nil)
			_, s := c.page("http://a.test/plain", true)
			c.mark()
			c.evalID(s, "setTimeout(()=>{window.r=confirm('q')},0);1")
			c.send(s, handle, accept)
			c.expect(`
				S1 reply Runtime.evaluate
				S1 javascriptDialogOpening F1 confirm q
				S1 javascriptDialogClosed F1 true
				S1 reply Page.handleJavaScriptDialog`)
			c.want(s, "window.r", "true")
		},
		"dialog.message-cut": func(t *testing.T) {
			b, c := start(t, nil)
			_, s := c.page("http://a.test/plain", true)
			c.evalID(s, "alert('x'.repeat(20000))")
			if n := len(b.OpenDialogs()[0].Message); n != 10240 {
				t.Errorf("message of %d characters", n)
			}
			c.send(s, handle, accept)
			c.evalID(s, `alert('a\r\nb\0c')`)
			if m := b.OpenDialogs()[0].Message; m != "a\nb\x00c" {
				t.Errorf("message %q", m)
			}
			c.send(s, handle, accept)
		},
		"dialog.page-session-only": func(t *testing.T) {
			_, c, _, s, in := openFrames(t)
			for _, k := range []string{"other", "modal"} {
				f := in(k)
				c.mark()
				id := c.evalID(f, "confirm('from frame')")
				got := c.since()
				if len(got) != 1 || !strings.Contains(got[0], "javascriptDialogOpening") || c.all[c.seen].Session != s {
					t.Errorf("%s: %v", k, got)
				}
				if m := c.call(f, handle, accept); m.Error == nil || m.Error.Message != "Command can only be executed on top-level targets" {
					t.Errorf("%s: %s", k, m.raw)
				}
				c.ok(s, handle, accept)
				if v := c.value(id); v != "true" {
					t.Errorf("%s: confirm gave %s", k, v)
				}
			}
			c.mark()
			c.evalID(s, "same.contentWindow.r=same.contentWindow.confirm('same')")
			c.send(s, handle, accept)
			c.evalID(s, "doc.contentWindow.eval(\"r=confirm('srcdoc')\")")
			c.send(s, handle, dismiss)
			c.want(s, "[same.contentWindow.r,doc.contentWindow.r]", "[true,false]")
		},
		"dialog.beforeunload": func(t *testing.T) {
			_, c := start(t, nil)
			_, s := c.page("http://a.test/plain", true)
			c.send(s, "Runtime.evaluate", `{"expression":"addEventListener('beforeunload',e=>e.preventDefault());1","userGesture":true}`)
			c.mark()
			nav := c.send(s, "Page.navigate", `{"url":"http://a.test/plain?2"}`)
			c.expect("S1 frameStartedNavigating F1\nS1 frameStartedLoading F1\nS1 javascriptDialogOpening F1 beforeunload")
			c.send(s, handle, dismiss)
			c.expect("S1 reply Page.navigate\nS1 frameStoppedLoading F1\nS1 javascriptDialogClosed F1 false\nS1 reply Page.handleJavaScriptDialog")
			if m, _ := c.reply(nav); !strings.Contains(m.raw, "net::ERR_ABORTED") {
				t.Errorf("got %s", m.raw)
			}
			c.want(s, "location.href", `"http://a.test/plain"`)
			c.mark()
			c.send(s, "Page.navigate", `{"url":"http://a.test/plain?3"}`)
			c.send(s, handle, accept)
			c.expect(`
				S1 frameStartedNavigating F1
				S1 frameStartedLoading F1
				S1 javascriptDialogOpening F1 beforeunload
				S1 javascriptDialogClosed F1 true
				S1 reply Page.handleJavaScriptDialog
				S1 reply Page.navigate
				S1 executionContextsCleared
				S1 executionContextsCleared
				S1 frameNavigated F1 http://a.test/plain?3 Navigation
				S1 executionContextCreated 3 F1
				S1 domContentEventFired
				S1 loadEventFired
				S1 frameStoppedLoading F1`)
			c.send(s, "Runtime.evaluate", `{"expression":"onbeforeunload=()=>'x';1","userGesture":true}`)
			c.mark()
			c.evalID(s, "location.href='/plain?4'")
			c.send(s, handle, dismiss)
			c.expect(`
				S1 frameScheduledNavigation F1
				S1 frameRequestedNavigation F1
				S1 javascriptDialogOpening F1 beforeunload
				S1 javascriptDialogClosed F1 false
				S1 reply Page.handleJavaScriptDialog
				S1 frameClearedScheduledNavigation F1
				S1 reply Runtime.evaluate`)
		},
		"dialog.page-close-asks": func(t *testing.T) {
			b, c := start(t, nil)
			target, s := c.page("http://a.test/plain", true)
			c.send(s, "Runtime.evaluate", `{"expression":"addEventListener('beforeunload',e=>e.preventDefault());1","userGesture":true}`)
			c.mark()
			c.send(s, "Page.close", "")
			c.expect("S1 reply Page.close\nS1 javascriptDialogOpening F1 beforeunload")
			c.send(s, handle, dismiss)
			c.want(s, "1", "1")
			c.send(s, "Page.close", "")
			c.send(s, handle, accept)
			if ids := b.PageIDs(); len(ids) != 1 || ids[0] == target {
				t.Errorf("pages %v", ids)
			}
		},
		"dialog.storm": func(t *testing.T) {
			_, c := start(t, nil)
			_, s := c.page("http://a.test/plain", true)
			c.mark()
			c.evalID(s, "for (let i=0;i<3;i++) alert(i); 'done'")
			for range 3 {
				c.send(s, handle, accept)
			}
			c.expect(`
				S1 javascriptDialogOpening F1 alert 0
				S1 javascriptDialogClosed F1 true
				S1 reply Page.handleJavaScriptDialog
				S1 javascriptDialogOpening F1 alert 1
				S1 javascriptDialogClosed F1 true
				S1 reply Page.handleJavaScriptDialog
				S1 javascriptDialogOpening F1 alert 2
				S1 javascriptDialogClosed F1 true
				S1 reply Page.handleJavaScriptDialog
				S1 reply Runtime.evaluate`)
		},
		"dialog.two-in-a-tab": func(t *testing.T) {
			b, c, _, s, in := openFrames(t)
			other, third := in("other"), in("third")
			first := c.evalID(third, "confirm('one')")
			stuck := c.evalID(other, "confirm('two')")
			var seen []string
			for _, m := range c.all[c.seen:] {
				if m.Session == s {
					seen = append(seen, m.Method)
				}
			}
			if want := "Page.javascriptDialogOpening Page.javascriptDialogOpening Page.javascriptDialogClosed"; strings.Join(seen, " ") != want {
				t.Errorf("got %v", seen)
			}
			if v := c.value(first); v != "false" {
				t.Errorf("the first confirm gave %q", v)
			}
			if m := c.call(s, handle, accept); m.Error == nil || m.Error.Message != "No dialog is showing" {
				t.Errorf("got %s", m.raw)
			}
			if v := c.value(stuck); v != "" {
				t.Errorf("the second confirm gave %q", v)
			}
			if d := b.OpenDialogs(); len(d) != 1 || d[0].Answerable || d[0].Message != "two" {
				t.Errorf("open: %+v", d)
			}
		},
		"dialog.third-frees-second": func(t *testing.T) {
			b, c, _, s, in := openFrames(t)
			c.evalID(in("third"), "confirm('one')")
			stuck := c.evalID(in("other"), "confirm('two')")
			c.evalID(s, "confirm('three')")
			if v := c.value(stuck); v != "false" {
				t.Errorf("the second confirm gave %q", v)
			}
			if d := b.OpenDialogs(); len(d) != 1 || d[0].Message != "three" || d[0].Answerable {
				t.Errorf("open: %+v", d)
			}
		},
		"dialog.wedge-ends-by-navigation": func(t *testing.T) {
			for _, way := range []string{"Page.reload", "Page.navigate"} {
				b, c, _, s, in := openFrames(t)
				c.evalID(in("third"), "confirm('one')")
				c.evalID(in("other"), "confirm('two')")
				c.send(s, way, `{"url":"http://a.test/plain"}`)
				if n := len(b.OpenDialogs()); n != 0 || b.Crashed() != nil {
					t.Errorf("%s: %d dialogs, %v", way, n, b.Crashed())
				}
				if c.count(s, "Page.javascriptDialogClosed") != 2 {
					t.Errorf("%s: the end of the second dialog was not told", way)
				}
				c.want(s, "1+1", "2")
			}
		},
	}
}
