package cdpwire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"cdpsupervisor/messages"
)

// secrets are in every endpoint and lease below, and must be in no error.
var secrets = []string{"u5er", "pa55", "s3cr3t", "h3ader", "gu1d"}

const query = "?token=s3cr3t"

// webServer is an HTTP server that answers as a test says, and notes who asked.
type webServer struct {
	*httptest.Server
	mu   sync.Mutex
	seen []*http.Request
}

// start begins to serve, in plain text or over TLS.
type start = func(*httptest.Server)

func serve(t *testing.T, handle http.HandlerFunc, begin start) *webServer {
	t.Helper()
	b := &webServer{}
	b.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		b.seen = append(b.seen, r)
		b.mu.Unlock()
		handle(w, r)
	}))
	b.Config.ErrorLog = log.New(io.Discard, "", 0)
	begin(b.Server)
	t.Cleanup(b.Close)
	return b
}

func (b *webServer) requests() (list []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.seen {
		list = append(list, r.URL.RequestURI())
	}
	return list
}

func (b *webServer) last() *http.Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.seen[len(b.seen)-1]
}

// addr is host:port of the server.
func (b *webServer) addr() string { return b.Listener.Addr().String() }

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// accept opens a WebSocket and leaves it to its end.
func accept(w http.ResponseWriter, r *http.Request) {
	up := websocket.Upgrader{EnableCompression: true, CheckOrigin: func(*http.Request) bool { return true }}
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer ws.Close()
	for {
		if _, _, err := ws.ReadMessage(); err != nil {
			return
		}
	}
}

// chrome answers as Chrome does: look-up at /json/version, WebSocket at the
// address that it names there.
func chrome(advertise func(r *http.Request) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == versionPath:
			_, _ = fmt.Fprintf(w, `{"Browser":"Chrome/156","webSocketDebuggerUrl":%q}`, advertise(r))
		case strings.HasPrefix(r.URL.Path, "/devtools/"):
			accept(w, r)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}
}

func echoHost(r *http.Request) string { return "ws://" + r.Host + "/devtools/browser/gu1d" }

// dial dials with every secret that there is; where name is given, that is the
// host's name in the endpoint.
func dial(ctx context.Context, d *Dialer, endpoint string) (*Dialed, error) {
	return d.Dial(ctx, &messages.Lease{Endpoint: messages.Endpoint(endpoint), Headers: map[string]string{"X-Key": "h3ader", "Origin": "http://evil", "sec-websocket-key": "x"}})
}

// named is a dialer for which any name leads to the server.
func named(b *webServer) *Dialer {
	return &Dialer{connect: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, b.addr())
	}}
}

func checkNoSecret(t *testing.T, text string) {
	t.Helper()
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("%q tells the secret %s", text, secret)
		}
	}
}

