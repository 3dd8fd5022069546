package policy

import (
	"slices"
	"time"

	"cdpsupervisor/messages"
)

// closed takes in the browser's word that a dialog is over.
func (t *step) closed(in Closed) {
	t.on = onClosed
	input, _ := messages.Cut(in.UserInput, messages.MaxPromptTextBytes)
	said := &closing{at: in.At, result: in.Result, input: input, navInFlight: in.NavigationInFlight, ordered: in.NavigationOrdered}
	// Exact frames first: Closed is about that frame's dialog, which need not
	// be the newest. Among equals the older one is over first.
	for _, same := range []func(a, b messages.FrameID) bool{sameFrame, maybeSameFrame} {
		if e := t.s.awaiting(in.Session, in.Frame, same); e != nil {
			t.amend(e, said)
			return
		}
		if d := t.s.closedOne(in.Session, in.Frame, same); d != nil {
			d.close = said
			t.endByBrowser(d)
			return
		}
	}
	t.markForeign(in)
}

func sameFrame(a, b messages.FrameID) bool { return a == b }

// maybeSameFrame: old browsers name no frame.
func maybeSameFrame(a, b messages.FrameID) bool { return a == "" || b == "" }

// closedOne is the oldest native dialog of the session that can be meant.
func (s *State) closedOne(session messages.SessionID, frame messages.FrameID, same func(a, b messages.FrameID) bool) *dialog {
	for _, d := range s.live {
		if d.native() && d.session == session && d.close == nil && same(d.shown.FrameID, frame) {
			return d
		}
	}
	return nil
}

// markForeign notes that the browser closed a dialog that we never saw, as of a
// frame that had one open before we came. Where another of ours is open in the
// same tab, the two have met, and the browser may have forgotten ours: it is
// then not taken for answered when the browser says that none is showing.
func (t *step) markForeign(in Closed) {
	if in.Frame == "" || in.Result || t.s.recordedOn(in.Session, in.Frame) {
		return
	}
	for _, d := range t.s.live {
		if d.native() && d.session == in.Session && d.close == nil {
			d.foreign = true
		}
	}
}

// endByBrowser acts on what Closed said of a dialog.
func (t *step) endByBrowser(d *dialog) {
	if d.shown.Type == messages.DialogBeforeUnload && !d.close.result {
		t.pageStays(d)
	}
	switch d.phase {
	case phaseOpen:
		if d.awaitsReply() {
			t.settle(d) // a command that we gave up may be what closed it
			return
		}
		t.conclude(d, t.judge(d))
	case phaseAnswering:
		t.settle(d)
	case phaseUnanswerable:
		// Nothing but a reload or a navigation ends such a dialog.
		t.conclude(d, verdict{by: messages.ClosedByRemote, reason: messages.ReasonNavigation, result: d.close.result})
	case phaseNone, phaseSettling, phaseClosed:
	}
}

// settle takes a dialog out of the pending ones while the reply that says who
// closed it is still to come. The reply has the time that the command had.
func (t *step) settle(d *dialog) {
	was := d.phase
	t.become(d, phaseSettling)
	if was != phaseAnswering {
		t.arm(d, t.at.Add(messages.AnswerTimeout))
	}
}

// verdict is how a dialog ended.
type verdict struct {
	by     messages.ClosedBy
	reason messages.CloseReason
	result bool
	// winner is the command of ours that closed it, if one did.
	winner *attempt
	// awaits: Closed may still come and correct the result.
	awaits bool
}

// ours is the verdict when the browser said yes to our command.
func (d *dialog) ours(a attempt) verdict {
	v := verdict{by: a.By, reason: a.Reason, result: a.Accept, winner: &a, awaits: d.native() && d.close == nil}
	if d.close != nil {
		v.result = d.close.result
	}
	return v
}

// theirs is the verdict when somebody else closed it.
func (d *dialog) theirs() verdict {
	v := verdict{by: messages.ClosedByRemote, reason: d.theirReason(), awaits: d.native() && d.close == nil}
	if d.close != nil {
		v.result = d.close.result
	}
	return v
}

func (d *dialog) theirReason() messages.CloseReason {
	switch {
	case d.replaced:
		return messages.ReasonSuperseded
	case !d.native():
		return messages.ReasonNavigation // only the end of its document ends a held question
	case d.close == nil:
		return messages.ReasonAnsweredElsewhere
	case d.close.ordered && !d.close.result && d.shown.Type != messages.DialogBeforeUnload:
		return messages.ReasonNavigation // however soon: it was asked for here
	case len(d.tried()) == 0 && d.closedAtOnce():
		return messages.ReasonAutoDismissed
	case d.endedByNavigation():
		return messages.ReasonNavigation
	}
	return messages.ReasonAnsweredElsewhere
}

// closedAtOnce reports whether the dialog was closed before anybody could have
// read it.
func (d *dialog) closedAtOnce() bool { return d.close.at.Sub(d.openedAt) <= messages.AutoDismissWindow }

// endedByNavigation reports whether a navigation was under way that made
// Chromium cancel the dialog. A beforeunload dialog always has one.
func (d *dialog) endedByNavigation() bool {
	if d.close.result || d.shown.Type == messages.DialogBeforeUnload {
		return false
	}
	return d.close.navInFlight || d.navInFlight && d.close.at.Sub(d.openedAt) <= commitWindow
}

// commitWindow is how soon a commit that was in flight when a dialog opened
// cancels it.
const commitWindow = time.Second

// judge is the verdict when no reply will say more: the result tells our answer
// from another's.
func (t *step) judge(d *dialog) verdict {
	if d.close == nil {
		return d.theirs()
	}
	for _, a := range slices.Backward(d.tried()) {
		if a.Accept == d.close.result {
			return d.ours(a)
		}
	}
	return d.theirs()
}

// conclude ends a dialog: it is recorded, and who waits is told.
func (t *step) conclude(d *dialog, v verdict) {
	t.become(d, phaseClosed)
	t.disarm(d)
	t.s.leave(d)
	record := t.recordEnd(d, v)
	for _, w := range d.waiters {
		t.answers = append(t.answers, d.tell(w, v, record))
	}
	d.waiters = nil
}

// tell is the answer to one who waited for the dialog's end.
func (d *dialog) tell(w waiter, v verdict, record messages.DialogRecord) Answer {
	won := v.winner
	if won == nil || won.By != messages.ClosedByAgent || won.Reason != "" {
		return Answer{Ref: w.ref, Failure: failClosed(d.shown.ID, &record)}
	}
	joined := d.cmd != nil && d.cmd.Gen == won.Gen
	if !joined && won.Accept != (w.action == messages.ActionAccept) {
		// An earlier command came through late, and it was another answer.
		return Answer{Ref: w.ref, Failure: failClosed(d.shown.ID, &record)}
	}
	action := messages.ActionDismiss
	if won.Accept {
		action = messages.ActionAccept
	}
	return Answer{Ref: w.ref, Result: &AnswerResult{
		Dialog: d.shown, Record: record, Action: action, Note: noteOf(w, action, record.Result),
	}}
}
