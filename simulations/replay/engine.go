package replay

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/vclock"
)

// taskID is the one task of a replay.
const taskID = messages.TaskID("replay")

// source is the endpoint of a trace: there is nothing behind it.
type source struct{}

// Identity names it.
func (source) Identity() string { return "replay" }

// Open gives a lease that leads to the [conductor].
func (source) Open(context.Context) (*messages.Lease, error) {
	return &messages.Lease{Endpoint: "replay", Bridge: messages.BridgeNotNeeded}, nil
}

// Renew gives the same.
func (s source) Renew(ctx context.Context, _ *messages.Lease) (*messages.Lease, error) {
	return s.Open(ctx)
}

// mute drops log entries once the replay is over: that the engine is then stopped
// is nobody's concern.
type mute struct{ on atomic.Bool }

// Run drops an entry.
func (m *mute) Run(e *zerolog.Event, _ zerolog.Level, _ string) {
	if m.on.Load() {
		e.Discard()
	}
}

// engine is the engine under replay, and what is seen of it.
type engine struct {
	clock  *vclock.Clock
	wire   *conductor
	system *actor.ActorSystem
	reg    *registry.Registry
	mute   mute

	seen     uint64 // Seq of the last snapshot that was looked at
	sessions int    // attached sessions
	pages    map[messages.TargetID]bool
	counts   messages.WireCounts
	publish  func(*messages.Snapshot)
}

// startEngine builds the engine as any host does, and starts its task. Nothing has
// run when it returns.
func startEngine(o *Options, p *plan, clock *vclock.Clock, publish func(*messages.Snapshot)) (*engine, error) {
	e := &engine{clock: clock, publish: publish, pages: make(map[messages.TargetID]bool)}
	e.wire = newConductor(clock, p.layout == layoutPage, e.look)
	e.system = actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.DiscardHandler)
	}))
	var err error
	e.reg, err = registry.New(e.system,
		registry.WithClock(clock),
		registry.WithDispatcher(e.wire),
		registry.WithDial(e.wire.dial),
		registry.WithChance(func() float64 { return 0.5 }),
		registry.WithLogger(o.Log.Hook(&e.mute)),
		registry.WithFaults(e.saw),
	)
	if err != nil {
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	options := messages.TaskOptions{
		Policy: o.Policy, DialogTimeout: o.DialogTimeout, Scope: o.Scope,
		Bridge: messages.BridgeOff, // its requests carry secrets of another run
		OnStop: messages.OnStopLeave,
	}
	if p.layout == layoutBrowser {
		options.TargetID = messages.TargetID(p.page.target)
	}
	e.system.Root.Send(e.reg.PID(), &messages.GetOrStart{Task: taskID, Source: source{}, Options: options})
	return e, nil
}

// saw looks at each message before its actor handles it.
func (e *engine) saw(actorName string, message any) {
	e.wire.saw(actorName, message)
	switch m := message.(type) {
	case *messages.TaskPart, *messages.DialogsPart:
		e.look() // what the part before it made
	case *messages.Batch:
		e.counts = m.Counts
	case *messages.PageClaimed:
		if m.Page != "" {
			e.pages[m.Page] = true
		}
	case *messages.PageReleased:
		delete(e.pages, m.Page)
	case *messages.SessionInputs:
		e.count(m.List)
	}
}

// count keeps the number of sessions.
func (e *engine) count(inputs []messages.SessionInput) {
	for i := range inputs {
		switch inputs[i].Kind {
		case messages.SessionBegan:
			e.sessions++
		case messages.SessionOver:
			e.sessions--
		default:
		}
	}
}

// look passes on a snapshot that was not seen yet.
func (e *engine) look() {
	if s := e.snapshot(); s != nil && s.Seq > e.seen {
		e.seen = s.Seq
		e.publish(s)
	}
}

// snapshot is the newest one, or nil before the task is there.
func (e *engine) snapshot() *messages.Snapshot {
	task, ok := e.reg.Get(taskID)
	if !ok {
		return nil
	}
	return task.Snapshot()
}

// ask puts a question to the task and runs the engine until nothing moves any
// more. The answer is nil if it takes longer.
func (e *engine) ask(question messages.Ask) (any, error) {
	task, ok := e.reg.Get(taskID)
	if !ok {
		return nil, nil
	}
	p, done := ask(e.system, task.PID(), question)
	defer done()
	if err := e.wire.settle(); err != nil {
		return nil, err
	}
	return p.answer, nil
}

// frames is the whole frame tree of a page, or nil.
func (e *engine) frames(target messages.TargetID) (*messages.FrameTree, error) {
	answer, err := e.ask(&messages.FramesRequest{TargetID: target})
	if r, ok := answer.(*messages.FramesResult); ok {
		return r.Tree, err
	}
	return nil, err
}

// stop ends the engine. Whatever it still says is not of the trace.
func (e *engine) stop() error {
	e.mute.on.Store(true)
	e.publish = func(*messages.Snapshot) {}
	defer e.system.Shutdown()
	if err := e.wire.hangUp(); err != nil {
		return err
	}
	p, done := ask(e.system, e.reg.PID(), &messages.CloseRegistry{})
	defer done()
	if err := e.wire.run(func() bool { return p.answer != nil }); err != nil {
		return err
	}
	return p.failure()
}
