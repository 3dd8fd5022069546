package cdpwire

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"cdpsupervisor/messages"
)

// maxQueuedBytes is how much may wait to be written. A browser that takes so
// little has stopped reading, and the write deadline ends the connection.
const maxQueuedBytes = 2 * messages.MaxWriteBytes

// Errors of [Conn.Send].
var (
	// ErrClosed: the connection has ended or is about to.
	ErrClosed = errors.New("the connection is closed")
	// ErrBehind: the browser does not take what is sent.
	ErrBehind = errors.New("the browser does not take what is sent")

	// errUnanswered ends the connection.
	errUnanswered = fmt.Errorf("%w: the browser answers nothing", ErrClosed)
)

// Options is what a [Conn] is opened with. Tap, Memory and Lend need not be set.
type Options struct {
	// Epoch is stamped on every event.
	Epoch messages.Epoch
	// Clock stamps arrival times and bounds the last writes.
	Clock messages.Clock
	// Deliver takes a batch and its ownership, until [Conn.Credit] gives it
	// back. It is called from the reading goroutine or inside Credit, one call
	// at a time, and must not block.
	Deliver func(*messages.Batch)
	// Lend, when set, is given what hands over the last events before the
	// reading goroutine waits for the browser. It must call that, and may go on
	// using the goroutine for what the events lead to.
	Lend func(handOver func())
	// Ended is called exactly once, when both goroutines have ended and nothing
	// will be delivered any more. It must not block.
	Ended func(*messages.Cause)
	// Memory is that of the connection's batches; nil for its own. See
	// [Dialed.Memory].
	Memory *Memory
	// Tap sees every message both ways, below decoder and encoder. It is called
	// from the reading and from the writing goroutine and must not keep msg.
	Tap func(dir Direction, at time.Time, msg []byte)
}

// Conn is one connection to a browser:
//
//	browser ──▶ Transport.Read ──▶ envelope ──▶ decoder ──▶ batch ──▶ Deliver
//	                                   │ reply: pending call by id       │
//	browser ◀── Transport.Write ◀── queue ◀── encoder ◀── Send          │
//	                                              Credit ◀───────────────┘
//
// One goroutine reads, and one writes while there is something to write; both recover a panic into the cause of the
// end. No method blocks, and all may be called from any goroutine.
type Conn struct {
	t   Transport
	o   Options
	out *outbox

	reader // belongs to the goroutine that reads

	dropped     atomic.Bool  // no more reads and writes
	idle        atomic.Bool  // nothing came for long, and a ping was sent
	running     atomic.Int32 // goroutines that have not ended
	lastMessage atomic.Int64 // when a message last came, Unix nanoseconds

	mu      sync.Mutex
	counts  messages.WireCounts
	pending pendingCalls
	queue   queue    // to be written
	spare   queue    // empty: room for the next
	writing bool     // a goroutine writes, or wrote the last
	queued  int      // bytes in queue
	room    sendRoom // empty: for [Conn.SendAll]
	wills   []will
	phase   phase
	cause   *messages.Cause // why it ends; the first one counts
	limit   messages.Timer  // bounds the last writes
}

// phase is how far a connection is in its end.
type phase uint8

const (
	phaseOpen     phase = iota
	phaseLeaving        // the queue and the will are written, then the socket closes
	phaseDropping       // the socket closes
)

// Open starts a connection, which owns t from now on. Its goroutines end with [Conn.Close], [Conn.Kill], or when the browser goes.
func Open(t Transport, o Options) *Conn {
	c := &Conn{t: t, o: o}
	c.out = newOutbox(o.Memory, o.Deliver, func(cause *messages.Cause) { c.end(cause, phaseLeaving) })
	if o.Lend != nil {
		lay := c.layOpen // a method value is an allocation
		c.hand = func() { o.Lend(lay) }
	}
	c.lastMessage.Store(o.Clock.Now().UnixNano())
	if w, ok := t.(Waiter); ok {
		c.waits = true
		w.OnWait(c.handOver)
	}
	_, timed := t.(LastReader)
	c.untimed = !timed
	c.running.Store(2)
	go c.runReader()
	return c
}

