package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// TestHardPages is an agent on pages that resist: each call says what holds it up,
// and following its words leads out.
func TestHardPages(t *testing.T) {
	b := launch(t)
	e := &engineBinary{path: buildEngine(t)}
	for _, hard := range []struct {
		name string
		run  func(t *testing.T, a *agent, b *browser)
	}{
		{"huge document", hardHuge},
		{"alert in a loop", hardLoop},
	} {
		t.Run(hard.name, func(t *testing.T) { hard.run(t, e.agent(t, "--cdp-url", b.address, "--own-tab"), b) })
	}
}

// hardHuge: a document that says that it is small is not asked for its tree, and
// the page answers on.
func hardHuge(t *testing.T, a *agent, b *browser) {
	a.open(b.page("huge.test", `<p id=p></p><img name=getElementsByTagName><script>
		p.innerHTML = "<a href=/>x</a> ".repeat(60000);
		Document.prototype.getElementsByTagName = Element.prototype.getElementsByTagName = () => ({length: 1});
	</script>`), nil)
	if text := a.do("browser_snapshot", nil).in("snapshot").(string); !strings.Contains(text, "has 60008 elements, too many for an outline") {
		t.Error(text)
	}
	if got := a.eval("document.querySelectorAll('a').length", args{"timeout": 5}); got != 60000.0 {
		t.Errorf("got %v", got)
	}
}

// hardLoop: no answer leads out of an alert in a loop; what the errors name does.
func hardLoop(t *testing.T, a *agent, b *browser) {
	next := b.blank("loop.test")
	for _, script := range []string{`while (true) alert("again")`, `setTimeout(() => { while (true) alert("again") }, 100)`} {
		page := a.do("browser_navigate", args{"url": b.page("loop.test", "<script>"+script+"</script>")}).in("page_target_id")
		var r result
		eventually(t, "an error tells of the loop", func() bool {
			a.pending(1, nil)
			if r = a.try("browser_cdp", evaluate("1", nil)); strings.Contains(r.String(), "one dialog after another") {
				return true
			}
			a.try("browser_dialog", args{"action": "accept"})
			return false
		})
		if ways := fmt.Sprint(r["ways_out"]); !strings.Contains(ways, "Target.closeTarget, then browser_navigate") {
			t.Errorf("got %s", r)
		}
		a.do("browser_cdp", args{"method": "Target.closeTarget", "params": map[string]any{"targetId": page}})
		if r := a.do("browser_navigate", args{"url": next}); r.in("url") != next {
			t.Errorf("got %s", r)
		}
		b.mustLive(t)
	}
}
