package fakebrowser

import (
	"testing"
)

func hangRules() map[string]func(*testing.T) {
	return map[string]func(*testing.T){
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
