package messages

import "time"

// ToSupervisor is what a supervisor receives from inside the engine. From
// outside it receives [Ask] values, and batches as *[Batch].
type ToSupervisor interface{ toSupervisor() }

type (
	// SocketOpened: the connection of the epoch stands.
	SocketOpened struct {
		Epoch     Epoch
		Shown     string // the endpoint, redacted
		PageLevel bool
		Bridge    BridgeHint
		OwnsAll   bool // the browser belongs to the task
		// Browser is the same for two connections to one browser, however its
		// address is written; "" where nothing tells.
		Browser string
	}
	// Disconnected: the connection ended, or could not be made. Nothing of
	// the epoch follows.
	Disconnected struct {
		Epoch Epoch
		Cause Cause
	}
	// SendFailed: a command did not reach the wire.
	SendFailed struct {
		Epoch   Epoch
		Ref     Ref
		Failure *Failure
	}
	// Outgoing is a command of the dialogs actor, for the current epoch.
	Outgoing struct {
		Session SessionID
		Ref     Ref
		Command Command
	}
	// WillChanged sets the last will for one dialog; no commands clear it.
	WillChanged struct {
		Dialog   DialogID
		Session  SessionID
		Commands []Command
	}
	// DialogsOpen lists the dialogs that are open now, oldest first.
	DialogsOpen struct{ Open []OpenDialog }
	// DialogsSettled: every dialog of a dismissal is over, but those Left.
	DialogsSettled struct {
		Ref  Ref
		Left []Dialog
	}
	// TargetPoisoned: an answer to a dialog of the target would kill the
	// browser.
	TargetPoisoned struct {
		TargetID TargetID
		FrameID  FrameID // of the dialog
		Reason   string
	}
	// RemoteClosed: another client closed a dialog of this browser, After it
	// had opened.
	RemoteClosed struct {
		TargetID TargetID
		Session  SessionID
		After    time.Duration
		// Auto: within [AutoDismissWindow], unasked, with no navigation in
		// flight: the shape of a backend that closes dialogs itself.
		Auto bool
		// InARow is how many native dialogs in a row ended so.
		InARow int
	}
	// Answered carries answers to whoever waits behind their Refs.
	Answered struct{ Answers []Answer }
	// SessionsChanged: the set-up of sessions reached other phases, in order.
	SessionsChanged struct {
		Epoch Epoch
		List  []SessionChange
	}
	// CapabilityLost: the backend refused something.
	CapabilityLost struct {
		Epoch              Epoch
		Capability, Reason string
	}
	// ClaimGranted: this task may choose a page now.
	ClaimGranted struct {
		Epoch Epoch
		Taken []TargetID
	}
	// PageTaken: the page that this task chose is another's. Their endpoints are
	// written differently, so that nobody knew that they are one browser. Or it was
	// closed before it could be used.
	PageTaken struct {
		Page   TargetID
		Closed bool
	}
	// StopSupervisor ends the task in order.
	StopSupervisor struct {
		// By and Reason stand in the records of dialogs that are dismissed.
		Reason string
	}
	// TimerFired is a timer of the supervisor's own.
	TimerFired struct {
		Timer SupervisorTimer
		Epoch Epoch
		Gen   uint64
	}
	// ChildFailed: a child of the supervisor panicked and was restarted or
	// stopped. It is sent by the supervision strategy.
	ChildFailed struct {
		Child   string // "socket", "dialogs", "sessions", "snapshot", "events"
		Session uint32 // whose handling made the sessions actor panic, or 0
		Stopped bool   // it was stopped, not restarted
		Reason  string
	}
	// SocketQuiet: nothing came for [IdlePing]. It comes again while the silence
	// lasts.
	SocketQuiet struct{ Epoch Epoch }
)

// SessionChange is one session's new state.
type SessionChange struct {
	Session uint32 // its number
	State   SessionState
}

// OpenDialog is an open dialog and what the supervisor needs to know whom it
// blocks.
type OpenDialog struct {
	Dialog       Dialog
	Session      SessionID // the page session on which it opened
	Via          Via
	Unanswerable bool
	Stranded     bool     // unanswerable until another navigation; see policy.OpenDialog
	SentBy       ClosedBy // whose answer is on the wire, or ""
}

// SupervisorTimer tells the supervisor's timers apart.
type SupervisorTimer uint8

// The timers.
const (
	TimerReconnect SupervisorTimer = iota + 1
	TimerRoot
	TimerAsk
	TimerJudged
	TimerStop
	TimerReady
	TimerLeave
	TimerBridge
	TimerProbe
	TimerHeal
	TimerFocus
)

// SessionState is where the set-up of a session stands.
type SessionState string

// The states of a session.
const (
	SessionPending      SessionState = "pending"
	SessionReady        SessionState = "ready"
	SessionBlocked      SessionState = "blocked"
	SessionUnresponsive SessionState = "unresponsive"
	SessionCrashed      SessionState = "crashed"
	SessionEnded        SessionState = "ended"
)

func (*Batch) toSupervisor()           {}
func (*SocketOpened) toSupervisor()    {}
func (*Disconnected) toSupervisor()    {}
func (*SendFailed) toSupervisor()      {}
func (*Outgoing) toSupervisor()        {}
func (*WillChanged) toSupervisor()     {}
func (*DialogsOpen) toSupervisor()     {}
func (*DialogsSettled) toSupervisor()  {}
func (*TargetPoisoned) toSupervisor()  {}
func (*RemoteClosed) toSupervisor()    {}
func (*Answered) toSupervisor()        {}
func (*SessionsChanged) toSupervisor() {}
func (*CapabilityLost) toSupervisor()  {}
func (*ClaimGranted) toSupervisor()    {}
func (*PageTaken) toSupervisor()       {}
func (*StopSupervisor) toSupervisor()  {}
func (*TimerFired) toSupervisor()      {}
func (*ChildFailed) toSupervisor()     {}
func (*SocketQuiet) toSupervisor()     {}
