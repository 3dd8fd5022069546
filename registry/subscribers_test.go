package registry_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/fakebrowser"
)

// TestSubscribers: the library hands what nobody takes to the host's subscribers,
// on the goroutine of whoever sent it. Ours must not be among them: a subscriber
// may panic, or never return.
func TestSubscribers(t *testing.T) {
	for name, subscriber := range map[string]func(release <-chan struct{}){
		"that panic":        func(<-chan struct{}) { panic("a subscriber of the host") },
		"that never return": func(release <-chan struct{}) { <-release },
	} {
		t.Run(name, func(t *testing.T) {
			ctx := withTimeout(t, 20*time.Second)
			b := browser(t)
			r, system := engine(t, map[string]*fakebrowser.Browser{"b": b})
			release := make(chan struct{})
			defer close(release)
			system.EventStream.Subscribe(func(event any) {
				if _, dead := event.(*actor.DeadLetterEvent); dead {
					subscriber(release)
				}
			})
			// Whoever asks is gone when the answer comes.
			for range 8 {
				task, err := r.GetOrStart(ctx, "t", endpoint("b"))
				if err != nil {
					t.Fatal(err)
				}
				cancelled, cancel := context.WithCancelCause(ctx)
				cancel(errors.New("enough"))
				var wg sync.WaitGroup
				for _, ask := range []func() error{
					func() error { _, err := evaluate(cancelled, task, "1"); return err },
					func() error { _, err := r.GetOrStart(cancelled, "t", endpoint("b")); return err },
					func() error { return task.SetPolicy(cancelled, messages.PolicyAutoDismiss, 0) },
				} {
					wg.Go(func() { _ = ask() })
				}
				wg.Wait()
				if got, err := evaluate(ctx, task, "40+2"); err != nil {
					t.Fatalf("the next call: %s, %v", got, err)
				}
				_ = r.Stop(cancelled, "t")
			}
			// An old handle is told at once, and nobody else hears of it.
			task, err := r.GetOrStart(ctx, "t", endpoint("b"))
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Stop(ctx, "t"); err != nil {
				t.Fatal(err)
			}
			if _, err := evaluate(ctx, task, "1"); !errors.Is(err, messages.ErrTaskStopped) {
				t.Errorf("the stopped task answers %v", err)
			}
			if err := r.Close(ctx); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
}
