package cdpwire

import (
	"net"
	"sync"
	"sync/atomic"
)

// frameWriter writes the client's side of a WebSocket. Messages and what the
// writing goroutine asks for are written by that goroutine; pongs and the echo
// of a close frame by the one that reads. One call of Write carries whole
// frames, so that nothing comes between the bytes of another.
type frameWriter struct {
	conn    net.Conn
	pool    *sync.Pool             // of *message
	out     *message               // gathered to be written; nil when there is nothing
	writing sync.Mutex             // bytes are being written
	pong    atomic.Pointer[string] // to be sent
}

// Write sends one text message.
func (w *frameWriter) Write(msg []byte) error {
	if err := w.WriteLater(msg); err != nil {
		return err
	}
	return w.Flush()
}

// WriteLater makes the socket a [Gatherer].
func (w *frameWriter) WriteLater(msg []byte) (err error) {
	if w.out == nil {
		w.out = takeBuffer(w.pool)
	}
	if w.out.b, err = appendMessage(w.out.b, msg, socketWriteBuffer, w.push); err != nil {
		return err
	}
	if len(w.out.b) >= socketWriteBuffer {
		w.out.b, err = w.push(w.out.b)
	}
	return err
}

// Flush writes what is gathered. The buffer goes back to its pool.
func (w *frameWriter) Flush() error {
	if w.out == nil {
		return nil
	}
	b, err := w.push(w.out.b)
	w.out.b = b
	giveBuffer(w.pool, w.out)
	w.out = nil
	return err
}

// push writes b and returns it empty.
func (w *frameWriter) push(b []byte) ([]byte, error) {
	if len(b) == 0 {
		return b, nil
	}
	w.writing.Lock()
	err := w.write(b)
	w.writing.Unlock()
	w.sendPong()
	return b[:0], err
}

// write writes whole frames. The lock is held.
func (w *frameWriter) write(b []byte) error {
	if err := w.conn.SetWriteDeadline(WallClock{}.Now().Add(writeTimeout)); err != nil {
		return err
	}
	_, err := w.conn.Write(b)
	return err
}

// Ping makes the socket a [Pinger].
func (w *frameWriter) Ping() error {
	_, err := w.push(appendFrame(nil, frameFinal|framePing, nil))
	return err
}

// Leave makes the socket a [Leaver]: it sends a close frame.
func (w *frameWriter) Leave() error { return w.sendClose([]byte{closeNormal >> 8, closeNormal & 0xff}) }

// sendClose waits for nothing longer than leaveTimeout.
func (w *frameWriter) sendClose(payload []byte) error {
	if err := w.conn.SetWriteDeadline(WallClock{}.Now().Add(leaveTimeout)); err != nil {
		return err
	}
	_, err := w.conn.Write(appendFrame(nil, frameFinal|frameClose, payload))
	return err
}

// pinged runs on the goroutine that reads, which must not wait for the one that
// writes: where that is at it, it sends the pong when it is done.
func (w *frameWriter) pinged(payload string) error {
	w.pong.Store(&payload)
	w.sendPong()
	return nil
}

// sendPong answers the last ping, unless somebody is writing, who will.
func (w *frameWriter) sendPong() {
	for w.pong.Load() != nil && w.writing.TryLock() {
		if payload := w.pong.Swap(nil); payload != nil {
			_ = w.write(appendFrame(nil, frameFinal|framePong, []byte(*payload))) // a socket that is broken shows elsewhere
		}
		w.writing.Unlock()
	}
}
