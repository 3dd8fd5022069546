package fakebrowser

import (
	"sort"
	"sync"
	"time"

	"cdpsupervisor/messages"
)

// manualClock is the clock of a browser that was given none. It stands still
// until it is advanced.
type manualClock struct {
	mu     sync.Mutex
	now    time.Time
	made   int
	timers []*manualTimer
}

type manualTimer struct {
	c  *manualClock
	at time.Time
	n  int
	f  func()
}

func newManualClock() *manualClock { return &manualClock{now: time.Unix(1_700_000_000, 0)} }

// Now returns the time that the clock stands at.
func (c *manualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc runs f on the goroutine that advances the clock past d.
func (c *manualClock) AfterFunc(d time.Duration, f func()) messages.Timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made++
	t := &manualTimer{c: c, at: c.now.Add(d), n: c.made, f: f}
	c.timers = append(c.timers, t)
	return t
}

// Stop takes the timer off the clock.
func (t *manualTimer) Stop() bool {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	for i, o := range t.c.timers {
		if o == t {
			t.c.timers = append(t.c.timers[:i], t.c.timers[i+1:]...)
			return true
		}
	}
	return false
}

// next takes the earliest timer that is due until the given time, and sets
// the clock to it.
func (c *manualClock) next(until time.Time) *manualTimer {
	c.mu.Lock()
	defer c.mu.Unlock()
	sort.SliceStable(c.timers, func(i, j int) bool {
		a, b := c.timers[i], c.timers[j]
		if !a.at.Equal(b.at) {
			return a.at.Before(b.at)
		}
		return a.n < b.n
	})
	if len(c.timers) == 0 || c.timers[0].at.After(until) {
		c.now = until
		return nil
	}
	t := c.timers[0]
	c.timers = c.timers[1:]
	if t.at.After(c.now) {
		c.now = t.at
	}
	return t
}

// Advance moves the browser's own clock by d and runs what is due, each timer
// to its end before the next. It does nothing when the browser was given a
// clock in its [Options].
func (b *Browser) Advance(d time.Duration) {
	if b.manual == nil {
		return
	}
	until := b.manual.Now().Add(d)
	for {
		t := b.manual.next(until)
		if t == nil {
			return
		}
		t.f()
		b.do(func() {})
	}
}
