package policy

// phase is where a dialog is in its life. Only become writes it.
type phase uint8

const (
	// phaseNone: not yet known.
	phaseNone phase = iota
	// phaseOpen: it waits for an answer, under a watchdog.
	phaseOpen
	// phaseAnswering: our command is on the wire.
	phaseAnswering
	// phaseSettling: the browser has closed it while our command was on the
	// wire. It is no longer pending; the reply decides who closed it.
	phaseSettling
	// phaseUnanswerable: it is open, and the browser takes no answer.
	phaseUnanswerable
	// phaseClosed: it is over.
	phaseClosed
)

func (p phase) String() string {
	switch p {
	case phaseNone:
		return "none"
	case phaseOpen:
		return "open"
	case phaseAnswering:
		return "answering"
	case phaseSettling:
		return "settling"
	case phaseUnanswerable:
		return "unanswerable"
	case phaseClosed:
		return "closed"
	}
	return "invalid"
}

// event is what moves a dialog: the kind of an input, seen from the dialog.
type event uint8

const (
	onNothing event = iota
	onOpened
	onSuperseded // another dialog opened in the same tab
	onClosed
	onAccepted // the reply to our command is yes
	onRefused  // the reply is that no dialog is showing
	onStranded // the reply is that the page is being replaced
	onFailed   // any other end of our command
	onAsked
	onTimer
	onPolicy
	onDismissAll
	onFrameRemoved
	onNavigated
	onTargetGone
	onSessionGone
	onEpochEnded
)

func (e event) String() string {
	switch e {
	case onNothing:
		return "nothing"
	case onOpened:
		return "opened"
	case onSuperseded:
		return "superseded"
	case onClosed:
		return "closed"
	case onAccepted:
		return "accepted"
	case onRefused:
		return "refused"
	case onStranded:
		return "stranded"
	case onFailed:
		return "failed"
	case onAsked:
		return "asked"
	case onTimer:
		return "timer"
	case onPolicy:
		return "policy"
	case onDismissAll:
		return "dismiss all"
	case onFrameRemoved:
		return "frame removed"
	case onNavigated:
		return "navigated"
	case onTargetGone:
		return "target gone"
	case onSessionGone:
		return "session gone"
	case onEpochEnded:
		return "epoch ended"
	}
	return "invalid"
}

// moves returns the phases that a dialog can go to when the event meets it in a
// phase. None means that the event leaves the dialog where it is.
func moves(from phase, on event) []phase {
	switch from {
	case phaseNone:
		return movesNew(on)
	case phaseOpen:
		return movesOpen(on)
	case phaseAnswering:
		return movesAnswering(on)
	case phaseSettling:
		return movesSettling(on)
	case phaseUnanswerable:
		return movesUnanswerable(on)
	case phaseClosed:
		return nil
	}
	return nil
}

func movesNew(on event) []phase {
	if on == onOpened {
		// Closed at once: the frame had gone before the news of its dialog came.
		return []phase{phaseOpen, phaseAnswering, phaseUnanswerable, phaseClosed}
	}
	return nil
}

func movesOpen(on event) []phase {
	switch on {
	case onAsked, onTimer, onPolicy, onDismissAll:
		return []phase{phaseAnswering}
	case onClosed:
		// Settling, when a command that timed out may still have done it.
		return []phase{phaseClosed, phaseSettling}
	case onAccepted:
		// The late reply to a command that had timed out.
		return []phase{phaseClosed}
	case onRefused:
		return []phase{phaseClosed, phaseUnanswerable}
	case onStranded:
		return []phase{phaseUnanswerable}
	case onSuperseded, onFrameRemoved, onNavigated, onTargetGone, onSessionGone, onEpochEnded:
		return []phase{phaseClosed}
	case onFailed:
		return nil
	case onNothing, onOpened:
		return nil
	}
	return nil
}

func movesAnswering(on event) []phase {
	switch on {
	case onClosed, onSuperseded:
		return []phase{phaseSettling}
	case onAccepted:
		return []phase{phaseClosed}
	case onRefused:
		return []phase{phaseClosed, phaseUnanswerable}
	case onStranded:
		return []phase{phaseUnanswerable}
	case onFailed, onTimer:
		return []phase{phaseOpen}
	case onFrameRemoved, onNavigated, onTargetGone, onSessionGone, onEpochEnded:
		return []phase{phaseClosed}
	case onNothing, onOpened, onAsked, onPolicy, onDismissAll:
		return nil
	}
	return nil
}

func movesSettling(on event) []phase {
	switch on {
	case onAccepted, onRefused, onStranded, onFailed, onTimer, onTargetGone, onSessionGone, onEpochEnded:
		return []phase{phaseClosed}
	case onNothing, onOpened, onSuperseded, onClosed, onAsked, onPolicy, onDismissAll, onFrameRemoved, onNavigated:
		return nil
	}
	return nil
}

func movesUnanswerable(on event) []phase {
	switch on {
	case onClosed, onSuperseded, onFrameRemoved, onNavigated, onTargetGone, onSessionGone, onEpochEnded:
		return []phase{phaseClosed}
	case onNothing, onOpened, onAccepted, onRefused, onStranded, onFailed, onAsked, onTimer, onPolicy, onDismissAll:
		return nil
	}
	return nil
}
