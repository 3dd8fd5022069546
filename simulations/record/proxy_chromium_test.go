package record_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
	"github.com/gorilla/websocket"

	"cdpsupervisor/backends"
	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/record"
	"cdpsupervisor/simulations/replay"
)

// chromium is a real browser of the test's own.
func chromium(t *testing.T) *messages.Lease {
	t.Helper()
	if _, err := backends.FindChromium(""); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	lease, err := backends.NewLocal(backends.Options{Headless: true, Isolated: true}).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		end, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := lease.Close(end); err != nil {
			t.Error(err)
		}
	})
	return lease
}

// proxied is a proxy before a browser, and the recordings that it has closed.
type proxied struct {
	folder string
	url    string
	ended  chan string
}

func proxy(t *testing.T, lease *messages.Lease) *proxied {
	t.Helper()
	px := &proxied{folder: t.TempDir(), ended: make(chan string, 10)}
	p := &record.Proxy{
		Lease: lease, Dial: cdpwire.Dial, Clock: cdpwire.WallClock{},
		Begin: func(n int) (*record.Recorder, error) {
			return record.Create(filepath.Join(px.folder, fmt.Sprintf("%d.jsonl.zst", n)), cdpwire.TraceHeader{Tool: "test"}, record.Options{Clock: cdpwire.WallClock{}})
		},
		Ended: func(r *record.Recorder, _, failed error) {
			if failed != nil {
				t.Error(failed)
			}
			px.ended <- r.Path()
		},
	}
	if err := p.Prove(t.Context()); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(p)
	server.Config = p.Server()
	server.Start()
	px.url = server.URL
	t.Cleanup(func() {
		p.Close()
		server.Close()
	})
	return px
}

func (p *proxied) get(t *testing.T, path string, into any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatalf("%s: %v in %s", path, err, body)
	}
}

