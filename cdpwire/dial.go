package cdpwire

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gorilla/websocket"

	"cdpsupervisor/messages"
)

// Dialer opens connections that share their buffers. The zero value is ready
// for use, by several goroutines.
type Dialer struct {
	chunks   sync.Pool // of *[chunkBytes]byte
	messages sync.Pool // of *message
	memory   Memory
	tls      *tls.Config
	connect  func(ctx context.Context, network, addr string) (net.Conn, error) // nil for the network's
}

func (d *Dialer) netDial(ctx context.Context, network, addr string) (net.Conn, error) {
	if d.connect != nil {
		return d.connect(ctx, network, addr)
	}
	return new(net.Dialer).DialContext(ctx, network, addr)
}

// Dial is a [DialFunc] whose connections share nothing; see [Dialer].
func Dial(ctx context.Context, lease *messages.Lease) (*Dialed, error) {
	return new(Dialer).Dial(ctx, lease)
}

// Dial is a [DialFunc]. The address is looked up anew each time: a browser that
// was restarted has another one.
func (d *Dialer) Dial(ctx context.Context, lease *messages.Lease) (*Dialed, error) {
	p, err := parseEndpoint(lease.Endpoint)
	if err != nil {
		return nil, &messages.Cause{Kind: messages.DisconnectInvalid, Text: err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, messages.DialTimeout)
	defer cancel()
	a := &attempt{d: d, lease: lease, user: p.user}
	ctx = a.watchTLS(ctx)
	var dialed *Dialed
	var cause *messages.Cause
	switch {
	case p.profile != "":
		dialed, cause = a.dialProfile(ctx, p.profile)
	case strings.HasPrefix(p.url.Scheme, "ws"), strings.Contains(p.url.Path, "/devtools/"):
		dialed, cause = a.dialDirect(ctx, p.url)
	default:
		dialed, cause = a.dialDiscovered(ctx, p.url)
	}
	if cause != nil {
		return nil, cause
	}
	return dialed, nil
}

// attempt is one dial, on its way from the configured endpoint to a WebSocket.
type attempt struct {
	d       *Dialer
	lease   *messages.Lease
	user    *url.Userinfo // credentials
	query   string        // of the configured endpoint, for an address without
	host    string        // the Host header, where it is not the address's own
	foreign bool          // we were sent elsewhere: no credentials, no headers
	tlsCut  atomic.Bool   // a TLS handshake was cut off; set where the transport dials
}

func (a *attempt) dialProfile(ctx context.Context, folder string) (*Dialed, *messages.Cause) {
	u, cause := readPortFile(folder)
	if cause != nil {
		return nil, cause
	}
	dialed, cause := a.handshake(ctx, u)
	if cause != nil && (cause.Kind == messages.DisconnectRefused || cause.Status == http.StatusNotFound) {
		cause.Text += " (the profile's " + portFile + " may be left over from a browser that has ended)"
	}
	return dialed, cause
}

// dialDirect dials a WebSocket address. If it is gone, the browser may have been
// restarted: its new address is looked up once. The address of a page is not:
// another page would not be what was asked for.
func (a *attempt) dialDirect(ctx context.Context, at *url.URL) (*Dialed, *messages.Cause) {
	u := *at
	u.Scheme = scheme(true, isTLS(at.Scheme))
	a.query = at.RawQuery
	dialed, cause := a.handshake(ctx, &u)
	if cause == nil || cause.Status != http.StatusNotFound || strings.Contains(u.Path, pagePath) {
		return dialed, cause
	}
	web := &url.URL{Scheme: scheme(false, isTLS(at.Scheme)), Host: at.Host, RawQuery: at.RawQuery}
	found, lookup := a.discover(ctx, web)
	if lookup != nil {
		return nil, cause // the first refusal is final; the look-up was a try
	}
	return a.handshake(ctx, found)
}

// dialDiscovered looks the address up. A Chrome whose debugging was turned on by
// hand has no look-up, but a fixed address.
func (a *attempt) dialDiscovered(ctx context.Context, at *url.URL) (*Dialed, *messages.Cause) {
	a.query = at.RawQuery
	u, cause := a.discover(ctx, at)
	if cause == nil {
		return a.handshake(ctx, u)
	}
	if cause.Status != http.StatusNotFound {
		return nil, cause
	}
	u = &url.URL{Scheme: scheme(true, isTLS(at.Scheme)), Host: at.Host, Path: browserPath, RawQuery: at.RawQuery}
	dialed, direct := a.handshake(ctx, u)
	if direct == nil {
		return dialed, nil
	}
	if direct.Kind == messages.DisconnectRejected && direct.Status == http.StatusNotFound {
		return nil, notCDP("%s answers, but has neither %s nor %s: is this the debugging port?", shown(at), versionPath, browserPath)
	}
	return nil, direct
}

// handshake opens the WebSocket.
func (a *attempt) handshake(ctx context.Context, u *url.URL) (*Dialed, *messages.Cause) {
	for range maxRedirects {
		var conn *chunkConn
		dialer := websocket.Dialer{
			Proxy:           a.d.proxy,
			ReadBufferSize:  socketReadBuffer,
			WriteBufferSize: socketReadBuffer, // for the handshake
			TLSClientConfig: a.d.tls,
			NetDialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
				raw, err := a.d.netDial(ctx, network, addr)
				if err != nil {
					return nil, err
				}
				conn = &chunkConn{Conn: raw, chunks: &a.d.chunks}
				return conn, nil
			},
		}
		header := a.headers()
		if a.host != "" {
			header.Set("Host", a.host)
		}
		ws, resp, err := dialer.DialContext(ctx, u.String(), header)
		if err == nil {
			var s Transport
			if isTLS(u.Scheme) {
				s = newLibrarySocket(ws, conn, &a.d.messages)
			} else {
				s = newSocket(conn, &a.d.messages)
			}
			return &Dialed{
				Memory: &a.d.memory, Transport: s, Shown: shown(u), Browser: browserOf(u), PageLevel: strings.Contains(u.Path, pagePath),
			}, nil
		}
		if resp == nil || !errors.Is(err, websocket.ErrBadHandshake) {
			return nil, a.failed(err, u)
		}
		_ = resp.Body.Close()
		switch {
		case isRedirect(resp.StatusCode):
			next, cause := a.redirected(u, resp.Header.Get("Location"))
			if cause != nil {
				return nil, cause
			}
			u = next
		case a.disguise(u, resp.StatusCode):
		default:
			return nil, handshakeCause(resp.StatusCode, u)
		}
	}
	return nil, notCDP("%s redirects too often", shown(u))
}

