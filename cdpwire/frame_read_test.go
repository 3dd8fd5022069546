package cdpwire

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"pgregory.net/rapid"
)

// served appends a frame as a server sends it.
func served(b []byte, first byte, payload string) []byte {
	switch n := len(payload); {
	case n < 126:
		b = append(b, first, byte(n))
	case n <= 0xffff:
		b = binary.BigEndian.AppendUint16(append(b, first, 126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, first, 127), uint64(n))
	}
	return append(b, payload...)
}

// readFrames reads what the pieces hold, until the error that ends it. What is
// pinged and closed is told among the messages.
func readFrames(pieces [][]byte) (got []string, err error) {
	pool := &sync.Pool{}
	conn := &chunkConn{Conn: &slow{pieces: pieces}, chunks: &sync.Pool{}}
	conn.opened(func() {})
	r := &frameReader{conn: conn, pool: pool}
	r.pinged = func(payload string) error {
		got = append(got, "ping "+payload)
		return nil
	}
	r.closed = func(payload []byte) error {
		got = append(got, "close "+string(payload))
		return nil
	}
	for {
		msg, err := r.next()
		if err != nil {
			if conn.chunk != nil || r.in != nil {
				return got, errors.New("a reader that has ended keeps memory")
			}
			return got, err
		}
		got = append(got, string(msg))
	}
}

func TestFramesOfAPeer(t *testing.T) {
	var fragments []byte
	fragments = served(fragments, frameText, "one ")
	fragments = served(fragments, frameFinal|framePing, "there?")
	fragments = served(fragments, frameContinuation, "two ")
	fragments = served(fragments, frameFinal|frameContinuation, "three")
	long := strings.Repeat("l", 70_000)
	tests := map[string]struct {
		in   []byte
		got  []string
		fail error
	}{
		"nothing":            {nil, nil, io.ErrUnexpectedEOF},
		"text":               {served(nil, frameFinal|frameText, "a"), []string{"a"}, io.ErrUnexpectedEOF},
		"binary":             {served(nil, frameFinal|frameBinary, "a"), []string{"a"}, io.ErrUnexpectedEOF},
		"empty":              {served(nil, frameFinal|frameText, ""), []string{""}, io.ErrUnexpectedEOF},
		"long":               {served(served(nil, frameFinal|frameText, long), frameFinal|frameText, "b"), []string{long, "b"}, io.ErrUnexpectedEOF},
		"fragments":          {fragments, []string{"ping there?", "one two three"}, io.ErrUnexpectedEOF},
		"pong":               {served(served(nil, frameFinal|framePong, "x"), frameFinal|frameText, "a"), []string{"a"}, io.ErrUnexpectedEOF},
		"cut in a head":      {[]byte{frameFinal | frameText, 126, 1}, nil, io.ErrUnexpectedEOF},
		"cut in a message":   {[]byte{frameFinal | frameText, 9, 'x'}, nil, io.ErrUnexpectedEOF},
		"close":              {served(nil, frameFinal|frameClose, "\x03\xf0text"), []string{"close \x03\xf0"}, &websocket.CloseError{Code: 1008}},
		"close, no code":     {served(nil, frameFinal|frameClose, ""), []string{"close "}, &websocket.CloseError{Code: 1005}},
		"reserved bit":       {served(nil, frameFinal|0x40|frameText, "a"), nil, errFrameBits},
		"unknown kind":       {served(nil, frameFinal|0x3, "a"), nil, errFrameBits},
		"unknown control":    {served(nil, frameFinal|0xb, "a"), nil, errFrameBits},
		"masked":             {appendFrame(nil, frameFinal|frameText, []byte("a")), nil, errFrameMasked},
		"continues nothing":  {served(nil, frameFinal|frameContinuation, "a"), nil, errFrameOrder},
		"text inside":        {served(served(nil, frameText, "a"), frameFinal|frameText, "b"), nil, errFrameOrder},
		"ping in parts":      {served(nil, framePing, "a"), nil, errFrameSize},
		"long ping":          {served(nil, frameFinal|framePing, strings.Repeat("p", 126)), nil, errFrameSize},
		"over the limit":     {[]byte{frameFinal | frameText, 127, 0, 0, 0, 0, 0x10, 0, 0, 1}, nil, errTooBig},
		"beyond all numbers": {[]byte{frameFinal | frameText, 127, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, nil, errTooBig},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := readFrames([][]byte{tt.in})
			if strings.Join(got, "|") != strings.Join(tt.got, "|") || len(got) != len(tt.got) {
				t.Errorf("%.100q, want %.100q", got, tt.got)
			}
			var closed, want *websocket.CloseError
			if errors.As(tt.fail, &want) {
				if !errors.As(err, &closed) || *closed != *want {
					t.Errorf("error %v, want %v", err, want)
				}
			} else if !errors.Is(err, tt.fail) {
				t.Errorf("error %v, want %v", err, tt.fail)
			}
		})
	}
}