// TestProxy: a client that knows nothing of the proxy drives a real browser
// through it, and what the engine makes of the recording is what was there.
func TestProxy(t *testing.T) {
	px := proxy(t, chromium(t))
	late, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	allocator, cancelAllocator := remote.NewAllocator(late, px.url)
	ctx, cancelTab := chromedp.NewContext(allocator)
	page := "data:text/html," + url.PathEscape(`<title>t</title><iframe srcdoc="in it"></iframe>`)
	if err := chromedp.Do(ctx, chromedp.Navigate(page)); err != nil {
		t.Fatal(err)
	}
	got, err := chromedp.Run(ctx, chromedp.Evaluate[int]("6 * 7 + document.querySelectorAll('iframe').length"))
	if err != nil || got != 43 {
		t.Fatalf("evaluated to %d, %v", got, err)
	}
	target := string(chromedp.FromContext(ctx).Target.TargetID)
	if err := chromedp.Cancel(ctx); err != nil { // closes the tab in good order
		t.Error(err)
	}
	cancelTab()
	cancelAllocator()
	path := <-px.ended
	lines, warnings := read(t, path)
	sent, recv := 0, 0
	for _, line := range lines {
		if strings.HasPrefix(line, "send ") {
			sent++
		} else {
			recv++
		}
	}
	if sent < 5 || recv < sent || len(warnings) > 0 {
		t.Errorf("%d sent, %d received, %q", sent, recv, warnings)
	}
	var last *messages.Snapshot // in which the page had its frame
	r, err := replay.Run(t.Context(), replay.Options{Path: path, Target: messages.TargetID(target), Published: func(s *messages.Snapshot) {
		if s.FrameTree != nil && len(s.FrameTree.Children) == 1 {
			last = s
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if last == nil || !strings.HasPrefix(last.FrameTree.Top.URL, "data:text/html,") || last.FrameTree.Children[0].URL != "about:srcdoc" {
		t.Errorf("the replay does not show the page: %+v", last)
	}
	if r.Stats.Messages != len(lines) || r.Stats.Malformed != 0 {
		t.Errorf("%+v for %d messages", r.Stats, len(lines))
	}
}

// TestDiscovery: every address in what the browser says of itself leads to the
// proxy, and can be used.
func TestDiscovery(t *testing.T) {
	lease := chromium(t)
	px := proxy(t, lease)
	host := strings.TrimPrefix(px.url, "http://")
	var version map[string]string
	px.get(t, "/json/version", &version)
	if !strings.HasPrefix(version["webSocketDebuggerUrl"], "ws://"+host+"/devtools/browser/") || !strings.Contains(version["Browser"], "/") {
		t.Errorf("version: %v", version)
	}
	var list []map[string]string
	px.get(t, "/json/list", &list)
	if len(list) == 0 {
		t.Fatal("no pages are listed")
	}
	for _, entry := range list {
		if !strings.HasPrefix(entry["webSocketDebuggerUrl"], "ws://"+host+"/devtools/page/") {
			t.Errorf("page: %v", entry)
		}
		if front := entry["devtoolsFrontendUrl"]; front != "" && !strings.Contains(front, "ws="+host+"/devtools/page/") {
			t.Errorf("tools: %s", front)
		}
	}
	client, response, err := websocket.DefaultDialer.DialContext(t.Context(), list[0]["webSocketDebuggerUrl"], nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if err := client.WriteMessage(websocket.TextMessage, []byte(`{"id":7,"method":"Runtime.evaluate","params":{"expression":"'a'+'b'"}}`)); err != nil {
		t.Fatal(err)
	}
	_, reply, err := client.ReadMessage()
	if err != nil || !strings.Contains(string(reply), `"value":"ab"`) {
		t.Errorf("%s, %v", reply, err)
	}
	_ = client.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(time.Second))
	lines, _ := read(t, <-px.ended)
	_ = client.Close()
	if len(lines) != 2 || !strings.HasPrefix(lines[0], `send {"id":7,`) || !strings.HasPrefix(lines[1], `recv {"id":7,`) {
		t.Errorf("recorded %q", lines)
	}
}

// TestRefusals: what a web page could send is refused as the browser refuses it.
func TestRefusals(t *testing.T) {
	p := &record.Proxy{Lease: &messages.Lease{Endpoint: "127.0.0.1:1"}, Dial: cdpwire.Dial, Clock: cdpwire.WallClock{}}
	for name, c := range map[string]struct {
		host, origin, path string
		status             int
	}{
		"a web page":      {"127.0.0.1:9222", "http://evil.test", "/json/version", http.StatusForbidden},
		"another name":    {"evil.test", "", "/json/version", http.StatusForbidden},
		"an address":      {"127.0.0.1", "", "/json/list", http.StatusNotFound},
		"IPv6":            {"[::1]:9222", "", "/other", http.StatusNotFound},
		"no browser":      {"localhost:9222", "", "/devtools/browser/x", http.StatusBadGateway},
		"own version":     {"localhost:9222", "", "/json/version", http.StatusOK},
		"a name like one": {"localhost.evil.test", "", "/json/version", http.StatusForbidden},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://x"+c.path, nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

// TestTask records a task of the engine on a real browser and replays it: the
// replay ends where the task was.
func TestTask(t *testing.T) {
	lease := chromium(t)
	path := filepath.Join(t.TempDir(), "task.jsonl.gz")
	recorder, err := record.Create(path, cdpwire.TraceHeader{Tool: "test"}, record.Options{Clock: cdpwire.WallClock{}, Redactor: record.NewRedactor(lease)})
	if err != nil {
		t.Fatal(err)
	}
	reg, err := registry.New(actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) })))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var once sync.Once
	end := func() { once.Do(func() { _ = reg.Close(ctx) }) }
	defer end()
	task, err := reg.GetOrStart(ctx, "recorded", backends.Static(lease.Endpoint), registry.WithTap(recorder.Tap), registry.WithOnStop(messages.OnStopLeave))
	if err != nil {
		t.Fatal(err)
	}
	page := "data:text/html," + url.PathEscape(`<title>t</title><iframe srcdoc="in it"></iframe>`)
	if _, err := task.Navigate(ctx, page); err != nil {
		t.Fatal(err)
	}
	if s, err := task.Wait(ctx, func(s *messages.Snapshot) bool {
		return s.FrameTree != nil && len(s.FrameTree.Children) == 1 && s.FrameTree.Children[0].URL == "about:srcdoc"
	}); err != nil {
		t.Fatalf("%v: %+v", err, s)
	}
	ask := messages.CallRequest{Method: "Runtime.evaluate", Params: []byte(`{"expression":"setTimeout(() => confirm('sure?'))"}`)}
	if _, err := task.Call(ctx, ask); err != nil && messages.CodeOf(err) != messages.CodeDialogOpened {
		t.Fatal(err)
	}
	live, err := task.Wait(ctx, func(s *messages.Snapshot) bool { return len(s.PendingDialogs) == 1 })
	if err != nil {
		t.Fatalf("%v: %+v", err, live)
	}
	if err := recorder.Close(); err != nil { // what follows is not in the trace
		t.Fatal(err)
	}
	end()
	r, err := replay.Run(t.Context(), replay.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	have, want := r.Snapshot, live
	a, _ := json.Marshal(have.FrameTree)
	b, _ := json.Marshal(want.FrameTree)
	if string(a) != string(b) || have.PageTargetID != want.PageTargetID {
		t.Errorf("replayed %s\nlive     %s", a, b)
	}
	if len(have.PendingDialogs) != 1 {
		t.Fatalf("replayed %+v", have)
	}
	x, y := have.PendingDialogs[0], want.PendingDialogs[0]
	if apart := float64(x.OpenedAt - y.OpenedAt); apart > 0.1 || apart < -0.1 {
		t.Errorf("opened at %f, and %f in the replay", float64(y.OpenedAt), float64(x.OpenedAt))
	}
	x.OpenedAt, x.DeadlineAt = y.OpenedAt, y.DeadlineAt
	if x != y {
		t.Errorf("replayed %+v\nlive     %+v", x, y)
	}
	if have.Supervisor != nil {
		t.Errorf("status %+v", have.Supervisor)
	}
}
