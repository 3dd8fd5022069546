package registry_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/fakebrowser"
)

// TestAGuardedCallWaitsForTheConnection: with a guard or without, a call waits
// for a connection that is coming back, and what was not sent has not run.
func TestAGuardedCallWaitsForTheConnection(t *testing.T) {
	for name, opts := range map[string][]registry.Option{
		"guarded": {registry.WithGuard(func(string) error { return nil })}, "unguarded": nil,
	} {
		t.Run(name, func(t *testing.T) {
			cutOff(t, opts, func(t *testing.T, task *registry.Task, comeBack func()) {
				for _, tc := range []struct {
					req  messages.CallRequest
					code messages.Code
					in   time.Duration
				}{
					{messages.CallRequest{Method: "Page.getFrameTree"}, messages.CodeConnectionLost, messages.ReadyWait},
					{messages.CallRequest{Method: "Page.getFrameTree", Timeout: 3 * time.Second}, messages.CodeTimeout, 3 * time.Second},
				} {
					began := time.Now()
					_, err := task.Call(t.Context(), tc.req)
					f, _ := errors.AsType[*messages.Failure](err)
					if f == nil || f.Code != tc.code || f.MayHaveRun || !strings.Contains(f.Message, "was not sent") {
						t.Errorf("got %+v, want %s of what was not sent", err, tc.code)
					}
					if waited := time.Since(began); waited != tc.in {
						t.Errorf("it waited %s, want %s", waited, tc.in)
					}
				}
				time.AfterFunc(5*time.Second, comeBack)
				began := time.Now()
				if got, err := evaluate(t.Context(), task, "40+2"); err != nil || !strings.Contains(got, "42") {
					t.Errorf("once the connection is back: %s, %v", got, err)
				}
				if waited := time.Since(began); waited < 5*time.Second {
					t.Errorf("the call was answered after %s, before the connection was back", waited)
				}
			})
		})
	}
}

// TestAGuardedCallKeepsToItsTimeout: waiting for the connection is a part of it.
func TestAGuardedCallKeepsToItsTimeout(t *testing.T) {
	cutOff(t, []registry.Option{registry.WithGuard(func(string) error { return nil })}, func(t *testing.T, task *registry.Task, comeBack func()) {
		time.AfterFunc(3*time.Second, comeBack)
		began := time.Now()
		_, err := task.Call(t.Context(), messages.CallRequest{
			Method: "Runtime.evaluate", Params: []byte(`{"expression":"new Promise(() => {})","awaitPromise":true}`), Timeout: 7 * time.Second,
		})
		if waited := time.Since(began); messages.CodeOf(err) != messages.CodeTimeout || waited != 7*time.Second {
			t.Errorf("after %s: %v", waited, err)
		}
	})
}

// cutOff runs f with a task whose browser has dropped the connection and takes
// no other until it is to come back.
func cutOff(t *testing.T, opts []registry.Option, f func(t *testing.T, task *registry.Task, comeBack func())) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := fakebrowser.New(fakebrowser.Options{Pages: site, SiteIsolation: true})
		first, back := make(chan struct{}, 1), make(chan struct{})
		first <- struct{}{}
		dial := func(ctx context.Context, _ *messages.Lease) (*cdpwire.Dialed, error) {
			select {
			case <-first:
			case <-back:
			case <-ctx.Done():
				return nil, fmt.Errorf("dial: %w", context.Cause(ctx))
			}
			return &cdpwire.Dialed{Transport: b.Transport(), Shown: "b"}, nil
		}
		r, _ := engine(t, nil, append(opts, registry.WithDial(dial))...)
		task, err := r.GetOrStart(t.Context(), "t", endpoint("b"))
		if err != nil {
			t.Fatal(err)
		}
		b.DropSockets()
		if _, err := task.Wait(t.Context(), func(s *messages.Snapshot) bool {
			return s.Supervisor != nil && s.Supervisor.Status == messages.StatusReconnecting
		}); err != nil {
			t.Fatal(err)
		}
		f(t, task, func() { close(back) })
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
		b.Close()
		time.Sleep(2 * time.Second) // of the bubble: the actor library's throttle of dead letters ends
	})
}
