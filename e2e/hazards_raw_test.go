package e2e

import (
	"fmt"
	"testing"
)

// carelessly is what a client does that knows nothing of the hazards.
var carelessly = []struct {
	name string
	// nested opens the dialog in a frame inside the frame.
	nested bool
	do     func(r *raw, target, session string)
}{
	{"closes the tab", false, func(r *raw, target, _ string) {
		r.send("", "Target.closeTarget", params{"targetId": target})
	}},
	{"closes the page", false, func(r *raw, _, session string) {
		r.send(session, "Page.close", nil)
	}},
	{"answers after the frame is removed", false, func(r *raw, _, session string) {
		r.eval(session, removeFrame)
		r.event(session, "Page.frameDetached")
		r.send(session, "Page.handleJavaScriptDialog", params{"accept": true})
	}},
	{"answers after an ancestor is removed", true, func(r *raw, _, session string) {
		r.eval(session, removeFrame)
		r.event(session, "Page.frameDetached")
		r.send(session, "Page.handleJavaScriptDialog", params{"accept": false})
	}},
	{"opens another dialog after the frame is removed", false, func(r *raw, _, session string) {
		r.eval(session, removeFrame)
		r.event(session, "Page.frameDetached")
		r.eval(session, `later(() => alert("another"))`)
	}},
	{"navigates after the frame is removed", false, func(r *raw, _, session string) {
		r.eval(session, removeFrame)
		r.event(session, "Page.frameDetached")
		r.send(session, "Page.navigate", params{"url": "about:blank"})
	}},
	{"closes the tab after the frame is removed", false, func(r *raw, target, session string) {
		r.eval(session, removeFrame)
		r.event(session, "Page.frameDetached")
		r.send("", "Target.closeTarget", params{"targetId": target})
	}},
}

const removeFrame = `document.querySelector("iframe").remove()`

// TestTheHazardsAreReal shows that each hazard kills a browser whose client
// takes no care. Should one of these fail with a newer Chromium, then the care
// for it can go.
func TestTheHazardsAreReal(t *testing.T) {
	t.Parallel()
	for _, hazard := range carelessly {
		t.Run(hazard.name, func(t *testing.T) {
			t.Parallel()
			b := launch(t)
			r := dialRaw(t, b.endpoint)
			inner := b.blank("b.test")
			if hazard.nested {
				inner = b.embed("b.test", b.blank("c.test"))
			}
			target, session := r.page(b.embed("a.test", inner))
			frame := r.child(session)
			if hazard.nested {
				r.call(frame, "Target.setAutoAttach", params{"autoAttach": true, "flatten": true, "waitForDebuggerOnStart": false})
				frame = r.child(frame)
			}
			// The frame may still be loading when it is attached.
			r.call(frame, "Runtime.evaluate", params{"awaitPromise": true, "expression": loaded})
			r.send(frame, "Runtime.evaluate", params{"expression": `confirm("in the frame")`})
			if kind := field(t, r.event(session, "Page.javascriptDialogOpening").Params, "type"); kind != "confirm" {
				t.Fatalf("a dialog of type %s opened", kind)
			}
			hazard.do(r, target, session)
			if !r.dies() {
				t.Error("the browser lives; this is no hazard any more")
			}
			if b.alive() {
				t.Error("the connection ended and the browser lives")
			}
		})
	}
}

// loaded is a promise of the document's load.
var loaded = fmt.Sprintf(`new Promise(done => document.readyState === %q ? done(1) : addEventListener("load", () => done(1)))`, "complete")
