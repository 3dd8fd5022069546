package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/rs/zerolog"

	"cdpsupervisor/backends"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// secret stands in every bad endpoint and must stand nowhere else.
const secret = "s3cr3t"

// lockedBuffer collects the log of several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// TestBadEndpoints starts tasks on what is no browser.
func TestBadEndpoints(t *testing.T) {
	serve := func(t *testing.T, handler http.HandlerFunc) string {
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		return server.Listener.Addr().String()
	}
	status := func(code int) func(*testing.T) string {
		return func(t *testing.T) string {
			return "ws://user:" + secret + "@" + serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }) + "/devtools/browser/" + secret + "?token=" + secret
		}
	}
	upgrade := func(t *testing.T, then func(*websocket.Conn)) string {
		return "ws://" + serve(t, func(w http.ResponseWriter, r *http.Request) {
			conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
			if err != nil {
				return
			}
			defer func() { _ = conn.Close() }()
			then(conn)
		}) + "/" + secret
	}
	cases := []struct {
		name     string
		endpoint func(*testing.T) string
		says     string // a word of the cause
	}{
		{"nobody listens", func(t *testing.T) string { return "ws://" + nobody(t) + "/" + secret }, "nothing listens"},
		{"nobody listens for discovery", func(t *testing.T) string { return "http://" + nobody(t) + "/?token=" + secret }, "nothing listens"},
		{"no such host", func(*testing.T) string { return "ws://no-such-host.invalid:9222/" + secret }, ""},
		{"401", status(http.StatusUnauthorized), "401"},
		{"403", status(http.StatusForbidden), "403"},
		{"404", status(http.StatusNotFound), "404"},
		{"410", status(http.StatusGone), "410"},
		{"500", status(http.StatusInternalServerError), "500"},
		{"not a WebSocket", status(http.StatusOK), ""},
		{"a page that is not DevTools", func(t *testing.T) string {
			return "http://" + serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>hello")) }) + "/?token=" + secret
		}, "debugging port"},
		{"TLS where there is none", func(t *testing.T) string {
			return "wss://" + serve(t, func(http.ResponseWriter, *http.Request) {}) + "/" + secret
		}, "TLS"},
		{"a certificate of nobody", func(t *testing.T) string {
			server := httptest.NewTLSServer(http.NotFoundHandler())
			server.Config.ErrorLog = nil
			t.Cleanup(server.Close)
			return "wss://" + server.Listener.Addr().String() + "/" + secret
		}, "certificate"},
		{"a server that says nothing", func(t *testing.T) string { return "ws://" + mute(t) + "/" + secret }, ""},
		{"a WebSocket that says nothing", func(t *testing.T) string {
			return upgrade(t, func(c *websocket.Conn) { _, _, _ = c.ReadMessage(); _, _, _ = c.ReadMessage() })
		}, ""},
		{"a WebSocket that closes", func(t *testing.T) string { return upgrade(t, func(*websocket.Conn) {}) }, ""},
		{"a WebSocket that speaks something else", func(t *testing.T) string {
			return upgrade(t, func(c *websocket.Conn) {
				for c.WriteMessage(websocket.TextMessage, []byte("hello")) == nil {
					if _, _, err := c.ReadMessage(); err != nil {
						return
					}
				}
			})
		}, ""},
		{"empty", func(*testing.T) string { return "" }, ""},
		{"no port", func(*testing.T) string { return "localhost" }, "host:port"},
		{"another scheme", func(*testing.T) string { return "ftp://host/" + secret }, "ftp"},
		{"no host", func(*testing.T) string { return "ws:///" + secret }, "host"},
		{"a folder without a browser", func(t *testing.T) string { return t.TempDir() }, "DevToolsActivePort"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var log lockedBuffer
			h := newHost(t, registry.WithLogger(zerolog.New(&log).Level(zerolog.DebugLevel)))
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			start := time.Now()
			_, err := h.GetOrStart(ctx, "bad", backends.Static(messages.Endpoint(c.endpoint(t))))
			if took := time.Since(start); took > messages.StartTimeout+2*time.Second {
				t.Errorf("it took %s", took)
			}
			if err == nil {
				t.Fatal("it started")
			}
			if !errors.Is(err, messages.ErrConnect) && !errors.Is(err, messages.ErrInvalid) {
				t.Errorf("%v is neither ErrConnect nor ErrInvalid", err)
			}
			t.Logf("%v", err)
			if !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(c.says)) {
				t.Errorf("%q does not say %q", err, c.says)
			}
			for where, text := range map[string]string{"error": err.Error(), "error in detail": fmt.Sprintf("%+v %#v", err, err), "log": log.String()} {
				if strings.Contains(text, secret) {
					t.Errorf("the %s shows the endpoint's secret: %s", where, text)
				}
			}
			if _, ok := h.Get("bad"); ok {
				t.Error("the task is there")
			}
		})
	}
}

