package cdpwire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"cdpsupervisor/messages"
)

// peer dials a server whose end of the WebSocket the test gets.
func peer(t *testing.T) (*socket, *websocket.Conn) {
	t.Helper()
	ends := make(chan *websocket.Conn, 1)
	done := make(chan struct{})
	b := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var up websocket.Upgrader
		ws, err := up.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		ends <- ws
		<-done
	}, (*httptest.Server).Start)
	dialed, err := dial(t.Context(), new(Dialer), "ws://"+b.addr()+"/devtools/browser/x")
	if err != nil {
		t.Fatal(err)
	}
	end := take(t, "connection", ends)
	t.Cleanup(func() {
		_ = dialed.Transport.Close()
		_ = end.Close()
		close(done)
	})
	return dialed.Transport.(*socket), end
}

func TestSocketReadsTextBinaryAndFragments(t *testing.T) {
	s, end := peer(t)
	long := strings.Repeat("0123456789", 30_000)
	go func() {
		_ = end.WriteMessage(websocket.TextMessage, []byte("text"))
		_ = end.WriteMessage(websocket.BinaryMessage, []byte("binary"))
		w, err := end.NextWriter(websocket.TextMessage)
		if err != nil {
			return
		}
		for part := range 300 { // larger than the writer's buffer: many fragments
			_, _ = io.WriteString(w, long[part*1000:(part+1)*1000])
		}
		_ = w.Close()
		_ = end.WriteMessage(websocket.TextMessage, nil)
		_ = end.WriteMessage(websocket.TextMessage, []byte(long))
	}()
	var msg []byte
	for _, want := range []string{"text", "binary", long, "", long} {
		var err error
		if msg, err = s.Read(msg); err != nil || string(msg) != want {
			t.Fatalf("read %d bytes, %v, want %d", len(msg), err, len(want))
		}
	}
}

func TestSocketTellsBeforeItWaitsAndKeepsNoMemoryThen(t *testing.T) {
	s, end := peer(t)
	type state struct {
		buffer *message
		chunk  *[chunkBytes]byte
	}
	waits := make(chan state, 1000)
	s.OnWait(func() { waits <- state{s.buffer, s.conn.chunk} })
	go func() {
		for range 200 {
			_ = end.WriteMessage(websocket.TextMessage, bytes.Repeat([]byte("x"), 500))
		}
	}()
	for range 200 {
		if msg, err := s.Read(nil); err != nil || len(msg) != 500 {
			t.Fatalf("read %d bytes, %v", len(msg), err)
		}
	}
	drained := len(waits)
	ended := make(chan error, 1)
	go func() {
		_, err := s.Read(nil)
		ended <- err
	}()
	await(t, "it waits", func() bool { return len(waits) > drained })
	_ = s.Close()
	if err := take(t, "end of Read", ended); err == nil {
		t.Error("Close did not end Read")
	}
	if s.buffer != nil || s.conn.chunk != nil {
		t.Errorf("an idle socket keeps buffer %v, chunk %v", s.buffer != nil, s.conn.chunk != nil)
	}
}

func TestSocketWritesOneMessage(t *testing.T) {
	s, end := peer(t)
	for _, want := range []string{"a", strings.Repeat("b", 3*socketWriteBuffer)} {
		written := make(chan error, 1)
		go func() { written <- s.Write([]byte(want)) }()
		kind, got, err := end.ReadMessage()
		if err != nil || kind != websocket.TextMessage || string(got) != want {
			t.Fatalf("the browser got kind %d, %d bytes, %v", kind, len(got), err)
		}
		if err := take(t, "end of Write", written); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAPongCountsAsASignOfLife(t *testing.T) {
	s, end := peer(t)
	pinged := make(chan struct{}, 1)
	end.SetPingHandler(func(data string) error {
		pinged <- struct{}{}
		return end.WriteControl(websocket.PongMessage, []byte(data), time.Now().Add(patience))
	})
	go func() { _, _, _ = end.ReadMessage() }()
	go func() { _, _ = s.Read(nil) }()
	before := s.LastRead()
	if err := s.Ping(); err != nil {
		t.Fatal(err)
	}
	take(t, "ping", pinged)
	await(t, "the pong is noted", func() bool { return s.LastRead().After(before) })
}

func TestLeaveSendsACloseFrame(t *testing.T) {
	s, end := peer(t)
	got := make(chan error, 1)
	go func() {
		_, _, err := end.ReadMessage()
		got <- err
	}()
	if err := s.Leave(); err != nil {
		t.Fatal(err)
	}
	if err := take(t, "close frame", got); !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
		t.Errorf("the browser got %v", err)
	}
}

// A busy page sends all the time. What is written last must arrive all the same,
// also when the engine's own reader is what failed.
func TestTheWillOutlivesABusySocket(t *testing.T) {
	for name, panics := range map[string]bool{"closed": false, "reader panicked": true} {
		t.Run(name, func(t *testing.T) {
			s, end := peer(t)
			ended := make(chan *messages.Cause, 1)
			c := Open(s, Options{
				Clock: WallClock{}, Deliver: func(*messages.Batch) {}, Ended: func(c *messages.Cause) { ended <- c },
				Tap: func(d Direction, _ time.Time, _ []byte) {
					if panics && d == Received {
						panic("tap")
					}
				},
			})
			const sent = 50
			for n := range sent {
				if err := c.SetWill(fmt.Sprint(n), "S", messages.HandleDialog{}); err != nil {
					t.Fatal(err)
				}
			}
			flood := make(chan struct{})
			go func() {
				defer close(flood)
				for msg := bytes.Repeat([]byte("x"), 10_000); end.WriteMessage(websocket.TextMessage, msg) == nil; {
				}
			}()
			c.Close(nil)
			for n := range sent {
				if _, msg, err := end.ReadMessage(); err != nil || !strings.Contains(string(msg), "handleJavaScriptDialog") {
					t.Fatalf("the browser got %d of %d, then %s, %v", n, sent, msg, err)
				}
			}
			if _, _, err := end.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
				t.Errorf("then the browser got %v", err)
			}
			take(t, "end", ended)
			take(t, "end of the flood", flood)
		})
	}
}

