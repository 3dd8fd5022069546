package cdpwire

import (
	"net"
	"sync"
	"sync/atomic"
)

// chunkBytes is how much is read from the kernel at once while data flows.
const chunkBytes = 64 << 10

// chunkConn is the connection under the WebSocket. While data flows it reads
// into a chunk from a pool, so that the buffer above it may be tiny: an idle
// connection holds no chunk. Before it asks the kernel it calls beforeRead.
type chunkConn struct {
	net.Conn
	chunks     *sync.Pool // of *[chunkBytes]byte
	beforeRead func()     // nil until the WebSocket is open
	lastRead   atomic.Int64

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
	if c.beforeRead != nil {
		c.beforeRead()
	}
	if !c.full || len(p) >= chunkBytes {
		n, err := c.Conn.Read(p)
		c.note(n, len(p))
		return n, err
	}
	if c.chunk, _ = c.chunks.Get().(*[chunkBytes]byte); c.chunk == nil {
		c.chunk = new([chunkBytes]byte)
	}
	n, err := c.Conn.Read(c.chunk[:])
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
	c.chunks.Put(c.chunk)
	c.chunk, c.data = nil, nil
}

func (c *chunkConn) note(n, room int) {
	c.full = n > 0 && n == room
	if n > 0 {
		c.lastRead.Store(WallClock{}.Now().UnixNano())
	}
}