func closeDialed(t *testing.T, d *Dialed) {
	t.Helper()
	if err := d.Transport.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

func TestDialFindsTheBrowser(t *testing.T) {
	tests := []struct {
		name     string
		handle   http.HandlerFunc
		endpoint string // %s is host:port
		host     string // the name by which the endpoint knows the host
		want     []string
		page     bool
	}{
		{"direct", chrome(echoHost), "ws://%s/devtools/browser/gu1d" + query, "", []string{"/devtools/browser/gu1d" + query}, false},
		{"direct, a page", chrome(echoHost), "ws://%s/devtools/page/gu1d", "", []string{"/devtools/page/gu1d"}, true},
		{"direct under http", chrome(echoHost), "HTTP://%s/devtools/browser/gu1d", "", []string{"/devtools/browser/gu1d"}, false},
		{"looked up", chrome(echoHost), "http://%s", "", []string{"/json/version", "/devtools/browser/gu1d"}, false},
		{"looked up, slash and query", chrome(echoHost), "http://%s/" + query, "", []string{"/json/version" + query, "/devtools/browser/gu1d" + query}, false},
		{"looked up, path as it is", chrome(echoHost), "http://%s/json/version", "", []string{"/json/version", "/devtools/browser/gu1d"}, false},
		{"bare", chrome(echoHost), "%s", "", []string{"/json/version", "/devtools/browser/gu1d"}, false},
		{"the advertised query wins", chrome(func(r *http.Request) string { return echoHost(r) + "?own=1" }), "http://%s" + query, "",
			[]string{"/json/version" + query, "/devtools/browser/gu1d?own=1"}, false},
		{"loopback is advertised, ours is not", chrome(func(*http.Request) string { return "ws://127.0.0.1:1/devtools/browser/gu1d" }), "http://browser.test:9222", "browser.test:9222",
			[]string{"/json/version", "/devtools/browser/gu1d"}, false},
		{"nothing is advertised but 0.0.0.0", chrome(func(*http.Request) string { return "ws://0.0.0.0:1/devtools/browser/gu1d" }), "http://browser.test:9222", "browser.test:9222",
			[]string{"/json/version", "/devtools/browser/gu1d"}, false},
		{"another host is advertised", chrome(func(*http.Request) string { return "ws://inner.test:3000/devtools/browser/gu1d" }), "http://browser.test:9222", "inner.test:3000",
			[]string{"/json/version", "/devtools/browser/gu1d"}, false},
		{"no look-up but a fixed address", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == browserPath {
				accept(w, r)
				return
			}
			w.WriteHeader(http.StatusNotFound)
		}, "http://%s" + query, "", []string{"/json/version" + query, "/devtools/browser" + query}, false},
		{"the address is gone and looked up once", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/devtools/browser/old" {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			chrome(echoHost)(w, r)
		}, "ws://%s/devtools/browser/old" + query, "", []string{"/devtools/browser/old" + query, "/json/version" + query, "/devtools/browser/gu1d" + query}, false},
		{"redirects", func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/json/version":
				http.Redirect(w, r, "/moved/json/version", http.StatusFound)
			case "/moved/json/version":
				_, _ = fmt.Fprintf(w, `{"webSocketDebuggerUrl":"ws://%s/first"}`, r.Host)
			case "/first":
				http.Redirect(w, r, "http://"+r.Host+"/second", http.StatusTemporaryRedirect)
			default:
				accept(w, r)
			}
		}, "http://%s", "", []string{"/json/version", "/moved/json/version", "/first", "/second"}, false},
		{"Chrome refuses the name of the host", func(w http.ResponseWriter, r *http.Request) {
			if host, _, _ := net.SplitHostPort(r.Host); !isChromeHost(host) {
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			chrome(echoHost)(w, r)
		}, "http://browser.test:9222", "localhost:9222", []string{"/json/version", "/json/version", "/devtools/browser/gu1d"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := serve(t, tt.handle, (*httptest.Server).Start)
			d := new(Dialer)
			if tt.host != "" {
				d = named(b)
			}
			endpoint := tt.endpoint
			if strings.Contains(endpoint, "%s") {
				endpoint = fmt.Sprintf(endpoint, b.addr())
			}
			dialed, err := dial(t.Context(), d, endpoint)
			if err != nil {
				t.Fatalf("%v; it was asked for %v", err, b.requests())
			}
			defer closeDialed(t, dialed)
			if got := b.requests(); strings.Join(got, " ") != strings.Join(tt.want, " ") {
				t.Errorf("asked for %v, want %v", got, tt.want)
			}
			last := b.last()
			host := tt.host
			if host == "" {
				host = b.addr()
			}
			if last.Host != host {
				t.Errorf("Host is %q, want %q", last.Host, host)
			}
			for _, header := range []string{"Origin", "Sec-WebSocket-Extensions"} {
				if got := last.Header.Get(header); got != "" {
					t.Errorf("%s is %q", header, got)
				}
			}
			if last.Header.Get("X-Key") != "h3ader" {
				t.Error("the lease's header did not come along")
			}
			if dialed.PageLevel != tt.page {
				t.Errorf("PageLevel is %v", dialed.PageLevel)
			}
			checkNoSecret(t, dialed.Shown)
			if !strings.HasPrefix(dialed.Shown, "ws://") {
				t.Errorf("Shown is %q", dialed.Shown)
			}
		})
	}
}