// browserOf is [Dialed.Browser]. A query can choose between browsers, too. The id
// itself opens the browser to whoever knows it, and stays here.
func browserOf(u *url.URL) string {
	_, id, found := strings.Cut(u.Path, browserPath+"/")
	if !found || id == "" {
		return ""
	}
	digest := sha256.Sum256([]byte(id + "?" + u.RawQuery))
	return hex.EncodeToString(digest[:8])
}

// headers are the request headers: those of the lease and the credentials. There
// is no Origin: Chrome refuses those that it does not know.
func (a *attempt) headers() http.Header {
	h := make(http.Header)
	if a.foreign {
		return h
	}
	if a.user != nil {
		password, _ := a.user.Password()
		pair := base64.StdEncoding.EncodeToString([]byte(a.user.Username() + ":" + password))
		h.Set("Authorization", "Basic "+pair)
	}
	for name, value := range a.lease.Headers {
		if !isOurs(name) {
			h.Set(name, value)
		}
	}
	return h
}

// isOurs reports whether a header belongs to the handshake and not to the lease.
func isOurs(name string) bool {
	switch name := http.CanonicalHeaderKey(name); name {
	case "Host", "Origin", "Upgrade", "Connection":
		return true
	default:
		return strings.HasPrefix(name, "Sec-Websocket-")
	}
}

// proxy is the environment's, but never on the way to this machine.
func (d *Dialer) proxy(r *http.Request) (*url.URL, error) {
	if isLoopback(r.URL.Hostname()) {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

func (a *attempt) httpTransport() *http.Transport {
	return &http.Transport{
		Proxy:             a.d.proxy,
		DialContext:       a.d.netDial,
		TLSClientConfig:   a.d.tls.Clone(),
		DisableKeepAlives: true,
	}
}
