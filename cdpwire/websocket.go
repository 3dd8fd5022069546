package cdpwire

import (
	"sync"
	"time"
)

const (
	// writeTimeout is how long a browser may take nothing of what is sent.
	writeTimeout = 30 * time.Second
	// leaveTimeout is how long the close frame may take.
	leaveTimeout = 100 * time.Millisecond
	// socketReadBuffer is the buffer that stays with a connection for its life.
	socketReadBuffer = 1 << 10
	// socketWriteBuffer is how much is written at once. A larger message travels
	// in fragments of this size, which Chromium takes.
	socketWriteBuffer = 64 << 10
	// messageBuffer is the first size of a buffer for messages, and
	// messageBufferKept the largest that goes back to the pool.
	messageBuffer     = 4 << 10
	messageBufferKept = 1 << 20
)

// message is a pooled buffer for one message.
type message struct{ b []byte }

// takeBuffer is an empty buffer from the pool.
func takeBuffer(pool *sync.Pool) *message {
	m, _ := pool.Get().(*message)
	if m == nil {
		return &message{b: make([]byte, 0, messageBuffer)}
	}
	m.b = m.b[:0]
	return m
}

// giveBuffer lets the pool have a buffer that has not grown far.
func giveBuffer(pool *sync.Pool, m *message) {
	if cap(m.b) <= messageBufferKept {
		pool.Put(m)
	}
}

// socket is an open WebSocket as a [Transport]. Of the library it uses the
// handshake: its way to read costs an allocation and a copy of each message.
type socket struct {
	frameWriter
	frameReader
	conn   *chunkConn
	onWait func()
}

// newSocket takes the connection of a finished handshake. Nothing that came
// behind the handshake may be in any other buffer than the connection's.
func newSocket(conn *chunkConn, pool *sync.Pool) *socket {
	s := &socket{conn: conn}
	s.frameWriter.conn, s.frameWriter.pool = conn, pool
	s.frameReader.conn, s.frameReader.pool = conn, pool
	s.frameReader.pinged, s.frameReader.closed = s.frameWriter.pinged, s.sendClose
	conn.raw = newRawReader(conn.Conn, conn.takeChunk, conn.release)
	conn.opened(s.waits)
	return s
}

// waits runs on the goroutine that reads, before it asks the kernel.
func (s *socket) waits() {
	if s.onWait != nil {
		s.onWait()
	}
}

// OnWait makes the socket a [Waiter].
func (s *socket) OnWait(f func()) { s.onWait = f }

// Read takes text and binary messages, whole or in fragments.
func (s *socket) Read([]byte) ([]byte, error) { return s.next() }

// LastRead makes the socket a [LastReader]: any bytes count, a pong too.
func (s *socket) LastRead() time.Time { return time.Unix(0, s.conn.lastRead.Load()) }

// Close closes the socket at once.
func (s *socket) Close() error { return s.conn.Close() }
