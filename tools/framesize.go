package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cdpsupervisor/messages"
)

const (
	// maxElements is how many elements the documents of one renderer may have
	// together whose trees are asked for. A tree takes its renderer about a second
	// for some thousands of elements, and nothing ends that work: with several
	// times as many the page would be dead for minutes.
	maxElements = 15_000

	// countWorld is a script world of our own: what a page puts in the place of
	// the functions of its document is not seen there.
	countWorld = "cdpsupervisor outline"
	// countScript goes around names that elements of the page give to properties
	// of its document.
	countScript = `Document.prototype.getElementsByTagName.call(document, "*").length`
)

// fits fails when the tree of a frame is too large to be asked for. A frame whose
// elements cannot be counted fits: most that do not answer a count answer no tree
// either.
func (p *pageReader) fits(ctx context.Context, f messages.FrameEntry, session messages.FrameID, timeout time.Duration) error {
	n, err := p.countElements(ctx, f, session, timeout)
	if messages.CodeOf(err) == messages.CodeCDPError {
		return nil // the browser has no such worlds, or the frame goes to another document
	}
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.elements[session]+n > maxElements {
		return messages.Fail(messages.CodeTooLarge, "%s", tooManyElements(n, p.elements[session]))
	}
	p.elements[session] += n
	return nil
}

// tooManyElements says why a document of n elements is not read, where those of
// its renderer that are read have others.
func tooManyElements(n, others int) string {
	where := "the document has"
	if n <= maxElements {
		where = fmt.Sprintf("the page's other documents in its renderer have %d elements and this one has", others)
	}
	return fmt.Sprintf("%s %d elements, too many for an outline; read parts with browser_cdp Runtime.evaluate", where, n)
}

// countElements counts the elements of a frame's document, or fails as the call
// that counts them does.
func (p *pageReader) countElements(ctx context.Context, f messages.FrameEntry, session messages.FrameID, timeout time.Duration) (int, error) {
	if f.FrameID == "" {
		return 0, messages.Fail(messages.CodeCDPError, "the frame is not known yet")
	}
	reply, err := p.call(ctx, "Page.createIsolatedWorld", map[string]any{"frameId": f.FrameID, "worldName": countWorld}, session, timeout)
	if err != nil {
		return 0, err
	}
	var world struct {
		Context int64 `json:"executionContextId"`
	}
	if json.Unmarshal(reply, &world) != nil || world.Context == 0 {
		return 0, messages.Fail(messages.CodeCDPError, "the browser's answer names no script world")
	}
	reply, err = p.call(ctx, "Runtime.evaluate", map[string]any{"expression": countScript, "contextId": world.Context, "returnByValue": true}, session, timeout)
	if err != nil {
		return 0, err
	}
	var counted struct {
		Result struct {
			Value int `json:"value"`
		} `json:"result"`
	}
	if json.Unmarshal(reply, &counted) != nil {
		return 0, messages.Fail(messages.CodeCDPError, "the browser's answer is no number of elements")
	}
	return counted.Result.Value, nil
}