// Send gives the command an id and queues it. The reply to a command with a Ref
// is delivered as a [messages.Reply]; without one it is only counted. An error
// means that nothing was sent: [ErrClosed], [ErrBehind], [ErrTooLarge] or
// [ErrParams].
func (c *Conn) Send(session messages.SessionID, ref messages.Ref, cmd messages.Command) error {
	var room [1 << 10]byte // most params fit, and cost no allocation then
	params, err := checkedParams(room[:0], session, cmd)
	if err != nil {
		return err
	}
	c.mu.Lock()
	err = c.queueCommand(session, ref, cmd, params)
	c.mu.Unlock()
	c.endUnanswered(err)
	return err
}

// SendAll is Send for several commands, which leave together. What is not sent
// is told by its place in the list, and does not keep the others back. It keeps
// nothing of the list.
func (c *Conn) SendAll(list []messages.SendCommand, refused func(place int, err error)) {
	c.mu.Lock()
	room := c.room
	c.room = sendRoom{} // somebody else makes its own
	c.mu.Unlock()
	for i := range list {
		all, err := checkedParams(room.text, list[i].Session, list[i].Command)
		ready := readyCommand{err: err}
		if err == nil {
			ready.from, ready.to, room.text = len(room.text), len(all), all
		}
		room.ready = append(room.ready, ready)
	}
	c.mu.Lock()
	for i := range list {
		if r := &room.ready[i]; r.err == nil {
			r.err = c.queueCommand(list[i].Session, list[i].Ref, list[i].Command, room.text[r.from:r.to])
		}
	}
	c.mu.Unlock()
	for i := range room.ready {
		if err := room.ready[i].err; err != nil {
			c.endUnanswered(err)
			refused(i, err)
		}
	}
	c.mu.Lock()
	c.room = room.emptied()
	c.mu.Unlock()
}

// checkedParams appends the params of a command that is not too large.
func checkedParams(dst []byte, session messages.SessionID, cmd messages.Command) ([]byte, error) {
	all, err := appendParams(dst, cmd)
	if err != nil {
		return nil, err
	}
	if size := len(all) - len(dst) + len(cmd.Method()) + len(session) + 64; size > messages.MaxWriteBytes {
		return nil, tooLarge(cmd.Method(), size)
	}
	return all, nil
}

// queueCommand gives a command its id and queues it. The lock is held.
func (c *Conn) queueCommand(session messages.SessionID, ref messages.Ref, cmd messages.Command, params []byte) error {
	method := cmd.Method()
	if c.phase != phaseOpen {
		return fmt.Errorf("%s: %w", method, ErrClosed)
	}
	if c.queued > maxQueuedBytes {
		return fmt.Errorf("%s: %w: %d bytes wait", method, ErrBehind, c.queued)
	}
	if c.pending.calls.Len() >= messages.MaxPendingCommands {
		return fmt.Errorf("%s: %w", method, errUnanswered)
	}
	id := c.pending.add(pendingCall{ref: ref, session: session, cmd: cmd})
	c.queued += c.queue.command(id, session, method, params)
	c.startWriter()
	return nil
}

// endUnanswered ends a connection on which too much waits for replies. A browser
// that answers pings and no commands would have it grow for ever.
func (c *Conn) endUnanswered(err error) {
	if errors.Is(err, errUnanswered) {
		c.end(lost("the browser answers nothing: %d commands wait for their replies; restart it, or the proxy between",
			messages.MaxPendingCommands), phaseLeaving)
	}
}

// Credit gives a delivered batch back, whose bodies are void from now on. If
// events wait, they are delivered inside the call.
func (c *Conn) Credit(b *messages.Batch) { c.out.credit(b) }

