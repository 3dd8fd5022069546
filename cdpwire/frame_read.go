package cdpwire

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"

	"github.com/gorilla/websocket"

	"cdpsupervisor/messages"
)

// Errors of a peer that does not keep to RFC 6455. None of them quotes it.
var (
	errFrameBits   = errors.New("not a WebSocket frame: it has reserved bits or an unknown kind")
	errFrameMasked = errors.New("not a browser's WebSocket frame: it is masked")
	errFrameOrder  = errors.New("a WebSocket fragment out of order")
	errFrameSize   = errors.New("a WebSocket control frame that is too long or in parts")
)

// maxControl is the longest payload of a control frame.
const maxControl = 125

// frameReader reads the server's side of a WebSocket, from the connection's own
// buffer. A message that lies in it as a whole is returned where it lies;
// another is put together in a buffer from the pool.
type frameReader struct {
	conn   *chunkConn
	pool   *sync.Pool // of *message
	in     []byte     // of the connection's buffer, not read yet
	buffer *message   // nil while the connection is idle
	inside bool       // a message is being put together
	err    error      // no more messages come

	pinged func(payload string) error
	closed func(payload []byte) error
}

// frameHeader is the head of one frame.
type frameHeader struct {
	opcode byte
	final  bool
	size   uint64
}

// next returns the next message, valid until the call after.
func (r *frameReader) next() ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	msg, err := r.message()
	if err != nil {
		r.err, r.in = err, nil
		r.conn.done()
	}
	return msg, err
}

func (r *frameReader) message() ([]byte, error) {
	r.inside = false
	for {
		h, err := r.header()
		if err != nil {
			return nil, brokeOff(err)
		}
		if h.opcode >= frameClose {
			if err := r.control(h); err != nil {
				return nil, err
			}
			continue
		}
		if (h.opcode == frameContinuation) != r.inside {
			return nil, errFrameOrder
		}
		if !r.inside && h.final && h.size <= uint64(len(r.in)) {
			msg := r.in[:h.size:h.size]
			r.in = r.in[h.size:]
			return msg, nil
		}
		if !r.inside {
			r.inside = true
			if r.buffer == nil {
				r.buffer = takeBuffer(r.pool)
			}
			r.buffer.b = r.buffer.b[:0]
		}
		if h.size > messages.MaxReadBytes || len(r.buffer.b)+int(h.size) > messages.MaxReadBytes {
			return nil, errTooBig
		}
		if r.buffer.b, err = r.payload(r.buffer.b, int(h.size)); err != nil {
			return nil, brokeOff(err)
		}
		if h.final {
			return r.buffer.b, nil
		}
	}
}

// brokeOff says of an end that no close frame came before it.
func brokeOff(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// header reads the head of a frame.
func (r *frameReader) header() (h frameHeader, err error) {
	var first, second byte
	if len(r.in) >= 2 {
		first, second, r.in = r.in[0], r.in[1], r.in[2:]
	} else {
		if first, err = r.byte(); err != nil {
			return h, err
		}
		if second, err = r.byte(); err != nil {
			return h, err
		}
	}
	h.final, h.opcode, h.size = first&frameFinal != 0, first&0xf, uint64(second&0x7f)
	switch {
	case second&frameMasked != 0:
		return h, errFrameMasked
	case first&0x70 != 0, h.opcode > frameBinary && h.opcode < frameClose, h.opcode > framePong:
		return h, errFrameBits
	case h.opcode >= frameClose && (!h.final || h.size > maxControl):
		return h, errFrameSize
	}
	switch h.size {
	case 126:
		h.size, err = r.number(2)
	case 127:
		h.size, err = r.number(8)
	}
	return h, err
}

// number reads an integer of that many bytes.
func (r *frameReader) number(size int) (uint64, error) {
	var b [8]byte
	for i := 8 - size; i < 8; i++ {
		c, err := r.byte()
		if err != nil {
			return 0, err
		}
		b[i] = c
	}
	return binary.BigEndian.Uint64(b[:]), nil
}

func (r *frameReader) byte() (byte, error) {
	if len(r.in) == 0 {
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	c := r.in[0]
	r.in = r.in[1:]
	return c, nil
}

// fill waits for bytes. Between messages the buffer goes back to its pool, since
// the next message may be long in coming.
func (r *frameReader) fill() (err error) {
	if !r.inside && r.buffer != nil {
		giveBuffer(r.pool, r.buffer)
		r.buffer = nil
	}
	for err == nil && len(r.in) == 0 {
		r.in, err = r.conn.fill()
	}
	return err
}

// payload appends the next bytes to b. Memory grows with what has come, not with
// what was promised.
func (r *frameReader) payload(b []byte, size int) ([]byte, error) {
	for {
		n := min(size, len(r.in))
		b = append(b, r.in[:n]...)
		r.in = r.in[n:]
		if size -= n; size == 0 {
			return b, nil
		}
		if err := r.fill(); err != nil {
			return b, err
		}
	}
}

// control takes a ping, a pong or a close frame.
func (r *frameReader) control(h frameHeader) error {
	payload, err := r.payload(nil, int(h.size))
	if err != nil {
		return brokeOff(err)
	}
	switch h.opcode {
	case framePing:
		return r.pinged(string(payload))
	case frameClose:
		return r.close(payload)
	}
	return nil
}

// close answers a close frame; the error has its code and not its text.
func (r *frameReader) close(payload []byte) error {
	code := websocket.CloseNoStatusReceived
	if len(payload) >= 2 {
		code = int(binary.BigEndian.Uint16(payload))
		payload = payload[:2]
	} else {
		payload = nil
	}
	_ = r.closed(payload) // the connection is over in any case
	return &websocket.CloseError{Code: code}
}
