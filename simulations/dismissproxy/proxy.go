// Package dismissproxy stands between an engine and a browser and closes every
// native dialog by itself, as some backends do. It can also be a browser that
// has no Fetch domain, or only says that it has one.
package dismissproxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"cdpsupervisor/messages"
)

// firstID is the first command id of the proxy's own; an engine stays below.
const firstID = 1 << 30

// Options say what the proxy does to what passes.
type Options struct {
	// Clock times the delays.
	Clock messages.Clock
	// Delay is how long a native dialog stays open; nil leaves dialogs alone.
	// It is called for each, from one goroutine at a time per connection.
	Delay func() time.Duration
	// RefuseFetch: Fetch.enable is an error, as in a browser that lacks it.
	RefuseFetch bool
	// IgnoreFetch: Fetch.enable succeeds, and nothing is ever held.
	IgnoreFetch bool
}

// Proxy is a running proxy. Its methods are safe for use by many goroutines.
type Proxy struct {
	// Address is the host:port that it listens on.
	Address string

	options  Options
	upstream string
	server   *http.Server
	running  sync.WaitGroup
	closed   atomic.Uint64

	mu    sync.Mutex
	conns map[*websocket.Conn]struct{}
	done  bool
}

// Start listens on loopback for connections to the browser at upstream, a
// host:port. Close ends it.
func Start(ctx context.Context, upstream string, o Options) (*Proxy, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the proxy: %w", err)
	}
	p := &Proxy{Address: listener.Addr().String(), options: o, upstream: upstream, conns: make(map[*websocket.Conn]struct{})}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second}
	p.running.Go(func() { _ = p.server.Serve(listener) }) // it always ends with ErrServerClosed
	return p, nil
}

// Closed is how many dialogs the proxy has closed, or tried to.
func (p *Proxy) Closed() uint64 { return p.closed.Load() }

// Close ends the proxy and its connections.
func (p *Proxy) Close() error {
	err := p.server.Close()
	p.mu.Lock()
	p.done = true
	for conn := range p.conns {
		err = errors.Join(err, ignoreClosed(conn.Close()))
	}
	p.mu.Unlock()
	p.running.Wait()
	return err
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// keep remembers a connection until forget; it reports false after Close.
func (p *Proxy) keep(conn *websocket.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		_ = conn.Close()
		return false
	}
	p.conns[conn] = struct{}{}
	return true
}

func (p *Proxy) forget(conn *websocket.Conn) {
	_ = conn.Close()
	p.mu.Lock()
	delete(p.conns, conn)
	p.mu.Unlock()
}

// ServeHTTP carries one WebSocket to the same path of the browser.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	far, response, err := websocket.DefaultDialer.DialContext(r.Context(), "ws://"+p.upstream+r.URL.RequestURI(), nil)
	if err != nil {
		http.Error(w, "the browser does not answer", http.StatusBadGateway)
		return
	}
	_ = response.Body.Close()
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	near, err := up.Upgrade(w, r, nil)
	if err != nil {
		_ = far.Close()
		return
	}
	if !p.keep(near) || !p.keep(far) {
		_, _ = near.Close(), far.Close()
		return
	}
	t := &tunnel{proxy: p, near: near, far: far, own: make(map[int64]bool)}
	var back sync.WaitGroup
	back.Go(func() {
		t.fromBrowser()
		p.forget(near)
	})
	t.toBrowser()
	p.forget(far)
	back.Wait()
}

// tunnel is one connection through the proxy.
type tunnel struct {
	proxy     *Proxy
	near, far *websocket.Conn

	writeFar, writeNear sync.Mutex

	mu   sync.Mutex
	next int64
	own  map[int64]bool // commands of the proxy without a reply
}

// head is what the proxy reads of a message.
type head struct {
	ID        int64  `json:"id,omitempty"`
	Method    string `json:"method,omitempty"`
	SessionID string `json:"sessionId,omitempty"`
}

// toBrowser carries commands until the engine hangs up.
func (t *tunnel) toBrowser() {
	for {
		_, text, err := t.near.ReadMessage()
		if err != nil {
			return
		}
		var m head
		if json.Unmarshal(text, &m) == nil && m.Method == "Fetch.enable" && t.fetch(m) {
			continue
		}
		if t.write(&t.writeFar, t.far, text) != nil {
			return
		}
	}
}

// fetch answers a Fetch.enable in the browser's place, and reports whether it
// did.
func (t *tunnel) fetch(m head) bool {
	reply := map[string]any{"id": m.ID}
	switch {
	case t.proxy.options.RefuseFetch:
		reply["error"] = map[string]any{"code": -32601, "message": "'Fetch.enable' wasn't found"}
	case t.proxy.options.IgnoreFetch:
		reply["result"] = map[string]any{}
	default:
		return false
	}
	if m.SessionID != "" {
		reply["sessionId"] = m.SessionID
	}
	text, err := json.Marshal(reply)
	return err == nil && t.write(&t.writeNear, t.near, text) == nil
}

// fromBrowser carries replies and events until the browser hangs up.
func (t *tunnel) fromBrowser() {
	for {
		_, text, err := t.far.ReadMessage()
		if err != nil {
			return
		}
		var m head
		known := json.Unmarshal(text, &m) == nil
		if known && m.ID >= firstID && t.mine(m.ID) {
			continue
		}
		if t.write(&t.writeNear, t.near, text) != nil {
			return
		}
		if known && m.Method == "Page.javascriptDialogOpening" && t.proxy.options.Delay != nil {
			t.dismiss(m.SessionID)
		}
	}
}

// dismiss closes a dialog after its delay, whoever may want to answer it.
func (t *tunnel) dismiss(session string) {
	t.mu.Lock()
	t.next++
	id := firstID + t.next
	t.own[id] = true
	t.mu.Unlock()
	command := map[string]any{"id": id, "method": "Page.handleJavaScriptDialog", "params": map[string]any{"accept": false}}
	if session != "" {
		command["sessionId"] = session
	}
	text, err := json.Marshal(command)
	if err != nil {
		return
	}
	t.proxy.options.Clock.AfterFunc(t.proxy.options.Delay(), func() {
		t.proxy.closed.Add(1)
		_ = t.write(&t.writeFar, t.far, text) // a connection that is over has no dialogs
	})
}

// mine reports whether a reply is to a command of the proxy.
func (t *tunnel) mine(id int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.own[id] {
		return false
	}
	delete(t.own, id)
	return true
}

func (t *tunnel) write(one *sync.Mutex, conn *websocket.Conn, text []byte) error {
	one.Lock()
	defer one.Unlock()
	return conn.WriteMessage(websocket.TextMessage, text)
}
