package registry_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/fakebrowser"
	"cdpsupervisor/simulations/vclock"
)

// lent is a source that says when its lease is given back, and how the context
// stands then. Where opened is set, it lends nothing before it is told to.
type lent struct {
	opened, let chan struct{}
	back        chan error
}

func lend() *lent { return &lent{back: make(chan error, 9)} }

func (*lent) Identity() string { return "b" }
func (l *lent) Open(context.Context) (*messages.Lease, error) {
	if l.opened != nil {
		close(l.opened)
		<-l.let
	}
	return &messages.Lease{Endpoint: "b", Close: func(ctx context.Context) error {
		l.back <- ctx.Err()
		return nil
	}}, nil
}
func (*lent) Renew(_ context.Context, old *messages.Lease) (*messages.Lease, error) { return old, nil }

// TestLeaseOfAPanickedTask: the lease is given back also where no supervisor is
// left to do it.
func TestLeaseOfAPanickedTask(t *testing.T) {
	ctx := withTimeout(t, 20*time.Second)
	r, _ := engine(t, map[string]*fakebrowser.Browser{"b": browser(t)}, registry.WithFaults(func(name string, message any) {
		if _, call := message.(*messages.CallRequest); call && name == "supervisor" {
			panic("injected")
		}
	}))
	defer func() { _ = r.Close(ctx) }()
	source := lend()
	task, err := r.GetOrStart(ctx, "t", source)
	if err != nil {
		t.Fatal(err)
	}
	for range messages.RestartBudget + 1 {
		_, _ = evaluate(ctx, task, "1")
	}
	select {
	case <-source.back:
	case <-time.After(5 * time.Second):
		t.Error("the lease was not given back")
	}
}

// freezer is a connection to a browser that can freeze: it takes nothing more.
type freezer struct {
	cdpwire.Transport
	frozen atomic.Bool
	closed chan struct{}
	once   sync.Once
}

func (f *freezer) Write(msg []byte) error {
	if f.frozen.Load() {
		<-f.closed
		return errors.New("closed")
	}
	return f.Transport.Write(msg)
}

func (f *freezer) Close() error {
	f.once.Do(func() { close(f.closed) })
	return f.Transport.Close()
}

// TestStopOfAFrozenBrowser: of a browser that takes nothing any more each stage of
// a stop needs all its time. It is in order still, and gives the lease back.
func TestStopOfAFrozenBrowser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fakebrowser.New(fakebrowser.Options{Pages: site, SiteIsolation: true})
		link := &freezer{Transport: b.Transport(), closed: make(chan struct{})}
		r, _ := engine(t, nil, registry.WithDial(func(context.Context, *messages.Lease) (*cdpwire.Dialed, error) {
			return &cdpwire.Dialed{Transport: link, Shown: "b"}, nil
		}))
		source := lend()
		task, err := r.GetOrStart(t.Context(), "t", source, registry.WithOwnTab(), registry.WithBridge(messages.BridgeOn))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := evaluate(t.Context(), task, "confirm('q')"); messages.CodeOf(err) != messages.CodeDialogOpened {
			t.Error(err)
		}
		link.frozen.Store(true)
		begin := time.Now()
		if err := r.Stop(t.Context(), "t"); err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took > messages.StopTimeout {
			t.Errorf("the stop took %s, its bound is %s", took, messages.StopTimeout)
		}
		synctest.Wait()
		if len(source.back) != 1 {
			t.Errorf("the lease was given back %d times", len(source.back))
		}
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
		b.Close()
		time.Sleep(2 * time.Second) // of the bubble: the actor library's throttle of dead letters ends
	})
}

// leaving is a source that ends the goroutine on which it is asked.
type leaving struct{ endpoint }

func (leaving) Open(context.Context) (*messages.Lease, error) {
	runtime.Goexit()
	return nil, nil
}

// TestSourceThatEndsItsGoroutine: whoever starts a task on it is told at once.
func TestSourceThatEndsItsGoroutine(t *testing.T) {
	ctx := withTimeout(t, 20*time.Second)
	r, _ := engine(t, nil)
	defer func() { _ = r.Close(ctx) }()
	begin := time.Now()
	_, err := r.GetOrStart(ctx, "t", leaving{"b"})
	if !errors.Is(err, messages.ErrConnect) || time.Since(begin) > messages.StartTimeout {
		t.Errorf("after %s: %v", time.Since(begin), err)
	}
}

// TestLeaseOfASlowSource: a source that comes with its lease when the stop is long
// over has all the time to take it back.
func TestLeaseOfASlowSource(t *testing.T) {
	ctx := withTimeout(t, 20*time.Second)
	clock := vclock.New(time.Unix(1_700_000_000, 0))
	r, _ := engine(t, nil, registry.WithClock(clock))
	source := lend()
	source.opened, source.let = make(chan struct{}), make(chan struct{})
	started, stopped, closed := make(chan error, 1), make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := r.GetOrStart(ctx, "t", source)
		started <- err
	}()
	<-source.opened
	go func() { stopped <- r.Stop(ctx, "t") }()
	pass := func(until <-chan error) error {
		for ctx.Err() == nil {
			select {
			case err := <-until:
				return err
			default:
			}
			if due := clock.Next(clock.Now().Add(time.Second)); due != nil {
				due()
			}
			time.Sleep(time.Millisecond) // between two steps of the clock, not for a state
		}
		return ctx.Err()
	}
	if err := pass(stopped); err != nil {
		t.Error(err)
	}
	late := clock.Now().Add(time.Minute)
	for due := clock.Next(late); due != nil; due = clock.Next(late) {
		due()
	}
	close(source.let)
	if err := pass(source.back); err != nil {
		t.Errorf("the context of its return: %v", err)
	}
	<-started
	go func() { closed <- r.Close(ctx) }()
	if err := pass(closed); err != nil {
		t.Error(err)
	}
}

// TestTaskThatIsEndedFromOutside: a supervisor that is ended makes no connection
// in place of the one that ends with it, also while a child of it takes long to
// end. A child that began now would keep it for ever, and its lease.
func TestTaskThatIsEndedFromOutside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fakebrowser.New(fakebrowser.Options{Pages: site, SiteIsolation: true})
		var dials atomic.Int64
		release := make(chan struct{})
		r, system := engine(t, nil, registry.WithDial(func(context.Context, *messages.Lease) (*cdpwire.Dialed, error) {
			dials.Add(1)
			return &cdpwire.Dialed{Transport: b.Transport(), Shown: "b"}, nil
		}), registry.WithFaults(func(name string, message any) {
			if _, ends := message.(*actor.Stopping); ends && name == "events" {
				<-release
			}
		}))
		source := lend()
		task, err := r.GetOrStart(t.Context(), "t", source)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		system.Root.Stop(task.PID())
		time.Sleep(time.Second) // of the bubble: time to connect
		if n := dials.Load(); n != 1 {
			t.Errorf("%d connections were made", n)
		}
		close(release)
		time.Sleep(time.Second) // of the bubble: nothing is left to do
		if len(source.back) != 1 {
			t.Errorf("the lease was given back %d times", len(source.back))
		}
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
		b.Close()
		time.Sleep(2 * time.Second) // of the bubble: the actor library's throttle of dead letters ends
	})
}
