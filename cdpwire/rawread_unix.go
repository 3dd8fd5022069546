//go:build unix

package cdpwire

import (
	"errors"
	"io"
	"syscall"
)

// rawReader reads a socket without holding a buffer while it waits: the bytes go
// into one that is taken when they are there. The kernel is asked as often as by
// net.Conn's own Read, which needs the buffer for the wait as well.
type rawReader struct {
	raw  syscall.RawConn
	try  func(fd uintptr) bool // made once: it is called for every read
	room func() []byte         // takes a buffer
	back func()                // gives it back
	n    int
	err  error
}

// newRawReader returns nil where the connection is not a socket of the system's.
func newRawReader(conn any, room func() []byte, back func()) *rawReader {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return nil
	}
	r := &rawReader{raw: raw, room: room, back: back}
	r.try = r.tryOnce
	return r
}

// read waits for bytes, and returns them in the buffer that it took for them.
func (r *rawReader) read() (int, error) {
	r.n, r.err = 0, nil
	if err := r.raw.Read(r.try); err != nil {
		return 0, err // closed, or past a deadline
	}
	if r.n == 0 && r.err == nil {
		r.err = io.EOF
	}
	return r.n, r.err
}

// tryOnce reads what is there, and reports false when there is nothing yet.
func (r *rawReader) tryOnce(fd uintptr) bool {
	buffer := r.room()
	for {
		n, err := syscall.Read(int(fd), buffer)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EAGAIN):
			r.back()
			return false
		case err != nil:
			r.n, r.err = 0, err
		default:
			r.n = n
		}
		return true
	}
}
