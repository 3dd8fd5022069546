package registry_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/fakebrowser"
)

// TestAnOrderlyStopIsNoTrouble: of a stop the host hears that the task is
// stopped, and then that it is over. That its own tab goes with it is no news.
func TestAnOrderlyStopIsNoTrouble(t *testing.T) {
	ctx := withTimeout(t, 20*time.Second)
	b := browser(t)
	r, system := engine(t, map[string]*fakebrowser.Browser{"b": b})
	defer func() { _ = r.Close(ctx) }()
	heard := hear(t, system)
	if _, err := r.GetOrStart(ctx, "t", endpoint("b"), registry.WithOwnTab()); err != nil {
		t.Fatal(err)
	}
	if err := r.Stop(ctx, "t"); err != nil {
		t.Fatal(err)
	}
	if n := len(b.PageIDs()); n != 1 {
		t.Errorf("the browser has %d pages, want the one that was there before", n)
	}
	want := []string{
		"debug task is connecting: the task is starting", "info task is well",
		"info task is stopped: stopped by the host", "info task stopped: stopped by the host",
	}
	if got := heard(); !slices.Equal(got, want) {
		t.Errorf("the host heard %q, want %q", got, want)
	}
}

// TestTheEndIsTheLastWord: also of a task that fails.
func TestTheEndIsTheLastWord(t *testing.T) {
	ctx := withTimeout(t, 20*time.Second)
	r, system := engine(t, map[string]*fakebrowser.Browser{"b": browser(t)})
	defer func() { _ = r.Close(ctx) }()
	heard := hear(t, system)
	if _, err := r.GetOrStart(ctx, "t", endpoint("b"), registry.WithTarget("X")); err == nil {
		t.Fatal("it has started")
	}
	got := heard()
	if n := len(got); n < 2 || !strings.HasPrefix(got[n-2], "error task is failed: ") || !strings.HasPrefix(got[n-1], "error task stopped: ") {
		t.Errorf("the host heard %q", got)
	}
}

// TestTheEndFromOutsideIsTold: who stops a supervisor's actor, or the actor that
// all of them belong to, takes it the time to say so itself.
func TestTheEndFromOutsideIsTold(t *testing.T) {
	for name, who := range map[string]func(*registry.Registry, *registry.Task) *actor.PID{
		"the supervisor": func(_ *registry.Registry, task *registry.Task) *actor.PID { return task.PID() },
		"the registry":   func(r *registry.Registry, _ *registry.Task) *actor.PID { return r.PID() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := fakebrowser.New(fakebrowser.Options{Pages: site, SiteIsolation: true})
				r, system := engine(t, map[string]*fakebrowser.Browser{"b": b})
				task, err := r.GetOrStart(t.Context(), "t", endpoint("b"))
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait() // what is told of the start is told
				heard := hear(t, system)
				system.Root.Stop(who(r, task))
				synctest.Wait()
				want := []string{
					"info task is stopped: its supervisor was stopped before it was done",
					"info task stopped: its supervisor was stopped before it was done",
				}
				if got := heard(); !slices.Equal(got, want) {
					t.Errorf("the host heard %q, want %q", got, want)
				}
				_ = r.Close(t.Context())
				b.Close()
				time.Sleep(2 * time.Second) // of the bubble: the actor library's throttle of dead letters ends
			})
		})
	}
}

// hear returns what tells the events of the engine so far, by level and text.
func hear(t *testing.T, system *actor.ActorSystem) func() []string {
	t.Helper()
	var mu sync.Mutex
	var all []string
	sub := system.EventStream.Subscribe(func(ev any) {
		if e, ok := ev.(messages.EngineEvent); ok {
			mu.Lock()
			defer mu.Unlock()
			all = append(all, e.Level()+" "+e.Text())
		}
	})
	t.Cleanup(func() { system.EventStream.Unsubscribe(sub) })
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}
