package tools

import (
	"context"
	"encoding/json"
	"time"

	"cdpsupervisor/messages"
)

const (
	maxMethodBytes = 200
	maxResultBytes = 64 << 20 // what max_bytes may be raised to
)

// runDialog answers a dialog.
func runDialog(ctx context.Context, c *call) (map[string]any, error) {
	t, err := c.start(ctx)
	if err != nil {
		return nil, err
	}
	req := messages.DialogRequest{
		Action:     messages.DialogAction(c.args.text(argAction)),
		PromptText: c.args.optionalText(argPrompt),
		DialogID:   messages.DialogID(c.args.text(argDialog)),
		Accept:     c.accept,
	}
	if d, ok := dialogByID(t.Snapshot().PendingDialogs, req.DialogID); ok && req.Action != messages.ActionDismiss {
		if err := c.box.guardURL(d.URL); err != nil {
			return nil, err
		}
	}
	done, err := t.RespondDialog(ctx, req)
	if err != nil {
		return nil, err
	}
	fields := map[string]any{"action": done.Action, "dialog": done.Record}
	if done.Note != "" {
		fields["note"] = done.Note
	}
	return fields, nil
}

// runCDP sends a raw command. Which methods are routed, rewritten or refused
// is the engine's to know.
func runCDP(ctx context.Context, c *call) (map[string]any, error) {
	method := c.args.text(argMethod)
	params, err := c.box.guardParams(method, c.args.object(argParams))
	if err != nil {
		return nil, err
	}
	t, err := c.start(ctx)
	if err != nil {
		return nil, err
	}
	req := messages.CallRequest{
		Method:      method,
		Params:      params,
		FrameID:     messages.FrameID(c.args.text(argFrame)),
		TargetID:    messages.TargetID(c.args.text(argTarget)),
		SameProcess: c.args.flag(argSame),
		Timeout:     time.Duration(c.args.number(argTimeout, 0) * float64(time.Second)),
		MaxBytes:    int(c.args.number(argMaxBytes, 0)),
		Accept:      c.accept,
	}
	if err := c.box.guardReach(ctx, t, req); err != nil {
		return map[string]any{"method": method}, err
	}
	reply, err := t.Call(ctx, req)
	if err != nil {
		return map[string]any{"method": method}, err
	}
	fields := map[string]any{"method": method, "result": json.RawMessage("{}")}
	if len(reply.Result) > 0 {
		fields["result"] = c.box.hideRaw(method, reply.Result)
	}
	if reply.FrameID != "" {
		fields["frame_id"] = reply.FrameID
	}
	if reply.SessionID != "" {
		fields["session_id"] = reply.SessionID
	}
	return fields, nil
}

// runNavigate takes the task's page to a URL.
func runNavigate(ctx context.Context, c *call) (map[string]any, error) {
	url, err := c.box.guardOpens(c.args.text(argURL))
	if err != nil {
		return nil, err
	}
	t, err := c.start(ctx)
	if err != nil {
		return nil, err
	}
	at, err := t.Navigate(ctx, url)
	if err != nil {
		return nil, err
	}
	return map[string]any{"url": at.URL, "title": at.Title, "page_target_id": at.PageTargetID}, nil
}
