package registry_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/fakebrowser"
)

// waited is how a Wait ended.
type waited struct {
	snapshot *messages.Snapshot
	err      error
}

// waiting begins a Wait for what never comes, and returns once it waits.
func waiting(ctx context.Context, task *registry.Task) <-chan waited {
	looked, over := make(chan struct{}, 1), make(chan waited, 1)
	go func() {
		s, err := task.Wait(ctx, func(*messages.Snapshot) bool {
			select {
			case looked <- struct{}{}:
			default:
			}
			return false
		})
		over <- waited{s, err}
	}()
	<-looked
	return over
}

func never(*messages.Snapshot) bool { return false }

// TestWaitEndsWithItsTask: however a task ends, whoever waits for a state of it
// is told, and so is who begins to wait afterwards.
func TestWaitEndsWithItsTask(t *testing.T) {
	for name, tc := range map[string]struct {
		end  func(context.Context, *registry.Registry, *actor.ActorSystem, *registry.Task) error
		want error
	}{
		"stopped": {func(ctx context.Context, r *registry.Registry, _ *actor.ActorSystem, _ *registry.Task) error {
			return r.Stop(ctx, "t")
		}, messages.ErrTaskStopped},
		"closed": {func(ctx context.Context, r *registry.Registry, _ *actor.ActorSystem, _ *registry.Task) error {
			return r.Close(ctx)
		}, messages.ErrTaskStopped},
		"its actor is stopped": {func(ctx context.Context, _ *registry.Registry, system *actor.ActorSystem, task *registry.Task) error {
			return system.Root.StopFuture(task.PID()).Wait()
		}, messages.ErrTaskStopped},
		"the registry's actor is stopped": {func(ctx context.Context, r *registry.Registry, system *actor.ActorSystem, _ *registry.Task) error {
			return system.Root.StopFuture(r.PID()).Wait()
		}, messages.ErrTaskStopped},
		"failed": {func(ctx context.Context, _ *registry.Registry, _ *actor.ActorSystem, task *registry.Task) error {
			for range messages.RestartBudget + 1 {
				_, _ = task.Call(ctx, messages.CallRequest{Method: panics})
			}
			return nil
		}, messages.ErrTaskFailed},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := withTimeout(t, 10*time.Second)
			b := browser(t)
			r, system := engine(t, map[string]*fakebrowser.Browser{"b": b}, registry.WithFaults(panicAtCalls))
			defer func() { _ = r.Close(ctx) }()
			task, err := r.GetOrStart(ctx, "t", endpoint("b"))
			if err != nil {
				t.Fatal(err)
			}
			during := waiting(ctx, task)
			if err := tc.end(ctx, r, system, task); err != nil {
				t.Fatal(err)
			}
			check := func(when string, w waited) {
				t.Helper()
				if !errors.Is(w.err, tc.want) || messages.CodeOf(w.err) != messages.CodeStopped {
					t.Errorf("a wait that began %s ends with %v", when, w.err)
				}
				if s := w.snapshot; s == nil || s.Supervisor == nil || !s.Supervisor.Status.Final() || s.Ready {
					t.Fatalf("a wait that began %s shows %+v", when, s)
				}
			}
			check("before", <-during)
			s, err := task.Wait(ctx, never)
			check("afterwards", waited{s, err})
			want := task.Snapshot().Supervisor.Status
			if s, err := task.Wait(ctx, func(s *messages.Snapshot) bool { return s.Supervisor.Status == want }); err != nil || s.Supervisor.Status != want {
				t.Errorf("a wait for %s itself: %v", want, err)
			}
		})
	}
}

// TestAFailureIsToldOnce: the error of a task that has failed says so once,
// with the reason.
func TestAFailureIsToldOnce(t *testing.T) {
	ctx := withTimeout(t, 10*time.Second)
	b := browser(t)
	r, _ := engine(t, map[string]*fakebrowser.Browser{"b": b}, registry.WithFaults(panicAtCalls))
	defer func() { _ = r.Close(ctx) }()
	task, err := r.GetOrStart(ctx, "t", endpoint("b"))
	if err != nil {
		t.Fatal(err)
	}
	for range messages.RestartBudget + 1 {
		_, _ = task.Call(ctx, messages.CallRequest{Method: panics})
	}
	if _, err := task.Wait(ctx, func(s *messages.Snapshot) bool { return s.Supervisor != nil && s.Supervisor.Status.Final() }); err != nil {
		t.Fatal(err)
	}
	_, called := evaluate(ctx, task, "1")
	_, waited := task.Wait(ctx, never)
	for _, err := range []error{called, waited} {
		if !errors.Is(err, messages.ErrTaskFailed) || strings.Count(err.Error(), "has failed") != 1 || !strings.Contains(err.Error(), "no more") {
			t.Errorf("got %v", err)
		}
	}
}

const panics = "Test.panics"

// panicAtCalls makes the supervisor panic at calls of [panics].
func panicAtCalls(actorName string, message any) {
	if call, ok := message.(*messages.CallRequest); ok && actorName == "supervisor" && call.Method == panics {
		panic("no more")
	}
}
