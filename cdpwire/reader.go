package cdpwire

import (
	"errors"
	"runtime/debug"
	"time"

	"cdpsupervisor/messages"
)

// largeBatch is the wire size at which a batch goes out before it is full.
const largeBatch = 1 << 20

// reader is the part of a [Conn] that belongs to the goroutine that reads, until
// that has ended.
type reader struct {
	decode  decoder
	held    map[string]*int // console calls by session, since they were released
	late    *arena          // of one event that comes under pressure; nil before
	open    *batch          // the batch being filled; nil when it lies in the outbox
	seq     uint64
	seen    messages.WireCounts // totals, ahead of Conn.counts
	at      time.Time           // when the bytes of the current message came
	stamped bool                // at is true for the bytes being read
	waits   bool                // the transport says when it waits
	untimed bool                // it does not say when bytes last came
	alive   bool                // reading ended, and the browser is still there
	hand    func()              // layOpen with the goroutine lent, or nil
}

func (c *Conn) runReader() {
	defer c.goroutineEnded()
	cause := guard(c.read)
	c.handOver()
	switch {
	case cause == nil: // the end began elsewhere
	case cause.Kind == messages.DisconnectPanic, c.alive:
		c.end(cause, phaseLeaving) // the browser is still there to hear the will
	default:
		c.end(cause, phaseDropping)
	}
}

// guard runs f and turns a panic into a cause.
func guard(f func() *messages.Cause) (cause *messages.Cause) {
	defer func() {
		if r := recover(); r != nil {
			cause = panicCause(r, debug.Stack())
		}
	}()
	return f()
}

// read takes messages until there are no more.
func (c *Conn) read() *messages.Cause {
	var buffer []byte
	for !c.dropped.Load() {
		msg, err := c.t.Read(buffer)
		if err != nil {
			c.alive = errors.Is(err, errTooBig)
			return readCause(err)
		}
		if c.o.Tap != nil {
			c.stamp()
			c.o.Tap(Received, c.at, msg)
		}
		c.take(msg)
		if !c.waits {
			c.handOver()
		}
		buffer = msg
	}
	return nil
}

// stamp notes when the bytes came, once somebody wants to know. What came in one
// read of the socket came at one time.
func (c *Conn) stamp() {
	if c.stamped {
		return
	}
	c.at = c.o.Clock.Now()
	c.stamped = c.waits
}

// handOver lets go of what is decoded so far. The transport calls it before it
// waits for bytes.
func (c *Conn) handOver() {
	c.stamped = false
	c.publishCounts()
	if c.idle.Load() {
		c.idle.Store(false)
		c.rest()
	}
	if c.open != nil && c.open.Len() > 0 {
		if c.hand != nil {
			c.hand()
		} else {
			c.layOpen()
		}
	}
}

// rest lets go of what only a busy connection needs. It will learn again what
// comes often.
func (c *Conn) rest() {
	c.decode, c.late = decoder{}, nil
	if c.open != nil && c.open.Len() == 0 {
		c.out.memory.give(c.open)
		c.open = nil
	}
	c.mu.Lock()
	c.pending.compact()
	if len(c.queue.items) == 0 {
		c.queue = queue{}
	}
	c.spare, c.room = queue{}, sendRoom{}
	c.mu.Unlock()
	c.out.compact()
}

// layOpen lets go of the open batch.
func (c *Conn) layOpen() {
	c.open.Counts = c.seen
	c.out.lay(c.open)
	c.open = nil
}

func (c *Conn) publishCounts() {
	c.mu.Lock()
	c.counts = c.seen
	c.mu.Unlock()
}

// take reads one message. Nothing that a message holds ends the connection.
func (c *Conn) take(msg []byte) {
	c.seen.Messages++
	if c.untimed {
		c.lastMessage.Store(c.o.Clock.Now().UnixNano())
	}
	c.seen.Bytes += uint64(len(msg))
	e, ok := scanHead(msg)
	if !ok {
		if e, ok = scanWhole(msg); !ok {
			c.seen.Malformed++
			return
		}
	}
	c.dispatch(msg, &e)
}

func (c *Conn) dispatch(msg []byte, e *envelope) {
	switch {
	case len(e.session) > messages.MaxIDBytes:
		c.seen.Malformed++
	case e.isReply():
		c.takeReply(msg, e)
	default:
		c.takeEvent(msg, e)
	}
}

func (c *Conn) takeEvent(msg []byte, e *envelope) {
	k := kindOf(e.method)
	if k.bulk() {
		c.heard(e.session)
	}
	switch {
	case k == kindNone:
		c.seen.Unknown++
		return
	case unneeded(k, e.value):
		c.seen.Ignored++
		return
	case k.bulk() && c.pressed():
		c.seen.Dropped++
		c.takeLate(k, e)
		return
	}
	c.stamp()
	b := c.batch()
	body := c.decode.event(k, e.value, &b.arena)
	if body == nil {
		b.dropUnused()
		c.takeAgain(msg, e)
		return
	}
	if call, ok := body.(*messages.ConsoleMessage); ok && !isConsoleError(call.Type) {
		b.dropUnused()
		c.seen.Ignored++
		return
	}
	c.append(e.session, body, k.bulk(), len(msg))
}

