// Package engineclient is the engine whole as a client of a feed: real actors,
// real state, a published snapshot.
package engineclient

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/backends"
	"cdpsupervisor/bench/feed"
	"cdpsupervisor/bench/measure"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// Options say what the client does besides following its pages.
type Options struct {
	// Tasks is how many pages are followed, each on a connection of its own.
	Tasks int
	// Slow is how long the supervisor is held up at each batch: a consumer that
	// is slow on purpose.
	Slow time.Duration
	// Dialogs measures how long dialogs take from the socket to the snapshot.
	Dialogs bool
	// Idle leaves the pages alone and measures memory instead, before and after
	// a burst.
	Idle bool
}

// restsAfter is when a task that nothing happens to has come to rest.
const restsAfter = messages.IdlePing + 5*time.Second

// Run follows the stream of a feed on all tasks to its end.
func Run(ctx context.Context, endpoint string, o Options, m *measure.Meter) error {
	watch := &dialogWatch{}
	var opts []registry.Option
	if o.Slow > 0 || o.Dialogs {
		opts = append(opts, registry.WithFaults(func(_ string, message any) {
			watch.saw(message)
			if _, ok := message.(*messages.Batch); ok && o.Slow > 0 {
				time.Sleep(o.Slow)
			}
		}))
	}
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }))
	r, err := registry.New(system, opts...)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close(ctx) }() // the process ends
	before := measure.RSS()
	tasks, err := start(ctx, r, endpoint, max(o.Tasks, 1))
	if err != nil {
		return err
	}
	if o.Idle {
		time.Sleep(restsAfter)
		m.Note("rss_per_task_kb", float64(measure.RSS()-before)/float64(len(tasks)))
	}
	m.Start()
	if err = each(tasks, func(t *registry.Task) error { return begin(ctx, t) }); err == nil {
		err = ended(ctx, tasks)
	}
	m.Stop()
	if err != nil {
		return err
	}
	if o.Idle {
		time.Sleep(restsAfter)
		m.Note("rss_after_burst_kb", float64(measure.RSS()-before)/float64(len(tasks)))
	}
	watch.note(m)
	last := tasks[0].Snapshot()
	if last.FrameTree == nil {
		return errors.New("the engine shows no frame tree")
	}
	m.Note("frames", len(last.FrameTree.Children)+last.FrameTree.Omitted)
	if last.Supervisor != nil && len(last.Supervisor.Dropped) > 0 {
		m.Note("dropped", last.Supervisor.Dropped)
	}
	return nil
}

// start starts all tasks. Each has a query of its own, so that it is a browser
// of its own to the registry.
func start(ctx context.Context, r *registry.Registry, endpoint string, n int) ([]*registry.Task, error) {
	tasks := make([]*registry.Task, n)
	for first := 0; first < n; first += 50 { // a feed has a bounded backlog of connections
		some := tasks[first:min(first+50, n)]
		errs := make([]error, len(some))
		var wg sync.WaitGroup
		for i := range some {
			wg.Go(func() {
				id := fmt.Sprintf("bench-%d", first+i)
				some[i], errs[i] = r.GetOrStart(ctx, messages.TaskID(id), backends.Static(messages.Endpoint(endpoint+"?task="+id)))
			})
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil {
			return nil, fmt.Errorf("start: %w", err)
		}
	}
	return tasks, nil
}

func each(tasks []*registry.Task, f func(*registry.Task) error) error {
	errs := make([]error, len(tasks))
	var wg sync.WaitGroup
	for i, t := range tasks {
		wg.Go(func() { errs[i] = f(t) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// How long to wait before a snapshot is looked at again: the first time, and
// at most. Agents look when they want to know something; they do not wake at
// each event.
const (
	lookSoon = time.Millisecond
	lookLate = 32 * time.Millisecond
)

// begin lets the stream begin.
func begin(ctx context.Context, t *registry.Task) error {
	start := messages.CallRequest{Method: "Runtime.evaluate", Params: fmt.Appendf(nil, `{"expression":%q}`, feed.StartExpression)}
	if _, err := t.Call(ctx, start); err != nil {
		return fmt.Errorf("start the stream: %w", err)
	}
	return nil
}

// ended waits until the snapshots of all tasks show the end of the stream.
func ended(ctx context.Context, tasks []*registry.Task) error {
	wait := lookSoon
	for _, t := range tasks {
		for {
			s := t.Snapshot()
			if s.Supervisor != nil && s.Supervisor.Status == messages.StatusFailed {
				return errors.New(s.Supervisor.Reason)
			}
			if s.Page.Title == feed.EndText {
				break
			}
			select {
			case <-time.After(wait):
				wait = min(2*wait, lookLate)
			case <-ctx.Done():
				return fmt.Errorf("wait for the end of the stream: %w", context.Cause(ctx))
			}
		}
	}
	return nil
}
