package mcpserver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"cdpsupervisor/messages"
)

const (
	// maxBodyBytes is the largest request body; a prompt's answer of 1 MiB
	// fits in, escaped.
	maxBodyBytes = 8 << 20
	// bodyTimeout bounds how long a client may take to send its request.
	bodyTimeout = 30 * time.Second
	// sessionTimeout ends sessions of clients that have gone without a word.
	sessionTimeout = 8 * time.Hour
	// maxSessions is how many sessions there may be at once: each has a task, and
	// may have a browser, for as long as sessionTimeout if its client goes away
	// without ending it.
	maxSessions = 256
	// TaskPrefix begins the id of each session's own task.
	TaskPrefix = "mcp-"
	// MinTokenBytes is the shortest bearer token that is taken.
	MinTokenBytes = 16
)

// HTTPOptions set up MCP over HTTP.
type HTTPOptions struct {
	// Token must come with each request as "Authorization: Bearer …"; empty
	// means that none is needed, which only loopback addresses may have.
	Token string
	// Stateless serves each request on its own, for clients of the newest
	// protocol era: the task comes from task_id.
	Stateless bool
	// Hosts are names that clients may use for this server beside those of
	// its address.
	Hosts []string
}

// CheckHTTP says whether an address may be listened on with these options.
func CheckHTTP(addr string, o HTTPOptions) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("address %q is not host:port, such as 127.0.0.1:8932: %w", addr, err)
	}
	for _, name := range o.Hosts {
		if !isHostName(name) {
			return fmt.Errorf("--allow-host %q is no host name: write one without scheme, port, path and wildcard, such as browser.example.com", clip(name))
		}
	}
	if o.Token != "" && len(o.Token) < MinTokenBytes {
		return fmt.Errorf("the token is shorter than %d bytes; make one with: openssl rand -hex 32", MinTokenBytes)
	}
	if !isLoopback(host) && o.Token == "" {
		return fmt.Errorf("%s can be reached from other machines, where anybody could drive the browser: "+
			"listen on 127.0.0.1, or give a token with --token-file or CDPSUPERVISOR_TOKEN", addr)
	}
	return nil
}

// ServeHTTP speaks MCP over streamable HTTP on a listener until the context
// ends. Calls that are under way at the end are answered; what comes later is
// refused. It closes the listener.
func (s *Server) ServeHTTP(ctx context.Context, listener net.Listener, o HTTPOptions) error {
	if err := CheckHTTP(listener.Addr().String(), o); err != nil {
		return errors.Join(err, listener.Close())
	}
	defer s.stop()
	s.elicits = !o.Stateless
	if !o.Stateless {
		s.task = func(session *mcp.ServerSession) messages.TaskID {
			return messages.TaskID(TaskPrefix + session.ID())
		}
	}
	s.start(!o.Stateless)
	streams, endStreams := context.WithCancel(context.WithoutCancel(ctx))
	defer endStreams()
	requests := &door{stopping: s.stopping}
	server := &http.Server{
		Handler:           s.handler(listener.Addr(), o, requests, streams),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          stdlog.New(s.options.Log.Level(zerolog.Disabled), "", 0), // it would quote what clients send
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	var failed error
	select {
	case failed = <-ended:
	case <-ctx.Done():
	}
	s.stop() // answers what is under way
	requests.leave(lastWords)
	endStreams() // not before: clients give up on their calls with their stream
	shutting, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer cancel()
	if err := server.Shutdown(shutting); err != nil {
		failed = errors.Join(failed, fmt.Errorf("HTTP requests did not end within %s", lastWords), server.Close())
	}
	for session := range s.sdk.Sessions() {
		_ = session.Close() // its calls are over
	}
	if errors.Is(failed, http.ErrServerClosed) {
		failed = nil
	}
	return errors.Join(failed, s.finish(lastWords))
}

// handler is the way of a request: is the server there, who asks, from where,
// how much.
func (s *Server) handler(addr net.Addr, o HTTPOptions, requests *door, streams context.Context) http.Handler {
	streamable := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.sdk }, &mcp.StreamableHTTPOptions{
		Stateless:                    o.Stateless,
		DisableLocalhostProtection:   true, // names does that, and knows Hosts
		SessionTimeout:               sessionTimeout,
		MaxRequestBodyBytes:          maxBodyBytes,
		PropagateRequestCancellation: true,
	})
	names := serverNames(addr, o.Hosts)
	want := sha256.Sum256([]byte(o.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !names.allow(r.Host):
			refuse(w, http.StatusForbidden, fmt.Sprintf("Host %q is not a name of this server", clip(r.Host)))
		case !names.allowOrigin(r):
			refuse(w, http.StatusForbidden, fmt.Sprintf("Origin %q may not use this server", clip(r.Header.Get("Origin"))))
		case o.Token != "" && !bearer(r, want):
			w.Header().Set("WWW-Authenticate", `Bearer realm="cdpsupervisor"`)
			refuse(w, http.StatusUnauthorized, "send the server's token: Authorization: Bearer …")
		case r.URL.Path != "/" && r.URL.Path != "/mcp":
			refuse(w, http.StatusNotFound, "MCP is at /mcp")
		case r.Method == http.MethodGet: // an event stream, which never ends by itself
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			defer context.AfterFunc(streams, cancel)()
			streamable.ServeHTTP(w, r.WithContext(ctx))
		case !requests.enter():
			w.Header().Set("Retry-After", "5")
			refuse(w, http.StatusServiceUnavailable, "the server is stopping")
		case !o.Stateless && opensSession(r) && s.full():
			defer requests.exit()
			refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("this server has %d sessions, which is as many as it takes: "+
				"end those that are not needed (DELETE with their Mcp-Session-Id), or start another server", maxSessions))
		default:
			defer requests.exit()
			s.serveRequest(w, r, streamable)
		}
	})
}

