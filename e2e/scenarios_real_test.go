package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"cdpsupervisor/backends"
	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/scenarios"
)

// TestTheSharedScenarios plays on real Chromium the table that the fake
// browser plays: simulations/fakebrowser says that Chromium behaves so.
func TestTheSharedScenarios(t *testing.T) {
	t.Parallel()
	needChromium(t)
	// Those that leave the browser alive share two, so that neither core waits.
	const shared = 2
	lists := make([][]scenarios.Scenario, shared)
	for i, s := range scenarios.All() {
		if s.Own {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				playReal(t, launchLab(t, s), s)
			})
			continue
		}
		lists[i%shared] = append(lists[i%shared], s)
	}
	for _, list := range lists {
		t.Run("shared", func(t *testing.T) {
			t.Parallel()
			lab := launchLab(t, scenarios.Scenario{})
			for _, s := range list {
				if !t.Run(s.Name, func(t *testing.T) { playReal(t, lab, s) }) && !lab.alive() {
					t.Fatal("the browser is dead")
				}
			}
		})
	}
}

func playReal(t *testing.T, lab *realLab, s scenarios.Scenario) {
	t.Helper()
	lab.site.Store(&s.Site)
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	scenarios.Play(ctx, t, lab, s)
}

// realLab is a Chromium with the web of one scenario at a time.
type realLab struct {
	*browser
	site atomic.Pointer[scenarios.Site]
}

func launchLab(t *testing.T, s scenarios.Scenario) *realLab {
	t.Helper()
	lab := &realLab{}
	quiet := log.New(io.Discard, "", 0) // browsers hang up in the middle of a handshake
	plain, secure := httptest.NewUnstartedServer(lab), httptest.NewUnstartedServer(lab)
	plain.Config.ErrorLog, secure.Config.ErrorLog = quiet, quiet
	plain.Start()
	t.Cleanup(plain.Close)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	args := []string{
		"--site-per-process",
		"--ignore-certificate-errors",
		fmt.Sprintf("--host-resolver-rules=MAP *.test:443 %s,MAP *.test %s,MAP *.invalid ~NOTFOUND", secure.Listener.Addr(), plain.Listener.Addr()),
	}
	if s.BlockCrossOriginDialogs {
		args = append(args, "--enable-features=SuppressDifferentOriginSubframeJSDialogs")
	}
	lease, err := backends.NewLocal(backends.Options{Headless: true, Isolated: true, ExtraArgs: args}).Open(t.Context())
	if err != nil {
		t.Fatalf("launch: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := lease.Close(ctx); err != nil {
			t.Errorf("close the browser: %v", err)
		}
	})
	u, err := url.Parse(lease.Endpoint.Reveal())
	if err != nil {
		t.Fatal("the endpoint does not parse as a URL")
	}
	lab.browser = &browser{endpoint: lease.Endpoint, address: u.Host}
	return lab
}

// ServeHTTP answers as the scenario's site does. Nothing may be kept for the
// next scenario; forbidding it outright would keep pages out of the
// back/forward cache.
func (l *realLab) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	site := l.site.Load()
	if site == nil || *site == nil {
		http.NotFound(w, r)
		return
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	answer := (*site)(scheme + "://" + r.Host + r.URL.RequestURI())
	if answer.Delay > 0 {
		select {
		case <-time.After(answer.Delay):
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	for name, value := range answer.Header {
		w.Header().Set(name, value)
	}
	if answer.Status != 0 {
		w.WriteHeader(answer.Status)
	}
	_, _ = io.WriteString(w, answer.HTML)
}

func (l *realLab) Address() string { return l.address }

func (l *realLab) Dial(ctx context.Context, target string) (scenarios.Conn, error) {
	endpoint := l.endpoint
	if target != "" {
		endpoint = messages.Endpoint("ws://" + l.address + "/devtools/page/" + target)
	}
	conn, response, err := websocket.DefaultDialer.DialContext(ctx, endpoint.Reveal(), nil)
	if err != nil {
		return nil, fmt.Errorf("dial %s: %w", endpoint, err)
	}
	_ = response.Body.Close()
	return realConn{conn}, nil
}

// Terminate asks the browser for its process and sends SIGTERM to it.
func (l *realLab) Terminate() error {
	conn, err := l.Dial(context.Background(), "")
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.Write([]byte(`{"id":1,"method":"SystemInfo.getProcessInfo"}`)); err != nil {
		return err
	}
	raw, err := conn.Read(nil)
	if err != nil {
		return err
	}
	var reply struct {
		Result struct {
			Processes []struct {
				Type string `json:"type"`
				ID   int    `json:"id"`
			} `json:"processInfo"`
		} `json:"result"`
	}
	if err := json.Unmarshal(raw, &reply); err != nil {
		return err
	}
	for _, p := range reply.Result.Processes {
		if p.Type == "browser" {
			process, err := os.FindProcess(p.ID)
			if err != nil {
				return err
			}
			return process.Signal(syscall.SIGTERM)
		}
	}
	return errors.New("the browser does not know its own process")
}

// Gone waits until nobody listens any more.
func (l *realLab) Gone(ctx context.Context) error {
	for l.alive() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// realConn is a WebSocket of which nobody reads the close frame.
type realConn struct{ *websocket.Conn }

func (c realConn) Read([]byte) ([]byte, error) {
	_, raw, err := c.ReadMessage()
	return raw, err
}

func (c realConn) Write(message []byte) error {
	return c.WriteMessage(websocket.TextMessage, message)
}
