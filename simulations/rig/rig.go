package rig

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/fakebrowser"
	"cdpsupervisor/simulations/vclock"
)

// Rig is one engine and one browser. Its methods are for one goroutine, the one
// that drives the run.
type Rig struct {
	// Clock is the virtual time of engine and browser.
	Clock *vclock.Clock
	// Browser is the other side.
	Browser *fakebrowser.Browser
	// Registry is the engine's door. Its blocking methods wait for moves that
	// only this goroutine makes: use [Rig.Ask].
	Registry *registry.Registry
	// Page is the hand that plays people and pages.
	Page *Hand

	o      Options
	system *actor.ActorSystem
	watch  watch

	mu     sync.Mutex // guards what the engine's goroutines reach
	queue  []func()
	dials  []*dialling
	links  []*link
	refuse bool
	asks   []*Ask
}

// New starts an engine without a task and a browser with one empty page.
func New(o Options) (*Rig, error) {
	if err := o.defaults(); err != nil {
		return nil, err
	}
	r := &Rig{o: o, Clock: vclock.New(o.Start)}
	o.Browser.Clock = r.Clock
	r.Browser = fakebrowser.New(o.Browser)
	r.system = actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.DiscardHandler)
	}))
	log := zerolog.Nop()
	if o.Log != nil {
		log = zerolog.New(o.Log)
	}
	secrets := 0
	var err error
	r.Registry, err = registry.New(r.system,
		registry.WithClock(r.Clock), registry.WithDispatcher(r), registry.WithDial(r.dial),
		registry.WithChance(o.Chance), registry.WithFaults(r.saw), registry.WithLogger(log),
		registry.WithSecrets(func() string { secrets++; return "secret" + strconv.Itoa(secrets) }),
	)
	if err != nil {
		r.Browser.Close()
		return nil, fmt.Errorf("rig: start the engine: %w", err)
	}
	if o.Trace != nil {
		fmt.Fprintf(o.Trace, `{"trace":1,"start":%d,"tool":"rig"}`+"\n", o.Start.Unix())
	}
	r.Page = newHand(r)
	r.quiet()
	return r, nil
}

// source is the one endpoint of a rig.
type source string

// Identity names it.
func (s source) Identity() string { return string(s) }

// Open gives a lease that leads to [Rig.dial].
func (s source) Open(context.Context) (*messages.Lease, error) {
	return &messages.Lease{Endpoint: messages.Endpoint(s), Bridge: messages.BridgeNotNeeded}, nil
}

// Renew gives the same.
func (s source) Renew(ctx context.Context, _ *messages.Lease) (*messages.Lease, error) {
	return s.Open(ctx)
}

// Start asks for the task. It returns at once.
func (r *Rig) Start(id messages.TaskID, options messages.TaskOptions) *Ask {
	return r.ask(r.Registry.PID(), "start", &messages.GetOrStart{Task: id, Source: source("browser"), Options: options})
}

// Stop asks for the end of the task. It returns at once.
func (r *Rig) Stop(id messages.TaskID) *Ask {
	return r.ask(r.Registry.PID(), "stop", &messages.StopTask{Task: id, Reason: "stopped by the host"})
}

// Snapshot is the task's newest one, nil before the task is there.
func (r *Rig) Snapshot(id messages.TaskID) *messages.Snapshot {
	task, ok := r.Registry.Get(id)
	if !ok {
		return nil
	}
	return task.Snapshot()
}

// Settle makes moves until there are none, max at most. It reports whether
// there are none.
func (r *Rig) Settle(most int) bool {
	r.quiet()
	for range most {
		if !r.Step() {
			return true
		}
	}
	return false
}

// Advance lets time pass: each timer fires at its moment, and all that follows
// is done before the next one. It reports whether everything came to rest.
func (r *Rig) Advance(d time.Duration, most int) bool {
	until := r.Clock.Now().Add(d)
	for r.Settle(most) {
		due := r.Clock.Next(until)
		if due == nil {
			return true
		}
		due()
		r.quiet()
	}
	return false
}

// Tick fires the next timer if it is due within d, without waiting for what
// follows; else it lets d pass.
func (r *Rig) Tick(d time.Duration) {
	if due := r.Clock.Next(r.Clock.Now().Add(d)); due != nil {
		due()
	}
	r.quiet()
}

// Crash kills the renderer of a page or of a frame with a process of its own.
func (r *Rig) Crash(target string) {
	r.Browser.CrashPage(target)
	r.quiet()
}

// Close ends engine and browser. The error says what the engine could not end,
// or what was found wrong in the run.
func (r *Rig) Close() error {
	r.watch.closing = true
	for _, l := range r.links {
		l.half = false
	}
	r.o.Choose = func(int) int { return 0 }
	closing := r.ask(r.Registry.PID(), "close", &messages.CloseRegistry{})
	still := r.Advance(4*messages.StopTimeout, 100_000)
	for _, l := range r.links {
		_ = l.Close()
		l.hangUp()
	}
	r.Page.close()
	r.quiet()
	r.Settle(10_000)
	broken := r.Browser.Err()
	r.Browser.Close()
	r.system.Shutdown()
	r.quiet()
	switch answer := closing.Answer().(type) {
	case *messages.RegistryClosed:
		if len(answer.NotStopped) > 0 {
			r.watch.note("close: these did not stop: %v", answer.NotStopped)
		}
	default:
		r.watch.note("close was answered with %T (at rest: %v)", answer, still)
	}
	if broken != nil {
		r.watch.note("the fake browser broke: %v", broken)
	}
	return r.watch.err()
}

// Err is what was found wrong so far, nil if nothing.
func (r *Rig) Err() error { return r.watch.err() }

func (r *Rig) quiet() {
	r.o.Quiet()
	if r.Page != nil {
		r.Page.read()
	}
}
