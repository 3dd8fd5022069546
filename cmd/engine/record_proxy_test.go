package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// echo is a browser of which a recording needs no more than that it takes
// connections and says again what it is told.
// connected tells of each of them.
func echo(t *testing.T) (server *httptest.Server, connected chan struct{}) {
	t.Helper()
	connected = make(chan struct{}, 100)
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := new(websocket.Upgrader).Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer conn.Close()
		connected <- struct{}{}
		for {
			kind, msg, err := conn.ReadMessage()
			if err != nil || string(msg) == "die" || conn.WriteMessage(kind, msg) != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	return server, connected
}

// recordEcho starts the command before that browser. client connects to it.
func recordEcho(ctx context.Context, t *testing.T, browser *httptest.Server, args ...string) (said *watched, code chan int, client func() *websocket.Conn) {
	t.Helper()
	said, code = &watched{more: make(chan struct{}, 1)}, make(chan int, 1)
	endpoint := "ws" + strings.TrimPrefix(browser.URL, "http") + "/devtools/browser/x"
	go func() {
		code <- run(ctx, append([]string{"record", "--cdp-url", endpoint, "--listen", ":0"}, args...), io.Discard, said, func(int) {})
	}()
	address := strings.Split(said.after(ctx, t, "clients can connect to http://"), ";")[0]
	return said, code, func() *websocket.Conn {
		conn, response, err := websocket.DefaultDialer.DialContext(ctx, "ws://"+address+"/devtools/browser/x", nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
}

// ends waits for the command.
func ends(ctx context.Context, t *testing.T, said *watched, code chan int, want int, text string) {
	t.Helper()
	select {
	case got := <-code:
		if got != want || !strings.Contains(said.text.String(), text) {
			t.Errorf("ended with %d: %s", got, said.text.String())
		}
	case <-ctx.Done():
		t.Errorf("it does not end: %s", said.text.String())
	}
}

// TestRecordProxyEnds: when the browser goes, at its time, and when nothing can be
// recorded.
func TestRecordProxyEnds(t *testing.T) {
	t.Run("the browser goes", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		browser, connected := echo(t)
		said, code, client := recordEcho(ctx, t, browser, "--out", filepath.Join(t.TempDir(), "a.jsonl"))
		first := client()
		// One connection alone may go: its page has been closed.
		if err := first.WriteMessage(websocket.TextMessage, []byte("die")); err != nil {
			t.Fatal(err)
		}
		said.after(ctx, t, "the connection to the browser was lost")
		for _, who := range []string{"the proof at the start", "the client", "the question whether the browser is there"} {
			select {
			case <-connected:
			case <-ctx.Done():
				t.Fatalf("%s did not connect", who)
			}
		}
		second := client()
		said.after(ctx, t, "client 2 is recorded")
		browser.Listener.Close()
		if err := second.WriteMessage(websocket.TextMessage, []byte("die")); err != nil {
			t.Fatal(err)
		}
		ends(ctx, t, said, code, exitOK, "engine: the browser has gone")
	})
	t.Run("no client comes in time", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		browser, _ := echo(t)
		said, code, _ := recordEcho(ctx, t, browser, "--out", filepath.Join(t.TempDir(), "a.jsonl"), "--max-time", "1")
		ends(ctx, t, said, code, exitOK, "the time for the recording is over")
	})
	t.Run("the first file cannot be made", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		out := filepath.Join(t.TempDir(), "a.jsonl")
		browser, _ := echo(t)
		said, code, client := recordEcho(ctx, t, browser, "--out", out)
		if err := os.WriteFile(out, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := client().ReadMessage()
		if !websocket.IsCloseError(err, websocket.CloseInternalServerErr) {
			t.Errorf("the client is told %v", err)
		}
		ends(ctx, t, said, code, exitFailed, "name another file")
	})
}
