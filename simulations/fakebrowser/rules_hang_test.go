package fakebrowser

import (
	"fmt"
	"strings"
	"testing"
)

// rendererMethods hang while a dialog blocks the renderer, browserMethods do
// not.
func rendererMethods() map[string]string {
	return map[string]string{
		"Runtime.evaluate": `{"expression":"1"}`, "Runtime.enable": "", "Runtime.disable": "", "Page.enable": "",
		"Page.getFrameTree": "", "Page.getLayoutMetrics": "", "Page.captureScreenshot": "", "Page.printToPDF": "",
		"Page.addScriptToEvaluateOnNewDocument": `{"source":"1"}`, "Page.setBypassCSP": `{"enabled":true}`,
		"Page.setLifecycleEventsEnabled": `{"enabled":true}`, "DOM.getDocument": "", "DOM.enable": "", "CSS.enable": "",
		"Network.enable": "", "Network.setExtraHTTPHeaders": `{"headers":{}}`, "Network.setUserAgentOverride": `{"userAgent":"x"}`,
		"Log.enable": "", "Debugger.enable": "", "Performance.getMetrics": "", "Accessibility.getFullAXTree": "",
		"Emulation.setTimezoneOverride": `{"timezoneId":"UTC"}`, "Input.insertText": `{"text":"x"}`,
		"Target.setAutoAttach": `{"autoAttach":true,"flatten":true,"waitForDebuggerOnStart":false}`, "No.suchMethod": "",
	}
}

func browserSideMethods() map[string]string {
	return map[string]string{
		"Page.getNavigationHistory": "", "Page.bringToFront": "", "Page.stopLoading": "", "Network.getCookies": "",
		"Fetch.enable": `{"patterns":[{"urlPattern":"x"}]}`, "Fetch.disable": "", "Target.getTargets": "", "Target.getTargetInfo": "",
		"Browser.getVersion": "", "Storage.getCookies": "", "Schema.getDomains": "",
		"Input.dispatchMouseEvent": `{"type":"mouseMoved","x":5,"y":5}`, "Input.dispatchKeyEvent": `{"type":"keyDown","key":"a"}`,
	}
}

func hangRules() map[string]func(*testing.T) {
	return map[string]func(*testing.T){
		"hang.renderer-methods": func(t *testing.T) {
			_, c := start(t, nil)
			target, s := c.page("http://a.test/plain", true)
			c.ok("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, target))
			other := c.session(target)
			c.evalID(s, "alert('q')")
			var ids []int64
			for _, on := range []string{s, other} {
				for m, p := range rendererMethods() {
					id := c.send(on, m, p)
					if r, ok := c.reply(id); ok {
						t.Errorf("%s answered %s", m, r.raw)
					}
					ids = append(ids, id)
				}
			}
			c.ok(s, handle, accept)
			for _, id := range ids {
				if _, ok := c.reply(id); !ok {
					t.Errorf("%s was never answered", c.sent[id])
				}
			}
		},
		"hang.browser-methods": func(t *testing.T) {
			_, c := start(t, nil)
			_, s := c.page("http://a.test/plain", true)
			c.evalID(s, "alert('q')")
			for m, p := range browserSideMethods() {
				c.ok(s, m, p)
			}
			for m, p := range map[string]string{"Browser.getVersion": "", "Target.getTargets": "", "Target.createTarget": `{"url":"about:blank"}`} {
				c.ok("", m, p)
			}
			c.ok(s, handle, accept)
		},
		"hang.answered-in-order": func(t *testing.T) {
			_, c := start(t, nil)
			_, s := c.page("http://a.test/plain", true)
			c.evalID(s, "alert('q')")
			c.mark()
			for range 3 {
				c.post(s, "Runtime.evaluate", `{"expression":"1"}`)
				c.post(s, "Page.getFrameTree", "")
			}
			c.send(s, handle, accept)
			c.expect(`
				S1 javascriptDialogClosed F1 true
				S1 reply Page.handleJavaScriptDialog
				S1 reply Runtime.evaluate
				S1 reply Runtime.evaluate
				S1 reply Page.getFrameTree
				S1 reply Runtime.evaluate
				S1 reply Page.getFrameTree
				S1 reply Runtime.evaluate
				S1 reply Page.getFrameTree`)
		},
		"hang.only-its-renderer": func(t *testing.T) {
			b, c := start(t, map[string]string{"http://a.test/top": `<iframe id=b1 src="http://b.test/plain?b1"></iframe><iframe id=b2 src="http://b.test/plain?b2"></iframe>
				<iframe id=c src="http://c.test/in"></iframe>`, "http://c.test/in": `<iframe src="http://a.test/plain?deep"></iframe>`})
			c.setup(true)
			target, s := c.page("http://a.test/top", true)
			at := map[string]string{}
			for _, f := range b.Frames(target) {
				if f.OOPIF {
					at[f.URL[strings.LastIndexAny(f.URL, "?/")+1:]] = c.session(`"targetId":"` + f.ID)
				}
			}
			hangs := func(on string) bool { _, ok := c.reply(c.evalID(on, "1")); return !ok }
			c.evalID(at["b1"], "alert('b')")
			if !hangs(at["b2"]) || hangs(s) || hangs(at["in"]) || hangs(at["deep"]) {
				t.Error("a dialog of b.test blocks other frames than those of b.test")
			}
			c.ok(s, "Page.captureScreenshot", "")
			c.ok(s, handle, accept)
			c.evalID(s, "alert('a')")
			if !hangs(at["deep"]) || hangs(at["b1"]) || hangs(at["in"]) {
				t.Error("a dialog of the page blocks other frames than those of its site")
			}
			c.ok(s, handle, accept)
		},
		"hang.input-withheld": func(t *testing.T) {
			_, c := start(t, map[string]string{"http://a.test/b": `<button onclick="window.r=confirm('go')" style="position:absolute;left:100px;top:200px;width:80px;height:30px">Go</button>`})
			_, s := c.page("http://a.test/b", true)
			c.ok(s, "Input.dispatchMouseEvent", `{"type":"mousePressed","x":110,"y":210,"button":"left","clickCount":1}`)
			id := c.send(s, "Input.dispatchMouseEvent", `{"type":"mouseReleased","x":110,"y":210,"button":"left","clickCount":1}`)
			if _, ok := c.reply(id); ok {
				t.Error("the click was answered before its dialog")
			}
			c.ok(s, "Input.dispatchMouseEvent", `{"type":"mousePressed","x":110,"y":210,"button":"left","clickCount":1}`)
			c.ok(s, handle, accept)
			if _, ok := c.reply(id); !ok {
				t.Error("the click was never answered")
			}
			c.want(s, "[r,navigator.userActivation.hasBeenActive]", "[true,true]")
		},
		"hang.script-busy": func(t *testing.T) {
			b, c := start(t, nil)
			_, s := c.page("http://a.test/plain", true)
			id := c.evalID(s, "const t=Date.now(); while(Date.now()-t<3000); 'done'")
			other := c.evalID(s, "1")
			c.ok("", "Target.getTargets", "")
			if c.value(id) != "" || c.value(other) != "" {
				t.Error("a busy renderer answered")
			}
			b.Advance(3_000_000_000)
			c.pump()
			if c.value(id) != `"done"` || c.value(other) != "1" {
				t.Errorf("got %q and %q", c.value(id), c.value(other))
			}
		},
	}
}