func TestCredentialsGoAlongToTheConfiguredHostOnly(t *testing.T) {
	const basic = "Basic dTVlcjpwYTU1" // u5er:pa55
	b := serve(t, chrome(echoHost), (*httptest.Server).Start)
	for _, endpoint := range []string{"http://u5er:pa55@%s", "ws://u5er:pa55@%s/devtools/browser/gu1d"} {
		dialed, err := dial(t.Context(), new(Dialer), fmt.Sprintf(endpoint, b.addr()))
		if err != nil {
			t.Fatal(err)
		}
		closeDialed(t, dialed)
		if got := b.last().Header.Get("Authorization"); got != basic {
			t.Errorf("Authorization is %q", got)
		}
	}

	other := serve(t, accept, (*httptest.Server).Start)
	for name, target := range map[string]string{"look-up": "http://other.test/x", "handshake": "ws://other.test/x"} {
		from := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if name == "handshake" && r.URL.Path == versionPath {
				_, _ = fmt.Fprintf(w, `{"webSocketDebuggerUrl":%q}`, echoHost(r))
				return
			}
			w.Header().Set("Location", target)
			w.WriteHeader(http.StatusFound)
		}, (*httptest.Server).Start)
		d := &Dialer{connect: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if strings.HasPrefix(addr, "other.test") {
				addr = other.addr()
			}
			return new(net.Dialer).DialContext(ctx, network, addr)
		}}
		dialed, err := dial(t.Context(), d, "http://u5er:pa55@"+from.addr())
		if err == nil {
			closeDialed(t, dialed)
		}
		if got := other.last().Header; got.Get("Authorization") != "" || got.Get("X-Key") != "" {
			t.Errorf("%s: the other host got %v", name, got)
		}
	}

	advertised := serve(t, chrome(func(*http.Request) string { return "ws://n3w:own@" + b.addr() + "/devtools/browser/gu1d" }), (*httptest.Server).Start)
	dialed, err := dial(t.Context(), new(Dialer), "http://u5er:pa55@"+advertised.addr())
	if err != nil {
		t.Fatal(err)
	}
	closeDialed(t, dialed)
	if got := b.last().Header.Get("Authorization"); got != "Basic bjN3Om93bg==" {
		t.Errorf("Authorization is %q, want what was advertised", got)
	}
}

// reset closes a connection without an answer.
func reset(w http.ResponseWriter, _ *http.Request) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}

