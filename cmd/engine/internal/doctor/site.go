package doctor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// site serves the doctor's pages on loopback. 127.0.0.1 and localhost are two
// sites to a browser. Its paths cannot be guessed: a server of somebody else
// that the browser finds under that address does not have them, and nobody else
// finds ours.
type site struct {
	port   string
	secret string
	server *http.Server
	served sync.WaitGroup

	mu   sync.Mutex
	hits map[string]int
}

// The pages.
const (
	pagePlain  = "plain"
	pageFrames = "frames"
	pageChild  = "child"
	pagePopup  = "popup"
)

const (
	firstHost  = "127.0.0.1"
	secondHost = "localhost"
)

const popupMessage = "doctor: a popup asks before its first paint"

func newSite(ctx context.Context) (*site, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", firstHost+":0")
	if err != nil {
		return nil, fmt.Errorf("listen on loopback: %w", err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	s := &site{port: port, secret: rand.Text(), hits: make(map[string]int)}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	s.served.Go(func() { _ = s.server.Serve(listener) }) // it always ends with ErrServerClosed
	return s, nil
}

// url is the address of a page under one of the two host names.
func (s *site) url(host, page string) string {
	return "http://" + host + ":" + s.port + "/" + s.secret + "/" + page
}

// owns reports whether a URL is of this site.
func (s *site) owns(url string) bool {
	return strings.HasPrefix(url, s.url(firstHost, "")) || strings.HasPrefix(url, s.url(secondHost, ""))
}

// hit reports whether a page was fetched.
func (s *site) hit(page string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hits[page] > 0
}

// ServeHTTP serves the pages, to who knows where they are.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page, ours := strings.CutPrefix(r.URL.Path, "/"+s.secret+"/")
	html := s.html(page)
	if !ours || html == "" || r.Host != firstHost+":"+s.port && r.Host != secondHost+":"+s.port {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	s.hits[page]++
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, html)
}

func (s *site) html(page string) string {
	const head = `<!doctype html><meta charset="utf-8"><title>engine doctor</title>`
	switch page {
	case pagePlain:
		return head + `<p>engine doctor</p>`
	case pageChild:
		return head + `<p>a frame of another site</p>`
	case pageFrames:
		return head + `<iframe srcdoc="<p>a frame of the same site</p>"></iframe><iframe src="` + s.url(secondHost, pageChild) + `"></iframe>`
	case pagePopup:
		return head + `<script>alert("` + popupMessage + `"); globalThis.wentOn = true</script>`
	}
	return ""
}

// The pages that need no server.
const (
	dataPlain  = `data:text/html,<title>engine%20doctor</title><p>engine%20doctor</p>`
	dataFrames = `data:text/html,<title>engine%20doctor</title><iframe%20srcdoc="x"></iframe><iframe%20srcdoc="y"></iframe>`
)

func (s *site) close() {
	_ = s.server.Close()
	s.served.Wait()
}
