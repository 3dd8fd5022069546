package cdpwire

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gorilla/websocket"
)

var errFull = errors.New("full")

// A WebSocket library reads what we frame: every way to write a length, whole
// and in fragments.
func TestFramesAreReadByTheLibrary(t *testing.T) {
	got := make(chan []byte, 16)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		up := websocket.Upgrader{}
		ws, err := up.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = ws.Close() }()
		for {
			_, msg, err := ws.ReadMessage()
			if err != nil {
				return
			}
			got <- msg
		}
	}))
	defer server.Close()
	ws, resp, err := websocket.DefaultDialer.DialContext(context.Background(), "ws"+server.URL[len("http"):], nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	defer func() { _ = ws.Close() }()
	write := func(b []byte) ([]byte, error) {
		_, err := ws.NetConn().Write(b)
		return b[:0], err
	}
	for _, size := range []int{0, 1, 7, 8, 9, 125, 126, 4095, 65535, 65536, 200_001} {
		msg := make([]byte, size)
		for i := range msg {
			msg[i] = byte('a' + i%26)
		}
		for _, limit := range []int{socketWriteBuffer, size/3 + 1, 1 << 30} {
			if size/limit > 100 {
				continue
			}
			b, err := appendMessage(nil, msg, limit, write)
			if err == nil {
				_, err = write(b)
			}
			if err != nil {
				t.Fatal(err)
			}
			if back := take(t, "message", got); !bytes.Equal(back, msg) {
				t.Fatalf("%d bytes in fragments of %d came as %d bytes", size, limit, len(back))
			}
		}
	}
}

func TestFramesStopAtAnError(t *testing.T) {
	_, err := appendMessage(nil, make([]byte, 100), 10, func([]byte) ([]byte, error) { return nil, errFull })
	if !errors.Is(err, errFull) {
		t.Fatalf("error %v", err)
	}
}

// What was gathered leaves in order, and a ping that comes
// meanwhile is answered behind it.
func TestGatheredMessagesLeaveInOrder(t *testing.T) {
	s, end := peer(t)
	pongs := make(chan string, 1)
	end.SetPongHandler(func(payload string) error {
		pongs <- payload
		return nil
	})
	words := []string{"first", "again", "third"}
	for _, word := range words {
		if err := s.WriteLater([]byte(word)); err != nil {
			t.Fatal(err)
		}
	}
	s.writing.Lock() // as if bytes were on their way
	if err := s.frameWriter.pinged("are you there?"); err != nil {
		t.Fatal(err)
	}
	if s.pong.Load() == nil {
		t.Fatal("the pong was sent into the middle of a write")
	}
	s.writing.Unlock()
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	if s.frameWriter.out != nil {
		t.Fatal("the buffer stays with the connection")
	}
	if err := s.Write([]byte("final")); err != nil {
		t.Fatal(err)
	}
	for _, want := range append(words, "final") {
		if _, got, err := end.ReadMessage(); err != nil || string(got) != want {
			t.Fatalf("%q, %v; want %q", got, err, want)
		}
	}
	if payload := take(t, "pong", pongs); payload != "are you there?" {
		t.Fatalf("pong %q", payload)
	}
}