func TestDialSaysWhatIsWrong(t *testing.T) {
	plain, secure := (*httptest.Server).Start, (*httptest.Server).StartTLS
	html := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>router s3cr3t</html>")) }
	lookup := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) }
	}
	redirect := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
		}
	}
	const ws, web = "ws://u5er:pa55@%s/devtools/browser/gu1d" + query, "http://u5er:pa55@%s" + query
	tests := []struct {
		name     string
		handle   http.HandlerFunc
		start    start
		endpoint string
		kind     messages.DisconnectKind
		status   int
		says     string
	}{
		{"not a WebSocket", html, plain, ws, messages.DisconnectNotCDP, 0, "opens no WebSocket"},
		{"a web page", html, plain, web, messages.DisconnectNotCDP, 0, "not as a browser does"},
		{"no webSocketDebuggerUrl", lookup(`{"Browser":"x"}`), plain, web, messages.DisconnectNotCDP, 0, "webSocketDebuggerUrl"},
		{"a webSocketDebuggerUrl that is none", lookup(`{"webSocketDebuggerUrl":"s3cr3t://%zz"}`), plain, web, messages.DisconnectNotCDP, 0, "that is none"},
		{"401", status(401), plain, ws, messages.DisconnectRejected, 401, "credentials"},
		{"403", status(403), plain, ws, messages.DisconnectRejected, 403, "credentials"},
		{"404, and no look-up", status(404), plain, ws, messages.DisconnectRejected, 404, "restarted"},
		{"410", status(410), plain, ws, messages.DisconnectRejected, 410, "over"},
		{"500", status(500), plain, ws, messages.DisconnectNotCDP, 500, "HTTP 500"},
		{"503", status(503), plain, ws, messages.DisconnectRefused, 503, "try later"},
		{"401 on the look-up", status(401), plain, web, messages.DisconnectRejected, 401, "credentials"},
		{"403 on the look-up", status(403), plain, web, messages.DisconnectRejected, 403, "credentials"},
		{"410 on the look-up", status(410), plain, web, messages.DisconnectRejected, 410, "over"},
		{"no DevTools at all", status(404), plain, web, messages.DisconnectNotCDP, 0, "neither"},
		{"429 on the look-up", status(429), plain, web, messages.DisconnectRefused, 429, "try later"},
		{"a page that is gone", status(500), plain, "ws://%s/devtools/page/gu1d" + query, messages.DisconnectRejected, 404, "page of this address is gone"},
		{"a page that is gone, in a browser that is there", func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, pagePath) {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			chrome(echoHost)(w, r)
		}, plain, "ws://%s/devtools/page/gu1d" + query, messages.DisconnectRejected, 404, "page of this address is gone"},
		{"redirects for ever", redirect("/json/version"), plain, web, messages.DisconnectNotCDP, 0, "too often"},
		{"handshake redirects for ever", redirect("/s3cr3t"), plain, ws, messages.DisconnectNotCDP, 0, "too often"},
		{"redirect to nothing", redirect(""), plain, web, messages.DisconnectNotCDP, 0, "redirects to an address that is none"},
		{"redirect to a file", redirect("file://host/s3cr3t"), plain, web, messages.DisconnectNotCDP, 0, "no web address"},
		{"hangs up", reset, plain, web, messages.DisconnectRefused, 0, "ended"},
		{"hangs up the handshake", reset, plain, ws, messages.DisconnectRefused, 0, "ended"},
		{"certificate of an unknown authority", html, secure, "https://u5er:pa55@%s" + query, messages.DisconnectTLS, 0, "authority"},
		{"certificate of an unknown authority, wss", html, secure, "wss://u5er:pa55@%s/gu1d" + query, messages.DisconnectTLS, 0, "authority"},
		{"TLS to a plain port", html, plain, "https://u5er:pa55@%s" + query, messages.DisconnectTLS, 0, "does not speak TLS"},
		{"TLS to a plain port, wss", html, plain, "wss://u5er:pa55@%s/gu1d" + query, messages.DisconnectTLS, 0, "does not speak TLS"},
		{"plain to a TLS port", html, secure, ws, messages.DisconnectNotCDP, 400, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := serve(t, tt.handle, tt.start)
			_, err := dial(t.Context(), new(Dialer), fmt.Sprintf(tt.endpoint, b.addr()))
			checkCause(t, err, tt.kind, tt.status, tt.says)
			if !strings.Contains(err.Error(), b.addr()) {
				t.Errorf("%q does not name the host", err)
			}
		})
	}
}

// Chromium's debugging port hangs up on TLS, and resets the connection or not by
// what it has read.
func TestDialTLSToAPortThatHangsUp(t *testing.T) {
	const noTLS, cut = "what answers does not speak TLS; try http:// or ws://", "ended in the middle"
	for _, tt := range []struct {
		name     string
		reset    bool
		endpoint string
		kind     messages.DisconnectKind
		says     string
	}{
		{"reset", true, "https://u5er:pa55@%s" + query, messages.DisconnectTLS, noTLS},
		{"reset, wss", true, "wss://u5er:pa55@%s/gu1d" + query, messages.DisconnectTLS, noTLS},
		{"closed", false, "https://u5er:pa55@%s" + query, messages.DisconnectTLS, noTLS},
		{"closed, wss", false, "wss://u5er:pa55@%s/gu1d" + query, messages.DisconnectTLS, noTLS},
		{"closed, in plain text", false, "http://u5er:pa55@%s" + query, messages.DisconnectRefused, cut},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			served := make(chan struct{})
			go func() {
				defer close(served)
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					_, _ = conn.Read(make([]byte, 4096)) // the whole greeting, so that only the linger decides
					if tcp, ok := conn.(*net.TCPConn); ok && tt.reset {
						_ = tcp.SetLinger(0)
					}
					_ = conn.Close()
				}
			}()
			defer func() {
				_ = l.Close()
				<-served
			}()
			_, err = dial(t.Context(), new(Dialer), fmt.Sprintf(tt.endpoint, l.Addr()))
			checkCause(t, err, tt.kind, 0, tt.says)
		})
	}
}

