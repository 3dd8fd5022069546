package actors

import (
	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"cdpsupervisor/messages"
)

// maxWaitingEvents is how many events wait while the host's subscribers are
// busy; more are counted only.
const maxWaitingEvents = 1024

// eventsActor logs the engine's events and hands them to the host's
// subscribers. Host code never runs on an actor: one goroutine at a time
// publishes a batch and reports back.
type eventsActor struct {
	env     *Env
	rec     *Record
	waiting []messages.EngineEvent
	busy    bool
	dropped uint64
	leaving bool // the supervisor waits for the last of them
	pace    logPace
}

type (
	// lastCall asks the events actor to say when it has published everything.
	lastCall struct{}
	// lastPublished: the host has heard of everything.
	lastPublished struct{}
)

// Receive takes one event, or the report of the last batch.
func (e *eventsActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *messages.Note:
		e.log(m.Event)
		if len(e.waiting) >= maxWaitingEvents {
			e.dropped++
			return
		}
		e.waiting = append(e.waiting, m.Event)
	case *messages.EventsPublished:
		e.busy = false
		if m.Panicked > 0 {
			e.env.Log.Error().Str("task", string(e.rec.ID)).Int("events", m.Panicked).Msg("a subscriber of the host panicked")
		}
	case *lastCall:
		e.leaving = true
	case *rest:
		if !e.busy && len(e.waiting) == 0 {
			ctx.Send(ctx.Parent(), &rested{kind: ChildEvents, round: m.round})
		}
	case *actor.Stopping, *actor.Restarting:
		e.logLeftOut(e.pace.left)
		return
	default:
		return
	}
	e.flush(ctx)
	if e.leaving && !e.busy {
		e.leaving = false
		ctx.Send(ctx.Parent(), &lastPublished{})
	}
}

func (e *eventsActor) flush(ctx actor.Context) {
	if e.busy || len(e.waiting) == 0 {
		return
	}
	batch := e.waiting
	if e.dropped > 0 {
		batch = append(batch, &messages.EventsDroppedEvent{Task: e.rec.ID, Dropped: e.dropped})
		e.dropped = 0
	}
	e.waiting, e.busy = nil, true
	system, self := e.env.System, ctx.Self()
	rec := e.rec
	go func() {
		Tell(system, self, &messages.EventsPublished{Panicked: publishAll(system, rec, batch)})
	}()
}

// publishAll hands the events to the host's subscribers, which may take their
// time, and returns how many of them made one panic. The last events of a task
// wait for those that are on their way when its actors end.
func publishAll(system *actor.ActorSystem, rec *Record, events []messages.EngineEvent) (panicked int) {
	rec.publishing.Lock()
	defer rec.publishing.Unlock()
	for _, ev := range events {
		if !publish(system, ev) {
			panicked++
		}
	}
	return panicked
}

// publish reports whether every subscriber returned.
func publish(system *actor.ActorSystem, ev messages.EngineEvent) (ok bool) {
	defer func() { ok = recover() == nil }()
	system.EventStream.Publish(ev)
	return true
}

func (e *eventsActor) log(ev messages.EngineEvent) {
	admitted, leftOut := e.pace.admit(ev, e.env.Clock)
	e.logLeftOut(leftOut)
	if !admitted {
		return
	}
	logEvent(e.env, e.rec, ev)
}

func logEvent(env *Env, rec *Record, ev messages.EngineEvent) {
	level, err := zerolog.ParseLevel(ev.Level())
	if err != nil {
		level = zerolog.InfoLevel
	}
	env.Log.WithLevel(level).Str("task", string(rec.ID)).Msg(ev.Text())
}

// logLeftOut says how much is not in the log.
func (e *eventsActor) logLeftOut(events int) {
	if events > 0 {
		e.env.Log.Warn().Str("task", string(e.rec.ID)).Int("events", events).
			Msg("too many dialogs for the log: some of what happened to them was left out of it, subscribers were told")
	}
}