// Forget drops the pending calls of a session that is gone: the browser answers
// them late or, mostly, never. Late replies are counted.
func (c *Conn) Forget(session messages.SessionID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending.forget(session)
}

// Ping asks the browser for a sign of life, which shows in [Conn.LastRead]. When
// that comes, the connection lets go of memory that only a busy one needs. It is
// an error if the connection has ended or its transport has no such thing.
func (c *Conn) Ping() error {
	if _, ok := c.t.(Pinger); !ok {
		return fmt.Errorf("ping: %w by this transport", errors.ErrUnsupported)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase != phaseOpen {
		return fmt.Errorf("ping: %w", ErrClosed)
	}
	c.idle.Store(true)
	c.queue.items = append(c.queue.items, outgoing{ping: true})
	c.startWriter()
	return nil
}

// LastRead is when bytes last came. While the reader itself waits for the
// consumer it is now: that silence is ours.
func (c *Conn) LastRead() time.Time {
	if c.out.waiting() {
		return c.o.Clock.Now()
	}
	if r, ok := c.t.(LastReader); ok {
		return r.LastRead()
	}
	return time.Unix(0, c.lastMessage.Load())
}

// Counts is what the connection has counted, up to the last time that its
// reader waited or handed a batch over.
func (c *Conn) Counts() messages.WireCounts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}

// Close ends the connection in good order and returns at once: what is queued
// is written and then the will, in one second at most, and the socket closes.
// Only the first cause counts; it may be nil.
func (c *Conn) Close(cause *messages.Cause) { c.end(orClosed(cause), phaseLeaving) }

// Kill ends the connection at once, without what is queued and without the will.
func (c *Conn) Kill(cause *messages.Cause) { c.end(orClosed(cause), phaseDropping) }

func orClosed(cause *messages.Cause) *messages.Cause {
	if cause != nil {
		return cause
	}
	return &messages.Cause{Kind: messages.DisconnectClosed, Text: "the engine closed the connection"}
}

// end moves the connection towards its end; it never moves back.
func (c *Conn) end(cause *messages.Cause, to phase) {
	c.mu.Lock()
	if c.cause == nil {
		c.cause = cause
	}
	moved := to > c.phase
	if moved {
		c.phase = to
	}
	c.mu.Unlock()
	if !moved {
		return
	}
	switch to {
	case phaseLeaving:
		limit := c.o.Clock.AfterFunc(messages.WillTimeout, func() { c.end(nil, phaseDropping) })
		c.mu.Lock()
		c.limit = limit
		c.mu.Unlock()
	case phaseDropping:
		c.dropped.Store(true)
		c.out.drop()
		_ = guard(func() *messages.Cause { _ = c.t.Close(); return nil }) // over in any case
	case phaseOpen:
	}
	c.mu.Lock()
	c.startWriter()
	c.mu.Unlock()
}

// goroutineEnded is the last act of each goroutine. The second one ends the
// connection.
func (c *Conn) goroutineEnded() {
	if c.running.Add(-1) > 0 {
		return
	}
	_ = guard(c.drain)
	c.end(nil, phaseDropping)
	c.mu.Lock()
	limit, cause := c.limit, c.cause
	c.mu.Unlock()
	if limit != nil {
		limit.Stop()
	}
	c.out.finish(func() {
		_ = guard(func() *messages.Cause { c.o.Ended(orClosed(cause)); return nil }) // nobody is left to tell
	})
}

// drain reads what still comes after our close frame, where the reader ended
// before the browser answered it. A socket that is closed with unread bytes in it
// is reset, and a reset overtakes what was sent before: the will could be lost.
// The limit of an end in good order ends the wait.
func (c *Conn) drain() *messages.Cause {
	for !c.dropped.Load() {
		if _, err := c.t.Read(nil); err != nil {
			break
		}
	}
	return nil
}
