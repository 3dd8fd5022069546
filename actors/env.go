package actors

import (
	"context"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
)

// DialFunc opens a connection; see [cdpwire.DialFunc].
type DialFunc = cdpwire.DialFunc

// TapFunc sees every message on the wire, below the decoder.
type TapFunc = func(dir cdpwire.Direction, at time.Time, msg []byte)

// within returns a context that ends after d by the environment's clock, with
// [context.DeadlineExceeded] as its cause, and what gives it back.
func (e *Env) within(ctx context.Context, d time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := e.Clock.AfterFunc(d, func() { cancel(context.DeadlineExceeded) })
	return ctx, func() {
		timer.Stop()
		cancel(context.Canceled)
	}
}

// Env is everything that could differ between two runs. It is made once and
// shared by all actors of an engine, which only read it.
type Env struct {
	System     *actor.ActorSystem
	Clock      messages.Clock
	Dial       DialFunc
	Dispatcher actor.Dispatcher // nil means the library's default
	Chance     func() float64   // numbers in [0, 1), for jitter
	// Secret returns a fresh word of letters and digits that nobody can guess.
	Secret func() string
	Log    zerolog.Logger
	// Faults, when set, is called before an actor handles a message.
	Faults func(actorName string, message any)
}
