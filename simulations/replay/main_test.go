package replay_test

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// The actor library's throttle of dead letters sleeps for a second; it is the
	// one goroutine that is not ours to end.
	goleak.VerifyTestMain(m,
		// The throttle of dead letters, by both names that the compiler gives it.
		goleak.IgnoreAnyFunction("github.com/asynkron/protoactor-go/actor.NewDeadLetter.NewThrottle.func4.1"),
		goleak.IgnoreAnyFunction("github.com/asynkron/protoactor-go/actor.NewThrottle.func1.1"))
}
