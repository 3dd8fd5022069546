package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/goleak"

	"cdpsupervisor/backends"
	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/fakebrowser"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake starts a browser that reaches the web as web says, on a WebSocket.
func fake(t *testing.T, web fakebrowser.Site) (b *fakebrowser.Browser, address string) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b = fakebrowser.New(fakebrowser.Options{Pages: web, Clock: cdpwire.WallClock{}, SiteIsolation: true})
	t.Cleanup(b.Close)
	b.Serve(listener)
	return b, listener.Addr().String()
}

// machine is a web with this machine's servers in it, by every name.
func machine(url string) (fakebrowser.Response, bool) {
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			_, port, _ := net.SplitHostPort(addr)
			return new(net.Dialer).DialContext(ctx, network, "127.0.0.1:"+port)
		},
	}}
	response, err := client.Get(url)
	if err != nil {
		return fakebrowser.Response{}, false
	}
	defer response.Body.Close()
	html, err := io.ReadAll(response.Body)
	return fakebrowser.Response{Status: response.StatusCode, HTML: string(html)}, err == nil
}

func config(out io.Writer, source messages.EndpointSource) Config {
	return Config{
		Out: out, JSON: true, Source: source, Clock: cdpwire.WallClock{},
		Limits: Limits{Check: time.Minute, Leave: 200 * time.Millisecond, Sizes: []int{1 << 10, 64 << 10}},
		NewRegistry: func(opts ...registry.Option) (*registry.Registry, error) {
			return registry.New(actor.NewActorSystem(
				actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }),
				actor.WithDeadLetterThrottleInterval(time.Nanosecond)), opts...)
		},
	}
}

// examine runs the doctor and returns what --json promises.
func examine(t *testing.T, cfg Config) (report, error) {
	t.Helper()
	var out bytes.Buffer
	cfg.Out = &out
	err := Run(t.Context(), cfg)
	var all report
	if broken := json.Unmarshal(out.Bytes(), &all); broken != nil || strings.Count(out.String(), "\n") != 1 {
		t.Fatalf("not one object: %v: %q", broken, out.String())
	}
	if all.OK != (err == nil) {
		t.Errorf("ok is %t and the error %v", all.OK, err)
	}
	return all, err
}

func (r report) row(name string) row {
	for _, found := range r.Rows {
		if found.Name == name {
			return found
		}
	}
	return row{Name: "no row " + name}
}

// state is ✓, ✗ or –.
func (r row) state() string {
	switch {
	case r.OK == nil:
		return "–"
	case *r.OK:
		return "✓"
	}
	return "✗"
}

// expect checks the rows that are named, and that all others have one state.
// "*" is a state that is not looked at: whether the bridge's script runs in the
// fake browser is not what these tests are about.
func expect(t *testing.T, all report, others string, want map[string][2]string) {
	t.Helper()
	if len(all.Rows) != len(checks()) {
		t.Fatalf("%d rows, not %d: %+v", len(all.Rows), len(checks()), all.Rows)
	}
	for i, c := range checks() {
		r := all.Rows[i]
		w, special := want[c.name]
		if !special {
			w[0] = others
		}
		if w[0] == "*" {
			w[0] = r.state()
		}
		if r.Name != c.name || r.state() != w[0] || !strings.Contains(r.Detail, w[1]) || r.Detail == "" {
			t.Errorf("row %d is %q %s %q, want %q %s …%s…", i, r.Name, r.state(), r.Detail, c.name, w[0], w[1])
		}
	}
}

// untouched checks that a browser is as it was: one page, at about:blank.
func untouched(t *testing.T, b *fakebrowser.Browser) {
	t.Helper()
	if err := b.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	ids := b.PageIDs()
	if len(ids) != 1 {
		t.Fatalf("%d pages are left", len(ids))
	}
	if frames := b.Frames(ids[0]); len(frames) != 1 || frames[0].URL != "about:blank" {
		t.Errorf("the page that was there is now %+v", frames)
	}
	if open := b.OpenDialogs(); len(open) > 0 {
		t.Errorf("open dialogs: %+v", open)
	}
	if n := b.Sessions(); n > 0 {
		t.Errorf("%d sessions are attached", n)
	}
	if n := b.HeldRequests(); n > 0 {
		t.Errorf("%d requests are held", n)
	}
	if err := errors.Join(b.Crashed(), b.Err()); err != nil {
		t.Error(err)
	}
}

