package vclock_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/vclock"
)

var _ messages.Clock = (*vclock.Clock)(nil)

func run(c *vclock.Clock, until time.Time) {
	for f := c.Next(until); f != nil; f = c.Next(until) {
		f()
	}
}

func TestOrder(t *testing.T) {
	start := time.Unix(100, 0)
	c := vclock.New(start)
	var fired []string
	note := func(s string) func() { return func() { fired = append(fired, s+"@"+c.Now().Sub(start).String()) } }
	c.AfterFunc(2*time.Second, note("late"))
	c.AfterFunc(time.Second, note("first"))
	c.AfterFunc(time.Second, note("second"))
	stopped := c.AfterFunc(time.Second, note("stopped"))
	c.AfterFunc(-5, note("now"))
	if !stopped.Stop() || stopped.Stop() {
		t.Error("Stop does not tell whether it kept the timer from firing")
	}
	c.AfterFunc(time.Second, func() { c.AfterFunc(500*time.Millisecond, note("nested")) })
	run(c, start.Add(1900*time.Millisecond))
	want := []string{"now@0s", "first@1s", "second@1s", "nested@1.5s"}
	if !slices.Equal(fired, want) {
		t.Errorf("fired %v, want %v", fired, want)
	}
	if got := c.Now().Sub(start); got != 1900*time.Millisecond || c.Pending() != 1 {
		t.Errorf("stands at %s with %d timers", got, c.Pending())
	}
	c.Jump(start) // never back
	c.Jump(start.Add(time.Hour))
	run(c, start)
	if got := fired[len(fired)-1]; got != "late@1h0m0s" {
		t.Errorf("an overdue timer: %s", got)
	}
}

// TestModel compares with a list that is sorted anew each time.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type entry struct {
			at    int
			n     int
			timer messages.Timer
		}
		start := time.Unix(0, 0)
		c := vclock.New(start)
		var model []entry
		var got, want []int
		now := 0
		for n := range rapid.IntRange(1, 40).Draw(t, "ops") {
			switch rapid.IntRange(0, 2).Draw(t, "op") {
			case 0:
				d := rapid.IntRange(0, 5).Draw(t, "after")
				timer := c.AfterFunc(time.Duration(d), func() { got = append(got, n) })
				model = append(model, entry{now + d, n, timer})
			case 1:
				if len(model) > 0 {
					i := rapid.IntRange(0, len(model)-1).Draw(t, "stop")
					if !model[i].timer.Stop() {
						t.Fatal("a pending timer could not be stopped")
					}
					model = slices.Delete(model, i, i+1)
				}
			case 2:
				now += rapid.IntRange(0, 4).Draw(t, "move")
				slices.SortStableFunc(model, func(a, b entry) int { return a.at - b.at })
				for len(model) > 0 && model[0].at <= now {
					want = append(want, model[0].n)
					model = model[1:]
				}
				run(c, start.Add(time.Duration(now)))
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("fired %v, want %v", got, want)
		}
	})
}
