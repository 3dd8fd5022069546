package e2e

import (
	"context"
	"testing"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// keptLease is an endpoint whose lease is never taken back: host code hangs.
type keptLease struct {
	endpoint messages.Endpoint
	until    <-chan struct{}
}

func (k keptLease) Identity() string { return k.endpoint.Reveal() }
func (k keptLease) Open(context.Context) (*messages.Lease, error) {
	return &messages.Lease{Endpoint: k.endpoint, Close: func(context.Context) error { <-k.until; return nil }}, nil
}
func (k keptLease) Renew(_ context.Context, old *messages.Lease) (*messages.Lease, error) {
	return old, nil
}

// TestStopWhoseQuestionIsLost cuts the connection while a stop asks whether the
// dialog that it leaves is stranded: what comes after that is bounded still.
func TestStopWhoseQuestionIsLost(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	s.on("Page.getNavigationHistory", func(scriptedCommand) { _ = s.hangUp() })
	until := make(chan struct{})
	h := newHost(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	task, err := h.GetOrStart(ctx, h.newID(), keptLease{s.endpoint, until}, registry.WithOnStop(messages.OnStopLeave))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { close(until) })
	p := &tab{site: &site{}, t: t, host: h, task: task}
	s.say(scriptedOpening)
	p.dialog()
	quick(t, "the stop", func() {
		if err := h.Stop(ctx, task.ID()); err != nil {
			t.Error(err)
		}
	})
	if len(s.heard("Page.getNavigationHistory")) != 1 {
		t.Error("the stop has not asked")
	}
}
