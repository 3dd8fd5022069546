package feed

import (
	"bufio"
	"net"
)

// gatherBytes is how much leaves in one write while a burst is played.
const gatherBytes = 256 << 10

// gatheringListener makes its connections able to gather what is written.
type gatheringListener struct{ net.Listener }

// Accept waits for the next connection.
func (l gatheringListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &gatheringConn{Conn: c}, nil
}

// gatheringConn writes through, until it is told to gather.
type gatheringConn struct {
	net.Conn
	gathered *bufio.Writer // nil while it writes through
}

func (c *gatheringConn) gather() { c.gathered = bufio.NewWriterSize(c.Conn, gatherBytes) }

// push writes what is gathered.
func (c *gatheringConn) push() error {
	if c == nil || c.gathered == nil {
		return nil
	}
	return c.gathered.Flush()
}

// flush ends the gathering.
func (c *gatheringConn) flush() error {
	if c == nil || c.gathered == nil {
		return nil
	}
	err := c.gathered.Flush()
	c.gathered = nil
	return err
}

// Write writes through, or gathers.
func (c *gatheringConn) Write(p []byte) (int, error) {
	if c.gathered != nil {
		return c.gathered.Write(p)
	}
	return c.Conn.Write(p)
}
