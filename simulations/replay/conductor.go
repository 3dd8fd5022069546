package replay

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
)

// errHungUp is what the engine's side reads and writes when the replay is over.
var errHungUp = errors.New("the replay is over")

// phase is how far the one connection of a replay has come.
type phase uint8

const (
	phaseNone    phase = iota
	phaseDialing       // the engine has begun to dial
	phaseAsking        // its dialling goroutine waits for leave
	phaseGranted       // it has it; the connection is being opened
	phaseOpen          // its reader has asked for the first message
	phaseClosing       // its goroutines are about to end
	phaseOver
)

// conductor makes one order out of the engine's goroutines. It is the actors'
// dispatcher, which only queues what they have to do; it is the transport, which
// hands over one message at a time; and whoever calls settle runs what is queued,
// one after the other, until nothing moves any more:
//
//	feed ──message──▶ reader ──batch──▶ ┐
//	                                    ├─▶ queue ──settle──▶ actors ──▶ writer ──▶ take
//	clock ───────────timer────────────▶ ┘
//
// While a goroutine of the wire is at work no actor is, so that nothing depends
// on which of the two is faster.
type conductor struct {
	clock     messages.Clock
	pageLevel bool
	ran       func() // called after each run of an actor

	mu      sync.Mutex
	moved   sync.Cond
	err     error // ends every wait
	queue   []func()
	phase   phase
	message []byte // for the reader
	full    bool   // message is to be read
	waiting bool   // the reader waits for a message
	gone    bool   // nothing is read or written any more
	ordered int    // commands that the engine has given to its writer
	written int    // of these, those that have come out
	sent    [][]byte
}

func newConductor(clock messages.Clock, pageLevel bool, ran func()) *conductor {
	c := &conductor{clock: clock, pageLevel: pageLevel, ran: ran}
	c.moved.L = &c.mu
	return c
}

// Schedule queues what an actor has to do.
func (c *conductor) Schedule(run func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue = append(c.queue, run)
	c.moved.Broadcast()
}

// Throughput is how many messages an actor may handle in one run: all there are.
func (c *conductor) Throughput() int { return 1 << 30 }

// fail ends every wait with an error.
func (c *conductor) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
	c.moved.Broadcast()
}

// settle runs the actors until nothing moves any more.
func (c *conductor) settle() error {
	return c.run(func() bool { return c.phase == phaseNone || c.phase == phaseOpen || c.phase == phaseOver })
}

// run runs the actors until there is nothing to run, the wire is at rest and at
// rest is true of it. at rest is called with the lock held.
func (c *conductor) run(atRest func() bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		switch {
		case c.err != nil:
			return c.err
		case c.phase == phaseOpen && (!c.waiting || c.written < c.ordered):
			c.moved.Wait()
		case len(c.queue) > 0:
			run := c.queue[0]
			c.queue[0] = nil
			c.queue = c.queue[1:]
			c.mu.Unlock()
			run()
			c.ran()
			c.mu.Lock()
		case c.phase == phaseAsking:
			c.phase = phaseGranted
			c.moved.Broadcast()
		case atRest():
			return nil
		default:
			c.moved.Wait()
		}
	}
}

// saw is told of each message before its actor handles it.
func (c *conductor) saw(actorName string, message any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch message := message.(type) {
	case *actor.Started:
		if actorName == "socket" && c.phase == phaseNone {
			c.phase = phaseDialing
		}
	case *messages.SendCommand:
		if c.phase == phaseGranted || c.phase == phaseOpen {
			c.ordered++
		}
	case *messages.SendCommands:
		if c.phase == phaseGranted || c.phase == phaseOpen {
			c.ordered += len(message.List)
		}
	case *messages.SendFailed:
		c.ordered--
	case *messages.CloseSocket:
		if c.phase == phaseOpen {
			c.phase = phaseClosing
		}
	case *messages.Disconnected:
		c.phase = phaseOver
	}
}

// dial is the engine's [cdpwire.DialFunc]. There is one connection in a trace.
func (c *conductor) dial(context.Context, *messages.Lease) (*cdpwire.Dialed, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase != phaseDialing {
		return nil, &messages.Cause{Kind: messages.DisconnectInvalid, Text: "the trace holds no second connection"}
	}
	c.phase = phaseAsking
	c.moved.Broadcast()
	for c.phase == phaseAsking && c.err == nil {
		c.moved.Wait()
	}
	if c.err != nil {
		return nil, &messages.Cause{Kind: messages.DisconnectInvalid, Text: "the replay was given up"}
	}
	return &cdpwire.Dialed{Transport: c, Shown: "replay", PageLevel: c.pageLevel}, nil
}

// feed hands one message to the engine and returns when all that follows from it
// is done. It does nothing once the connection is over.
func (c *conductor) feed(msg []byte) error {
	c.mu.Lock()
	if c.phase == phaseOpen {
		c.message, c.full, c.waiting = msg, true, false
		c.moved.Broadcast()
	}
	c.mu.Unlock()
	return c.settle()
}

// take returns the next command that the engine has sent, or nil.
func (c *conductor) take() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.sent) == 0 {
		return nil
	}
	msg := c.sent[0]
	c.sent[0] = nil
	c.sent = c.sent[1:]
	return msg
}

// hangUp ends the connection from the browser's side.
func (c *conductor) hangUp() error {
	_ = c.Close()
	return c.settle()
}

// Read gives the reader its next message.
func (c *conductor) Read([]byte) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase == phaseGranted {
		c.phase = phaseOpen
	}
	c.waiting = true
	c.moved.Broadcast()
	for !c.full && !c.gone && c.err == nil {
		c.moved.Wait()
	}
	if !c.full {
		return nil, io.EOF
	}
	c.full = false
	return c.message, nil
}

// Write takes a command from the writer.
func (c *conductor) Write(msg []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return errHungUp
	}
	c.sent = append(c.sent, append([]byte(nil), msg...))
	c.written++
	c.moved.Broadcast()
	return nil
}

// Close ends the connection.
func (c *conductor) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	if c.phase == phaseOpen {
		c.phase = phaseClosing
	}
	c.moved.Broadcast()
	return nil
}

// Ping is answered at once: a trace has no silence that means anything.
func (c *conductor) Ping() error { return nil }

// LastRead is now, for the same reason.
func (c *conductor) LastRead() time.Time { return c.clock.Now() }
