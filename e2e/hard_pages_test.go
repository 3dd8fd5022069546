package e2e

import (
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