func checkCause(t *testing.T, err error, kind messages.DisconnectKind, status int, says string) {
	t.Helper()
	cause, ok := errors.AsType[*messages.Cause](err)
	if !ok {
		t.Fatalf("error is %v", err)
	}
	if cause.Kind != kind || cause.Status != status || !strings.Contains(cause.Text, says) {
		t.Errorf("cause is %q, status %d: %q; want %q, status %d, %q", cause.Kind, cause.Status, cause.Text, kind, status, says)
	}
	checkNoSecret(t, fmt.Sprintf("%v %+v %#v", err, *cause, *cause))
}

func TestDialWithoutAServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	silent := l.Addr().String() // accepts, and says nothing

	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := free.Addr().String()
	_ = free.Close()

	for _, endpoint := range []string{"ws://u5er:pa55@%s/gu1d" + query, "http://u5er:pa55@%s" + query} {
		_, err = dial(t.Context(), new(Dialer), fmt.Sprintf(endpoint, dead))
		checkCause(t, err, messages.DisconnectRefused, 0, "nothing listens there")

		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err = dial(ctx, new(Dialer), fmt.Sprintf(endpoint, silent))
		checkCause(t, err, messages.DisconnectTimeout, 0, "no answer")
		cancel()

		_, err = dial(ctx, new(Dialer), fmt.Sprintf(endpoint, silent)) // it has ended
		if cause, _ := errors.AsType[*messages.Cause](err); cause == nil {
			t.Errorf("a dial whose time is over: %v", err)
		}
		given, giveUp := context.WithCancel(t.Context())
		giveUp()
		_, err = dial(given, new(Dialer), fmt.Sprintf(endpoint, silent))
		checkCause(t, err, messages.DisconnectClosed, 0, "given up")
	}
	unknown := &Dialer{connect: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "browser.test", IsNotFound: true}}
	}}
	_, err = dial(t.Context(), unknown, "wss://u5er:pa55@browser.test/gu1d"+query)
	checkCause(t, err, messages.DisconnectRefused, 0, "name of the host")
}

func TestDialOverTLS(t *testing.T) {
	// Chrome behind a TLS proxy advertises ws://, which is wss:// from here.
	b := serve(t, chrome(echoHost), (*httptest.Server).StartTLS)
	trusted := &Dialer{tls: b.Client().Transport.(*http.Transport).TLSClientConfig}
	for _, endpoint := range []string{"https://%s", "wss://%s/devtools/browser/gu1d"} {
		dialed, err := dial(t.Context(), trusted, fmt.Sprintf(endpoint, b.addr()))
		if err != nil {
			t.Fatal(err)
		}
		if want := "wss://" + b.addr(); dialed.Shown != want {
			t.Errorf("Shown is %q, want %q", dialed.Shown, want)
		}
		closeDialed(t, dialed)
	}
	wrong := named(b)
	wrong.tls = trusted.tls.Clone()
	_, err := dial(t.Context(), wrong, "https://u5er:pa55@browser.test"+query)
	checkCause(t, err, messages.DisconnectTLS, 0, "another host")

	old := &Dialer{tls: &tls.Config{RootCAs: trusted.tls.RootCAs, Time: func() time.Time { return time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC) }}}
	_, err = dial(t.Context(), old, fmt.Sprintf("https://%s", b.addr()))
	checkCause(t, err, messages.DisconnectTLS, 0, "expired")
}

func TestTLSIsNotLeftByARedirect(t *testing.T) {
	b := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://other.test/s3cr3t")
		w.WriteHeader(http.StatusFound)
	}, (*httptest.Server).StartTLS)
	d := &Dialer{tls: b.Client().Transport.(*http.Transport).TLSClientConfig}
	_, err := dial(t.Context(), d, "https://u5er:pa55@"+b.addr())
	checkCause(t, err, messages.DisconnectNotCDP, 0, "plain text")
}