// opensSession reports whether a request would begin a session.
func opensSession(r *http.Request) bool {
	return r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == ""
}

// full reports whether there are as many sessions as there may be. Those that
// begin at the same moment do not see each other, and may be a few more.
func (s *Server) full() bool {
	n := 0
	for range s.sdk.Sessions() {
		n++
	}
	return n >= maxSessions
}

// door counts the requests that are being served, so that a stop can wait for
// them.
type door struct {
	stopping context.Context //nolint:containedctx // the life of the server

	mu     sync.Mutex // guards all below
	inside int
	empty  chan struct{} // closed when the last one has gone; nil while nobody waits
}

// enter lets a request in, unless the server is stopping.
func (d *door) enter() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopping.Err() != nil {
		return false
	}
	d.inside++
	return true
}

func (d *door) exit() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inside--
	if d.inside == 0 && d.empty != nil {
		close(d.empty)
		d.empty = nil
	}
}

// leave waits until nobody is inside, for a bounded time.
func (d *door) leave(patience time.Duration) {
	d.mu.Lock()
	if d.inside == 0 {
		d.mu.Unlock()
		return
	}
	d.empty = make(chan struct{})
	empty := d.empty
	d.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	select {
	case <-empty:
	case <-ctx.Done():
	}
}

// serveRequest reads the body within its limits, so that a slow client holds
// a connection and nothing else, and lets the SDK answer.
func (s *Server) serveRequest(w http.ResponseWriter, r *http.Request, next http.Handler) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(s.options.Clock.Now().Add(bodyTimeout)) // where the connection can
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	_ = control.SetReadDeadline(time.Time{})
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("a request is at most %d bytes long", tooLarge.Limit))
		return
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, "the request's body could not be read")
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	next.ServeHTTP(w, r)
}

// bearer compares in a time that tells nothing about the token.
func bearer(r *http.Request, want [sha256.Size]byte) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	got := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

func refuse(w http.ResponseWriter, status int, why string) {
	http.Error(w, why, status)
}

// names are the host names under which a server may be asked. A web page that
// had its own name resolved to our address would ask under that name.
type names struct {
	loopback bool     // every loopback name will do
	any      bool     // every name will do: the token is the guard
	hosts    []string // others, in lower case
}

func serverNames(addr net.Addr, more []string) names {
	n := names{}
	for _, h := range more {
		n.hosts = append(n.hosts, strings.ToLower(h))
	}
	host, _, err := net.SplitHostPort(addr.String())
	switch {
	case err != nil || isLoopback(host):
		n.loopback = true
	case isUnspecified(host):
		n.loopback = true
		n.any = len(more) == 0
	default:
		n.hosts = append(n.hosts, strings.ToLower(host))
	}
	return n
}

// isHostName tells a name, or an address, from what no Host header can match.
func isHostName(name string) bool {
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("/:*@?#[],\\", r)
	})
}

func (n names) allow(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	return n.any || n.loopback && isLoopback(host) || slices.Contains(n.hosts, host)
}

// allowOrigin: no origin is no web page; a web page must come from a name of
// this server.
func (n names) allowOrigin(r *http.Request) bool {
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		return false
	}
	values := r.Header.Values("Origin")
	if len(values) == 0 {
		return true
	}
	origin, err := url.Parse(values[0])
	if err != nil || len(values) > 1 || origin.Host == "" {
		return false
	}
	if n.any {
		return strings.EqualFold(origin.Host, r.Host)
	}
	return n.allow(origin.Host)
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

func isUnspecified(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "" || err == nil && addr.IsUnspecified()
}

func clip(s string) string {
	s, _ = messages.Cut(s, 100)
	return s
}
