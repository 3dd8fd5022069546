package policy

import (
	"time"

	"cdpsupervisor/messages"
)

// Effect is something to be done, as data. The effects of a step stand in the
// order in which they are to be performed; [OpenChanged] and [Publish] come
// after what goes to the wire, [Answer] and [Settled] after them, so that
// whoever is answered sees the effect of its answer.
//
//sumtype:decl
type Effect interface{ effect() }

// What goes to the wire and to the clock.
type (
	// Send asks for the command that answers a dialog. Its end comes back as
	// [AnswerReplied] with the same Gen, also when it could not be sent.
	Send struct {
		Dialog messages.DialogID
		Gen    uint64
		Via    messages.Via
		Accept bool
		Text   string // what an accepted prompt returns; "" for all else
		// Type, Frame and Target are the dialog's, for whoever words the answer.
		Type   messages.DialogType
		Frame  messages.FrameID
		Target messages.TargetID
	}

	// Arm asks for a [Timer] with the same Gen at the time At. It takes the
	// place of the dialog's earlier timer.
	Arm struct {
		Dialog messages.DialogID
		Gen    uint64
		At     time.Time
	}

	// Disarm says that the dialog needs no timer any more. It only saves a
	// wake-up: a timer that fires all the same is ignored.
	Disarm struct{ Dialog messages.DialogID }

	// SetWill adds the dialog's dismissal to what the socket writes when the
	// epoch ends from our side: a dismissal for a native dialog, a release for
	// a held question of the bridge.
	SetWill struct {
		Dialog messages.DialogID
		Via    messages.Via
	}

	// ClearWill takes it out again.
	ClearWill struct{ Dialog messages.DialogID }
)

// What is told to those who asked.
type (
	// Answer ends an [Ask]. Exactly one of Result and Failure is set.
	Answer struct {
		Ref     messages.Ref
		Result  *AnswerResult
		Failure *messages.Failure
	}

	// Settled ends a [DismissAll].
	Settled struct {
		Ref messages.Ref
		// Left are the dialogs in its scope that are still open: unanswerable,
		// left for a person, or their dismissal failed. Closing a page over a
		// native one that a subframe opened kills the browser.
		Left []messages.Dialog
	}
)

// AnswerResult is how an [Ask] ended that succeeded: the dialog is over and it
// was an agent's answer that closed it.
type AnswerResult struct {
	// Dialog is the dialog as it was.
	Dialog messages.Dialog
	// Record is how it ended. Its Result differs from Action when the browser
	// ended the dialog otherwise than it was told to.
	Record messages.DialogRecord
	// Action is what was sent. When several ask at once it is the first one's.
	Action messages.DialogAction
	// Note is a sentence for the agent, or "": a text that was ignored, a
	// result that differs.
	Note string
}

// What is shown.
type (
	// Publish is the part of the snapshot that the machine owns. It comes only
	// when something in it changed. The slices are fresh and never written
	// again; they are never nil.
	Publish struct {
		// Pending are the open dialogs in the order of their opening, at most
		// [messages.MaxPendingDialogs].
		Pending []messages.Dialog
		// Recent are the last dialogs that are over, oldest first, at most
		// [messages.MaxRecentDialogs].
		Recent []messages.DialogRecord
		// Overflow counts the dialogs that were dismissed at once because
		// [messages.MaxPendingDialogs] were open, since the task began.
		Overflow uint64
	}

	// OpenChanged lists what keeps renderers blocked now. It comes only when
	// something in it changed; the slice is fresh and never written again.
	OpenChanged struct{ Open []OpenDialog }

	// Poisoned says that the frame of an open native dialog was removed. The
	// dialog is over for us, not for the browser: any answer, navigation, close
	// or further dialog in this target kills the browser, unless the Page
	// domain is disabled first.
	Poisoned struct {
		Target messages.TargetID
		// Frame is the dialog's. Should the browser still say that the frame's
		// dialog is closed, the target is safe again.
		Frame  messages.FrameID
		Reason string
	}

	// AutoDismissed says that the browser side closed a native dialog by itself
	// within [messages.AutoDismissWindow] of its opening.
	AutoDismissed struct {
		Target  messages.TargetID
		Session messages.SessionID
		After   time.Duration // from its opening
		// NavigationInFlight: a navigation was under way, so that it proves
		// nothing about the backend.
		NavigationInFlight bool
		// InARow is how many native dialogs in a row ended like this one with no
		// navigation in flight, this one included. A native dialog that lived
		// longer, or that we answered, starts it again; one that ended with a
		// navigation in flight proves nothing and leaves it.
		InARow int
	}
)

// OpenDialog is a dialog that keeps a renderer blocked, with all that is needed
// to build the machine again.
type OpenDialog struct {
	ID       messages.DialogID
	Session  messages.SessionID
	Target   messages.TargetID
	Frame    messages.FrameID
	Type     messages.DialogType
	Via      messages.Via
	TopFrame bool
	// NavigationInFlight as in [Opened].
	NavigationInFlight bool
	// Dialog is what the snapshot shows of it.
	Dialog messages.Dialog
	// Unanswerable: only a reload or a navigation of the page ends the dialog.
	Unanswerable bool
	// Stranded: a navigation of the page waits for the dialog's end. Only
	// another one ends it, no reload; and the browser dies when the session goes,
	// or its Page domain is disabled, before.
	Stranded bool
	// Sent is the command on the wire, or the last one without a reply, as it
	// was when the list was made.
	Sent *Sent
}

// Sent is a command that answers a dialog and has had no reply.
type Sent struct {
	Gen    uint64
	Accept bool
	Text   string
	By     messages.ClosedBy
	Reason messages.CloseReason
}

// Note is a fact for the log and for subscribers.
type Note struct {
	Kind NoteKind
	// Dialog is the dialog as it is after the fact.
	Dialog messages.Dialog
	// Record is set for [NoteClosed].
	Record *messages.DialogRecord
	// Failure is set for [NoteAnswerFailed].
	Failure *messages.Failure
	// By is who acts, for [NoteAnswerFailed] and [NoteAnswering].
	By messages.ClosedBy
}

// NoteKind says what a [Note] tells.
type NoteKind uint8

// The facts.
const (
	// NoteOpened: a dialog has opened.
	NoteOpened NoteKind = iota + 1
	// NoteAnswering: an answer is on its way.
	NoteAnswering
	// NoteClosed: a dialog is over.
	NoteClosed
	// NoteWatchdog: nobody answered in time; the dialog is being dismissed.
	NoteWatchdog
	// NoteAnswerFailed: a command failed; the dialog is open again.
	NoteAnswerFailed
	// NoteUnanswerable: the browser takes no answer to this dialog.
	NoteUnanswerable
	// NoteTried: a native dialog that the bridge's script tried is over. Nothing
	// else is told of it, unless it goes wrong.
	NoteTried
	// NoteOverflow: too many dialogs are open; this one is dismissed at once.
	NoteOverflow
)

func (Send) effect()          {}
func (Arm) effect()           {}
func (Disarm) effect()        {}
func (SetWill) effect()       {}
func (ClearWill) effect()     {}
func (Answer) effect()        {}
func (Settled) effect()       {}
func (Publish) effect()       {}
func (OpenChanged) effect()   {}
func (Poisoned) effect()      {}
func (AutoDismissed) effect() {}
func (Note) effect()          {}
