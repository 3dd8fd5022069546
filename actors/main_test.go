package actors

import (
	"log/slog"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"cdpsupervisor/messages"
)

func TestMain(m *testing.M) {
	// The library starts one goroutine at the first dead letter of a system,
	// which ends by itself a second later.
	goleak.VerifyTestMain(m,
		// The throttle of dead letters, by both names that the compiler gives it.
		goleak.IgnoreAnyFunction("github.com/asynkron/protoactor-go/actor.NewDeadLetter.NewThrottle.func4.1"),
		goleak.IgnoreAnyFunction("github.com/asynkron/protoactor-go/actor.NewThrottle.func1.1"))
}

// quietSystem is an actor system that logs nothing.
func quietSystem() *actor.ActorSystem {
	return actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.DiscardHandler)
	}))
}

// testEnv is an environment on a fresh system without a browser.
func testEnv(t *testing.T) *Env {
	t.Helper()
	return &Env{
		System: quietSystem(), Clock: WallClock(), Log: zerolog.Nop(),
		Chance: func() float64 { return 0.5 },
	}
}

func testRecord() *Record {
	return NewRecord("t", 1, nil, messages.TaskOptions{Policy: messages.PolicyMustRespond, DialogTimeout: time.Minute}, nil)
}
