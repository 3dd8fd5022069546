package actors

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
)

// port is where the answer to one ask arrives: an [actor.Process] under a
// fresh id, answered once, removed when its ask returns. The library's own
// futures race with late answers, know no context, and leak without a timeout.
type port struct {
	answered atomic.Bool
	ch       chan any // one slot, written by the winner only
}

// here is sent to a port by its own ask: a PID remembers whom it has reached, so
// that what comes to the port when it is removed is dropped by it, and is no dead
// letter.
type here struct{}

// SendUserMessage takes the first answer; later ones are dropped.
func (p *port) SendUserMessage(_ *actor.PID, message any) {
	if _, ok := message.(here); ok {
		return
	}
	if _, m, _ := actor.UnwrapEnvelope(message); m != nil && p.answered.CompareAndSwap(false, true) {
		p.ch <- m
	}
}

// SendSystemMessage hears of the end of the actor that was asked: what stands
// in its mailbox behind its stop vanishes without a word.
func (p *port) SendSystemMessage(_ *actor.PID, message any) {
	if _, ok := message.(*actor.Terminated); ok && p.answered.CompareAndSwap(false, true) {
		p.ch <- gone()
	}
}

// Stop is ignored, as for SendSystemMessage.
func (*port) Stop(*actor.PID) {}

// Tell sends a message to whoever may be gone. The library makes a dead letter of
// what nobody takes, and calls the host's subscribers for it then and there: on
// the goroutine of an actor, of a timer, of a socket.
func Tell(system *actor.ActorSystem, to *actor.PID, message any) {
	if process, alive := system.ProcessRegistry.Get(to); alive {
		process.SendUserMessage(to, message)
	}
}

// teller is [Tell] for many messages: the process is looked up once, because this
// is the path of every batch.
func teller(system *actor.ActorSystem, to *actor.PID) func(message any) {
	process, alive := system.ProcessRegistry.Get(to)
	if !alive {
		return func(any) {}
	}
	return func(message any) { process.SendUserMessage(to, message) }
}

// GoneText is what an ask to an actor that is gone says.
const GoneText = "the task is stopped; start it again with GetOrStart"

func gone() *messages.Failure {
	return messages.Fail(messages.CodeStopped, "%s", GoneText).Because(messages.ErrTaskStopped)
}

// Ask sends a message to an actor and waits for its answer or for the end of
// the context. A *[messages.Failure] is returned as the error. An actor that
// is gone answers at once with [messages.ErrTaskStopped].
func Ask(ctx context.Context, system *actor.ActorSystem, to *actor.PID, message any) (messages.Result, error) {
	if to == nil || message == nil {
		return nil, messages.Fail(messages.CodeInvalidArgument, "an ask needs a receiver and a message").Because(messages.ErrInvalid)
	}
	p := &port{ch: make(chan any, 1)}
	registry := system.ProcessRegistry
	pid, ok := registry.Add(p, "cdpsupervisor/ask/"+registry.NextId())
	if !ok {
		return nil, errors.New("a fresh id for an ask was taken; the actor system's ids are not unique")
	}
	defer registry.Remove(pid)
	system.Root.Send(pid, here{})
	// Watched after the question was sent: whoever stops has answered what
	// came before, and the watch itself is answered when it has stopped.
	Tell(system, to, &actor.MessageEnvelope{Message: message, Sender: pid})
	if asked, alive := registry.Get(to); alive {
		asked.SendSystemMessage(to, &actor.Watch{Watcher: pid})
		defer asked.SendSystemMessage(to, &actor.Unwatch{Watcher: pid})
	} else {
		// It may have left the registry just now: then the question stands in a
		// mailbox that nobody empties any more.
		p.SendSystemMessage(pid, &actor.Terminated{Who: to})
	}
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case m := <-p.ch:
		switch m := m.(type) {
		case *messages.Failure:
			return nil, m
		case messages.Result:
			return m, nil
		case *actor.DeadLetterResponse:
			return nil, gone()
		default:
			return nil, messages.Fail(messages.CodeInvalidArgument, "the actor answered with a %T, which is no result", m)
		}
	}
}
