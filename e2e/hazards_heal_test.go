package e2e

import (
	"fmt"
	"testing"
	"time"

	"cdpsupervisor/messages"
)

// TestHealedPageAsks is about a tab of ours whose page asks as soon as it is
// loaded anew: nobody is told of that dialog, because the tab is healed with the
// Page domain off. The engine must find out, and every way out must lead out.
func TestHealedPageAsks(t *testing.T) {
	for _, c := range []struct {
		name string
		out  func(d *danger)
	}{
		{"the agent navigates", func(d *danger) { d.open(d.blank("a.test")) }},
		{"the agent navigates by a raw command", func(d *danger) {
			params := fmt.Appendf(nil, `{"url":%q}`, d.blank("a.test"))
			if _, err := d.call(messages.CallRequest{Method: "Page.navigate", Params: params}); err != nil {
				d.t.Error(err)
			}
		}},
		{"the agent closes the tab", func(d *danger) {
			params := fmt.Appendf(nil, `{"targetId":%q}`, d.target)
			if _, err := d.call(messages.CallRequest{Method: "Target.closeTarget", Params: params}); err != nil {
				d.t.Error(err)
			}
			d.status(messages.StatusTabGone)
			d.open(d.blank("a.test"))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := launch(t)
			w := b.behindWire(t)
			p := w.through(b, false).tab(t, newHost(t))
			asking := b.blank("b.test")
			p.open(b.page("a.test", fmt.Sprintf(
				`<script>if (sessionStorage.seen) alert("at load"); sessionStorage.seen = 1</script><iframe src=%q></iframe>`, asking)))
			p.laterIn(in(p.frame(asking)), `confirm("in the frame")`)
			d := &danger{tab: p, b: b, dialog: p.dialog(), target: p.task.Snapshot().PageTargetID}
			w.away(time.Second) // the page asks before its domain is on again
			d.removesFrame()
			if st := d.status(messages.StatusBlocked); len(st.WaysOut) == 0 {
				t.Errorf("no way out is named: %+v", st)
			}
			w.away(0)
			c.out(d)
			d.wellAgain()
		})
	}
}