// It does not matter in which pieces the bytes come.
func TestFramesInAnyPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var in []byte
		for range rapid.IntRange(1, 6).Draw(t, "frames") {
			first := rapid.SampledFrom([]byte{
				frameText, frameFinal | frameText, frameFinal | frameBinary, frameContinuation, frameFinal | frameContinuation,
				frameFinal | framePing, frameFinal | framePong, frameFinal | frameClose,
			}).Draw(t, "first")
			size := rapid.SampledFrom([]int{0, 1, 5, 125, 126, 1000, 1024, 70_000}).Draw(t, "size")
			in = served(in, first, strings.Repeat("x", size))
		}
		want, wantErr := readFrames([][]byte{bytes.Clone(in)})
		var pieces [][]byte
		for rest := bytes.Clone(in); len(rest) > 0; {
			n := min(len(rest), rapid.SampledFrom([]int{1, 2, 3, 100, 1023, 1024, 1025, 64 << 10}).Draw(t, "piece"))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		got, err := readFrames(pieces)
		if strings.Join(got, "|") != strings.Join(want, "|") || err.Error() != wantErr.Error() {
			t.Fatalf("in %d pieces %d messages, %v; whole %d, %v", len(pieces), len(got), err, len(want), wantErr)
		}
	})
}

// FuzzFrames: whatever a peer sends, the library and ours read the same
// messages.
func FuzzFrames(f *testing.F) {
	f.Add(served(served(nil, frameText, "a"), frameFinal|frameContinuation, "b"))
	f.Add(served(nil, frameFinal|frameClose, "\x03\xf0"))
	f.Add(served(nil, frameFinal|framePing, "x"))
	f.Add([]byte{frameFinal | frameText, 127, 0xff})
	f.Fuzz(func(t *testing.T, in []byte) {
		got, _ := readFrames([][]byte{bytes.Clone(in)})
		var messages []string
		for _, m := range got {
			if !strings.HasPrefix(m, "ping ") && !strings.HasPrefix(m, "close ") {
				messages = append(messages, m)
			}
		}
		var want []string
		ws := libraryConn(t, in)
		for {
			_, msg, err := ws.ReadMessage()
			if err != nil {
				break
			}
			if m := string(msg); !strings.HasPrefix(m, "ping ") && !strings.HasPrefix(m, "close ") {
				want = append(want, m)
			}
		}
		if strings.Join(messages, "|") != strings.Join(want, "|") {
			t.Errorf("%q; the library reads %q", messages, want)
		}
	})
}

// libraryConn is the library's client end of a connection that brings in and
// takes everything.
func libraryConn(t *testing.T, in []byte) *websocket.Conn {
	d := websocket.Dialer{NetDialContext: connectTo(&answering{newline: "\r\n", rest: in})}
	ws, resp, err := d.DialContext(t.Context(), "ws://x/", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return ws
}

func connectTo(c net.Conn) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) { return c, nil }
}

// answering is a peer that answers the handshake, brings the rest together with
// the answer, and is gone.
type answering struct {
	newline  string
	rest     []byte
	incoming []byte
}

func (a *answering) Write(p []byte) (int, error) {
	if r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(p))); err == nil {
		// RFC 6455, section 4.2.2.
		sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
		lines := []string{
			"HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: upgrade",
			"Sec-WebSocket-Accept: " + base64.StdEncoding.EncodeToString(sum[:]), "", "",
		}
		a.incoming = append([]byte(strings.Join(lines, a.newline)), a.rest...)
	}
	return len(p), nil
}

func (a *answering) Read(p []byte) (int, error) {
	if len(a.incoming) == 0 {
		return 0, io.EOF
	}
	n := copy(p, a.incoming)
	a.incoming = a.incoming[n:]
	return n, nil
}

func (*answering) Close() error                     { return nil }
func (*answering) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (*answering) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (*answering) SetDeadline(time.Time) error      { return nil }
func (*answering) SetReadDeadline(time.Time) error  { return nil }
func (*answering) SetWriteDeadline(time.Time) error { return nil }

// What comes in one piece with the answer to the handshake is not lost.
func TestBytesBehindTheHandshake(t *testing.T) {
	for name, newline := range map[string]string{"as HTTP has it": "\r\n", "bare newlines": "\n"} {
		t.Run(name, func(t *testing.T) {
			behind := served(served(nil, frameFinal|frameText, "first"), frameFinal|frameText, "second")
			d := new(Dialer)
			d.connect = connectTo(&answering{newline: newline, rest: behind})
			dialed, err := dial(t.Context(), d, "ws://127.0.0.1:1/devtools/browser/x")
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"first", "second"} {
				if msg, err := dialed.Transport.Read(nil); err != nil || string(msg) != want {
					t.Fatalf("%q, %v; want %q", msg, err, want)
				}
			}
		})
	}
}
