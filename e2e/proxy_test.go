package e2e

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"cdpsupervisor/messages"
)

// wire is a TCP proxy before a browser, that can be cut and led elsewhere.
type wire struct {
	address  string
	listener net.Listener
	running  sync.WaitGroup

	mu     sync.Mutex
	target string        // "" refuses
	far    time.Duration // how long what is sent is on its way to the browser
	open   map[net.Conn]struct{}
	total  int
}

// behindWire puts a proxy before a browser; it ends with the test.
func (b *browser) behindWire(t *testing.T) *wire {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{address: listener.Addr().String(), listener: listener, target: b.address, open: map[net.Conn]struct{}{}}
	w.running.Go(w.accept)
	t.Cleanup(func() {
		w.lead("")
		_ = listener.Close()
		w.running.Wait()
	})
	return w
}

// through is the browser as it is reached over the proxy. With discovery the
// endpoint is http://, so that each dial looks the browser up anew.
func (w *wire) through(b *browser, discovery bool) *browser {
	endpoint := messages.Endpoint(strings.Replace(b.endpoint.Reveal(), b.address, w.address, 1))
	if discovery {
		endpoint = messages.Endpoint("http://" + w.address)
	}
	return &browser{site: b.site, endpoint: endpoint, address: b.address}
}

func (w *wire) accept() {
	for {
		near, err := w.listener.Accept()
		if err != nil {
			return
		}
		w.running.Go(func() { w.carry(near) })
	}
}

func (w *wire) carry(near net.Conn) {
	w.mu.Lock()
	target := w.target
	w.open[near] = struct{}{}
	w.total++
	w.mu.Unlock()
	defer func() {
		_ = near.Close()
		w.mu.Lock()
		delete(w.open, near)
		w.mu.Unlock()
	}()
	if target == "" {
		return
	}
	far, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	var both sync.WaitGroup
	both.Go(func() {
		_, _ = io.Copy(lateWriter{far, w}, near)
		_ = far.Close()
	})
	_, _ = io.Copy(near, far)
	_, _ = near.Close(), far.Close()
	both.Wait()
}

// lateWriter is the way to a browser that is far away.
type lateWriter struct {
	io.Writer
	wire *wire
}

func (l lateWriter) Write(p []byte) (int, error) {
	l.wire.mu.Lock()
	late := l.wire.far
	l.wire.mu.Unlock()
	time.Sleep(late)
	return l.Writer.Write(p)
}

// away moves the browser far away, or back.
func (w *wire) away(far time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.far = far
}

// lead cuts all connections and leads new ones to an address, or nowhere.
func (w *wire) lead(target string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.target = target
	for near := range w.open {
		_ = near.Close()
	}
}

// connections is how many are open, and how many there have been.
func (w *wire) connections() (open, total int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.open), w.total
}