// heard counts the console calls and exceptions of a session: each keeps objects
// alive in the page until somebody says that they are not wanted.
func (c *Conn) heard(session []byte) {
	n := c.held[string(session)]
	if n == nil {
		if c.held == nil || len(c.held) >= 2*messages.MaxSessions { // of sessions long gone
			c.held = make(map[string]*int)
		}
		n = new(int)
		c.held[string(session)] = n
	}
	if *n++; *n < messages.ConsoleHeldCalls || c.pressed() { // a flood puts no load on whoever is behind
		return
	}
	*n = 0
	c.stamp()
	c.append(session, &messages.ConsoleHeld{}, false, 0)
}

// takeLate takes a bulk event under pressure: it takes the place of the oldest
// that waits, which is the one dropped, because whoever keeps the last errors
// wants the last. Its body is not the batch's, whose memory only grows.
func (c *Conn) takeLate(k kind, e *envelope) {
	if c.late == nil {
		c.late = new(arena)
	}
	c.stamp()
	var body messages.EventBody
	switch late := c.decode.event(k, e.value, c.late).(type) {
	case *messages.ConsoleMessage:
		kept := *late
		body = &kept
	case *messages.ExceptionThrown:
		kept := *late
		body = &kept
	}
	c.late.reset()
	if call, ok := body.(*messages.ConsoleMessage); body == nil || ok && !isConsoleError(call.Type) {
		return
	}
	bulk := c.batch().Bulk
	copy(bulk, bulk[1:])
	c.seq++
	bulk[len(bulk)-1] = messages.Event{
		Epoch: c.o.Epoch, Seq: c.seq, At: c.at,
		Session: c.decode.session(e.session), Body: body,
	}
}

// takeAgain reads a message as a whole whose head and tail promised a layout
// that it does not have.
func (c *Conn) takeAgain(msg []byte, e *envelope) {
	if !e.checked {
		if whole, ok := scanWhole(msg); ok {
			c.dispatch(msg, &whole)
			return
		}
	}
	c.seen.Malformed++
}

// pressed reports whether bulk is to be dropped: the consumer has all the
// batches that it may have, and enough bulk waits already.
func (c *Conn) pressed() bool {
	return c.out.free.Load() <= 0 && len(c.batch().Bulk) >= messages.BatchEvents
}

func (c *Conn) takeReply(msg []byte, e *envelope) {
	if !e.hasID {
		c.seen.Orphans++
		return
	}
	sound := e.sound()
	if !sound && !e.checked {
		if whole, ok := scanWhole(msg); ok {
			c.dispatch(msg, &whole)
			return
		}
	}
	c.mu.Lock()
	call, lot := c.pending.settle(e.id)
	c.mu.Unlock()
	wanted := lot == replyMatched && !call.ref.IsZero()
	switch {
	case !sound:
		c.seen.Malformed++
	case lot == replyDuplicate:
		c.seen.Duplicates++
	case lot == replyOrphan:
		c.seen.Orphans++
	}
	if !wanted {
		return
	}
	c.stamp()
	r := c.batch().arena.reply.next()
	switch {
	case !sound:
		unreadable(&call, r)
	case !c.decode.reply(e, &call, r):
		c.seen.Malformed++
		unreadable(&call, r)
	}
	c.append(e.session, r, false, len(msg))
}

// batch is the open batch.
func (c *Conn) batch() *batch {
	if c.open == nil {
		c.open = c.out.open()
		c.open.Epoch, c.open.Lender = c.o.Epoch, c
	}
	return c.open
}

// append puts an event into the open batch, and lets the batch go when it is
// full. At the limit of the backlog it waits for the consumer.
func (c *Conn) append(session []byte, body messages.EventBody, bulk bool, size int) {
	b := c.batch()
	c.seq++
	event := messages.Event{
		Epoch: c.o.Epoch, Seq: c.seq, At: c.at,
		Session: c.decode.session(session), Body: body,
	}
	if bulk {
		b.Bulk = append(b.Bulk, event)
	} else {
		b.State = append(b.State, event)
	}
	b.Bytes += size
	if b.Len() < messages.BatchEvents && b.Bytes < largeBatch {
		return
	}
	switch {
	case c.out.free.Load() > 0:
		b.Counts = c.seen
		c.out.lay(b)
		c.open = nil
	case b.Len() >= messages.MaxBacklogEvents || b.Bytes >= messages.MaxBacklogBytes:
		b.Counts = c.seen
		c.publishCounts()
		c.out.await(b)
		c.open = nil
	}
}
