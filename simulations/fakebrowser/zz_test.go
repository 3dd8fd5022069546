package fakebrowser

import (
	"fmt"
	"testing"
)

func TestZZ(t *testing.T) {
	b, c := start(t, nil)
	target, s := c.page("http://a.test/plain", true)
	c.evalID(s, "confirm('q')")
	_ = c.tr.Close()
	c2 := newClient(t, b)
	c2.ok("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, target))
	s2 := c2.session(target)
	c2.send(s2, "Page.enable", "")
	c2.send(s2, "Page.navigate", `{"url":"http://a.test/plain?2"}`)
	for _, l := range c2.since() {
		fmt.Println(l)
	}
	b.do(func() {
		for _, r := range b.procs {
			fmt.Println(r.key, r.blocked, len(r.queue), r.running, r.dead)
		}
		fmt.Println(len(b.tasks), len(b.slow), b.steps)
	})
}
