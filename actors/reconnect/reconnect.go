package reconnect

import (
	"time"

	"cdpsupervisor/messages"
)

// Phase is where the machine stands.
type Phase uint8

// The phases.
const (
	// Idle: nothing was asked yet.
	Idle Phase = iota
	// Dialing: a connection is being made.
	Dialing
	// Up: the browser answered on the connection.
	Up
	// Waiting: a timer runs until the next try.
	Waiting
	// Over: given up or stopped; no input leads out.
	Over
)

// State is the reconnect machine of one task. The zero value is ready.
type State struct {
	phase    Phase
	gen      uint64 // of the running timer
	failures int    // in a row
	since    time.Time
	ever     bool // the browser answered once
	rejected bool // the last failure was a final rejection of the URL
	renew    bool // the next dial renews the lease
}

// Phase returns where the machine stands.
func (s *State) Phase() Phase { return s.phase }

// Failures is the number of failures in a row.
func (s *State) Failures() int { return s.failures }

// Input is something that happened. Every input carries its time.
type Input interface{ input() }

type (
	// Start asks for the first connection. Again says that the task has been
	// connected before, so that a failure is retried.
	Start struct {
		At    time.Time
		Again bool
	}
	// Opened: the browser answered Browser.getVersion on the connection.
	Opened struct{ At time.Time }
	// Lost: the connection ended, or could not be made. Chance is a number
	// in [0, 1) for the jitter. Unused says that the task could never be used
	// so far: a browser that refuses it a page then will refuse it the next
	// time, too, and whoever starts the task should hear so at once.
	Lost struct {
		At     time.Time
		Cause  messages.Cause
		Chance float64
		Unused bool
	}
	// Timer fired with its generation.
	Timer struct {
		At  time.Time
		Gen uint64
	}
	// Stop ends the machine.
	Stop struct{ At time.Time }
)

func (Start) input()  {}
func (Opened) input() {}
func (Lost) input()   {}
func (Timer) input()  {}
func (Stop) input()   {}

// Effect is something to be done.
type Effect interface{ effect() }

type (
	// Dial a new connection, with a renewed lease if Renew is set.
	Dial struct{ Renew bool }
	// Arm a timer that comes back as [Timer] with this generation.
	Arm struct {
		Gen uint64
		At  time.Time
	}
	// GiveUp ends the task for good.
	GiveUp struct {
		Status messages.Status
		Cause  messages.Cause
	}
)

func (Dial) effect()   {}
func (Arm) effect()    {}
func (GiveUp) effect() {}

// Step applies one input and appends what is to be done to dst. It is total:
// an input that makes no sense in a phase changes nothing.
func Step(s *State, in Input, dst []Effect) []Effect {
	switch in := in.(type) {
	case Start:
		if s.phase != Idle {
			return dst
		}
		s.phase, s.ever = Dialing, in.Again
		return append(dst, Dial{})
	case Opened:
		if s.phase == Dialing {
			s.phase, s.since, s.ever, s.rejected = Up, in.At, true, false
		}
	case Lost:
		return s.lost(in, dst)
	case Timer:
		if s.phase != Waiting || in.Gen != s.gen {
			return dst
		}
		s.phase = Dialing
		renew := s.renew
		s.renew = false
		return append(dst, Dial{Renew: renew})
	case Stop:
		s.phase = Over
	}
	return dst
}

func (s *State) lost(in Lost, dst []Effect) []Effect {
	switch s.phase {
	case Idle, Waiting, Over:
		return dst
	case Up:
		if in.At.Sub(s.since) >= messages.StableAfter {
			s.failures = 0
		}
	case Dialing:
	}
	s.failures++
	switch {
	case !s.ever, in.Cause.Kind == messages.DisconnectInvalid,
		in.Unused && in.Cause.Kind == messages.DisconnectSource:
		return s.giveUp(messages.StatusFailed, in.Cause, dst)
	case in.Cause.Kind == messages.DisconnectRejected && s.rejected:
		// A fresh lease was rejected too: the endpoint is over.
		return s.giveUp(messages.StatusExpired, in.Cause, dst)
	case s.failures >= messages.ReconnectBudget:
		return s.giveUp(messages.StatusFailed, in.Cause, dst)
	}
	s.rejected = in.Cause.Kind == messages.DisconnectRejected
	s.renew = s.rejected
	s.phase = Waiting
	s.gen++
	return append(dst, Arm{Gen: s.gen, At: in.At.Add(delay(s.failures, in.Chance))})
}

func (s *State) giveUp(status messages.Status, cause messages.Cause, dst []Effect) []Effect {
	s.phase = Over
	return append(dst, GiveUp{Status: status, Cause: cause})
}

// delay is full jitter: anything between nothing and the doubled bound.
func delay(failures int, chance float64) time.Duration {
	bound := messages.ReconnectMax
	if shift := failures - 1; shift < 8 {
		bound = min(messages.ReconnectMin<<shift, messages.ReconnectMax)
	}
	return time.Duration(max(0, min(chance, 1)) * float64(bound))
}
