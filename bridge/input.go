package bridge

import "cdpsupervisor/messages"

// Input is what happens to the bridge of one connection.
//
//sumtype:decl
type Input interface{ input() }

type (
	// Attached: a page or frame session begins. Where the bridge is on, the
	// Sends of this step are its installation, in their order, before the
	// session's target is resumed.
	Attached struct{ Session messages.SessionID }
	// Ended: a session is over.
	Ended struct{ Session messages.SessionID }
	// ContextCreated: a page's own execution context of a frame.
	ContextCreated struct {
		Session messages.SessionID
		Context messages.ContextID
		Frame   messages.FrameID
		Origin  string
	}
	// ContextGone: a context, or all of the session when Context is 0.
	ContextGone struct {
		Session messages.SessionID
		Context messages.ContextID
	}
	// Replied is the reply to a command that was sent with Await.
	Replied struct {
		Session messages.SessionID
		Method  string
		// Script is the identifier of an added script.
		Script string
		// Value is the string that an evaluation came to; an exception has none.
		Value string
		Err   *messages.ProtocolError
	}
	// Paused is Fetch.requestPaused.
	Paused struct {
		Session messages.SessionID
		Request *messages.RequestPaused
	}
	// Broke is Debugger.paused.
	Broke struct {
		Session messages.SessionID
		Event   *messages.DebuggerPaused
	}
	// NativeOpened: a native dialog opened in a document of the session.
	NativeOpened struct {
		Session messages.SessionID
		Type    messages.DialogType
		// Frame is the frame that opened it, and Parent the one above.
		Frame, Parent messages.FrameID
	}
	// ClosedUnasked: so many native dialogs in a row were closed by the backend
	// itself, at once, with no navigation in flight.
	ClosedUnasked struct{ InARow int }
	// CanaryEnded: the expression of [State.CanaryExpression] came to this
	// value; an exception is the reason for a failure.
	CanaryEnded struct{ Value string }
	// Stopped: the engine leaves the browser. What the bridge did is undone.
	Stopped struct{}
)

func (Attached) input()       {}
func (Ended) input()          {}
func (ContextCreated) input() {}
func (ContextGone) input()    {}
func (Replied) input()        {}
func (Paused) input()         {}
func (Broke) input()          {}
func (NativeOpened) input()   {}
func (ClosedUnasked) input()  {}
func (CanaryEnded) input()    {}
func (Stopped) input()        {}

// Effect is something to be done, as data.
//
//sumtype:decl
type Effect interface{ effect() }

type (
	// Send sends a command on a session. With Await its reply comes back as
	// [Replied].
	Send struct {
		Session messages.SessionID
		Command messages.Command
		Await   bool
	}
	// Asked: a page asks, and stands still until it is answered or released.
	Asked struct{ Question Question }
	// TurnedOn: the bridge was off and is on from now.
	TurnedOn struct{}
	// Note is a fact for the log; it holds no page text and no secret.
	Note struct{ Severity, Message string }
)

func (Send) effect()     {}
func (Asked) effect()    {}
func (TurnedOn) effect() {}
func (Note) effect()     {}
