package doctor

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"time"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
)

// way notes how the first connection came about, from what the requests on the
// way there carry. It notes names of headers, never values but Host's.
type way struct {
	mu        sync.Mutex
	hops      []hop
	shown     string // "" until there is a connection
	pageLevel bool
	headers   []string // of the lease
	took      time.Duration
}

// hop is one request on the way.
type hop struct {
	address string // host:port
	host    string // the Host header
	socket  bool   // a WebSocket handshake, else a look-up
	sent    map[string]bool
}

// maxHops bounds what is noted; a dial gives up earlier.
const maxHops = 16

// dial is a [cdpwire.DialFunc] that notes the way.
func (w *way) dial(clock messages.Clock) cdpwire.DialFunc {
	var dialer cdpwire.Dialer
	return func(ctx context.Context, lease *messages.Lease) (*cdpwire.Dialed, error) {
		if w.known() {
			return dialer.Dial(ctx, lease)
		}
		w.again(lease)
		start := clock.Now()
		dialed, err := dialer.Dial(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			GetConn:          w.asked,
			WroteHeaderField: w.wrote,
		}), lease)
		if err == nil {
			w.arrived(dialed, clock.Now().Sub(start))
		}
		return dialed, err
	}
}

func (w *way) known() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.shown != ""
}

// again forgets a dial that failed.
func (w *way) again(lease *messages.Lease) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hops, w.headers = nil, nil
	for name := range lease.Headers {
		w.headers = append(w.headers, http.CanonicalHeaderKey(name))
	}
}

func (w *way) asked(address string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.hops) < maxHops {
		w.hops = append(w.hops, hop{address: address, sent: make(map[string]bool)})
	}
}

func (w *way) wrote(name string, values []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.hops) == 0 {
		return
	}
	last := &w.hops[len(w.hops)-1]
	name = http.CanonicalHeaderKey(name)
	last.sent[name] = true
	switch name {
	case "Host":
		last.host = strings.Join(values, "")
	case "Upgrade":
		last.socket = true
	}
}

func (w *way) arrived(dialed *cdpwire.Dialed, took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.shown, w.pageLevel, w.took = dialed.Shown, dialed.PageLevel, took
}

// text tells the way in one line.
func (w *way) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var steps []string
	for i, h := range w.hops {
		before := hop{socket: !h.socket}
		if i > 0 {
			before = w.hops[i-1]
		}
		if i == len(w.hops)-1 {
			h.address = w.shown
		}
		steps = append(steps, h.text(before))
	}
	if w.pageLevel {
		steps = append(steps, "which is one page of it")
	}
	return strings.Join(append(steps, w.carried()...), ", ")
}

func (h hop) text(before hop) string {
	switch {
	case before.socket == h.socket && !before.disguised() && h.disguised():
		return "asked again with Host: localhost"
	case before.socket == h.socket:
		return "redirected to " + h.address
	case h.socket:
		return "WebSocket at " + h.address
	}
	return "looked up through /json/version at " + h.address
}

// disguised reports whether the request bore another name than the address's.
func (h hop) disguised() bool {
	return hostname(h.host) == "localhost" && hostname(h.address) != "localhost"
}

func hostname(hostPort string) string {
	if host, _, err := net.SplitHostPort(hostPort); err == nil {
		return host
	}
	return hostPort
}

// carried says which credentials and headers went along to the end.
func (w *way) carried() []string {
	if len(w.hops) == 0 {
		return nil
	}
	last := w.hops[len(w.hops)-1]
	var out []string
	anywhere := false
	for _, h := range w.hops {
		anywhere = anywhere || h.sent["Authorization"]
	}
	switch {
	case last.sent["Authorization"]:
		out = append(out, "with credentials")
	case anywhere:
		out = append(out, "with credentials for the look-up only")
	}
	if len(w.headers) > 0 {
		sent := 0
		for _, name := range w.headers {
			if last.sent[name] {
				sent++
			}
		}
		out = append(out, fmt.Sprintf("with %d of the backend's %d headers", sent, len(w.headers)))
	}
	return out
}

// onePage reports whether the endpoint is one page's.
func (w *way) onePage() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pageLevel
}
