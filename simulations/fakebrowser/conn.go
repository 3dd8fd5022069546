package fakebrowser

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
)

// ErrDropped is what a client reads when the browser's side of the socket is
// gone without a close frame (1006).
var ErrDropped = fmt.Errorf("fakebrowser: the socket was dropped (1006): %w", io.ErrUnexpectedEOF)

// errHungUp is what reads and writes give after the client's own Close.
var errHungUp = errors.New("fakebrowser: the transport was closed by its owner")

// conn is one client's connection, to the browser or to one page.
type conn struct {
	b    *Browser
	root *session
	open []*session // every session of the connection, root first
	page bool       // a /devtools/page connection

	// Guarded by the browser's mutex.
	out    [][]byte
	ready  *sync.Cond
	closed error
	half   bool   // takes everything, answers nothing
	cut    bool   // the next message is to be cut short
	torn   bool   // the last message in out was
	onDrop func() // closes the socket under it
}

func (b *Browser) newConn() *conn {
	c := &conn{b: b, ready: sync.NewCond(&b.mu)}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended != nil {
		c.closed = ErrDropped
	}
	b.conns = append(b.conns, c)
	return c
}

// accept makes c a connection of the browser, or of one page when target is
// given. It reports whether there is such a target.
func (b *Browser) accept(c *conn, targetID string) bool {
	if b.gone() {
		c.drop()
		return false
	}
	c.root = &session{conn: c, seq: b.nextSession()}
	if targetID != "" {
		t := b.target(targetID)
		if t == nil {
			c.drop()
			return false
		}
		c.page = true
		c.root.target = t
		t.add(c.root)
	}
	c.open = append(c.open, c.root)
	return true
}

// connections is a copy of the list of open connections.
func (b *Browser) connections() []*conn {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.conns)
}

// send puts a message at the end of what the client will read. The browser
// buffers without bound for a slow reader.
func (c *conn) send(msg []byte) {
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	if c.closed != nil || c.half {
		return
	}
	c.out = append(c.out, msg)
	c.ready.Broadcast()
	if c.cut {
		c.torn, c.closed = true, ErrDropped
		c.b.inbox = append(c.b.inbox, func() { c.hangUp(ErrDropped) })
	}
}

// take waits for a message. torn says that only its first half gets through.
func (c *conn) take() (msg []byte, torn bool, err error) {
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	for len(c.out) == 0 && c.closed == nil {
		c.ready.Wait()
	}
	if len(c.out) == 0 || errors.Is(c.closed, errHungUp) {
		return nil, false, c.closed
	}
	msg = c.out[0]
	c.out = c.out[1:]
	if len(c.out) == 0 {
		torn = c.torn
		c.b.cond.Broadcast()
	}
	return msg, torn, nil
}

// read waits for a message and copies it behind dst.
func (c *conn) read(dst []byte) ([]byte, error) {
	msg, torn, err := c.take()
	if torn {
		err = ErrDropped
	}
	if err != nil {
		return dst, err
	}
	return append(dst, msg...), nil
}

// write hands a message from the client to the browser.
func (c *conn) write(msg []byte) error {
	c.b.mu.Lock()
	closed := c.closed
	c.b.mu.Unlock()
	if closed != nil {
		return closed
	}
	if len(msg) > maxMessage {
		c.b.enqueue(func() { c.hangUp(ErrDropped) })
		return ErrDropped
	}
	own := append([]byte(nil), msg...)
	if !c.b.enqueue(func() { c.receive(own) }) {
		return ErrDropped
	}
	return nil
}

// drop ends the socket from the browser's side. What was sent before can
// still be read.
func (c *conn) drop() { c.shut(ErrDropped) }

func (c *conn) shut(why error) {
	c.b.mu.Lock()
	if c.closed != nil {
		c.b.mu.Unlock()
		return
	}
	c.closed = why
	c.ready.Broadcast()
	c.b.cond.Broadcast()
	onDrop := c.onDrop
	c.b.mu.Unlock()
	if onDrop != nil {
		onDrop()
	}
}

// hangUp is the end of a socket as the browser sees it: all its sessions
// detach, without a word to anybody but other clients.
func (c *conn) hangUp(why error) {
	c.shut(why)
	b := c.b
	b.mu.Lock()
	b.conns = slices.DeleteFunc(b.conns, func(o *conn) bool { return o == c })
	b.mu.Unlock()
	if c.root != nil {
		c.root.close(closeSocket)
	}
}

// delivered reports whether every open transport has been read empty. The
// mutex is held.
func (b *Browser) delivered() bool {
	for _, c := range b.conns {
		if c.closed == nil && !c.half && len(c.out) > 0 {
			return false
		}
	}
	return true
}