func TestEverythingIsSupported(t *testing.T) {
	b, address := fake(t, machine)
	all, err := examine(t, config(nil, backends.Static(messages.Endpoint(address))))
	if err != nil {
		t.Error(err)
	}
	expect(t, all, "✓", map[string][2]string{
		rowReachable: {"✓", "looked up through /json/version at " + address + ", WebSocket at ws://" + address},
		rowBrowser:   {"✓", "Chrome/"},
		rowResponse:  {"✓", "native"},
		rowBridge:    {"*", ""},
		rowOOPIF:     {"✓", "in a process of its own"},
		rowPopups:    {"✓", "closed by agent"},
		rowFrom:      {"✓", "64 KiB in "},
	})
	if all.Endpoint != address || !strings.HasPrefix(all.Browser, "Chrome/") {
		t.Errorf("endpoint %q, browser %q", all.Endpoint, all.Browser)
	}
	untouched(t, b)
}

// A browser elsewhere does not reach our server, or finds another one there.
func TestBrowserWithoutOurLoopback(t *testing.T) {
	for name, web := range map[string]fakebrowser.Site{
		"nothing there": nil,
		"another server": func(string) (fakebrowser.Response, bool) {
			return fakebrowser.Response{HTML: "<script>alert('not ours')</script>"}, true
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, address := fake(t, web)
			all, err := examine(t, config(nil, backends.Static(messages.Endpoint(address))))
			if err != nil {
				t.Error(err)
			}
			expect(t, all, "✓", map[string][2]string{
				rowBridge:   {"*", ""},
				rowLoopback: {"–", "does not reach this machine's loopback"},
				rowOOPIF:    {"–", "it needs two sites"},
				rowFrames:   {"✓", "needs loopback pages"},
				rowPopups:   {"✓", "needs loopback pages"},
			})
			untouched(t, b)
		})
	}
}

func TestBackendThatClosesDialogs(t *testing.T) {
	b, address := fake(t, machine)
	b.SetAutoDismiss(&fakebrowser.AutoDismiss{})
	all, err := examine(t, config(nil, backends.Static(messages.Endpoint(address))))
	if held := all.row(rowBridge).state() == "✓"; held != (err == nil) {
		t.Errorf("the bridge works: %t, and the verdict is %v", held, err)
	}
	expect(t, all, "✓", map[string][2]string{
		rowResponse: {"✗", "the confirm was closed by remote (auto_dismissed) after "},
		rowBridge:   {"*", ""},
		rowPopups:   {"✓", "closed by remote"},
	})
	untouched(t, b)
}

