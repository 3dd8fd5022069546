package registry_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// TestStartOfATaskThatHasFailed: who asks for a task that has just failed gets
// another one, also while the host's subscribers still hear of the failure.
func TestStartOfATaskThatHasFailed(t *testing.T) {
	ctx := withTimeout(t, 20*time.Second)
	b := browser(t)
	var away atomic.Bool
	r, system := engine(t, nil, registry.WithDial(func(context.Context, *messages.Lease) (*cdpwire.Dialed, error) {
		if away.Load() {
			return nil, &messages.Cause{Kind: messages.DisconnectRefused, Text: "nothing listens there"}
		}
		return &cdpwire.Dialed{Transport: b.Transport(), Shown: "b"}, nil
	}))
	defer func() { _ = r.Close(ctx) }()
	heard, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	system.EventStream.Subscribe(func(event any) {
		if e, ok := event.(*messages.TaskStoppedEvent); ok && e.Failed {
			close(heard)
			<-release
		}
	})
	first, err := r.GetOrStart(ctx, "t", endpoint("b"))
	if err != nil {
		t.Fatal(err)
	}
	away.Store(true)
	b.DropSockets()
	<-heard
	away.Store(false)
	again, err := r.GetOrStart(ctx, "t", endpoint("b"))
	if err != nil {
		t.Fatal(err)
	}
	if again == first {
		t.Error("the task that has failed was given")
	}
	if _, err := evaluate(ctx, again, "1"); err != nil {
		t.Error(err)
	}
}
