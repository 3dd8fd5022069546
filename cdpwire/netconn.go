package cdpwire

import (
	"bytes"
	"net"
	"sync"
	"sync/atomic"
)

// chunkBytes is how much is read from the kernel at once while data flows.
const chunkBytes = 64 << 10

// chunkConn is the connection under the WebSocket. While data flows it reads
// into a chunk from a pool, so that the buffer above it may be tiny: an idle
// connection holds no chunk. Before it asks the kernel it calls beforeRead.
//
// Read is for the WebSocket library, and fill, which copies nothing, for our own
// reader. During the handshake Read gives no byte beyond the end of a head, so
// that none stays in a buffer of the library's.
type chunkConn struct {
	net.Conn
	chunks     *sync.Pool // of *[chunkBytes]byte
	beforeRead func()     // nil until the WebSocket is open
	lastRead   atomic.Int64

	heads headEnd    // of the handshake
	raw   *rawReader // what fill reads with; nil where that is not possible
	quiet []byte     // what fill reads into then, while the connection is quiet
	chunk *[chunkBytes]byte
	data  []byte // what of the chunk was not taken yet
	full  bool   // the last read filled its room, so that more is likely there
	err   error  // came with the last data
}

// Read takes from the chunk, or else from the kernel: into p while the
// connection is quiet or p is as large as a chunk, else into a chunk. A chunk
// that was not filled has emptied the kernel's buffer; the next read may wait
// for long and does so without one.
func (c *chunkConn) Read(p []byte) (int, error) {
	if len(c.data) > 0 {
		return c.take(p), nil
	}
	if c.err != nil {
		return 0, c.err
	}
	if c.beforeRead == nil {
		return c.readHead(p)
	}
	c.beforeRead()
	if !c.full || len(p) >= chunkBytes {
		n, err := c.Conn.Read(p)
		c.note(n, len(p))
		return n, err
	}
	n, err := c.Conn.Read(c.takeChunk())
	c.note(n, chunkBytes)
	c.data, c.err = c.chunk[:n], err
	if n == 0 {
		c.release()
		return 0, err
	}
	return c.take(p), nil
}

func (c *chunkConn) take(p []byte) int {
	n := copy(p, c.data)
	if c.data = c.data[n:]; len(c.data) == 0 {
		c.release()
	}
	return n
}

func (c *chunkConn) release() {
	if c.chunk != nil {
		c.chunks.Put(c.chunk)
	}
	c.chunk, c.data = nil, nil
}

// readHead is Read during the handshake: it stops where a head ends, and what
// came behind waits in data.
func (c *chunkConn) readHead(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if end := c.heads.find(p[:n]); end < n {
		c.data, c.err = bytes.Clone(p[end:n]), err
		return end, nil
	}
	return n, err
}

// opened ends the handshake. From now on f is called before the kernel is asked.
func (c *chunkConn) opened(f func()) {
	c.lastRead.Store(WallClock{}.Now().UnixNano())
	c.beforeRead = f
}

// fill returns the bytes that came next, valid until the next fill. It may
// return none.
func (c *chunkConn) fill() ([]byte, error) {
	if c.chunk == nil && len(c.data) > 0 { // came with the handshake
		data := c.data
		c.data = nil
		return data, nil
	}
	c.release()
	if c.err != nil {
		return nil, c.err
	}
	c.beforeRead()
	if c.raw != nil {
		n, err := c.raw.read()
		c.note(n, chunkBytes)
		c.err = err
		if n == 0 {
			return nil, nil // the error comes with the next call
		}
		return c.chunk[:n], nil
	}
	if c.quiet == nil {
		c.quiet = make([]byte, socketReadBuffer)
	}
	room := c.quiet
	if c.full {
		room = c.takeChunk()
	}
	n, err := c.Conn.Read(room)
	c.note(n, len(room))
	c.err = err
	return room[:n], nil
}

// takeChunk takes a chunk from the pool.
func (c *chunkConn) takeChunk() []byte {
	if c.chunk == nil {
		if c.chunk, _ = c.chunks.Get().(*[chunkBytes]byte); c.chunk == nil {
			c.chunk = new([chunkBytes]byte)
		}
	}
	return c.chunk[:]
}

// done gives the chunk back; nothing is read any more.
func (c *chunkConn) done() { c.release() }

// headEnd looks for the empty line that ends the head of an HTTP message, in the
// pieces in which it comes. It is true behind the end of a line.
type headEnd bool

// find returns how many bytes of p belong to the head: all of them, or those up
// to its end.
func (h *headEnd) find(p []byte) int {
	for i, c := range p {
		switch {
		case c == '\n' && bool(*h):
			*h = false
			return i + 1
		case c != '\r':
			*h = c == '\n'
		}
	}
	return len(p)
}

func (c *chunkConn) note(n, room int) {
	c.full = n > 0 && n == room
	if n > 0 {
		c.lastRead.Store(WallClock{}.Now().UnixNano())
	}
}
