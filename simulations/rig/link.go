package rig

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/simulations/fakebrowser"
)

// errEnded is what the engine reads and writes on a link that has ended.
var errEnded = errors.New("the link has ended")

// link is one socket of the engine. What it carries is held at both ends until
// a move lets one message pass, so the schedule decides how slow it is.
type link struct {
	r     *Rig
	inner *fakebrowser.Transport

	mu      sync.Mutex
	moved   sync.Cond
	written []item   // from the engine, the browser has not got it yet
	held    []string // from the browser, the engine has not got it yet
	done    bool     // the browser says nothing any more
	ready   []string // to be read now
	failed  error    // what the engine reads behind that
	closed  bool     // by the engine
	seen    time.Time

	hung bool // the browser was told of the end
	half bool // the peer is gone, and nobody knows
}

// item is one thing that the engine writes.
type item struct {
	text string
	ping bool
}

// connect opens a link to the browser.
func (r *Rig) connect() *link {
	l := &link{r: r, inner: r.Browser.Transport(), seen: r.Clock.Now()}
	l.moved.L = &l.mu
	go l.pump()
	r.mu.Lock()
	r.links = append(r.links, l)
	r.mu.Unlock()
	return l
}

// pump takes what the browser says.
func (l *link) pump() {
	for {
		msg, err := l.inner.Read(nil)
		l.mu.Lock()
		if err != nil {
			l.done = true
			l.mu.Unlock()
			return
		}
		l.held = append(l.held, string(msg))
		l.mu.Unlock()
	}
}

// Read gives the engine what was let through.
func (l *link) Read([]byte) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.ready) == 0 && l.failed == nil && !l.closed {
		l.moved.Wait()
	}
	switch {
	case l.closed:
		return nil, errEnded
	case len(l.ready) == 0:
		return nil, l.failed
	}
	msg := l.ready[0]
	l.ready = l.ready[1:]
	return []byte(msg), nil
}

// Write takes a command from the engine.
func (l *link) Write(msg []byte) error { return l.put(item{text: string(msg)}) }

// Ping asks for a sign of life.
func (l *link) Ping() error { return l.put(item{ping: true}) }

func (l *link) put(i item) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.failed != nil {
		return errEnded
	}
	l.written = append(l.written, i)
	return nil
}

// LastRead is when the engine last got something, in virtual time.
func (l *link) LastRead() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seen
}

// Close ends the link from the engine's side. What was written still arrives.
func (l *link) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.moved.Broadcast()
	return nil
}

// moves adds what may happen on the link. It is called by the one who drives.
func (l *link) moves(all []func()) []func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hung || l.half {
		return all
	}
	switch {
	case len(l.written) > 0:
		all = append(all, l.deliver)
	case l.closed:
		return append(all, l.hangUp)
	}
	switch {
	case l.closed || l.failed != nil:
	case len(l.held) > 0:
		all = append(all, l.release)
	case l.done:
		all = append(all, func() { l.fail(io.ErrUnexpectedEOF) })
	}
	return all
}

// deliver hands one command to the browser.
func (l *link) deliver() {
	l.mu.Lock()
	i := l.written[0]
	l.written = l.written[1:]
	if i.ping {
		l.seen = l.r.Clock.Now()
	}
	l.mu.Unlock()
	if i.ping {
		return
	}
	l.r.trace(cdpwire.Sent, i.text)
	_ = l.inner.Write([]byte(i.text)) // a browser that is gone takes nothing
}

// release hands one message to the engine.
func (l *link) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	msg := l.held[0]
	l.held = l.held[1:]
	l.let(msg)
}

// let lets a message through. The lock is held.
func (l *link) let(msg string) {
	l.ready = append(l.ready, msg)
	l.seen = l.r.Clock.Now()
	l.moved.Broadcast()
	l.r.trace(cdpwire.Received, msg)
}

// fail ends the link from outside.
func (l *link) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed == nil {
		l.failed = err
	}
	l.held = nil
	l.moved.Broadcast()
}

// hangUp tells the browser that the link is over.
func (l *link) hangUp() {
	l.mu.Lock()
	over := l.hung
	l.hung = true
	l.mu.Unlock()
	if !over {
		_ = l.inner.Close()
	}
}

// live is the link that the engine uses now, or nil.
func (r *Rig) live() *link {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.links) - 1; i >= 0; i-- {
		l := r.links[i]
		l.mu.Lock()
		open := !l.closed && l.failed == nil
		l.mu.Unlock()
		if open {
			return l
		}
	}
	return nil
}

// Drop breaks the engine's socket: what is under way is lost, and the browser
// detaches its sessions. It reports whether there was one.
func (r *Rig) Drop() bool {
	l := r.live()
	if l == nil {
		return false
	}
	l.mu.Lock()
	l.written = nil
	l.mu.Unlock()
	l.fail(fmt.Errorf("connection reset: %w", io.ErrUnexpectedEOF))
	l.hangUp()
	r.quiet()
	return true
}

// HalfOpen makes the engine's socket take everything and carry nothing, as a
// link that was lost without a word. The browser has noticed it.
func (r *Rig) HalfOpen() bool {
	l := r.live()
	if l == nil {
		return false
	}
	l.half = true
	l.mu.Lock()
	l.written = nil
	l.mu.Unlock()
	_ = l.inner.Close()
	r.quiet()
	return true
}

// Under is what is under way on the engine's socket, from the browser.
func (r *Rig) Under() int {
	l := r.live()
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.held)
}

// Twice makes the next message from the browser come two times, if there is one
// under way for which the filter holds.
func (r *Rig) Twice(filter func(msg string) bool) bool {
	l := r.live()
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.held) == 0 || !filter(l.held[0]) {
		return false
	}
	l.held = append([]string{l.held[0]}, l.held...)
	return true
}

func (r *Rig) trace(dir cdpwire.Direction, msg string) {
	if r.o.Trace == nil {
		return
	}
	fmt.Fprintf(r.o.Trace, `{"t":%.6f,"dir":%q,"msg":%s}`+"\n", r.Clock.Now().Sub(r.o.Start).Seconds(), dir.String(), msg)
}

var (
	_ cdpwire.Transport  = (*link)(nil)
	_ cdpwire.Pinger     = (*link)(nil)
	_ cdpwire.LastReader = (*link)(nil)
)

// Noise puts a text on the engine's socket that no browser would send.
func (r *Rig) Noise(text string) {
	l := r.live()
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = append(l.held, text)
}
