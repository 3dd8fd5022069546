package cdpwire

import (
	"context"
	"time"

	"cdpsupervisor/messages"
)

// Transport carries whole CDP messages, one per call. The WebSocket stands in
// websocket.go; simulations bring ones in memory. Read is called by one
// goroutine and Write by one other; Close may come from any, more than once.
//
// A transport can also be a [Pinger], a [LastReader], a [Waiter], a [Gatherer]
// and a [Leaver].
type Transport interface {
	// Read blocks until a message has come and returns it, in dst's memory or
	// in other; dst is what the last Read returned. What it returns is valid
	// until the next Read. A message over [messages.MaxReadBytes] is an error.
	Read(dst []byte) ([]byte, error)
	// Write sends one message. It may block, but not for ever: a peer that
	// takes nothing ends in an error. It does not keep msg.
	Write(msg []byte) error
	// Close unblocks Read and Write, which then return errors.
	Close() error
}

// Pinger is a [Transport] that can ask its peer for a sign of life. The answer
// counts as received bytes.
type Pinger interface{ Ping() error }

// LastReader is a [Transport] that knows when bytes last came. Without it a
// [Conn] counts whole messages.
type LastReader interface{ LastRead() time.Time }

// Waiter is a [Transport] that calls f, on the goroutine that reads, each time
// before it waits for bytes that have not come yet. A [Conn] hands over what it
// has decoded there, so that a trickle is never delayed and a burst travels in
// batches. Without it a [Conn] hands over after every message.
type Waiter interface{ OnWait(f func()) }

// Gatherer is a [Transport] that can hold messages back, so that several leave
// in one system call: WriteLater is Write that may wait for Flush. Both are
// called by the goroutine that writes. An error of either ends the connection.
type Gatherer interface {
	WriteLater(msg []byte) error
	Flush() error
}

// Leaver is a [Transport] that can tell its peer that the connection ends in
// good order. It is called by the goroutine that writes, before Close.
type Leaver interface{ Leave() error }

// Dialed is an open connection to a browser.
type Dialed struct {
	Transport Transport
	// Shown is the endpoint as logs may show it: scheme, host and port.
	Shown string
	// PageLevel says that the root session is a page (/devtools/page/…), not
	// the browser.
	PageLevel bool
	// Browser tells browsers apart that are reached by different names: a digest
	// of the id in the address, which Chromium makes anew for each browser; ""
	// where the address has none.
	Browser string
	// Memory is what the connections of one [Dialer] share, or nil.
	Memory *Memory
}

// DialFunc opens a connection to the endpoint of a lease. It blocks until its
// context ends or [messages.DialTimeout] has passed. The error is always a
// [*messages.Cause]: it names the cause and the way out and holds no secret.
type DialFunc func(ctx context.Context, lease *messages.Lease) (*Dialed, error)

// Direction says which way a message went.
type Direction uint8

// The directions, seen from the engine.
const (
	Received Direction = iota + 1
	Sent
)

// String is the word that a trace uses: "recv" or "send".
func (d Direction) String() string {
	switch d {
	case Received:
		return "recv"
	case Sent:
		return "send"
	}
	return "unknown"
}
