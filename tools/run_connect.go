package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cdpsupervisor/messages"
)

// configured is the cdp_url that means the endpoint of the host's own
// configuration.
const configured = "configured"

// runConnect rebinds the task to another endpoint, after that endpoint has
// proved that it answers.
func runConnect(ctx context.Context, c *call) (map[string]any, error) {
	b := c.box
	to, err := b.resolve(c.task, messages.Endpoint(c.args.text(argCDPURL)))
	if err != nil {
		return nil, err
	}
	if !b.runsOn(c.task, to.source) {
		if err := b.engine.prove(ctx, to.source); err != nil {
			return nil, scrub(unproven(err), to.secret)
		}
	}
	// Bound first: calls that come while the task starts wait for the new one.
	b.bound.set(c.task, to)
	t, err := b.engine.start(ctx, c.task, to.source, b.taskOptions(c.task)...)
	if err != nil {
		return nil, scrub(err, to.secret)
	}
	if b.bound.connected() && b.options.Changed != nil && b.options.Endpoint == nil && !b.options.Always {
		b.options.Changed()
	}
	snap := t.Snapshot()
	fields := MergeSnapshot(map[string]any{"url": snap.Page.URL, "title": snap.Page.Title}, snap)
	if to.secret != "" {
		fields["endpoint"] = to.secret.String()
	}
	return fields, nil
}

// resolve turns a cdp_url into a binding.
func (b *Toolbox) resolve(id messages.TaskID, url messages.Endpoint) (binding, error) {
	if url.Reveal() == configured {
		if b.options.Endpoint == nil {
			return binding{}, b.nothingConfigured()
		}
		source := b.options.Endpoint(id)
		if source == nil {
			return binding{}, b.nothingConfigured()
		}
		return binding{source: source}, nil
	}
	if b.options.Connect == nil {
		return binding{}, messages.Fail(messages.CodeDenied, "this host does not let callers choose the browser; cdp_url can only be %q", configured)
	}
	source, err := b.options.Connect(url)
	if err != nil {
		return binding{}, scrub(invalid("cdp_url of browser_connect: %v", err), url)
	}
	return binding{source: source, secret: url}, nil
}

// runsOn reports whether the task already runs on the endpoint and is well.
func (b *Toolbox) runsOn(id messages.TaskID, source messages.EndpointSource) bool {
	bound, ok := b.bound.of(id)
	if !ok || bound.disconnected || bound.source.Identity() != source.Identity() {
		return false
	}
	t, running := b.engine.get(id)
	return running && !unconnected(t.Snapshot())
}

// unproven says that nothing has changed.
func unproven(err error) error {
	f := *failureOf(err)
	if errors.Is(err, context.DeadlineExceeded) {
		f = *messages.Fail(messages.CodeNoCDP, "the browser did not answer within %s", messages.DialTimeout)
	}
	if f.Code != messages.CodeDenied {
		f.Code = messages.CodeNoCDP
	}
	f.Message = fmt.Sprintf("cannot use the new endpoint: %s; the task stays as it was", f.Message)
	return &f
}

// unconnected reports whether the task has no connection to a browser now.
func unconnected(s *messages.Snapshot) bool {
	if s == nil {
		return true
	}
	return hasStatus(s, messages.StatusConnecting, messages.StatusReconnecting) || gaveUp(s)
}

// gaveUp reports whether the task will not connect any more.
func gaveUp(s *messages.Snapshot) bool {
	return hasStatus(s, messages.StatusExpired, messages.StatusFailed, messages.StatusStopped)
}

func hasStatus(s *messages.Snapshot, any ...messages.Status) bool {
	return s != nil && s.Supervisor != nil && slices.Contains(any, s.Supervisor.Status)
}

// runDisconnect stops the task's supervisor and keeps the task from starting
// one again.
func runDisconnect(ctx context.Context, c *call) (map[string]any, error) {
	bound, _ := c.box.bound.of(c.task)
	bound.disconnected = true
	c.box.bound.set(c.task, bound)
	if err := c.box.engine.stop(ctx, c.task); err != nil {
		if isUnknownTask(err) {
			return nil, messages.Fail(messages.CodeNoSupervisor, "the task was not connected to a browser; there is nothing to disconnect")
		}
		return nil, err
	}
	return map[string]any{"disconnected": true}, nil
}
