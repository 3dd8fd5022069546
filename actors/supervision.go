package actors

import (
	"maps"
	"strings"
	"time"

	"cdpsupervisor/messages"
)

// FailureWindow counts the panics of one child. Its zero value is ready.
//
// Budgets by level; they bound a burst and do not multiply, because a child
// that uses up its own ends what is above it instead of restarting again:
//
//	registry → supervisor           3 in 30 s, then the task has failed
//	supervisor → dialogs, snapshot,
//	             events             3 in 30 s, then the task has failed
//	supervisor → sessions           3 in 30 s for each session, then the epoch ends
//	supervisor → socket             none: the epoch ends
type FailureWindow struct {
	at []time.Time
}

// Allows records a failure and reports whether the child may be restarted.
func (w *FailureWindow) Allows(now time.Time) bool {
	keep := w.at[:0]
	for _, t := range w.at {
		if now.Sub(t) < messages.RestartWindow {
			keep = append(keep, t)
		}
	}
	w.at = append(keep, now)
	return len(w.at) <= messages.RestartBudget
}

// Decision is what becomes of a child that panicked.
type Decision uint8

// The decisions.
const (
	Restart Decision = iota + 1
	// EndEpoch stops the child; the connection is given up and made anew.
	EndEpoch
	// FailTask stops the child and the task.
	FailTask
)

// Decide says what becomes of a child of the supervisor, by its kind.
func Decide(kind ChildKind, w *FailureWindow, now time.Time) Decision {
	switch {
	case kind == ChildSocket:
		return EndEpoch
	case w.Allows(now):
		return Restart
	case kind == ChildSessions:
		return EndEpoch
	}
	return FailTask
}

// forgetSessions forgets the panics over sessions of a connection that has ended,
// whose numbers are not given again.
func (r *Record) forgetSessions() {
	maps.DeleteFunc(r.failures, func(key string, _ *FailureWindow) bool {
		return strings.HasPrefix(key, string(ChildSessions)+"-")
	})
}

// ChildKind tells the supervisor's children apart.
type ChildKind string

// The children.
const (
	ChildSocket   ChildKind = "socket"
	ChildDialogs  ChildKind = "dialogs"
	ChildSessions ChildKind = "sessions"
	ChildSnapshot ChildKind = "snapshot"
	ChildEvents   ChildKind = "events"
)
