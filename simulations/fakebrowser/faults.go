package fakebrowser

import (
	"slices"
	"time"
)

// Fault is what goes wrong with matching commands.
type Fault struct {
	// Method is the CDP method; "" matches every one.
	Method string
	// Target limits it to sessions of one target id; "" means all, the
	// browser's session among them.
	Target string
	// Times is how many commands it befalls; 0 means every one.
	Times int

	// Code and Message refuse the command with an error. A Message without a
	// Code is -32000.
	Code    int
	Message string
	// Swallow drops the command: it has no effect and no reply.
	Swallow bool
	// DropReply lets the command take effect and drops its reply.
	DropReply bool
	// Twice sends the reply two times.
	Twice bool
	// Delay makes the command slow, by the browser's clock: a renderer comes to
	// it that much later, the browser process holds its reply back.
	Delay time.Duration
}

type faultEntry struct {
	Fault
	left int
}

// replyFault is what befalls one command's reply.
type replyFault struct {
	drop, twice bool
	delay       time.Duration
}

func (e replyFault) send(c *conn, msg []byte) {
	switch {
	case e.drop:
	case e.delay > 0:
		c.b.after(e.delay, func() { c.send(msg) })
	case e.twice:
		c.send(msg)
		c.send(msg)
	default:
		c.send(msg)
	}
}

// Inject adds a fault. Of several that match, the one added first counts.
// Remove takes it away again.
func (b *Browser) Inject(f Fault) (remove func()) {
	e := &faultEntry{Fault: f, left: f.Times}
	b.do(func() { b.faults = append(b.faults, e) })
	return func() {
		b.do(func() { b.faults = slices.DeleteFunc(b.faults, func(o *faultEntry) bool { return o == e }) })
	}
}

// interfere lets a fault befall a command. It reports whether the command is
// done with.
func (b *Browser) interfere(c *command) bool {
	for _, e := range slices.Clone(b.faults) {
		if e.Method != "" && e.Method != c.method || e.Target != "" && (c.s.target == nil || c.s.target.id != e.Target) {
			continue
		}
		if e.Times > 0 {
			if e.left--; e.left == 0 {
				b.faults = slices.DeleteFunc(b.faults, func(o *faultEntry) bool { return o == e })
			}
		}
		c.effect = replyFault{drop: e.DropReply, twice: e.Twice, delay: e.Delay}
		switch {
		case e.Swallow:
			return true
		case e.Code != 0 || e.Message != "":
			code := e.Code
			if code == 0 {
				code = codeServer
			}
			c.refuse(&cdpError{Code: code, Message: e.Message})
			return true
		}
		return false
	}
	return false
}

// DropSockets ends every connection without a close frame; the browser lives
// on. Pages keep what they have, dialogs stay open.
func (b *Browser) DropSockets() {
	b.do(func() {
		for _, c := range b.connections() {
			c.drop()
			c.hangUp(ErrDropped)
		}
	})
}

// CutNextMessage ends every connection in the middle of the next message that
// it sends.
func (b *Browser) CutNextMessage() {
	b.do(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, c := range b.conns {
			c.cut = true
		}
	})
}

// HalfOpen makes every open connection take what it is sent and never answer,
// as a link does that was lost without a word. Off does not bring back what
// was lost.
func (b *Browser) HalfOpen(on bool) {
	b.do(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, c := range b.conns {
			c.half = on
		}
	})
}

func (c *conn) isHalfOpen() bool {
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	return c.half
}

// Send sends text to every connection as it is: a message of a protocol that
// nobody knows, or none at all.
func (b *Browser) Send(text string) {
	b.do(func() {
		for _, c := range b.connections() {
			c.send([]byte(text))
		}
	})
}

// Kill ends the process as kill -9 does. Servers refuse until Restart.
func (b *Browser) Kill() { b.do(func() { b.end(ErrClosed) }) }

// Terminate ends the process as SIGTERM does: in order, page by page.
func (b *Browser) Terminate() { b.do(b.quit) }

// Restart ends the process, if it lives, and starts a new one behind the same
// servers: other ids, one page at about:blank, nothing of what was. Faults
// stay.
func (b *Browser) Restart() {
	b.do(func() {
		b.end(ErrClosed)
		b.reap()
		b.mu.Lock()
		b.ended = nil
		b.vms = map[interruptible]struct{}{}
		b.mu.Unlock()
		b.auto = nil
		b.boot()
	})
}

// CrashPage kills the renderer of a page or iframe target.
func (b *Browser) CrashPage(targetID string) {
	b.do(func() {
		if t := b.target(targetID); t != nil && t.process() != nil {
			b.crashRenderer(t.process(), 5)
		}
	})
}
