package demo

import (
	"context"
	"strings"

	"cdpsupervisor/messages"
)

// The frames of the checkout page, each inside the one before it.
const (
	payFrame   = "http://pay.test/"
	bankFrame  = "http://bank.test/"
	robotFrame = "http://robot.test/"
)

func dialogInFrame(ctx context.Context, w *world) error {
	// Chromium cancels a dialog by itself while a frame of the page is on its
	// way into another process: all of them must have arrived.
	for _, inner := range []string{bankFrame, robotFrame} {
		if _, err := w.frame(ctx, inner); err != nil {
			return err
		}
	}
	frame, err := w.frame(ctx, payFrame)
	if err != nil {
		return err
	}
	pay := at{frame: frame.FrameID}
	d, err := w.asks(ctx, pay, `confirm("Pay 2 euros?")`)
	if err != nil {
		return err
	}
	var c checks
	c.equal("frame_id", d.FrameID, frame.FrameID)
	c.equal("origin", d.Origin, "http://pay.test")
	found, err := w.eval(ctx, at{}, "document.title") // another process: not blocked
	c.failed(err)
	c.equal("the page around it", found, "Checkout")
	if _, err := w.answer(ctx, d, messages.ActionAccept, nil); err != nil {
		return err
	}
	c.failed(w.saw(ctx, pay, true))
	return c.err()
}

func evaluateInFrame(ctx context.Context, w *world) error {
	frame, err := w.frame(ctx, payFrame)
	if err != nil {
		return err
	}
	w.show("frame_tree", w.task.Snapshot().FrameTree)
	result, err := w.call(ctx, at{frame: frame.FrameID}, `seen.push(location.host)`)
	if err != nil {
		return err
	}
	var c checks
	c.equal("is_oopif", frame.OOPIF, true)
	c.equal("session_id", result.SessionID, frame.SessionID)
	c.failed(w.saw(ctx, at{frame: frame.FrameID}, "pay.test"))
	return c.err()
}

func evaluateDeep(ctx context.Context, w *world) error {
	// The snapshot lists two such hops; calls reach every frame.
	frame, err := w.frame(ctx, robotFrame)
	if err != nil {
		return err
	}
	w.show("frame", frame)
	deep := at{frame: frame.FrameID}
	if _, err := w.call(ctx, deep, `seen.push(location.host)`); err != nil {
		return err
	}
	var c checks
	c.failed(w.saw(ctx, deep, "robot.test"))
	depth, err := w.eval(ctx, deep, `(function () { var n = 0; for (var f = window; f !== top; f = f.parent) n++; return n })()`)
	c.failed(err)
	c.equal("frames above it", depth, 3)
	return c.err()
}

func refusesSameProcess(ctx context.Context, w *world) error {
	frame, err := w.frame(ctx, "http://shop.test/basket")
	if err != nil {
		return err
	}
	_, err = w.call(ctx, at{frame: frame.FrameID}, "document.title")
	f, err := refusal(err, messages.CodeNotOOPIF)
	if err != nil {
		return err
	}
	w.show("refusal", f)
	var c checks
	c.that(strings.Contains(f.Message, "contentWindow") || strings.Contains(f.Message, "contentDocument"),
		"the refusal %q does not tell the way", f.Message)
	c.equal("owner_frame_id", f.OwnerFrame, w.task.Snapshot().FrameTree.Top.FrameID)
	found, err := w.eval(ctx, at{}, `document.getElementById("basket").contentWindow.seen[0]`)
	c.failed(err)
	c.equal("the way that the refusal tells", found, "two apples")
	c.failed(w.saw(ctx, at{frame: frame.FrameID, sameProcess: true}, "two apples"))
	return c.err()
}
