// Package vclock is virtual time: a clock that stands still until somebody moves
// it, and then runs what is due in an order that is always the same.
package vclock

import (
	"container/heap"
	"sync"
	"time"

	"cdpsupervisor/messages"
)

// Clock is a [messages.Clock]. Timers that are due at the same time fire in the
// order in which they were made. Its methods are safe for use by several
// goroutines, but only one may move it.
type Clock struct {
	mu     sync.Mutex
	now    time.Time
	made   uint64
	timers timers
}

// New returns a clock that stands at start.
func New(start time.Time) *Clock { return &Clock{now: start} }

// Now returns the time at which the clock stands.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc has f run by whoever moves the clock past d from now; a d of zero or
// less at the next move.
func (c *Clock) AfterFunc(d time.Duration, f func()) messages.Timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made++
	t := &timer{clock: c, at: c.now.Add(max(0, d)), made: c.made, f: f}
	heap.Push(&c.timers, t)
	return t
}

// Next moves the clock to the first timer that is due until the given time, takes
// that timer out and returns its function, which the caller runs. If none is due,
// the clock moves to until and nil is returned. The clock never goes back.
func (c *Clock) Next(until time.Time) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until.Before(c.now) {
		until = c.now
	}
	if len(c.timers) == 0 || c.timers[0].at.After(until) {
		c.move(until)
		return nil
	}
	t, _ := heap.Pop(&c.timers).(*timer)
	c.move(t.at)
	return t.f
}

// Jump moves the clock without running anything; what is overdue then is for
// [Clock.Next] to find.
func (c *Clock) Jump(to time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.move(to)
}

// Pending is how many timers are running.
func (c *Clock) Pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.timers)
}

func (c *Clock) move(to time.Time) {
	if to.After(c.now) {
		c.now = to
	}
}

// timer is a running timer; place is where it stands in the heap, -1 once it is
// out.
type timer struct {
	clock *Clock
	at    time.Time
	made  uint64
	f     func()
	place int
}

// Stop takes the timer out if it has not fired.
func (t *timer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	if t.place < 0 {
		return false
	}
	heap.Remove(&t.clock.timers, t.place)
	return true
}

// timers is a heap by time, then by age.
type timers []*timer

func (h timers) Len() int { return len(h) }

func (h timers) Less(i, j int) bool {
	if !h[i].at.Equal(h[j].at) {
		return h[i].at.Before(h[j].at)
	}
	return h[i].made < h[j].made
}

func (h timers) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

// Push is for [heap.Push] alone.
func (h *timers) Push(x any) {
	if t, ok := x.(*timer); ok {
		t.place = len(*h)
		*h = append(*h, t)
	}
}

// Pop is for [heap.Pop] alone.
func (h *timers) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	t.place = -1
	return t
}
