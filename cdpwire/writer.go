package cdpwire

import (
	"errors"
	"fmt"

	"cdpsupervisor/messages"
)

// Room that a queue keeps between two writes.
const (
	keptQueue = 2_048     // messages
	keptText  = 512 << 10 // bytes of messages
)

// outgoing is what waits to be written: a message, or a ping.
type outgoing struct {
	msg  []byte
	ping bool
}

// queue is what waits, in order, with the text of all messages in one piece.
// While one is written another is filled; both are used again.
type queue struct {
	items []outgoing
	text  []byte
}

// command adds a command and returns how many bytes that are.
func (q *queue) command(id int64, session messages.SessionID, method string, params []byte) int {
	start := len(q.text)
	q.text = appendCommand(q.text, id, session, method, params) // a larger one leaves the old to its messages
	q.items = append(q.items, outgoing{msg: q.text[start:len(q.text):len(q.text)]})
	return len(q.text) - start
}

// emptied is the room of a queue that was written.
func (q queue) emptied() queue {
	clear(q.items)
	q.items, q.text = q.items[:0], q.text[:0]
	if cap(q.items) > keptQueue {
		q.items = nil
	}
	if cap(q.text) > keptText {
		q.text = nil
	}
	return q
}

// sendRoom is where commands are made ready that leave together.
type sendRoom struct {
	ready []readyCommand
	text  []byte
}

// readyCommand is a command whose params are a part of the text, or which is not
// sent.
type readyCommand struct {
	from, to int
	err      error
}

// emptied is the room for the next commands.
func (r sendRoom) emptied() sendRoom {
	clear(r.ready)
	r.ready, r.text = r.ready[:0], r.text[:0]
	if cap(r.ready) > keptQueue || cap(r.text) > keptText {
		return sendRoom{}
	}
	return r
}

// will is what is written when the connection ends from our side.
type will struct {
	key      string
	session  messages.SessionID
	commands []encoded
}

// encoded is a command that has everything but its id.
type encoded struct {
	cmd    messages.Command
	params []byte
}

// SetWill keeps commands under a key, in place of what was kept under it. When
// the connection ends from our side, a panic too, they are written behind what
// is queued, in the order in which the keys were set first; after
// [Conn.Kill] or when the browser has gone they are not. They are encoded now.
func (c *Conn) SetWill(key string, session messages.SessionID, cmds ...messages.Command) error {
	w := will{key: key, session: session}
	for _, cmd := range cmds {
		params, err := appendParams(nil, cmd)
		if err != nil {
			return fmt.Errorf("last will %q: %w", key, err)
		}
		w.commands = append(w.commands, encoded{cmd: cmd, params: params})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.wills {
		if c.wills[i].key == key {
			c.wills[i] = w
			return nil
		}
	}
	c.wills = append(c.wills, w)
	return nil
}

// ClearWill drops what is kept under the key.
func (c *Conn) ClearWill(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.wills {
		if c.wills[i].key == key {
			c.wills = append(c.wills[:i], c.wills[i+1:]...)
			return
		}
	}
}

// startWriter starts the goroutine that writes, if it does not run. The lock is
// held.
func (c *Conn) startWriter() {
	if !c.writing {
		c.writing = true
		go c.runWriter()
	}
}

// runWriter writes what is queued and ends, since most connections are quiet
// most of the time. When the connection ends it is started once more, for the
// last time.
func (c *Conn) runWriter() {
	if cause := guard(c.writeQueue); cause != nil {
		to := phaseDropping
		if cause.Kind == messages.DisconnectPanic {
			to = phaseLeaving
		}
		c.end(cause, to)
	} else if !c.over() {
		return
	}
	defer c.goroutineEnded()
	if cause := guard(c.writeWill); cause != nil {
		c.end(cause, phaseDropping)
	}
	if cause := guard(c.takeLeave); cause != nil {
		c.end(cause, phaseDropping)
	}
}

// over reports whether the connection is about to end and nothing is queued. If
// it goes on, the next message starts the goroutine again.
func (c *Conn) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.phase != phaseOpen:
		return true
	case len(c.queue.items) > 0: // since writeQueue looked
		go c.runWriter()
	default:
		c.writing = false
	}
	return false
}

// writeQueue writes what is queued.
func (c *Conn) writeQueue() *messages.Cause {
	var batch queue
	for {
		if batch = c.takeQueue(batch); len(batch.items) == 0 {
			return nil
		}
		for _, item := range batch.items {
			if c.dropped.Load() {
				return nil
			}
			if err := c.write(item); err != nil {
				return writeCause(err)
			}
		}
		if err := c.flush(); err != nil {
			return writeCause(err)
		}
	}
}

// takeQueue takes what waits, and keeps the room of what was written before for
// what comes.
func (c *Conn) takeQueue(written queue) queue {
	written = written.emptied()
	c.mu.Lock()
	defer c.mu.Unlock()
	if cap(written.items) > 0 {
		c.spare = written
	}
	if len(c.queue.items) == 0 {
		return queue{}
	}
	batch := c.queue
	c.queue, c.spare, c.queued = c.spare, queue{}, 0
	return batch
}

// write sends one item, or leaves it to the flush that follows.
func (c *Conn) write(item outgoing) error {
	if item.ping {
		if p, ok := c.t.(Pinger); ok {
			return errors.Join(c.flush(), p.Ping())
		}
		return nil
	}
	if c.o.Tap != nil {
		c.o.Tap(Sent, c.o.Clock.Now(), item.msg)
	}
	if g, ok := c.t.(Gatherer); ok {
		return g.WriteLater(item.msg)
	}
	return c.t.Write(item.msg)
}

func (c *Conn) flush() error {
	if g, ok := c.t.(Gatherer); ok {
		return g.Flush()
	}
	return nil
}

// writeWill writes the last will.
func (c *Conn) writeWill() *messages.Cause {
	for _, msg := range c.takeWill() {
		if c.dropped.Load() {
			return nil
		}
		if err := c.write(outgoing{msg: msg}); err != nil {
			return writeCause(err)
		}
	}
	if err := c.flush(); err != nil {
		return writeCause(err)
	}
	return nil
}

// takeLeave sends the close frame, and leaves it to whoever reads to wait for
// the browser's answer.
func (c *Conn) takeLeave() *messages.Cause {
	if l, ok := c.t.(Leaver); !ok || c.dropped.Load() || l.Leave() != nil {
		c.end(nil, phaseDropping)
	}
	return nil
}

// takeWill gives the commands of the will their ids.
func (c *Conn) takeWill() [][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list [][]byte
	for _, w := range c.wills {
		for _, e := range w.commands {
			id := c.pending.add(pendingCall{session: w.session, cmd: e.cmd})
			list = append(list, appendCommand(nil, id, w.session, e.cmd.Method(), e.params))
		}
	}
	c.wills = nil
	return list
}
