package rig

import (
	"bytes"
	"errors"
	"time"

	"cdpsupervisor/simulations/fakebrowser"
)

// Options configure a [Rig]. Quiet must be set.
type Options struct {
	// Quiet returns when every other goroutine of the run waits for something
	// that only the caller can bring: testing/synctest.Wait.
	Quiet func()
	// Choose picks one of n moves, n > 0. Nil means the first.
	Choose func(n int) int
	// Chance gives numbers in [0, 1) for the engine's jitter. Nil means 0.5.
	Chance func() float64
	// Start is when the virtual clock begins. Zero means a round moment.
	Start time.Time
	// Browser configures the fake browser; its Clock is set here.
	Browser fakebrowser.Options
	// Saw, when set, is called before an actor handles a message, after the
	// rig's own checks; it may panic, to make the actor fail.
	Saw func(actorName string, message any)
	// Trace, when set, takes what goes over the engine's sockets, as a trace.
	Trace *bytes.Buffer
	// Log, when set, takes the engine's log, one JSON line an entry.
	Log *bytes.Buffer
}

func (o *Options) defaults() error {
	if o.Quiet == nil {
		return errors.New("rig: Quiet is not set; in a test it is synctest.Wait, inside a bubble")
	}
	if o.Choose == nil {
		o.Choose = func(int) int { return 0 }
	}
	if o.Chance == nil {
		o.Chance = func() float64 { return 0.5 }
	}
	if o.Start.IsZero() {
		o.Start = time.Unix(1_700_000_000, 0)
	}
	return nil
}
