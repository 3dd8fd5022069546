package messages

import (
	"context"
	"fmt"
	"net/url"
	"time"
)

// Clock is where time comes from. The real one stands in cdpwire; simulations
// pass a virtual one. Both methods are safe for use by several goroutines.
type Clock interface {
	// Now returns the current time.
	Now() time.Time
	// AfterFunc runs f once, on a goroutine of the clock's choice, when d has
	// passed. f must not block.
	AfterFunc(d time.Duration, f func()) Timer
}

// Timer is a running [Clock.AfterFunc].
type Timer interface {
	// Stop keeps f from running if it has not begun, and reports whether it
	// did so. A timer that fired is told from a later one by a generation
	// number in its message, never by Stop.
	Stop() bool
}

// Endpoint is where a browser listens for CDP: ws://, wss://, http(s)://,
// host:port, or the path of a Chrome profile or its DevToolsActivePort file.
// It is a secret: it prints as scheme, host and port only.
type Endpoint string

// Reveal returns the whole endpoint, with its secrets. Only what dials may
// call it.
func (e Endpoint) Reveal() string { return string(e) }

// String returns scheme, host and port, without credentials, path and query.
func (e Endpoint) String() string {
	if e == "" {
		return ""
	}
	u, err := url.Parse(string(e))
	switch {
	case err == nil && u.Scheme != "" && u.Host != "":
		return u.Scheme + "://" + u.Host
	case err == nil && u.Scheme == "" && u.Host == "" && len(e) > 0 && e[0] == '/':
		return "profile folder"
	}
	// host:port does not parse as a URL, or parses as scheme "host".
	if u, err := url.Parse("http://" + string(e)); err == nil && u.Host != "" {
		return u.Host
	}
	return "endpoint"
}

// GoString keeps %#v from printing the secret.
func (e Endpoint) GoString() string { return "messages.Endpoint(" + e.String() + ")" }

// Format keeps every verb from printing the secret.
func (e Endpoint) Format(f fmt.State, _ rune) {
	_, _ = f.Write([]byte(e.String()))
}

// MarshalText keeps encoders from writing the secret.
func (e Endpoint) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// BridgeHint is what a backend says of its need for the dialog bridge.
type BridgeHint uint8

// The hints.
const (
	BridgeUnknown BridgeHint = iota
	// BridgeNeeded: the backend is known to close native dialogs by itself.
	BridgeNeeded
	// BridgeNotNeeded: the backend is known to leave dialogs to us.
	BridgeNotNeeded
)

// Lease is the right to use an endpoint for a time. It belongs to the task
// that opened it.
type Lease struct {
	// Endpoint is where to dial; it may hold a secret.
	Endpoint Endpoint
	// Headers go along on the discovery and the WebSocket handshake. Secret.
	Headers map[string]string
	// ExpiresAt is when the endpoint stops to work; zero means never.
	ExpiresAt time.Time
	// Bridge is what the backend says of the dialog bridge.
	Bridge BridgeHint
	// OwnsBrowser says that the browser ends with the lease, so that nobody
	// else's tabs are in it.
	OwnsBrowser bool
	// Close gives the endpoint back. It may be nil; it is called once.
	Close func(context.Context) error
}

// EndpointSource is where a task's endpoint comes from. Hosts can bring their
// own. Open and Renew may do I/O and block until their context ends; they are
// called from a goroutine, never from an actor.
type EndpointSource interface {
	// Identity names the configured endpoint: two sources with the same
	// identity are the same endpoint, and another identity for a running task
	// rebinds it. It does no I/O. It may be a secret and is never shown.
	Identity() string
	// Open gives a lease.
	Open(ctx context.Context) (*Lease, error)
	// Renew gives a fresh lease in place of one that no longer works. It may
	// return the old one.
	Renew(ctx context.Context, old *Lease) (*Lease, error)
}

// OriginOf is the origin of a URL: scheme and host for hierarchical schemes,
// "null" for all others.
func OriginOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return "null"
	}
	switch u.Scheme {
	case "http", "https", "ws", "wss", "chrome", "chrome-extension", "devtools":
		return u.Scheme + "://" + u.Host
	}
	return "null"
}
