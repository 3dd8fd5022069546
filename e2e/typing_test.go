package e2e

import (
	"fmt"
	"testing"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// TestClickAndType does what an agent does to a form: it clicks into a field, and
// types. The field is in the page or in a frame of another process, and the tab in
// front or in the background, where the browser gives no page the focus.
func TestClickAndType(t *testing.T) {
	const field = `<input style="position:fixed;left:0;top:0;width:200px;height:50px">`
	for name, options := range map[string][]registry.TaskOption{
		"a tab of our own": {registry.WithOwnTab()},
		"the first tab":    {registry.WithScope(messages.ScopePage)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := launch(t)
			h := newHost(t)
			inner := b.page("b.test", field)
			for n := range 4 { // a tab that has had the focus once behaves in another way
				p := b.tab(t, h, options...)
				p.open(b.embed("a.test", inner))
				p.types(t, fmt.Sprintf("frame %d", n), in(p.frame(inner)))
				p.open(b.page("a.test", field))
				p.types(t, fmt.Sprintf("page %d", n), at{})
			}
		})
	}
}

// types clicks into the field of a document, types, and checks what it holds.
func (p *tab) types(t *testing.T, name string, where at) {
	t.Helper()
	send := func(method, params string) {
		t.Helper()
		if _, err := p.call(messages.CallRequest{Method: method, Params: []byte(params), FrameID: where.frame}); err != nil {
			t.Errorf("%s: %s: %v", name, method, err)
		}
	}
	for _, event := range []string{"mousePressed", "mouseReleased"} {
		send("Input.dispatchMouseEvent", fmt.Sprintf(`{"type":%q,"x":20,"y":20,"button":"left","clickCount":1}`, event))
	}
	send("Input.insertText", `{"text":"typ"}`)
	send("Input.dispatchKeyEvent", `{"type":"keyDown","text":"e","key":"e"}`)
	send("Input.dispatchKeyEvent", `{"type":"keyUp","key":"e"}`)
	if got := p.evalIn(where, `document.querySelector("input").value`); got != "type" {
		t.Errorf("%s: the field holds %q", name, got)
	}
}
