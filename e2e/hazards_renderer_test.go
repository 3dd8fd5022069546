package e2e

import (
	"fmt"
	"testing"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// TestHazardRendererEnds is about what ends a renderer that is not the dialog's
// own: the browser would go with it.
func TestHazardRendererEnds(t *testing.T) {
	navigate := func(url string) messages.CallRequest {
		return messages.CallRequest{Method: "Page.navigate", Params: fmt.Appendf(nil, `{"url":%q}`, url)}
	}
	t.Run("under a dialog", func(t *testing.T) {
		d := inDanger(t, true)
		parent := d.frames().Children[0].FrameID
		for _, req := range []messages.CallRequest{
			{Method: "Page.crash"}, {Method: "Page.crash", FrameID: parent}, navigate("chrome://crash"), navigate(" Chrome://kill"),
		} {
			_, err := d.call(req)
			refused(t, err, messages.CodeDialogOpen)
		}
		d.b.mustLive(t)
		d.accept(d.dialog)
	})
	t.Run("in a poisoned tab", func(t *testing.T) {
		d := inDanger(t, false, registry.WithScope(messages.ScopePage))
		d.removesFrame()
		d.status(messages.StatusPoisoned)
		for _, req := range []messages.CallRequest{{Method: "Page.crash"}, navigate("chrome://kill")} {
			_, err := d.call(req)
			refused(t, err, messages.CodeDenied)
		}
		refused(t, d.navigateTo("chrome://kill"), messages.CodeDenied)
		d.open(d.blank("a.test"))
		d.wellAgain()
	})
	t.Run("its own", func(t *testing.T) {
		d := inDanger(t, false)
		_, err := d.call(messages.CallRequest{Method: "Page.crash", FrameID: d.dialog.FrameID})
		refused(t, err, messages.CodeTargetCrashed)
		d.accept(d.dialog)
		d.wellAgain()
	})
}
