package messages

// ToSessions is what a sessions actor receives.
type ToSessions interface{ toSessions() }

type (
	// SessionInputs is what happened to the sessions of one connection, in the
	// order in which it happened. Whoever is sent it owns it.
	SessionInputs struct{ List []SessionInput }
	// SessionTimer is a timer of a session's set-up.
	SessionTimer struct {
		Session uint32
		Gen     uint64
	}
	// EndSessions stops the actor with its connection; whoever waits was
	// answered before.
	EndSessions struct{}
)

// Empty makes it ready to be filled again.
func (m *SessionInputs) Empty() { m.List = emptied(m.List) }

func (*SessionInputs) toSessions() {}
func (*SessionTimer) toSessions()  {}
func (*EndSessions) toSessions()   {}

// SessionInputKind tells what happened to a session.
type SessionInputKind uint8

// What can happen to a session, and the fields of [SessionInput] that go with
// it.
const (
	SessionBegan            SessionInputKind = iota + 1 // Begin
	SessionReplied                                      // N, Err
	SessionContextCreated                               // Context, Unique, Frame: a frame's default one
	SessionContextDestroyed                             // Context
	SessionContextsCleared
	SessionRendererGone
	SessionRendererBack
	SessionCalled // Call
	SessionOver
)

// SessionInput is one thing that happened to the session with a number. It is
// a value with a kind, not an interface, because there are several for each
// frame of a page: a list of them is one allocation.
type SessionInput struct {
	Session uint32
	Kind    SessionInputKind
	N       uint64 // the step that was replied to
	Err     *ProtocolError
	Begin   *SessionBegin
	Call    *CallOn
	Context ContextID
	Unique  string
	Frame   FrameID
}

// SessionBegin says what a session is whose set-up begins.
type SessionBegin struct {
	ID     SessionID
	Target TargetID
	Page   bool      // a page or a popup, else an iframe
	Bridge []Command // what installs the dialog bridge, in order, or nothing
}

// CallOn runs an agent's method on the session. ContextFrame, when set, is the
// frame in whose own execution context it must run.
type CallOn struct {
	Ref          Ref
	Method       string
	Params       []byte
	ContextFrame FrameID
}
