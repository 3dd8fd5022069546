package mcpserver

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/tools"
)

const secretToken = "0123456789abcdef0123456789abcdef"

// onHTTP serves a toolbox on a free port and returns its URL.
func onHTTP(t *testing.T, f *fakeTools, o HTTPOptions) (url string, stop func() error) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	server := New(Options{Tools: f, Version: "test", Log: zerolog.Nop(), Clock: cdpwire.WallClock{}})
	ended := make(chan error, 1)
	go func() { ended <- server.ServeHTTP(ctx, listener, o) }()
	stopped := false
	stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return <-ended
	}
	t.Cleanup(func() { _ = stop() })
	return "http://" + listener.Addr().String(), stop
}

// overHTTP connects a client. Its transport keeps no connection, so that none
// is left for the leak check.
func overHTTP(t *testing.T, url, token string) (*mcp.ClientSession, error) {
	t.Helper()
	h := &http.Client{Transport: withToken{token, &http.Transport{DisableKeepAlives: true}}}
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil)
	// Without its own event stream: a client gives up on its calls when that
	// ends, which would hide whether they were answered.
	session, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: h, DisableStandaloneSSE: true}, nil)
	if err == nil {
		t.Cleanup(func() { _ = session.Close() })
	}
	return session, err
}

type withToken struct {
	token string
	next  http.RoundTripper
}

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	if w.token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+w.token)
	}
	return w.next.RoundTrip(r)
}

func TestEachHTTPSessionHasATaskOfItsOwn(t *testing.T) {
	f := &fakeTools{}
	url, _ := onHTTP(t, f, HTTPOptions{})
	var sessions []*mcp.ClientSession
	for range 3 {
		session, err := overHTTP(t, url, "")
		if err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, session)
		if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "browser_snapshot"}); err != nil {
			t.Fatal(err)
		}
	}
	callers := f.seen(&f.callers)
	slices.Sort(callers)
	if len(slices.Compact(slices.Clone(callers))) != 3 {
		t.Errorf("callers %v", callers)
	}
	for _, id := range callers {
		if !id.Valid() || !strings.HasPrefix(string(id), "mcp-") {
			t.Errorf("task id %q", id)
		}
	}
	eventually(t, "each task was started ahead", func() bool { return len(f.seen(&f.started)) == 3 })
	if err := sessions[0].Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the task of a session that is over is released", func() bool { return len(f.seen(&f.released)) == 1 })
	if _, err := sessions[1].CallTool(t.Context(), &mcp.CallToolParams{Name: "browser_snapshot"}); err != nil {
		t.Errorf("the others live: %v", err)
	}
}

func TestStateless(t *testing.T) {
	f := &fakeTools{}
	url, _ := onHTTP(t, f, HTTPOptions{Stateless: true})
	session, err := overHTTP(t, url, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "browser_snapshot"}); err != nil {
		t.Fatal(err)
	}
	if got := f.seen(&f.callers); len(got) != 1 || got[0] != "" {
		t.Errorf("callers %v", got)
	}
	if caps := session.InitializeResult().Capabilities.Tools; caps != nil && caps.ListChanged {
		t.Error("list_changed is promised without a session to send it to")
	}
}

