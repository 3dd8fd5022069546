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
	return props(env, "", name, producer, actor.WithGuardian(guardian))
}

// SupervisorProps are the props of a task's supervisor.
func SupervisorProps(env *Env, rec *Record) *actor.Props {
	return props(env, rec.ID, "supervisor", func() actor.Actor { return newSupervisor(env, rec) })
}

// props puts the one middleware on every actor.
func props(env *Env, task messages.TaskID, name string, producer actor.Producer, more ...actor.PropsOption) *actor.Props {
	opts := append([]actor.PropsOption{actor.WithReceiverMiddleware(catching(env, task, name))}, more...)
	if env.Dispatcher != nil {
		opts = append(opts, actor.WithDispatcher(env.Dispatcher))
	}
	return actor.PropsFromProducer(producer, opts...)
}

// catching answers whoever asked with a message that made its actor panic,
// because that message is lost, logs the stack, and panics on, so that the
// parent decides. A panic in Stopping, Stopped or Restarting goes no further:
// the library would turn the stop into a restart, or leave the parent waiting
// for ever.
func catching(env *Env, task messages.TaskID, name string) actor.ReceiverMiddleware {
	return func(next actor.ReceiverFunc) actor.ReceiverFunc {
		return func(ctx actor.ReceiverContext, envelope *actor.MessageEnvelope) {
			defer func() {
				r := recover()
				if r == nil {
					return
				}
				log := env.Log.Error().Str("task", string(task)).Str("actor", name)
				log.Str("message", fmt.Sprintf("%T", envelope.Message)).Str("panic", PanicText(r)).
					Bytes("stack", debug.Stack()).Msg("an actor panicked")
				if envelope.Sender != nil {
					env.System.Root.Send(envelope.Sender, crashed(name))
				}
				switch envelope.Message.(type) {
				case *actor.Stopping, *actor.Stopped, *actor.Restarting:
				default:
					panic(r)
				}
			}()
			if env.Faults != nil {
				env.Faults(name, envelope.Message)
			}
			next(ctx, envelope)
		}
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