// nobody is an address on which nothing listens.
func nobody(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	return server.Listener.Addr().String()
}

// mute is a server that takes connections and never says a word.
func mute(t *testing.T) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		var taken []net.Conn
		for {
			conn, err := listener.Accept()
			if err != nil {
				break
			}
			taken = append(taken, conn)
		}
		for _, conn := range taken {
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	return listener.Addr().String()
}

// TestBadArguments asks for tasks that cannot be.
func TestBadArguments(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	source := backends.Static(messages.Endpoint("ws://" + nobody(t)))
	start := func(id messages.TaskID, source messages.EndpointSource, opts ...registry.TaskOption) error {
		_, err := h.GetOrStart(t.Context(), id, source, opts...)
		return err
	}
	cases := []struct {
		name string
		err  error
	}{
		{"an empty task id", start("", source)},
		{"a task id with a space", start("a b", source)},
		{"a task id with a line break", start("a\nb", source)},
		{"a task id beyond ASCII", start("ä", source)},
		{"a task id that is a path", start("../x", source)},
		{"a long task id", start(messages.TaskID(strings.Repeat("x", messages.MaxTaskIDBytes+1)), source)},
		{"no source", start("a", nil)},
		{"a policy", start("a", source, registry.WithPolicy("sometimes"))},
		{"a timeout of zero", start("a", source, registry.WithDialogTimeout(0))},
		{"a negative timeout", start("a", source, registry.WithDialogTimeout(-time.Second))},
		{"too long a timeout", start("a", source, registry.WithDialogTimeout(messages.MaxDialogTimeout+1))},
		{"a timeout of NaN", start("a", source, registry.DialogTimeoutSeconds(math.NaN()))},
		{"an endless timeout", start("a", source, registry.DialogTimeoutSeconds(math.Inf(1)))},
		{"an endless negative timeout", start("a", source, registry.DialogTimeoutSeconds(math.Inf(-1)))},
		{"a timeout near zero", start("a", source, registry.DialogTimeoutSeconds(0))},
		{"a scope", start("a", source, registry.WithScope("world"))},
		{"a page and a tab of its own", start("a", source, registry.WithTarget("T"), registry.WithOwnTab())},
	}
	for _, c := range cases {
		if !errors.Is(c.err, messages.ErrInvalid) || messages.CodeOf(c.err) == "" {
			t.Errorf("%s: %v, want ErrInvalid with a code", c.name, c.err)
		}
	}
	if err := h.Stop(t.Context(), "nobody"); !errors.Is(err, messages.ErrUnknownTask) {
		t.Errorf("a task that is not there: %v, want ErrUnknownTask", err)
	}
}

// TestStopWins stops a task while it starts.
func TestStopWins(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	source := backends.Static(messages.Endpoint("ws://" + mute(t) + "/x"))
	done := make(chan error, 1)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	go func() {
		_, err := h.GetOrStart(ctx, "slow", source)
		done <- err
	}()
	for { // until the start is under way
		err := h.Stop(ctx, "slow")
		if err == nil {
			break
		}
		if !errors.Is(err, messages.ErrUnknownTask) {
			t.Fatal(err)
		}
	}
	if err := <-done; !errors.Is(err, messages.ErrTaskStopped) {
		t.Errorf("the start ends with %v, want ErrTaskStopped", err)
	}
	if _, ok := h.Get("slow"); ok {
		t.Error("the task is there")
	}
}

// TestClosedRegistry uses an engine that is over.
func TestClosedRegistry(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for range 2 {
		if err := h.Close(ctx); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	_, err := h.GetOrStart(ctx, "late", backends.Static(messages.Endpoint("ws://"+nobody(t))))
	if !errors.Is(err, messages.ErrRegistryClosed) {
		t.Errorf("a start ends with %v, want ErrRegistryClosed", err)
	}
}