// What was meant for TLS does not travel to an advertised address without.
func TestCredentialsAreNotSentInPlainTextInstead(t *testing.T) {
	b := serve(t, accept, (*httptest.Server).Start)
	from := serve(t, chrome(func(*http.Request) string { return "ws://" + b.addr() + "/devtools/browser/gu1d" }), (*httptest.Server).StartTLS)
	d := &Dialer{tls: from.Client().Transport.(*http.Transport).TLSClientConfig}
	dialed, err := dial(t.Context(), d, "https://u5er:pa55@"+from.addr())
	if err != nil {
		t.Fatal(err)
	}
	closeDialed(t, dialed)
	if h := b.last().Header; h.Get("Authorization") != "" || h.Get("X-Key") != "" {
		t.Errorf("sent in plain text: %v", h)
	}
}

func TestDialAProfile(t *testing.T) {
	b := serve(t, chrome(echoHost), (*httptest.Server).Start)
	_, port, _ := net.SplitHostPort(b.addr())
	folder := t.TempDir()
	file := filepath.Join(folder, portFile)
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := dial(t.Context(), new(Dialer), folder)
	checkCause(t, err, messages.DisconnectRefused, 0, "--remote-debugging-port")

	write(port + "\n/devtools/browser/gu1d\n")
	for _, endpoint := range []string{folder, folder + "/", file} {
		dialed, err := dial(t.Context(), new(Dialer), endpoint)
		if err != nil {
			t.Fatal(err)
		}
		closeDialed(t, dialed)
		if b.last().URL.Path != "/devtools/browser/gu1d" || dialed.Shown != "ws://127.0.0.1:"+port {
			t.Errorf("dialled %v, shown %q", b.last().URL, dialed.Shown)
		}
	}
	for _, text := range []string{"", "x\n/devtools", "0\n/devtools", "70000\n/devtools", port, port + "\ndevtools"} {
		write(text)
		_, err := dial(t.Context(), new(Dialer), folder)
		checkCause(t, err, messages.DisconnectInvalid, 0, "does not hold a port and a path")
	}
	write("1\n/devtools/browser/gu1d\n")
	_, err = dial(t.Context(), new(Dialer), folder)
	checkCause(t, err, messages.DisconnectRefused, 0, "left over")
}

func TestNoProxyOnTheWayToThisMachine(t *testing.T) {
	d := new(Dialer)
	for host, direct := range map[string]bool{
		"127.0.0.1": true, "127.8.8.8": true, "[::1]": true, "localhost": true, "LOCALHOST": true, "a.localhost": true, "0.0.0.0": true, "[::]": true,
		"example.org": false, "10.0.0.1": false, "notlocalhost": false,
	} {
		u := &url.URL{Scheme: "http", Host: host + ":9222"}
		proxy, err := d.proxy(&http.Request{URL: u})
		if err != nil || (proxy == nil) != direct {
			t.Errorf("%s: proxy %v, %v", host, proxy, err)
		}
	}
}

func TestDialRefusesWhatIsNoEndpoint(t *testing.T) {
	for _, endpoint := range []string{"", "ftp://u5er:pa55@h/s3cr3t", "ws://", "gu1d", "ws://h:99999/?s3cr3t"} {
		_, err := dial(t.Context(), new(Dialer), endpoint)
		checkCause(t, err, messages.DisconnectInvalid, 0, "endpoint")
	}
}

// TestBrowserOf: two names of one browser give the same digest, and the id
// itself is not in it.
func TestBrowserOf(t *testing.T) {
	of := func(address string) string {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		return browserOf(u)
	}
	one := of("ws://localhost:9222/devtools/browser/5a1c-77")
	if other := of("ws://127.0.0.1:9222/devtools/browser/5a1c-77"); one == "" || one != other {
		t.Errorf("%q and %q", one, other)
	}
	if strings.Contains(one, "5a1c") {
		t.Errorf("%q holds the id", one)
	}
	if another := of("ws://localhost:9222/devtools/browser/5a1c-78"); another == one {
		t.Errorf("two browsers have %q", one)
	}
	if another := of("ws://localhost:9222/devtools/browser/5a1c-77?session=2"); another == one {
		t.Errorf("with a query of its own it is %q, too", one)
	}
	for _, none := range []string{"ws://localhost:9222/", "ws://localhost:9222/devtools/browser", "ws://localhost:9222/devtools/browser/", "ws://localhost:9222/devtools/page/5a1c-77"} {
		if got := of(none); got != "" {
			t.Errorf("%s: %q", none, got)
		}
	}
}