// What the end of a real socket says, by how it ended.
func TestCausesOfALostSocket(t *testing.T) {
	tests := map[string]struct {
		end  func(ws *websocket.Conn)
		says string
	}{
		"cut": {func(ws *websocket.Conn) { _ = ws.NetConn().Close() }, "crashed"},
		"close frame": {func(ws *websocket.Conn) {
			_ = ws.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(1008, "s3cr3t"))
		}, "1008"},
		"cut in a message": {func(ws *websocket.Conn) {
			_, _ = ws.NetConn().Write([]byte{0x81, 100, 'x'})
			_ = ws.NetConn().Close()
		}, "crashed"},
		"reset": {func(ws *websocket.Conn) {
			_ = ws.NetConn().(*net.TCPConn).SetLinger(0)
			_ = ws.NetConn().Close()
		}, "connection reset"},
		"not a frame": {func(ws *websocket.Conn) { _, _ = ws.NetConn().Write([]byte("s3cr3t garbage")) }, "broke off"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, end := peer(t)
			tt.end(end)
			_, err := s.Read(nil)
			if err == nil {
				t.Fatal("no error")
			}
			cause := readCause(err)
			if cause.Kind != messages.DisconnectLost || !strings.Contains(cause.Text, tt.says) {
				t.Errorf("%v gives %q: %q", err, cause.Kind, cause.Text)
			}
			checkNoSecret(t, cause.Text)
		})
	}
}

func TestWriteCauses(t *testing.T) {
	s, end := peer(t)
	_ = end.NetConn().Close()
	_ = s.conn.Close()
	err := s.Write([]byte("x"))
	if cause := writeCause(err); cause.Kind != messages.DisconnectLost || !strings.Contains(cause.Text, "socket is closed") {
		t.Errorf("%v gives %+v", err, cause)
	}
}

// slow is a net.Conn that gives what it is told, in the pieces that it is told.
type slow struct {
	net.Conn
	pieces [][]byte
	rooms  []int // of the reads that asked the kernel
}

func (s *slow) Read(p []byte) (int, error) {
	s.rooms = append(s.rooms, len(p))
	if len(s.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.pieces[0])
	if s.pieces[0] = s.pieces[0][n:]; len(s.pieces[0]) == 0 {
		s.pieces = s.pieces[1:]
	}
	return n, nil
}

func TestChunksAreUsedOnlyWhileDataFlows(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789abcdef"), 10_000)
	kernel := &slow{pieces: [][]byte{want[:300], want[300:150_000], want[150_000:]}}
	var asked int
	c := &chunkConn{Conn: kernel, chunks: &sync.Pool{}, beforeRead: func() { asked++ }}
	var got []byte
	small := make([]byte, socketReadBuffer)
	for {
		n, err := c.Read(small)
		got = append(got, small[:n]...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if (c.chunk != nil) != (len(c.data) > 0) {
			t.Fatal("a chunk is kept with nothing in it")
		}
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("got %d bytes, want %d", len(got), len(want))
	}
	// 300 bytes do not fill the buffer; then it fills, and chunks are used until
	// one does not; and so again.
	rooms := fmt.Sprint(kernel.rooms)
	if want := "[1024 1024 65536 65536 65536 1024 65536 1024]"; rooms != want {
		t.Errorf("the kernel was asked for %s, want %s", rooms, want)
	}
	if asked != len(kernel.rooms) {
		t.Errorf("asked before %d of %d reads", asked, len(kernel.rooms))
	}
	if c.lastRead.Load() == 0 {
		t.Error("the time of the last read was not noted")
	}
}

func TestALargeReadGoesStraightThrough(t *testing.T) {
	data := bytes.Repeat([]byte("x"), 3*chunkBytes)
	kernel := &slow{pieces: [][]byte{data}}
	c := &chunkConn{Conn: kernel, chunks: &sync.Pool{}, full: true}
	big := make([]byte, 2*chunkBytes)
	if n, err := c.Read(big); n != len(big) || err != nil || c.chunk != nil {
		t.Errorf("read %d, %v, chunk %v", n, err, c.chunk != nil)
	}
}

// failing gives its last bytes together with an error.
type failing struct{ net.Conn }

func (failing) Read(p []byte) (int, error) { return copy(p, "last words"), io.ErrUnexpectedEOF }

func TestBytesThatComeWithAnErrorAreNotLost(t *testing.T) {
	c := &chunkConn{Conn: failing{}, chunks: &sync.Pool{}, full: true}
	got, err := io.ReadAll(c)
	if string(got) != "last words" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("read %q, %v", got, err)
	}
}
