package cdpwire

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"cdpsupervisor/messages"
)

const (
	// writeTimeout is how long a browser may take nothing of what is sent.
	writeTimeout = 30 * time.Second
	// leaveTimeout is how long the close frame may take.
	leaveTimeout = 100 * time.Millisecond
	// socketReadBuffer is the WebSocket library's own buffer, which stays with
	// a connection for its life.
	socketReadBuffer = 1 << 10
	// socketWriteBuffer is how much is written at once. A larger message travels
	// in fragments of this size, which Chromium takes (CHROMIUM 8.2).
	socketWriteBuffer = 64 << 10
	// messageBuffer is the first size of a buffer for messages, and
	// messageBufferKept the largest that goes back to the pool.
	messageBuffer     = 4 << 10
	messageBufferKept = 1 << 20
)

// message is a pooled buffer for one message.
type message struct{ b []byte }

// socket is the WebSocket as a [Transport].
type socket struct {
	ws       *websocket.Conn
	conn     *chunkConn
	messages *sync.Pool // of *message
	buffer   *message   // nil while the connection is idle
	between  bool       // no message is being read
	onWait   func()

	out     *message               // gathered to be written; nil when there is nothing
	writing sync.Mutex             // bytes are being written
	pong    atomic.Pointer[string] // to be sent
}

func newSocket(ws *websocket.Conn, conn *chunkConn, pool *sync.Pool) *socket {
	s := &socket{ws: ws, conn: conn, messages: pool}
	conn.lastRead.Store(WallClock{}.Now().UnixNano())
	conn.beforeRead = s.beforeRead
	ws.SetPingHandler(s.pinged)
	return s
}

// beforeRead runs on the goroutine that reads, before it asks the kernel. The
// buffer of the last message goes back to its pool, since the next message may
// be long in coming.
func (s *socket) beforeRead() {
	if s.onWait != nil {
		s.onWait()
	}
	if s.between && s.buffer != nil {
		if cap(s.buffer.b) <= messageBufferKept {
			s.messages.Put(s.buffer)
		}
		s.buffer = nil
	}
}

// OnWait makes the socket a [Waiter].
func (s *socket) OnWait(f func()) { s.onWait = f }

// Read takes text and binary messages, whole or in fragments.
func (s *socket) Read([]byte) ([]byte, error) {
	s.between = true
	_, r, err := s.ws.NextReader()
	s.between = false
	if err != nil {
		return nil, err
	}
	if s.buffer == nil {
		s.buffer = s.takeBuffer()
	}
	s.buffer.b, err = readMessage(r, s.buffer.b[:0], messages.MaxReadBytes)
	return s.buffer.b, err
}

// takeBuffer is an empty buffer from the pool.
func (s *socket) takeBuffer() *message {
	m, _ := s.messages.Get().(*message)
	if m == nil {
		return &message{b: make([]byte, 0, messageBuffer)}
	}
	m.b = m.b[:0]
	return m
}

// readMessage reads all of r behind b, up to limit bytes.
func readMessage(r io.Reader, b []byte, limit int) ([]byte, error) {
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case len(b) > limit:
			return b, errTooBig
		case errors.Is(err, io.EOF):
			return b, nil
		case err != nil:
			return b, err
		}
	}
}

// Write sends one text message.
func (s *socket) Write(msg []byte) error {
	if err := s.WriteLater(msg); err != nil {
		return err
	}
	return s.Flush()
}

// WriteLater makes the socket a [Gatherer].
func (s *socket) WriteLater(msg []byte) (err error) {
	if s.out == nil {
		s.out = s.takeBuffer()
	}
	if s.out.b, err = appendMessage(s.out.b, msg, socketWriteBuffer, s.push); err != nil {
		return err
	}
	if len(s.out.b) >= socketWriteBuffer {
		s.out.b, err = s.push(s.out.b)
	}
	return err
}

// Flush writes what is gathered. The buffer goes back to its pool.
func (s *socket) Flush() error {
	if s.out == nil {
		return nil
	}
	b, err := s.push(s.out.b)
	if s.out.b = b; cap(b) <= messageBufferKept {
		s.messages.Put(s.out)
	}
	s.out = nil
	return err
}

// push writes b and returns it empty. One call writes whole frames: a control
// frame of the library cannot come between their bytes.
func (s *socket) push(b []byte) ([]byte, error) {
	if len(b) == 0 {
		return b, nil
	}
	s.writing.Lock()
	err := s.write(b)
	s.writing.Unlock()
	s.sendPong()
	return b[:0], err
}

// write writes whole frames. The lock is held.
func (s *socket) write(b []byte) error {
	conn := s.ws.NetConn()
	if err := conn.SetWriteDeadline(WallClock{}.Now().Add(writeTimeout)); err != nil {
		return err
	}
	_, err := conn.Write(b)
	return err
}

// pinged runs on the goroutine that reads, which must not wait for the one that
// writes: where that is at it, it sends the pong when it is done.
func (s *socket) pinged(payload string) error {
	s.pong.Store(&payload)
	s.sendPong()
	return nil
}

// sendPong answers the last ping, unless somebody is writing, who will.
func (s *socket) sendPong() {
	for s.pong.Load() != nil && s.writing.TryLock() {
		if payload := s.pong.Swap(nil); payload != nil {
			_ = s.write(appendFrame(nil, frameFinal|framePong, []byte(*payload))) // a socket that is broken shows elsewhere
		}
		s.writing.Unlock()
	}
}

// Ping makes the socket a [Pinger].
func (s *socket) Ping() error {
	return s.ws.WriteControl(websocket.PingMessage, nil, WallClock{}.Now().Add(writeTimeout))
}

// Leave makes the socket a [Leaver]: it sends a close frame.
func (s *socket) Leave() error {
	text := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	return s.ws.WriteControl(websocket.CloseMessage, text, WallClock{}.Now().Add(leaveTimeout))
}

// LastRead makes the socket a [LastReader]: any bytes count, a pong too.
func (s *socket) LastRead() time.Time { return time.Unix(0, s.conn.lastRead.Load()) }

// Close closes the socket at once.
func (s *socket) Close() error { return s.ws.Close() }
