package actors

import (
	"runtime"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"
)

// throughput is how many messages an actor handles before it lets other
// goroutines run.
const throughput = 300

// dispatcher says where an actor of this name runs, if the environment does
// not. The registry and whoever logs have goroutines of their own. A
// supervisor's other children run where they are told something, which is
// mostly on the supervisor's goroutine: each of them does little and waits for
// nothing, so waking a goroutine for it would cost more than what it does. A
// supervisor has its [turn].
func (e *Env) dispatcher(name string) actor.Dispatcher {
	if e.Dispatcher != nil {
		return e.Dispatcher
	}
	switch ChildKind(name) {
	case ChildSocket, ChildDialogs, ChildSessions, ChildSnapshot:
		return onSender{}
	case ChildEvents:
	}
	return onGoroutine{}
}

// onGoroutine runs an actor on a goroutine that ends when nothing waits for it.
type onGoroutine struct{}

// Schedule runs fn soon.
func (onGoroutine) Schedule(fn func()) { go deepened(fn) }

// Throughput as the library wants it.
func (onGoroutine) Throughput() int { return throughput }

func deepened(fn func()) {
	deepen()
	fn()
}

// deepen makes the stack of a new goroutine as large as handling a message
// needs. By itself it would grow in three steps, each of which copies all
// frames so far; that was a tenth of all CPU.
//
//go:noinline
func deepen() {
	var room [6 << 10]byte
	runtime.KeepAlive(&room)
}

// turn is where a task's supervisor runs: on a goroutine of its own, or on the
// one that reads the socket, when that has handed over all that it has and would
// only wait. A quiet page then wakes one goroutine per event, and no other
// thread of the system.
type turn struct {
	state atomic.Uint32 // turnNone, …
	next  func()        // written while turnFilling, read while turnFilled
}

// The states of a turn.
const (
	turnNone    uint32 = iota // nobody lends a goroutine
	turnLent                  // a reader will run what comes
	turnFilling               // it comes
	turnFilled                // the reader can run it
)

// Schedule runs fn soon.
func (t *turn) Schedule(fn func()) {
	if t.state.Load() != turnLent || !t.state.CompareAndSwap(turnLent, turnFilling) {
		go deepened(fn)
		return
	}
	t.next = fn
	t.state.Store(turnFilled)
}

// Throughput as the library wants it.
func (*turn) Throughput() int { return throughput }

// lend calls handOver and then runs the supervisor, if it has been scheduled
// meanwhile, by whomever. The reader of a connection that is over can be in it
// at the same time as that of the next: then only one of them lends.
func (t *turn) lend(handOver func()) {
	if !t.state.CompareAndSwap(turnNone, turnLent) {
		handOver()
		return
	}
	defer t.take() // also behind a panic: what was scheduled would be lost
	handOver()
}

// take runs what was scheduled on the goroutine that was lent.
func (t *turn) take() {
	for !t.state.CompareAndSwap(turnLent, turnNone) {
		if t.state.Load() == turnFilled {
			fn := t.next
			t.next = nil
			t.state.Store(turnNone)
			fn()
			return
		}
		runtime.Gosched() // it is being stored right now
	}
}

// onSender runs an actor on the goroutine of whoever tells it something, unless
// it is running already: then that goroutine takes the message as well.
type onSender struct{}

// Schedule runs fn now.
func (onSender) Schedule(fn func()) { fn() }

// Throughput as the library wants it.
func (onSender) Throughput() int { return throughput }
