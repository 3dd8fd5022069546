package cdpwire

import (
	"time"

	"cdpsupervisor/messages"
)

// WallClock is real time. It is the only place in the engine that asks the
// operating system for it.
type WallClock struct{}

// Now returns the current time.
func (WallClock) Now() time.Time { return time.Now() }

// AfterFunc runs f on a goroutine of its own when d has passed.
func (WallClock) AfterFunc(d time.Duration, f func()) messages.Timer { return time.AfterFunc(d, f) }
