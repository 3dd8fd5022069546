package actors

import (
	"fmt"
	"runtime/debug"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
)

// WallClock is the real clock.
func WallClock() messages.Clock { return cdpwire.WallClock{} }

// DialWebSocket dials real browsers; its connections share their buffers.
func DialWebSocket() DialFunc { return new(cdpwire.Dialer).Dial }

// RootProps are the props of the engine's one root actor.
func RootProps(env *Env, name string, guardian actor.SupervisorStrategy, producer actor.Producer) *actor.Props {
	return props(env, "", name, producer, onceMore(env), actor.WithGuardian(guardian))
}

// Again brings the registry's actor a message that made it panic, once more:
// it is not restarted, and nothing that it is told may be lost.
type Again struct{ Message any }

// IgnoreDeadLetterLogging as for all messages of the engine.
func (*Again) IgnoreDeadLetterLogging() {}

// onceMore sends a message that panicked to the same actor once more; whoever
// asked waits on.
func onceMore(env *Env) lost {
	return func(self *actor.PID, envelope *actor.MessageEnvelope) bool {
		switch envelope.Message.(type) {
		case *Again, *actor.Started, *actor.Stopping, *actor.Stopped, *actor.Restarting:
			return false
		}
		env.System.Root.RequestWithCustomSender(self, &Again{Message: envelope.Message}, envelope.Sender)
		return true
	}
}

// lost takes a message that made an actor panic, and reports whether it will
// be handled all the same. Whoever asked is then not told of the panic.
type lost func(self *actor.PID, envelope *actor.MessageEnvelope) bool

// SupervisorProps are the props of a task's supervisor.
func SupervisorProps(env *Env, rec *Record) *actor.Props {
	var turn []actor.PropsOption
	if env.Dispatcher == nil {
		turn = append(turn, actor.WithDispatcher(&rec.turn))
	}
	return props(env, rec.ID, "supervisor", func() actor.Actor { return newSupervisor(env, rec) }, nil, turn...)
}

// props puts every actor into the same wrapping, see [wrapped]. It is a wrapping
// and not a middleware because the library puts each message into an envelope
// for those. keep may be nil.
func props(env *Env, task messages.TaskID, name string, producer actor.Producer, keep lost, more ...actor.PropsOption) *actor.Props {
	more = append([]actor.PropsOption{actor.WithDispatcher(env.dispatcher(name))}, more...)
	return actor.PropsFromProducer(func() actor.Actor {
		w := &wrapped{inner: producer(), env: env, task: task, name: name, keep: keep}
		if strategy, ok := w.inner.(actor.SupervisorStrategy); ok {
			return &wrappedParent{wrapped: w, SupervisorStrategy: strategy}
		}
		return w
	}, more...)
}

// wrapped is an actor whose panics are caught on their way out.
type wrapped struct {
	inner actor.Actor
	env   *Env
	task  messages.TaskID
	name  string
	keep  lost
}

// wrappedParent is one that decides about its children: the library asks the
// actor itself.
type wrappedParent struct {
	*wrapped
	actor.SupervisorStrategy
}

// Receive hands the message on.
func (w *wrapped) Receive(ctx actor.Context) {
	defer w.caught(ctx)
	if w.env.Faults != nil {
		w.env.Faults(w.name, ctx.Message())
	}
	w.inner.Receive(ctx)
}

// caught answers whoever asked with a message that made its actor panic,
// because that message is lost, logs the stack, and panics on, so that the
// parent decides. A panic in Stopping, Stopped or Restarting goes no further:
// the library would turn the stop into a restart, or leave the parent waiting
// for ever.
func (w *wrapped) caught(ctx actor.Context) {
	r := recover()
	if r == nil {
		return
	}
	message := ctx.Message()
	w.env.Log.Error().Str("task", string(w.task)).Str("actor", w.name).
		Str("message", fmt.Sprintf("%T", message)).Str("panic", PanicText(r)).
		Bytes("stack", debug.Stack()).Msg("an actor panicked")
	kept := w.keep != nil && w.keep(ctx.Self(), &actor.MessageEnvelope{Message: message, Sender: ctx.Sender()})
	if asker := ctx.Sender(); asker != nil && !kept {
		Tell(w.env.System, asker, crashed(w.name))
	}
	switch message.(type) {
	case *actor.Stopping, *actor.Stopped, *actor.Restarting:
	default:
		panic(r)
	}
}

func crashed(name string) *messages.Failure {
	return messages.Fail(messages.CodeSessionLost, "the %s failed while it handled this call; it may have run, and can be tried again", name)
}

// PanicText is what a panic said, on one line and of bounded length.
func PanicText(reason any) string {
	s, _ := messages.Cut(fmt.Sprint(reason), 256)
	return s
}
