package policy

import (
	"slices"
	"time"

	"cdpsupervisor/messages"
)

// Step feeds one input to the machine and appends the effects to dst, in the
// order in which they are to be performed. It takes every input in every state
// and never panics; what makes no sense has no effect. Its cost grows with the
// number of open dialogs, at most [messages.MaxSessions].
func Step(s *State, in Input, dst []Effect) []Effect {
	if s == nil || in == nil {
		return dst
	}
	t := &step{s: s, at: in.When(), dst: dst}
	switch in := in.(type) {
	case Opened:
		t.opened(in)
	case Closed:
		t.closed(in)
	case AnswerReplied:
		t.replied(in)
	case Stranded:
		t.stranded(in)
	case FramesRemoved:
		t.framesRemoved(in)
	case Navigated:
		t.navigated(in)
	case TargetGone:
		t.targetGone(in)
	case SessionGone:
		t.sessionGone(in)
	case EpochEnded:
		t.epochEnded(in)
	case Ask:
		t.asked(in)
	case Timer:
		t.fired(in)
	case SetPolicy:
		t.setPolicy(in)
	case DismissAll:
		t.dismissAll(in)
	}
	return t.finish()
}

// step is the work on one input.
type step struct {
	s   *State
	at  time.Time
	on  event // what meets the dialog that is being worked on
	dst []Effect
	// answers come after everything else, so that who is answered sees what
	// the answer did.
	answers       []Effect
	openChanged   bool
	shownChanged  bool
	recentChanged bool
}

func (t *step) emit(e Effect) { t.dst = append(t.dst, e) }

// finish appends what the whole step has led to.
func (t *step) finish() []Effect {
	t.advanceSweeps()
	if t.openChanged {
		t.emit(OpenChanged{Open: t.s.openDialogs()})
	}
	if t.shownChanged || t.recentChanged {
		t.emit(Publish{Pending: t.s.pending(), Recent: t.s.recent(), Overflow: t.s.overflow})
	}
	return append(t.dst, t.answers...)
}

// become moves a dialog to another phase. Nothing else writes a phase.
func (t *step) become(d *dialog, to phase) {
	from, was, shown := d.phase, d.pending(), d.shows()
	d.phase = to
	t.openChanged = t.openChanged || was || d.pending()
	t.shownChanged = t.shownChanged || shown || d.shows()
	if t.s.observe != nil {
		t.s.observe(from, t.on, to)
	}
	switch to {
	case phaseUnanswerable:
		d.wedged = true
		t.clearWill(d)
	case phaseSettling, phaseClosed:
		t.clearWill(d)
	case phaseNone, phaseOpen, phaseAnswering:
	}
}

// takes reports whether the event of the step can move the dialog.
func (t *step) takes(d *dialog) bool { return len(moves(d.phase, t.on)) > 0 }

// meeting returns the dialogs that the event can move and that match; it is a
// copy, so that dialogs may leave while it is walked.
func (t *step) meeting(on event, match func(*dialog) bool) []*dialog {
	t.on = on
	var found []*dialog
	for _, d := range t.s.live {
		if t.takes(d) && match(d) {
			found = append(found, d)
		}
	}
	return found
}

func (t *step) arm(d *dialog, at time.Time) {
	d.timer = t.s.generation()
	t.emit(Arm{Dialog: d.shown.ID, Gen: d.timer, At: at})
}

func (t *step) disarm(d *dialog) {
	if d.timer != 0 {
		d.timer = 0
		t.emit(Disarm{Dialog: d.shown.ID})
	}
}

func (t *step) setWill(d *dialog) {
	if d.native() && t.s.onStop == messages.OnStopLeave {
		return
	}
	d.will = true
	t.emit(SetWill{Dialog: d.shown.ID, Via: d.via})
}

func (t *step) clearWill(d *dialog) {
	if d.will {
		d.will = false
		t.emit(ClearWill{Dialog: d.shown.ID})
	}
}

// leave takes a dialog out of the list of those that are not over.
func (s *State) leave(d *dialog) {
	if i := slices.Index(s.live, d); i >= 0 {
		s.live = slices.Delete(s.live, i, i+1)
	}
}

func (s *State) openDialogs() []OpenDialog {
	open := make([]OpenDialog, 0, len(s.live))
	for _, d := range s.live {
		if d.pending() {
			open = append(open, d.open())
		}
	}
	return open
}

func (s *State) pending() []messages.Dialog {
	return s.pendingIn((*dialog).shows)
}

// pendingIn lists the open dialogs that match, at most MaxPendingDialogs.
func (s *State) pendingIn(match func(*dialog) bool) []messages.Dialog {
	list := make([]messages.Dialog, 0, min(len(s.live), messages.MaxPendingDialogs))
	for _, d := range s.live {
		if len(list) == messages.MaxPendingDialogs {
			break
		}
		if d.pending() && match(d) {
			list = append(list, d.show())
		}
	}
	return list
}

func (s *State) recent() []messages.DialogRecord {
	list := make([]messages.DialogRecord, 0, len(s.ring))
	for i := range s.ring {
		list = append(list, s.ring[i].record)
	}
	return list
}