func TestVerdict(t *testing.T) {
	yes, no := true, false
	broken := errors.New("no lease")
	for _, c := range []struct {
		name   string
		rows   []row
		source error
		want   error
	}{
		{"all works", []row{{Name: rowResponse, OK: &yes}, {Name: rowBridge, OK: &yes}}, nil, nil},
		{"not tried is no fault", []row{{Name: rowResponse, OK: &yes}, {Name: rowOOPIF}}, nil, nil},
		{"no bridge, and none needed", []row{{Name: rowResponse, OK: &yes}, {Name: rowBridge, OK: &no}}, nil, nil},
		{"over the bridge only", []row{{Name: rowResponse, OK: &no}, {Name: rowBridge, OK: &yes}}, nil, nil},
		{"no answer in any way", []row{{Name: rowResponse, OK: &no}, {Name: rowBridge, OK: &no}}, nil, ErrUnsupported},
		{"no answer, and the bridge not tried", []row{{Name: rowResponse, OK: &no}, {Name: rowBridge}}, nil, ErrUnsupported},
		{"another row", []row{{Name: rowResponse, OK: &yes}, {Name: rowPopups, OK: &no}}, nil, ErrUnsupported},
		{"no browser", []row{{Name: rowReachable, OK: &no}}, broken, broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := verdict(c.rows, c.source); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
}

// What a backend refuses shows in the rows that it concerns, and only there.
func TestRefusals(t *testing.T) {
	native := []registry.TaskOption{registry.WithBridgeTransport(messages.TransportXHR)}
	for _, c := range []struct {
		name    string
		fault   fakebrowser.Fault
		dismiss bool
		bridge  []registry.TaskOption
		err     error
		want    map[string][2]string
	}{
		{"no Fetch", fakebrowser.Fault{Method: "Fetch.enable", Code: -32601, Message: "wasn't found"}, false, native, nil, map[string][2]string{
			rowBridge: {"✗", "dialogs came natively and not through it"},
		}},
		{"no Fetch where dialogs are closed", fakebrowser.Fault{Method: "Fetch.enable", Code: -32601, Message: "wasn't found"}, true, native, ErrUnsupported, map[string][2]string{
			rowResponse: {"✗", "closed by remote"}, rowBridge: {"✗", "dialogs came natively and not through it"},
		}},
		{"the tree", fakebrowser.Fault{Method: "Page.getFrameTree", Code: -32000, Message: "Not allowed"}, false, nil, ErrUnsupported, map[string][2]string{
			rowSetUp: {"✗", "Not allowed"}, rowBridge: {"*", ""},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, address := fake(t, machine)
			b.Inject(c.fault)
			if c.dismiss {
				b.SetAutoDismiss(&fakebrowser.AutoDismiss{})
			}
			cfg := config(nil, backends.Static(messages.Endpoint(address)))
			cfg.Bridge = c.bridge
			all, err := examine(t, cfg)
			if !errors.Is(err, c.err) {
				t.Errorf("the verdict is %v, want %v", err, c.err)
			}
			expect(t, all, "✓", c.want)
			untouched(t, b)
		})
	}
}

func TestRefusedAutoAttach(t *testing.T) {
	t.Parallel() // it waits
	b, address := fake(t, machine)
	b.Inject(fakebrowser.Fault{Method: "Target.setAutoAttach", Code: -32601, Message: "'Target.setAutoAttach' wasn't found"})
	cfg := config(nil, backends.Static(messages.Endpoint(address)))
	cfg.Limits.Check = 3 * time.Second // some of it will not be
	all, err := examine(t, cfg)
	if !errors.Is(err, ErrUnsupported) {
		t.Errorf("the verdict is %v", err)
	}
	if r := all.row(rowSetUp); r.state() != "✗" || !strings.Contains(r.Detail, "wasn't found") {
		t.Errorf("the set-up is %s %q", r.state(), r.Detail)
	}
	untouched(t, b)
}

// Without the Page domain nothing tells of a dialog.
func TestRefusedPageDomain(t *testing.T) {
	t.Parallel() // it waits
	b, address := fake(t, machine)
	b.Inject(fakebrowser.Fault{Method: "Page.enable", Message: "Not allowed"})
	cfg := config(nil, backends.Static(messages.Endpoint(address)))
	cfg.Limits.Check = 3 * time.Second // some of it will not be
	all, err := examine(t, cfg)
	if !errors.Is(err, ErrUnsupported) {
		t.Errorf("the verdict is %v", err)
	}
	if r := all.row(rowDetection); r.state() != "✗" || !strings.Contains(r.Detail, "no dialog was seen: ") {
		t.Errorf("the detection is %s %q", r.state(), r.Detail)
	}
	if r := all.row(rowResponse); r.state() != "–" {
		t.Errorf("the response is %s %q", r.state(), r.Detail)
	}
	untouched(t, b)
}

func TestNoTab(t *testing.T) {
	t.Parallel() // it waits
	b, address := fake(t, machine)
	b.Inject(fakebrowser.Fault{Method: "Target.createTarget", Code: -32000, Message: "Not allowed"})
	all, err := examine(t, config(nil, backends.Static(messages.Endpoint(address))))
	if !errors.Is(err, ErrUnsupported) {
		t.Errorf("the verdict is %v", err)
	}
	expect(t, all, "–", map[string][2]string{rowReachable: {"✓", "WebSocket at"}, rowTab: {"✗", "Not allowed"}})
	untouched(t, b)
}

func TestNobodyThere(t *testing.T) {
	all, err := examine(t, config(nil, backends.Static("ws://user:hunter2@127.0.0.1:1/devtools/hunter2?token=hunter2")))
	if !errors.Is(err, ErrUnsupported) {
		t.Errorf("the verdict is %v", err)
	}
	expect(t, all, "–", map[string][2]string{rowReachable: {"✗", "nothing listens there"}})
	if text, _ := json.Marshal(all); strings.Contains(string(text), "hunter2") || all.Endpoint != "ws://127.0.0.1:1" {
		t.Errorf("the report is %s", text)
	}
}

// A page of somebody's is not worked on.
func TestPageLevelEndpoint(t *testing.T) {
	b, address := fake(t, machine)
	all, err := examine(t, config(nil, backends.Static(messages.Endpoint("ws://"+address+"/devtools/page/"+b.PageIDs()[0]))))
	if err != nil {
		t.Error(err)
	}
	expect(t, all, "–", map[string][2]string{
		rowReachable: {"✓", "which is one page of it"}, rowBrowser: {"✓", "Chrome/"}, rowRoundTrip: {"✓", "to the browser"},
		rowTab: {"–", "give the browser's endpoint"},
	})
	if n := b.Calls("Runtime.evaluate") + b.Calls("Page.navigate"); n > 0 {
		t.Errorf("the page was touched %d times", n)
	}
	untouched(t, b)
}

// A popup that a check could not close goes in the end.
func TestPopupThatStays(t *testing.T) {
	b, address := fake(t, machine)
	var out bytes.Buffer
	cfg := config(nil, backends.Static(messages.Endpoint(address)))
	cfg.JSON = false
	// The next one to close after the frames is the popup.
	cfg.Out = &endsAt{Writer: &out, mark: "✓ " + rowOOPIF, end: func() {
		b.Inject(fakebrowser.Fault{Method: "Target.closeTarget", Times: 1, Message: "busy"})
	}}
	if err := Run(t.Context(), cfg); !errors.Is(err, ErrUnsupported) {
		t.Errorf("the verdict is %v", err)
	}
	if !strings.Contains(out.String(), "✗ "+rowPopups) || !strings.Contains(out.String(), "close the popup: ") {
		t.Errorf("it found\n%s", out.String())
	}
	untouched(t, b)
}

func TestInterrupted(t *testing.T) {
	b, address := fake(t, machine)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("a signal")
	var out bytes.Buffer
	cfg := config(nil, backends.Static(messages.Endpoint(address)))
	cfg.JSON = false
	cfg.Out = &endsAt{Writer: &out, mark: "✓ " + rowDetection, end: func() { cancel(cause) }}
	if err := Run(ctx, cfg); !errors.Is(err, cause) {
		t.Errorf("%v, want the cause", err)
	}
	if strings.Contains(out.String(), rowTo) {
		t.Errorf("it went on:\n%s", out.String())
	}
	untouched(t, b)
}

// endsAt calls end, once, when a line begins with mark. A confirm is open then.
type endsAt struct {
	io.Writer
	mark string
	end  func()
}

func (e *endsAt) Write(p []byte) (int, error) {
	if bytes.HasPrefix(p, []byte(e.mark)) {
		e.end()
	}
	return e.Writer.Write(p)
}

func TestWay(t *testing.T) {
	_, address := fake(t, nil)
	lookups := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+address+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer lookups.Close()
	front := lookups.Listener.Addr().String()
	for _, c := range []struct {
		name  string
		lease messages.Lease
		want  string
	}{
		{"host and port", messages.Lease{Endpoint: messages.Endpoint(address)},
			"looked up through /json/version at " + address + ", WebSocket at ws://" + address},
		{"redirect", messages.Lease{Endpoint: messages.Endpoint("http://" + front)},
			"looked up through /json/version at " + front + ", redirected to " + address + ", WebSocket at ws://" + address},
		{"credentials and a header", messages.Lease{
			Endpoint: messages.Endpoint("http://u:hunter2@" + address), Headers: map[string]string{"x-key": "hunter2", "Origin": "ours"}},
			"looked up through /json/version at " + address + ", WebSocket at ws://" + address + ", with credentials, with 1 of the backend's 2 headers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &way{}
			dialed, err := w.dial(cdpwire.WallClock{})(t.Context(), &c.lease)
			if err != nil {
				t.Fatal(err)
			}
			_ = dialed.Transport.Close()
			if w.text() != c.want || w.took <= 0 {
				t.Errorf("%q after %s, want %q", w.text(), w.took, c.want)
			}
		})
	}
}

func TestWayOfAName(t *testing.T) {
	for _, c := range []struct {
		name string
		hops []hop
		want string
	}{
		{"refused by name", []hop{{address: "box:1", host: "box:1"}, {address: "box:1", host: "localhost:1"}, {address: "box:1", host: "localhost:1", socket: true}},
			"looked up through /json/version at box:1, asked again with Host: localhost, WebSocket at ws://end"},
		{"an address that is gone", []hop{{address: "a:1", socket: true}, {address: "a:1"}, {address: "a:1", socket: true}},
			"WebSocket at a:1, looked up through /json/version at a:1, WebSocket at ws://end"},
		{"credentials that stay behind", []hop{{address: "a:1", sent: map[string]bool{"Authorization": true}}, {address: "b:1", socket: true}},
			"looked up through /json/version at a:1, WebSocket at ws://end, with credentials for the look-up only"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := (&way{hops: c.hops, shown: "ws://end"}).text(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// counted is a source that counts what is done to its lease.
type counted struct {
	opened, closed int
	err            error
}

func (*counted) Identity() string { return "counted" }
func (c *counted) Open(context.Context) (*messages.Lease, error) {
	c.opened++
	if c.err != nil {
		return nil, c.err
	}
	return &messages.Lease{Endpoint: "ws://h:1/secret", Close: func(context.Context) error { c.closed++; return nil }}, nil
}
func (c *counted) Renew(ctx context.Context, _ *messages.Lease) (*messages.Lease, error) {
	return c.Open(ctx)
}

func TestLeaseIsShared(t *testing.T) {
	source := &counted{}
	s := &sharedLease{inner: source}
	for range 2 {
		lease, err := s.Open(t.Context())
		if err != nil || lease.Close != nil {
			t.Fatalf("%v, or a task could close the lease", err)
		}
	}
	if source.opened != 1 || s.shown() != "ws://h:1" {
		t.Errorf("opened %d times, shown as %q", source.opened, s.shown())
	}
	if _, err := s.Renew(t.Context(), nil); err != nil || source.opened != 2 {
		t.Errorf("renewed: %v, %d", err, source.opened)
	}
	if err := s.close(t.Context()); err != nil || source.closed != 1 {
		t.Errorf("closed: %v, %d times", err, source.closed)
	}
}

func TestSourceThatFails(t *testing.T) {
	all, err := examine(t, config(nil, &counted{err: backends.ErrNoBrowser}))
	if !errors.Is(err, backends.ErrNoBrowser) || !strings.Contains(all.Error, backends.ErrNoBrowser.Error()) {
		t.Errorf("%v, and the report says %q", err, all.Error)
	}
	expect(t, all, "–", map[string][2]string{rowReachable: {"✗", backends.ErrNoBrowser.Error()}})
}

func TestPrinter(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		name     string
		terminal bool
		row      row
		want     string
	}{
		{"works", false, row{"popups", &yes, "they do", 1.26}, "✓ popups                     they do (1.3 ms)\n"},
		{"does not", false, row{"popups", &no, "why", 2}, "✗ popups                     why (2.0 ms)\n"},
		{"not tried", false, row{"popups", nil, "not tried: why", 0}, "– popups                     not tried: why\n"},
		{"colour", true, row{"bridge", &yes, "it does", 1}, green + "✓" + plain + " bridge                     it does" + grey + " (1.0 ms)" + plain + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			printer{out: &out, terminal: c.terminal}.row(c.row)
			if out.String() != c.want {
				t.Errorf("%q, want %q", out.String(), c.want)
			}
		})
	}
}

func TestClean(t *testing.T) {
	if got := clean("a\x1b[31mb\nc\u009bd"); got != "a [31mb c d" {
		t.Errorf("%q", got)
	}
	if got := clean(strings.Repeat("ä", maxDetail)); len(got) > maxDetail+len("…") || !strings.HasSuffix(got, "…") {
		t.Errorf("%d bytes", len(got))
	}
}

func TestRefuse(t *testing.T) {
	var out bytes.Buffer
	if err := Refuse(&out, errors.New("why")); err != nil || out.String() != `{"ok":false,"endpoint":"","browser":"","rows":[],"error":"why"}`+"\n" {
		t.Errorf("%v, %q", err, out.String())
	}
}

func TestSitesPathsAreSecret(t *testing.T) {
	s, err := newSite(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	for _, c := range []struct {
		url  string
		host string
		want int
	}{
		{s.url(firstHost, pagePlain), "", http.StatusOK},
		{s.url(firstHost, "none"), "", http.StatusNotFound},
		{"http://" + firstHost + ":" + s.port + "/" + pagePlain, "", http.StatusNotFound},
		{s.url(firstHost, pageFrames), "evil.test", http.StatusNotFound},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = c.host
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != c.want {
			t.Errorf("%s for %q: %d", c.url, c.host, response.StatusCode)
		}
	}
	if !s.hit(pagePlain) || s.hit(pageFrames) {
		t.Error("the hits are wrong")
	}
}

func TestRowsAreNamedOnce(t *testing.T) {
	var names []string
	for _, c := range checks() {
		names = append(names, c.name)
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != len(checks()) {
		t.Errorf("%v", names)
	}
}
