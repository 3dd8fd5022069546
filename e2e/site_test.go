package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// prelude is the first script of every page. A page notes what it saw in seen;
// later runs what would block outside of the evaluation that asks for it, so
// that the evaluation returns; report tells the server, for pages that cannot
// be asked any more.
const prelude = `<!doctype html><meta charset="utf-8"><script>
	const seen = [];
	function later(f) { setTimeout(() => seen.push(f()), 0); }
	function report(value) { navigator.sendBeacon("/report", JSON.stringify(value)); }
</script>
`

// site serves the pages of one browser, under every host name that ends in
// .test: what the hosts have in common is the server, for the browser they are
// different sites.
type site struct {
	address string // of the listener

	mu      sync.Mutex
	pages   map[string]http.HandlerFunc // by path
	count   int
	reports chan string // JSON, as pages sent it
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{pages: map[string]http.HandlerFunc{}, reports: make(chan string, 64)}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.address = server.Listener.Addr().String()
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/report" {
		body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<16))
		select {
		case s.reports <- string(body):
		default: // nobody reads them in this test
		}
		return
	}
	s.mu.Lock()
	page := s.pages[r.URL.Path]
	s.mu.Unlock()
	if page == nil {
		http.NotFound(w, r)
		return
	}
	page(w, r)
}

// handle serves a new path by hand and returns its URL on the host.
func (s *site) handle(host string, page http.HandlerFunc) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	path := fmt.Sprintf("/%d", s.count)
	s.pages[path] = page
	return "http://" + host + path
}

// page serves HTML after the prelude and returns its URL on the host.
func (s *site) page(host, html string) string {
	return s.handle(host, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, prelude+html)
	})
}

// blank is a page with nothing but the prelude.
func (s *site) blank(host string) string { return s.page(host, "") }

// embed is a page with one frame in it.
func (s *site) embed(host, inner string) string {
	return s.page(host, fmt.Sprintf(`<iframe src=%q></iframe>`, inner))
}

// reported waits for the next report of a page.
func (s *site) reported(t *testing.T) any {
	t.Helper()
	select {
	case text := <-s.reports:
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatalf("a page reported %q: %v", text, err)
		}
		return value
	case <-time.After(patience):
		t.Fatal("no page reported anything")
		return nil
	}
}
