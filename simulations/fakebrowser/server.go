package fakebrowser

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"

	"cdpsupervisor/messages"

	"github.com/gorilla/websocket"
)

// server serves a browser on a listener: the HTTP endpoints of discovery and
// the WebSockets.
type server struct {
	b    *Browser
	l    net.Listener
	http *http.Server
	up   websocket.Upgrader
	wg   sync.WaitGroup

	mu    sync.Mutex
	socks map[net.Conn]struct{}
	ended bool
}

// Serve serves the browser on a listener, as --remote-debugging-port does,
// until close is called or the browser is closed. It takes the listener over.
func (b *Browser) Serve(l net.Listener) (closeServer func()) {
	s := &server{b: b, l: l, socks: map[net.Conn]struct{}{}}
	s.up.CheckOrigin = func(*http.Request) bool { return true } // serveHTTP has refused the others
	s.http = &http.Server{Handler: http.HandlerFunc(s.serveHTTP)}
	b.mu.Lock()
	b.servs = append(b.servs, s)
	b.mu.Unlock()
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		// Its error is that of close.
		_ = s.http.Serve(gate{l, b})
	}()
	return s.close
}

// Endpoint is the browser's WebSocket URL on its first server, "" without one.
func (b *Browser) Endpoint() messages.Endpoint {
	var guid string
	b.do(func() { guid = b.guid })
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.servs) == 0 || guid == "" {
		return ""
	}
	return messages.Endpoint(fmt.Sprintf("ws://%s/devtools/browser/%s", b.servs[0].l.Addr(), guid))
}

// gate is a listener that hangs up on who comes while the browser is down.
type gate struct {
	net.Listener
	b *Browser
}

// Accept waits for a connection to a browser that lives.
func (g gate) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil {
			return nil, fmt.Errorf("fakebrowser: %w", err)
		}
		if g.b.Alive() {
			return c, nil
		}
		_ = c.Close()
	}
}

// refuse ends the sockets of a process that is gone.
func (s *server) refuse() {
	s.http.SetKeepAlivesEnabled(false)
	s.http.SetKeepAlivesEnabled(true)
}

// close stops serving and waits for every goroutine of the server.
func (s *server) close() {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return
	}
	s.ended = true
	socks := s.socks
	s.socks = nil
	s.mu.Unlock()
	_ = s.http.Close()
	for c := range socks {
		_ = c.Close()
	}
	s.wg.Wait()
}

func (s *server) serveHTTP(w http.ResponseWriter, r *http.Request) {
	if !hostAllowed(r.Host) {
		http.Error(w, "Host header is specified and is not an IP address or localhost.", http.StatusInternalServerError)
		return
	}
	if !strings.HasPrefix(r.URL.Path, "/devtools/") {
		s.serveJSON(w, r)
		return
	}
	if !websocket.IsWebSocketUpgrade(r) {
		return
	}
	if o := r.Header.Get("Origin"); o != "" && o != "http://"+r.Host {
		http.Error(w, "Rejected an incoming WebSocket connection from the "+o+
			" origin. Use the command line flag --remote-allow-origins to allow it.", http.StatusForbidden)
		return
	}
	target := ""
	switch kind, id, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/devtools/"), "/"); kind {
	case "browser":
		if !s.isBrowser(id) {
			http.NotFound(w, r)
			return
		}
	case "page":
		if target = id; !s.isTarget(id) {
			http.Error(w, "No such target id: "+id, http.StatusInternalServerError)
			return
		}
	default:
		http.NotFound(w, r)
		return
	}
	ws, err := s.up.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	s.run(ws, target)
}

func (s *server) isBrowser(guid string) bool {
	ok := false
	s.b.do(func() { ok = guid == "" || guid == s.b.guid })
	return ok
}

func (s *server) isTarget(id string) bool {
	ok := false
	s.b.do(func() { ok = s.b.target(id) != nil })
	return ok
}

// hostAllowed reports whether the Host header is an IP address or localhost.
func hostAllowed(host string) bool {
	h, _, err := net.SplitHostPort(host)
	if err != nil {
		h = host
	}
	h = strings.Trim(h, "[]")
	return h == "" || net.ParseIP(h) != nil || h == "localhost" || strings.HasSuffix(h, ".localhost")
}

// run carries one WebSocket until either side ends it. Binary frames end it,
// as they do in Chromium.
func (s *server) run(ws *websocket.Conn, target string) {
	sock := ws.NetConn()
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		_ = sock.Close()
		return
	}
	s.socks[sock] = struct{}{}
	s.wg.Add(2)
	s.mu.Unlock()
	defer s.wg.Done()
	c := s.b.newConn()
	if !s.b.enqueue(func() { s.b.accept(c, target) }) {
		c.drop()
	}
	go func() {
		defer s.wg.Done()
		s.write(ws, c)
		_ = sock.Close()
	}()
	ws.SetReadLimit(maxMessage)
	for {
		kind, msg, err := ws.ReadMessage()
		if err != nil || kind != websocket.TextMessage || c.write(msg) != nil {
			break
		}
	}
	_ = sock.Close()
	c.shut(errHungUp)
	s.b.enqueue(func() { c.hangUp(errHungUp) })
	s.mu.Lock()
	delete(s.socks, sock)
	s.mu.Unlock()
}

// write sends what the browser says until the connection ends; a torn message
// ends in the middle of its frame.
func (s *server) write(ws *websocket.Conn, c *conn) {
	for {
		msg, torn, err := c.take()
		if err != nil {
			return
		}
		if torn {
			_, err = ws.NetConn().Write(halfFrame(msg))
			if err == nil {
				err = errors.New("torn")
			}
		} else {
			err = ws.WriteMessage(websocket.TextMessage, msg)
		}
		if err != nil {
			return
		}
	}
}

// halfFrame is the head of a text frame and the first half of its payload.
func halfFrame(msg []byte) []byte {
	head := []byte{0x81, 127}
	head = binary.BigEndian.AppendUint64(head, uint64(len(msg)))
	return append(head, msg[:len(msg)/2]...)
}
