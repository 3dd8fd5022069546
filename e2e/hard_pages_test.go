package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
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
		{"slow server", hardSlow},
		{"endless script", hardScript},
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

// silent expects a call without an answer to name a way out.
func (a *agent) silent(way string) {
	a.t.Helper()
	r := a.refused("timeout", "browser_cdp", evaluate("1", args{"timeout": 1}))
	if !strings.Contains(fmt.Sprint(r["ways_out"]), way) {
		a.t.Errorf("%s is no way out: %s", way, r)
	}
}

// hardSlow: while a document is on its way the browser holds back what is sent to
// the page; the way out stops that.
func hardSlow(t *testing.T, a *agent, b *browser) {
	release := make(chan struct{})
	slow := b.handle("slow.test", func(http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	a.open(b.blank("slow.test"), nil)
	a.eval(fmt.Sprintf("void (location.href = %q)", slow), nil)
	a.silent("Page.stopLoading")
	a.do("browser_cdp", args{"method": "Page.stopLoading"})
	if got := a.eval("1 + 1", nil); got != 2.0 {
		t.Errorf("got %v", got)
	}
	a.later("{ for (;;); }", nil) // the navigation that was stopped is not to blame for this
	a.silent("Runtime.terminateExecution")
	a.do("browser_cdp", args{"method": "Runtime.terminateExecution"})
}

// hardScript: a script that never ends is ended, or left; where the next document
// has been sent to its renderer, only the close of the page leads out.
func hardScript(t *testing.T, a *agent, b *browser) {
	next := b.blank("busy.test")
	page := a.open(b.blank("busy.test"), nil).in("page_target_id")
	a.later("{ for (;;); }", nil)
	a.silent("Runtime.terminateExecution")
	a.do("browser_cdp", args{"method": "Runtime.terminateExecution"})
	if got := a.eval("1 + 1", nil); got != 2.0 {
		t.Errorf("got %v", got)
	}

	a.later("{ for (;;); }", nil)
	a.silent("browser_navigate to another site")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if r, err := callOf(ctx, t, a.session, &mcp.CallToolParams{Name: "browser_navigate", Arguments: args{"url": next}}); err == nil {
		t.Fatalf("the navigation got into a busy renderer: %s", r)
	}
	a.silent("Target.closeTarget, then browser_navigate")
	a.do("browser_cdp", args{"method": "Target.closeTarget", "params": map[string]any{"targetId": page}})
	if r := a.do("browser_navigate", args{"url": next}); r.in("url") != next || r.in("page_target_id") == page {
		t.Errorf("got %s", r)
	}
}
