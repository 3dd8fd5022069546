package cdpwire

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"cdpsupervisor/messages"
)

// patience is how long a test waits for what must come. It never waits for what
// must not.
const patience = 10 * time.Second

// pipe is a transport in memory.
type pipe struct {
	in     chan []byte   // to the connection
	out    chan []byte   // from the connection; unbuffered: a slow browser
	closed chan struct{} // the connection closed it
	gone   chan struct{} // the browser closed it
	once   sync.Once
	wait   func()
}

func newPipe() *pipe {
	return &pipe{in: make(chan []byte, 10_000), out: make(chan []byte), closed: make(chan struct{}), gone: make(chan struct{})}
}

func (p *pipe) OnWait(f func()) { p.wait = f }

func (p *pipe) Read(dst []byte) ([]byte, error) {
	select {
	case <-p.closed:
		return nil, io.ErrClosedPipe
	default:
	}
	select {
	case msg := <-p.in:
		return append(dst[:0], msg...), nil
	default:
	}
	p.wait()
	select {
	case msg := <-p.in:
		return append(dst[:0], msg...), nil
	case <-p.gone:
		return nil, io.ErrUnexpectedEOF
	case <-p.closed:
		return nil, io.ErrClosedPipe
	}
}

func (p *pipe) Write(msg []byte) error {
	select {
	case p.out <- append([]byte(nil), msg...):
		return nil
	case <-p.gone:
		return io.ErrUnexpectedEOF
	case <-p.closed:
		return io.ErrClosedPipe
	}
}

func (p *pipe) Ping() error { return p.Write([]byte("ping")) }

func (p *pipe) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// manualClock stands still until it is told.
type manualClock struct {
	mu     sync.Mutex
	now    time.Time
	timers []*manualTimer
}

type manualTimer struct {
	clock *manualClock
	at    time.Time
	f     func()
}

func newClock() *manualClock { return &manualClock{now: time.Unix(1_800_000_000, 0)} }

func (c *manualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *manualClock) AfterFunc(d time.Duration, f func()) messages.Timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &manualTimer{clock: c, at: c.now.Add(d), f: f}
	c.timers = append(c.timers, t)
	return t
}

func (t *manualTimer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	stopped := t.f != nil
	t.f = nil
	return stopped
}

func (c *manualClock) advance(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	var due []func()
	for _, t := range c.timers {
		if t.f != nil && !t.at.After(c.now) {
			due = append(due, t.f)
			t.f = nil
		}
	}
	c.mu.Unlock()
	for _, f := range due {
		f()
	}
}

// running counts the timers that could still fire.
func (c *manualClock) running() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.timers {
		if t.f != nil {
			n++
		}
	}
	return n
}

// rig is a connection over a pipe, with its consumer's end.
type rig struct {
	*Conn
	t       *testing.T
	pipe    *pipe
	clock   *manualClock
	batches chan *messages.Batch
	ended   chan *messages.Cause
}

func open(t *testing.T, change ...func(*Options)) *rig {
	t.Helper()
	r := prepare(t)
	r.Conn = Open(r.pipe, r.options(change...))
	t.Cleanup(func() { r.Kill(nil) })
	return r
}

func prepare(t *testing.T) *rig {
	return &rig{t: t, pipe: newPipe(), clock: newClock(), batches: make(chan *messages.Batch, 10_000), ended: make(chan *messages.Cause, 10)}
}

func (r *rig) options(change ...func(*Options)) Options {
	o := Options{
		Epoch: 3, Clock: r.clock,
		Deliver: func(b *messages.Batch) { r.batches <- b },
		Ended:   func(c *messages.Cause) { r.ended <- c },
	}
	for _, f := range change {
		f(&o)
	}
	return o
}

func take[T any](t *testing.T, what string, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatalf("no %s in %v", what, patience)
		panic("unreachable")
	}
}

func (r *rig) batchOf(n int) *messages.Batch {
	r.t.Helper()
	b := take(r.t, "batch", r.batches)
	if b.Len() != n {
		r.t.Fatalf("a batch of %d, want %d", b.Len(), n)
	}
	return b
}

// written is the next message that the browser gets.
func (r *rig) written() (m struct {
	ID        int64
	Method    string
	SessionID messages.SessionID
	Params    json.RawMessage
}) {
	r.t.Helper()
	if err := json.Unmarshal(take(r.t, "message to the browser", r.pipe.out), &m); err != nil {
		r.t.Fatal(err)
	}
	return m
}

// end waits for the end and checks that it comes once, with nothing behind it.
func (r *rig) end(kind messages.DisconnectKind) *messages.Cause {
	r.t.Helper()
	cause := take(r.t, "end", r.ended)
	if cause.Kind != kind {
		r.t.Errorf("ended with %q %q, want %q", cause.Kind, cause.Text, kind)
	}
	select {
	case <-r.pipe.closed:
	default:
		r.t.Error("the transport was not closed")
	}
	if r.clock.running() > 0 {
		r.t.Error("a timer was left running")
	}
	r.Kill(nil)
	r.Close(nil)
	if len(r.ended) > 0 {
		r.t.Error("ended twice")
	}
	return cause
}

func frameAttached(n int) []byte {
	return fmt.Appendf(nil, `{"method":"Page.frameAttached","params":{"frameId":"F%d","parentFrameId":"P"},"sessionId":"S"}`, n)
}

func consoleError(n int) []byte {
	return fmt.Appendf(nil, `{"method":"Runtime.consoleAPICalled","params":{"type":"error","args":[{"type":"string","value":"%d"}]},"sessionId":"S"}`, n)
}

// await polls for a state that a goroutine of the connection is about to reach.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not in %v", what, patience)
		}
		time.Sleep(time.Millisecond)
	}
}
