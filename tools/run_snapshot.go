package tools

import (
	"context"
	"slices"
	"time"

	"cdpsupervisor/messages"
)

const (
	defaultOutlineChars = 20_000
	minOutlineChars     = 500
	maxOutlineChars     = 200_000

	// frameTimeout bounds the reading of one frame; all are read side by side.
	frameTimeout = 10 * time.Second
	// frameTimeoutDialog is the bound while a dialog is open: a frame that it
	// does not block answers soon, and one that it does is not waited for.
	frameTimeoutDialog = 2 * time.Second
)

// runSnapshot shows the page. What the engine knows never waits; what only a
// renderer knows is read frame by frame, each with its own deadline, so that a
// frame that is blocked costs itself and no other.
func runSnapshot(ctx context.Context, c *call) (map[string]any, error) {
	t, err := c.start(ctx)
	if err != nil {
		return nil, err
	}
	before := t.Snapshot()
	page := newPageReader(t, c.box.guardURL, before)
	timeout := frameTimeout
	if len(before.PendingDialogs) > 0 {
		timeout = frameTimeoutDialog
	}
	page.read(ctx, timeout)
	// The newest state, which may know of a dialog that opened meanwhile.
	after := t.Snapshot()
	page.connected(after)
	outline := page.outline(int(c.args.number(argMaxChars, defaultOutlineChars)))
	fields := MergeSnapshot(map[string]any{
		"url":           after.Page.URL,
		"title":         page.title(after.Page),
		"snapshot":      outline.text,
		"element_count": outline.elements,
	}, after)
	if c.args.flag(argConsole) {
		fields["console_errors"] = orEmpty(after.ConsoleErrors)
	}
	if ctx.Err() != nil {
		return fields, context.Cause(ctx)
	}
	return fields, page.fatal()
}

// fatalCode reports whether a code means that there is no page to show, as
// opposed to one that does not answer.
func fatalCode(code messages.Code) bool {
	return slices.Contains([]messages.Code{
		messages.CodeConnectionLost, messages.CodeTabGone, messages.CodeStopped, messages.CodeNoCDP, messages.CodeTargetCrashed,
	}, code)
}
