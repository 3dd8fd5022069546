package demo

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
)

// proxy is a TCP proxy on loopback whose connections can be cut, as a network
// does that fails.
type proxy struct {
	address  string
	target   string
	listener net.Listener
	running  sync.WaitGroup

	mu      sync.Mutex
	broken  bool
	open    map[net.Conn]struct{} // the engine's ends
	waiting []chan struct{}       // closed when none is open
}

func newProxy(ctx context.Context, target string) (*proxy, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on loopback for the demo's proxy: %w", err)
	}
	p := &proxy{address: listener.Addr().String(), target: target, listener: listener, open: map[net.Conn]struct{}{}}
	p.running.Go(p.accept)
	return p, nil
}

func (p *proxy) accept() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return // closed
		}
		if !p.admit(near) {
			_ = near.Close()
			continue
		}
		p.running.Go(func() { p.carry(near) })
	}
}

// admit counts a connection, unless the proxy is broken.
func (p *proxy) admit(near net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken {
		return false
	}
	p.open[near] = struct{}{}
	return true
}

// carry copies both ways until one end is closed.
func (p *proxy) carry(near net.Conn) {
	defer p.drop(near)
	far, err := new(net.Dialer).DialContext(context.Background(), "tcp", p.target)
	if err != nil {
		return
	}
	var both sync.WaitGroup
	both.Go(func() {
		_, _ = io.Copy(far, near)
		_ = far.Close()
	})
	_, _ = io.Copy(near, far)
	_ = near.Close()
	_ = far.Close()
	both.Wait()
}

func (p *proxy) drop(near net.Conn) {
	_ = near.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, near)
	if len(p.open) == 0 {
		for _, none := range p.waiting {
			close(none)
		}
		p.waiting = nil
	}
}

// deserted waits until no connection is open: the other end of one that was
// closed hears of it a moment later.
func (p *proxy) deserted(ctx context.Context) error {
	none := make(chan struct{})
	p.mu.Lock()
	if len(p.open) == 0 {
		close(none)
	} else {
		p.waiting = append(p.waiting, none)
	}
	p.mu.Unlock()
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%d connections are still open: %w", p.connections(), context.Cause(ctx))
	}
}

// connections is how many are open.
func (p *proxy) connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open)
}

// cut drops all connections and refuses new ones until mend.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken = true
	for near := range p.open {
		_ = near.Close()
	}
}

// mend lets connections through again.
func (p *proxy) mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken = false
}

// close ends the proxy and returns when nothing of it runs any more.
func (p *proxy) close() {
	p.cut()
	_ = p.listener.Close()
	p.running.Wait()
}
