package registry_test

import (
	"context"
	"testing"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/fakebrowser"
)

// TestStopWhileATabIsOpened: a tab that the browser is just opening for a task
// when that is stopped is closed too.
func TestStopWhileATabIsOpened(t *testing.T) {
	own := registry.WithOwnTab()
	for when, opts := range map[string][]registry.TaskOption{
		"at the start": {own}, "in place of another": {own}, "for the bridge": {registry.WithBridge(messages.BridgeOn)},
	} {
		t.Run(when, func(t *testing.T) {
			ctx := withTimeout(t, 10*time.Second)
			b := browser(t)
			stops := make(chan struct{}, 1)
			r, _ := engine(t, map[string]*fakebrowser.Browser{"b": b}, registry.WithFaults(func(_ string, message any) {
				if _, ok := message.(*messages.StopSupervisor); ok {
					stops <- struct{}{}
				}
			}))
			defer func() { _ = r.Close(ctx) }()
			before := len(b.PageIDs())
			if when == "in place of another" {
				loseTab(ctx, t, r, opts...)
			}
			slow := fakebrowser.Fault{Method: "Target.createTarget", Delay: time.Second}
			sent := b.Calls(slow.Method)
			b.Inject(slow)
			navigated := make(chan struct{})
			go func() {
				defer close(navigated)
				if task, err := r.GetOrStart(ctx, "t", endpoint("b"), opts...); err == nil {
					_, _ = task.Navigate(ctx, "http://a.test/")
				}
			}()
			for b.Calls(slow.Method) == sent && ctx.Err() == nil {
				time.Sleep(time.Millisecond)
			}
			go func() {
				<-stops
				b.Advance(time.Second) // now the browser answers
			}()
			if err := r.Stop(ctx, "t"); err != nil {
				t.Error(err)
			}
			<-navigated
			for len(b.PageIDs()) > before && ctx.Err() == nil {
				time.Sleep(time.Millisecond)
			}
			if ctx.Err() != nil {
				t.Errorf("%d tabs are left, there were %d", len(b.PageIDs()), before)
			}
		})
	}
}

// loseTab starts the task and closes its tab.
func loseTab(ctx context.Context, t *testing.T, r *registry.Registry, opts ...registry.TaskOption) {
	t.Helper()
	task, err := r.GetOrStart(ctx, "t", endpoint("b"), opts...)
	if err != nil {
		t.Fatal(err)
	}
	closing := messages.CallRequest{Method: "Target.closeTarget", Params: []byte(`{"targetId":"` + string(task.Snapshot().PageTargetID) + `"}`)}
	if _, err := task.Call(ctx, closing); err != nil {
		t.Fatal(err)
	}
	if _, err := task.Wait(ctx, func(s *messages.Snapshot) bool {
		return s.Supervisor != nil && s.Supervisor.Status == messages.StatusTabGone
	}); err != nil {
		t.Fatal(err)
	}
}
