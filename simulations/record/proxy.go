package record

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"github.com/rs/zerolog"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
)

// Paths of a browser's debugging port.
const (
	jsonPath    = "/json"
	browserPath = "/devtools/browser"
	pagePath    = "/devtools/page/"
)

// Proxy stands between CDP clients and a browser: they connect to it as they
// would to the browser, and what both sides say is recorded. It serves the
// discovery under /json and the WebSockets under /devtools.
//
// Like the browser it refuses connections that a web page has made, which carry
// an Origin, and hosts that are neither an address nor localhost, behind which a
// web page could hide.
type Proxy struct {
	// Lease leads to the browser.
	Lease *messages.Lease
	// Dial opens a connection to it.
	Dial  cdpwire.DialFunc
	Clock messages.Clock
	Log   zerolog.Logger
	// Begin starts a recording for the n-th client, from 1.
	Begin func(n int) (*Recorder, error)
	// Ended, when set, is called when a client has gone and its recording is
	// closed. why is what ended the connection, [ErrBrowser] among others, and nil
	// where the client left; failed is the first error of the recording's writes.
	Ended func(r *Recorder, why, failed error)

	web  string // the browser's address for HTTP, "" if it has none
	mu   sync.Mutex
	n    int
	open map[*tunnel]struct{}
	busy sync.WaitGroup
	over bool
}

// Prove connects to the browser once, to see whether there is one, and closes the
// connection again. It must be called before the proxy serves.
func (p *Proxy) Prove(ctx context.Context) error {
	shown, err := p.reach(ctx)
	if err == nil {
		p.web = webAddress(p.Lease.Endpoint, shown)
	}
	return err
}

// Reach connects to the browser and closes the connection again, to see whether
// it is still there.
func (p *Proxy) Reach(ctx context.Context) error {
	_, err := p.reach(ctx)
	return err
}

func (p *Proxy) reach(ctx context.Context) (shown string, err error) {
	dialed, err := p.Dial(ctx, p.Lease)
	if err != nil {
		return "", err
	}
	_ = dialed.Transport.Close() // it has answered, which is all that counts
	return dialed.Shown, nil
}

// webAddress is where the browser answers HTTP: where its endpoint is looked up,
// or else the host of its WebSocket.
func webAddress(endpoint messages.Endpoint, shown string) string {
	text := endpoint.Reveal()
	if !strings.Contains(text, "://") && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, ".") && !strings.HasPrefix(text, "~") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		if u, err = url.Parse(shown); err != nil {
			return ""
		}
	}
	switch u.Scheme {
	case "ws", "http":
		u.Scheme = "http"
	case "wss", "https":
		u.Scheme = "https"
	default:
		return ""
	}
	u.Path, u.RawPath, u.Fragment = "", "", ""
	return u.String()
}

// ServeHTTP answers what a browser's debugging port answers.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Header.Get("Origin") != "":
		http.Error(w, "a web page may not connect to a browser's debugging port", http.StatusForbidden)
	case !allowedHost(r.Host):
		http.Error(w, "the Host header must be an address or localhost", http.StatusForbidden)
	case strings.HasPrefix(r.URL.Path, browserPath):
		p.connect(w, r, p.Lease.Endpoint)
	case strings.HasPrefix(r.URL.Path, pagePath):
		p.connect(w, r, p.page(strings.TrimPrefix(r.URL.Path, pagePath)))
	case r.URL.Path == jsonPath || strings.HasPrefix(r.URL.Path, jsonPath+"/"):
		p.discovery(w, r)
	default:
		http.Error(w, "not found; this is a proxy for the DevTools protocol: see /json/version", http.StatusNotFound)
	}
}

// allowedHost reports whether a host is an address or localhost.
func allowedHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || net.ParseIP(host) != nil
}

// page is the endpoint of one page of the browser.
func (p *Proxy) page(id string) messages.Endpoint {
	u, err := url.Parse(p.web)
	if err != nil || p.web == "" {
		return p.Lease.Endpoint
	}
	u.Scheme = map[string]string{"http": "ws", "https": "wss"}[u.Scheme]
	u.Path = pagePath + id
	return messages.Endpoint(u.String())
}

// connect takes a client to the browser. It blocks until one of them has gone.
func (p *Proxy) connect(w http.ResponseWriter, r *http.Request, endpoint messages.Endpoint) {
	lease := *p.Lease
	lease.Endpoint = endpoint
	dialed, err := p.Dial(r.Context(), &lease)
	if err != nil {
		p.Log.Warn().Err(err).Msg("the browser cannot be reached")
		http.Error(w, "the browser cannot be reached: "+err.Error(), http.StatusBadGateway)
		return
	}
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }} // looked at before
	client, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		_ = dialed.Transport.Close()
		return // it has answered
	}
	p.record(client, dialed.Transport)
}

func (p *Proxy) record(client *websocket.Conn, browser cdpwire.Transport) {
	t := &tunnel{clock: p.Clock, client: client, browser: browser}
	n, ok := p.enter()
	if !ok {
		t.close()
		return
	}
	defer p.leave(t)
	recorder, err := p.Begin(n)
	if err != nil {
		t.refuse("it cannot be recorded")
		p.Log.Error().Err(fmt.Errorf("client %d was cut off: %w", n, err)).Msg("the recording failed")
		return
	}
	t.tap = recorder.Tap
	p.carry(t)
	why := t.run()
	failed := recorder.Close()
	if p.Ended != nil {
		p.Ended(recorder, why, failed)
	} else if failed != nil {
		p.Log.Error().Err(failed).Msg("the recording failed")
	}
}

// enter counts a client in, unless the proxy is closing.
func (p *Proxy) enter() (n int, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return 0, false
	}
	p.n++
	p.busy.Add(1)
	return p.n, true
}

// carry makes a tunnel one that [Proxy.Close] ends. Before, a close would cut the
// client off that is just told why it cannot be recorded.
func (p *Proxy) carry(t *tunnel) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		t.close()
		return
	}
	if p.open == nil {
		p.open = make(map[*tunnel]struct{})
	}
	p.open[t] = struct{}{}
}

func (p *Proxy) leave(t *tunnel) {
	p.mu.Lock()
	delete(p.open, t)
	p.mu.Unlock()
	p.busy.Done()
}

// Close ends all connections and returns when their recordings are closed.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.over = true
	open := make([]*tunnel, 0, len(p.open))
	for t := range p.open {
		open = append(open, t)
	}
	p.mu.Unlock()
	for _, t := range open {
		t.close()
	}
	p.busy.Wait()
}

// Server returns a server for the proxy. It has no limits of time but for the
// head of a request: a connection lasts as long as its client.
func (p *Proxy) Server() *http.Server {
	return &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second}
}
