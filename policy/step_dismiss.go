package policy

import (
	"slices"
	"time"

	"cdpsupervisor/messages"
)

// sweep is a DismissAll in force.
type sweep struct {
	order   DismissAll
	leave   bool // native dialogs stay for a person
	waiting []swept
	settled bool
}

// swept is a dialog whose end a sweep waits for.
type swept struct {
	d    *dialog
	sent bool // by the sweep itself; it does so once
}

// dismissAll takes in an order to dismiss what is open. The rest happens at the
// end of this and of every later step, in advanceSweeps.
func (t *step) dismissAll(in DismissAll) {
	if in.By == "" {
		in.By = messages.ClosedByAutoPolicy
	}
	w := &sweep{
		order: in,
		leave: t.s.onStop == messages.OnStopLeave && in.Reason == messages.ReasonStopped && in.Target == "",
	}
	t.s.sweeps = append(t.s.sweeps, w)
	if len(t.s.sweeps) > maxSweeps {
		w.order.Until = time.Time{}
		return // settled at the end of the step, with all that is left
	}
	for _, d := range t.s.live {
		if (d.phase == phaseOpen || d.phase == phaseAnswering) && w.takes(d) {
			w.waiting = append(w.waiting, swept{d: d})
		}
	}
}

// covers reports whether the dialog is in the scope of the order.
func (w *sweep) covers(d *dialog) bool {
	return (w.order.Target == "" || w.order.Target == d.shown.TargetID) && !(w.order.BridgeOnly && d.native())
}

// takes reports whether the order dismisses the dialog.
func (w *sweep) takes(d *dialog) bool { return w.covers(d) && !(w.leave && d.native()) }

func (w *sweep) inForce(at time.Time) bool { return !w.settled || at.Before(w.order.Until) }

// sweepOver returns the first order in force that dismisses a dialog as it
// opens; all that have not settled wait for it.
func (t *step) sweepOver(d *dialog) *sweep {
	var first *sweep
	for _, w := range t.s.sweeps {
		if !w.inForce(t.at) || !w.takes(d) || w.settled && d.shown.Type == messages.DialogBeforeUnload {
			continue
		}
		if first == nil {
			first = w
		}
		if !w.settled {
			w.waiting = append(w.waiting, swept{d: d, sent: first == w})
		}
	}
	return first
}

// pageStays ends the orders under which the page of a beforeunload dialog was
// to be closed: it was not let go, and what it opens now is for the agent again.
func (t *step) pageStays(d *dialog) {
	for _, w := range t.s.sweeps {
		if w.order.Reason == messages.ReasonTargetClosed && w.order.Target != "" && w.covers(d) {
			w.order.Until = t.at
		}
	}
}

// advanceSweeps sends the dismissals that are due, settles the orders that wait
// for nothing any more, and forgets those that are no longer in force.
func (t *step) advanceSweeps() {
	t.on = onDismissAll
	for _, w := range t.s.sweeps {
		if w.settled {
			continue
		}
		w.waiting = slices.DeleteFunc(w.waiting, func(e swept) bool {
			return e.d.phase != phaseAnswering && (e.sent || e.d.phase != phaseOpen)
		})
		for i := range w.waiting {
			if e := &w.waiting[i]; e.d.phase == phaseOpen {
				e.sent = true
				t.send(e.d, Sent{By: w.order.By, Reason: w.order.Reason})
			}
		}
		if len(w.waiting) == 0 {
			w.settled = true
			t.answers = append(t.answers, Settled{Ref: w.order.Ref, Left: t.s.pendingIn(w.covers)})
		}
	}
	t.s.sweeps = slices.DeleteFunc(t.s.sweeps, func(w *sweep) bool { return !w.inForce(t.at) })
}
