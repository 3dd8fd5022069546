package policy

import (
	"time"

	"cdpsupervisor/messages"
)

// Input is what happens to the machine. Every input carries when it happened;
// inputs arrive in the order of time. An input is passed as a value, never as a
// pointer, and its slices are only read during the step.
//
//sumtype:decl
type Input interface {
	// When is the time of the input.
	When() time.Time
	input()
}

// What the browser says of dialogs.
type (
	// Opened says that a dialog has opened: Page.javascriptDialogOpening, or a
	// question that the bridge holds.
	//
	//	(new) → open | answering | unanswerable
	Opened struct {
		At time.Time
		// Session is the session that the event came on. A native dialog is
		// announced on the page session, whichever frame opened it.
		Session messages.SessionID
		Target  messages.TargetID
		Frame   messages.FrameID // "" from old browsers
		Type    messages.DialogType
		// Message, DefaultPrompt and URL are cut to their caps by the machine
		// too, so that no caller can forget it.
		Message       string
		DefaultPrompt string
		URL           string
		Origin        string // the frame's origin, as the caller knows it
		Truncated     bool   // the message or the default was cut before
		// Via is how the dialog is answered; nil means natively on Session.
		Via messages.Via
		// Trial: the bridge's script tries whether the browser shows dialogs in
		// its sandbox, and asks the real question itself. The dialog is dismissed
		// at once and stays out of what is shown, unless something goes wrong.
		Trial bool
		// TopFrame: the page's main frame opened the dialog. Chromium survives
		// the close of a page under such a dialog, under no other.
		TopFrame bool
		// NavigationInFlight: a cross-process navigation of one of the page's
		// frames had begun and not committed when the dialog opened. Chromium
		// then cancels the dialog by itself.
		NavigationInFlight bool
	}

	// Closed is Page.javascriptDialogClosed. It ends the dialog of that frame
	// on that session; when either side does not know the frame, the oldest
	// one of the session.
	//
	//	open → closed | settling, answering → settling, unanswerable → closed
	Closed struct {
		At        time.Time
		Session   messages.SessionID
		Frame     messages.FrameID // "" from old browsers
		Result    bool
		UserInput string
		// NavigationInFlight: a navigation of one of the page's frames had
		// begun and not committed when the dialog closed. A dialog that then
		// ends with false, unasked and not at once, was ended by it.
		NavigationInFlight bool
		// NavigationOrdered: an agent of this task has asked for a navigation of
		// the page that is not over. Chromium cancels the page's dialog for it.
		NavigationOrdered bool
	}

	// AnswerReplied is the end of a command that a [Send] asked for.
	//
	//	answering → closed | open | unanswerable, settling → closed
	AnswerReplied struct {
		At     time.Time
		Dialog messages.DialogID
		Gen    uint64 // of the Send
		// Err is the browser's refusal, nil when it said yes.
		Err *messages.ProtocolError
		// Lost: the session or the connection went before a reply, or the
		// command could not be sent; it may have had its effect. Err is nil.
		Lost bool
	}
)

// What the page's frames, targets and sessions do to dialogs.
type (
	// FramesRemoved says that a frame was removed with its subtree:
	// Page.frameDetached{reason: remove}. Their dialogs end as
	// remote/frame_removed and are never answered; a native one poisons its
	// target.
	FramesRemoved struct {
		At     time.Time
		Frames []messages.FrameID
	}

	// Navigated is a commit of a new document in a frame; its old document is
	// gone, and the documents below it. Bridge dialogs of these frames end as
	// remote/navigation. Native ones end by Closed, which Chromium sends before
	// the commit; one that has not had it ends here too, but only when the
	// commit came on the dialog's own session: between sessions no order is
	// promised, and the dialog may belong to the new document.
	Navigated struct {
		At time.Time
		// Session is the session that the commit came on.
		Session messages.SessionID
		Target  messages.TargetID
		Frame   messages.FrameID
		Frames  []messages.FrameID // the frame and what was below it; may be empty
		// TopFrame: the page's main frame committed; every dialog of Target ends.
		TopFrame bool
	}

	// TargetGone says that a page is over, or its renderer has crashed: its
	// dialogs end as remote/Reason.
	TargetGone struct {
		At     time.Time
		Target messages.TargetID
		Reason messages.CloseReason // target_closed or crashed; "" is the first
	}

	// SessionGone says that a session has detached. What it held is over:
	// bridge dialogs end as remote/target_closed, native ones, which nobody can
	// answer any more, as remote/disconnected. A Reason overrides both.
	SessionGone struct {
		At      time.Time
		Session messages.SessionID
		Reason  messages.CloseReason
	}

	// EpochEnded says that the connection is over. Every dialog ends as
	// remote/Reason, every caller is answered, every sweep is settled.
	EpochEnded struct {
		At     time.Time
		Reason messages.CloseReason // "" is disconnected
	}
)

