package cdpwire

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"cdpsupervisor/messages"
)

// librarySocket is a WebSocket over TLS: the library may have decrypted more
// than the answer to the handshake, so it must go on reading itself.
type librarySocket struct {
	frameWriter
	ws      *websocket.Conn
	conn    *chunkConn
	buffer  *message // nil while the connection is idle
	between bool     // no message is being read
	onWait  func()
}

func newLibrarySocket(ws *websocket.Conn, conn *chunkConn, pool *sync.Pool) *librarySocket {
	s := &librarySocket{ws: ws, conn: conn}
	s.frameWriter.conn, s.pool = ws.NetConn(), pool
	conn.opened(s.beforeRead)
	ws.SetPingHandler(s.pinged)
	return s
}

// beforeRead runs on the goroutine that reads, before it asks the kernel. The
// buffer of the last message goes back to its pool, since the next message may
// be long in coming.
func (s *librarySocket) beforeRead() {
	if s.onWait != nil {
		s.onWait()
	}
	if s.between && s.buffer != nil {
		giveBuffer(s.pool, s.buffer)
		s.buffer = nil
	}
}

// OnWait makes the socket a [Waiter].
func (s *librarySocket) OnWait(f func()) { s.onWait = f }

// Read takes text and binary messages, whole or in fragments.
func (s *librarySocket) Read([]byte) ([]byte, error) {
	s.between = true
	_, r, err := s.ws.NextReader()
	s.between = false
	if err != nil {
		return nil, err
	}
	if s.buffer == nil {
		s.buffer = takeBuffer(s.pool)
	}
	s.buffer.b, err = readMessage(r, s.buffer.b[:0], messages.MaxReadBytes)
	return s.buffer.b, err
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

// LastRead makes the socket a [LastReader]: any bytes count, a pong too.
func (s *librarySocket) LastRead() time.Time { return time.Unix(0, s.conn.lastRead.Load()) }

// Close closes the socket at once.
func (s *librarySocket) Close() error { return s.ws.Close() }
