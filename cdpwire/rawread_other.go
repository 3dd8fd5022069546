//go:build !unix

package cdpwire

// rawReader is for systems on which a socket can be read without its net.Conn.
type rawReader struct{}

func newRawReader(any, func() []byte, func()) *rawReader { return nil }

func (*rawReader) read() (int, error) { return 0, nil }