// Stranded says that a navigation of a page waits for the end of its native
// dialogs, which the browser takes no answer to: [IsStranded]. A dialog with our
// answer on the wire is left to that one's reply.
//
//	open → unanswerable
type Stranded struct {
	At     time.Time
	Target messages.TargetID
}

// When is At.
func (in Stranded) When() time.Time { return in.At }

func (Stranded) input() {}

// What people, agents and time do.
type (
	// Ask is an agent's answer to a dialog.
	//
	//	open → answering
	Ask struct {
		At     time.Time
		Ref    messages.Ref // who is answered; the caller never uses it twice
		Action messages.DialogAction
		// Text is the text for a prompt; nil means the prompt's own default, ""
		// is an empty answer.
		Text *string
		// Dialog is which; "" is the only one that is open.
		Dialog messages.DialogID
		// Accept, when not nil, are the dialogs that may be accepted.
		Accept []messages.DialogID
	}

	// Timer is the end of what an [Arm] asked for; any other than the last one
	// armed for the dialog is ignored.
	//
	//	open → answering, answering → open, settling → closed
	Timer struct {
		At     time.Time
		Dialog messages.DialogID
		Gen    uint64
	}

	// SetPolicy changes the policy and the timeout of a running task. It
	// applies to open dialogs too: an automatic policy answers them now, under
	// must_respond the watchdog starts again. An invalid value leaves the old
	// one, and what is the same as before changes nothing.
	SetPolicy struct {
		At      time.Time
		Policy  messages.Policy
		Timeout time.Duration
	}

	// DismissAll dismisses what is open, before a target is closed, the engine
	// stops, or a navigation that held requests would block. [Settled] follows
	// when each of them is over, cannot be answered, or has failed once.
	DismissAll struct {
		At  time.Time
		Ref messages.Ref // what Settled carries
		// Target is whose dialogs; "" means all. With OnStop leave and Reason
		// stopped, "" passes over the native ones, which then stay for a
		// person; one target named is a target about to be closed, and is not
		// passed over.
		Target messages.TargetID
		// BridgeOnly passes over native dialogs, which a navigation ends by
		// itself.
		BridgeOnly bool
		// By and Reason are what the records say: auto_policy/stopped,
		// agent/target_closed, remote/navigation.
		By     messages.ClosedBy
		Reason messages.CloseReason
		// Until keeps the order in force after Settled: what opens in its scope
		// before then is dismissed as it opens. A page that opens one dialog
		// after the other gets no gap between Settled and the close. A
		// beforeunload dialog, which the close itself may open, is left to the
		// policy. Zero means until Settled.
		Until time.Time
	}
)

// When is At.
func (in Opened) When() time.Time { return in.At }

// When is At.
func (in Closed) When() time.Time { return in.At }

// When is At.
func (in AnswerReplied) When() time.Time { return in.At }

// When is At.
func (in FramesRemoved) When() time.Time { return in.At }

// When is At.
func (in Navigated) When() time.Time { return in.At }

// When is At.
func (in TargetGone) When() time.Time { return in.At }

// When is At.
func (in SessionGone) When() time.Time { return in.At }

// When is At.
func (in EpochEnded) When() time.Time { return in.At }

// When is At.
func (in Ask) When() time.Time { return in.At }

// When is At.
func (in Timer) When() time.Time { return in.At }

// When is At.
func (in SetPolicy) When() time.Time { return in.At }

// When is At.
func (in DismissAll) When() time.Time { return in.At }

func (Opened) input()        {}
func (Closed) input()        {}
func (AnswerReplied) input() {}
func (FramesRemoved) input() {}
func (Navigated) input()     {}
func (TargetGone) input()    {}
func (SessionGone) input()   {}
func (EpochEnded) input()    {}
func (Ask) input()           {}
func (Timer) input()         {}
func (SetPolicy) input()     {}
func (DismissAll) input()    {}