func TestWhoMayAsk(t *testing.T) {
	f := &fakeTools{}
	open, _ := onHTTP(t, f, HTTPOptions{})
	locked, _ := onHTTP(t, f, HTTPOptions{Token: secretToken, Hosts: []string{"browser.example"}})
	const ping = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`
	for _, tc := range []struct {
		name, url, path, body string
		header                map[string]string
		status                int
	}{
		{"plain", open, "/mcp", ping, nil, 200},
		{"at the root", open, "/", ping, nil, 200},
		{"elsewhere", open, "/admin", ping, nil, 404},
		{"localhost", open, "/mcp", ping, map[string]string{"Host": "localhost:1"}, 200},
		{"rebound name", open, "/mcp", ping, map[string]string{"Host": "evil.example"}, 403},
		{"our origin", open, "/mcp", ping, map[string]string{"Origin": "http://localhost:3000"}, 200},
		{"a page's origin", open, "/mcp", ping, map[string]string{"Origin": "https://evil.example"}, 403},
		{"an opaque origin", open, "/mcp", ping, map[string]string{"Origin": "null"}, 403},
		{"a cross-site fetch", open, "/mcp", ping, map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"no token", locked, "/mcp", ping, nil, 401},
		{"wrong token", locked, "/mcp", ping, map[string]string{"Authorization": "Bearer 0123456789abcdef0123456789abcdee"}, 401},
		{"not a bearer", locked, "/mcp", ping, map[string]string{"Authorization": "Basic " + secretToken}, 401},
		{"the token", locked, "/mcp", ping, map[string]string{"Authorization": "Bearer " + secretToken}, 200},
		{"another name of ours", locked, "/mcp", ping, map[string]string{"Authorization": "bearer " + secretToken, "Host": "browser.example"}, 200},
		{"too large", open, "/mcp", strings.Repeat("x", maxBodyBytes+1), nil, 413},
		{"not JSON", open, "/mcp", "{", nil, 400},
		{"not JSON by its type", open, "/mcp", ping, map[string]string{"Content-Type": "text/plain"}, 415},
	} {
		t.Run(tc.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, tc.url+tc.path, strings.NewReader(tc.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Close = true
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			for name, value := range tc.header {
				if name == "Host" {
					req.Host = value
					continue
				}
				req.Header.Set(name, value)
			}
			res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if res.StatusCode != tc.status {
				t.Errorf("status %d, want %d: %s", res.StatusCode, tc.status, body)
			}
			if bytes.Contains(body, []byte(secretToken)) {
				t.Errorf("the token is shown: %s", body)
			}
		})
	}
	if session, err := overHTTP(t, locked, secretToken); err != nil {
		t.Errorf("a client with the token: %v", err)
	} else if _, err := session.ListTools(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if _, err := overHTTP(t, locked, ""); err == nil {
		t.Error("a client without the token got in")
	}
}

// A client that opens sessions and never ends them does not take the machine: one
// more is refused until another has ended. Those that there are go on.
func TestSessionsAreCapped(t *testing.T) {
	url, _ := onHTTP(t, &fakeTools{}, HTTPOptions{})
	h := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	do := func(method, session, body string) (*http.Response, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, url+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		res, err := h.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		return res, string(text)
	}
	const begin = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`
	session := ""
	for range maxSessions {
		res, text := do(http.MethodPost, "", begin)
		if session = res.Header.Get("Mcp-Session-Id"); res.StatusCode != http.StatusOK || session == "" {
			t.Fatalf("status %d: %s", res.StatusCode, text)
		}
	}
	res, text := do(http.MethodPost, "", begin)
	if res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, "256 sessions") {
		t.Errorf("one more: status %d: %s", res.StatusCode, text)
	}
	if res, text = do(http.MethodPost, session, `{"jsonrpc":"2.0","id":2,"method":"ping"}`); res.StatusCode != http.StatusOK {
		t.Errorf("a session that there is: status %d: %s", res.StatusCode, text)
	}
	if res, text = do(http.MethodDelete, session, ""); res.StatusCode != http.StatusNoContent {
		t.Errorf("its end: status %d: %s", res.StatusCode, text)
	}
	eventually(t, "there is room again", func() bool {
		res, _ := do(http.MethodPost, "", begin)
		return res.StatusCode == http.StatusOK
	})
}

func TestAnHTTPStopAnswersWhatIsUnderWay(t *testing.T) {
	f := &fakeTools{onCall: func(ctx context.Context, _ string) *tools.Result {
		<-ctx.Done()
		return tools.Failed(context.Cause(ctx))
	}}
	url, stop := onHTTP(t, f, HTTPOptions{})
	session, err := overHTTP(t, url, "")
	if err != nil {
		t.Fatal(err)
	}
	answers := make(chan map[string]any, 1)
	go func() {
		r, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: "browser_navigate"})
		if err != nil {
			answers <- map[string]any{"error": err.Error()}
			return
		}
		answers <- object(t, r)
	}()
	eventually(t, "the call is under way", func() bool { return len(f.seen(&f.callers)) == 1 })
	began := time.Now()
	if err := stop(); err != nil {
		t.Errorf("serving ended with %v", err)
	}
	if took := time.Since(began); took > lastWords/2 {
		t.Errorf("the stop took %s", took)
	}
	if got := <-answers; got["code"] != "stopped" {
		t.Errorf("the call got %v", got)
	}
}

func TestCheckHTTP(t *testing.T) {
	for _, tc := range []struct {
		addr, token string
		ok          bool
	}{
		{"127.0.0.1:8932", "", true}, {"[::1]:8932", "", true}, {"localhost:8932", "", true}, {"127.9.9.9:1", "", true},
		{"0.0.0.0:8932", "", false}, {":8932", "", false}, {"192.168.1.2:8932", "", false}, {"[::]:8932", "", false}, {"example.org:80", "", false},
		{"0.0.0.0:8932", secretToken, true}, {":8932", secretToken, true}, {"0.0.0.0:8932", "short", false}, {"127.0.0.1:1", "short", false},
		{"8932", "", false}, {"", "", false},
	} {
		if err := CheckHTTP(tc.addr, HTTPOptions{Token: tc.token}); (err == nil) != tc.ok {
			t.Errorf("%q with token %q: %v", tc.addr, tc.token, err)
		}
	}
}
