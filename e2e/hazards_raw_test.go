package e2e

import (
	"fmt"
	"testing"
)

const removeFrame = `document.querySelector("iframe").remove()`

// TestTheHazardOfAnAncestorIsReal shows that answering a dialog kills a browser
// whose client takes no care, when a frame around the dialog's own was removed.
// The other hazards are among the shared scenarios. Should this fail with a newer
// Chromium, then the care for it can go.
func TestTheHazardOfAnAncestorIsReal(t *testing.T) {
	t.Parallel()
	b := launch(t)
	r := dialRaw(t, b.endpoint)
	_, session := r.page(b.embed("a.test", b.embed("b.test", b.blank("c.test"))))
	frame := r.child(session)
	r.call(frame, "Target.setAutoAttach", params{"autoAttach": true, "flatten": true, "waitForDebuggerOnStart": false})
	frame = r.child(frame)
	// The frame may still be loading when it is attached.
	r.call(frame, "Runtime.evaluate", params{"awaitPromise": true, "expression": loaded})
	r.send(frame, "Runtime.evaluate", params{"expression": `confirm("in the frame")`})
	if kind := field(t, r.event(session, "Page.javascriptDialogOpening").Params, "type"); kind != "confirm" {
		t.Fatalf("a dialog of type %s opened", kind)
	}
	r.eval(session, removeFrame)
	r.event(session, "Page.frameDetached")
	r.send(session, "Page.handleJavaScriptDialog", params{"accept": false})
	if !r.dies() {
		t.Error("the browser lives; this is no hazard any more")
	}
	if b.alive() {
		t.Error("the connection ended and the browser lives")
	}
}

// loaded is a promise of the document's load.
var loaded = fmt.Sprintf(`new Promise(done => document.readyState === %q ? done(1) : addEventListener("load", () => done(1)))`, "complete")
