package messages

// ToSocket is what a socket actor receives.
type ToSocket interface{ toSocket() }

type (
	// SendCommand writes one command; its reply comes back under the Ref.
	SendCommand struct {
		Epoch   Epoch
		Session SessionID
		Ref     Ref
		Command Command
	}
	// SendCommands writes several in their order, as SendCommand does each, and
	// then drops what waits for replies on dead sessions. The socket gives it back
	// to its lender, if there is one, when it has.
	SendCommands struct {
		List   []SendCommand
		Forget []SessionID
		Lender CommandsLender
	}
	// SetWill keeps what is to be written last, whoever ends the connection
	// on our side; no commands clear it.
	SetWill struct {
		Key      string
		Session  SessionID
		Commands []Command
	}
	// CloseSocket ends the connection from our side.
	CloseSocket struct{ Cause Cause }
	// LivenessTick is the socket's own timer.
	LivenessTick struct{}
)

// GiveBack ends the use of the message.
func (m *SendCommands) GiveBack() {
	if lender := m.Lender; lender != nil {
		m.List, m.Forget, m.Lender = emptied(m.List), emptied(m.Forget), nil
		lender.TakeBack(m)
	}
}

// CommandsLender takes an empty message back that it has lent. It may be called
// from any goroutine and does not block.
type CommandsLender interface{ TakeBack(*SendCommands) }

// emptied is the room of a list for the next time, unless it is very long.
func emptied[T any](list []T) []T {
	if cap(list) > 2*MaxBacklogEvents {
		return nil
	}
	clear(list)
	return list[:0]
}

func (*SendCommand) toSocket()  {}
func (*SendCommands) toSocket() {}
func (*SetWill) toSocket()      {}
func (*CloseSocket) toSocket()  {}
func (*LivenessTick) toSocket() {}

// ToSnapshot is what the snapshot actor receives: the changed parts.
type ToSnapshot interface{ toSnapshot() }

type (
	// TaskPart is the supervisor's part, whole. Parts that did not change are
	// the same pointers and slices as before.
	TaskPart struct {
		Epoch        Epoch
		Ready        bool
		PageTargetID TargetID
		Page         PageState
		Tree         *FrameTree
		State        *SupervisorState
		Console      []ConsoleError
		Policy       Policy
		Answers      []Answer
	}
	// DialogsPart is the part of the dialogs actor, whole.
	DialogsPart struct {
		Pending []Dialog
		Recent  []DialogRecord
		Answers []Answer
	}
)

func (*TaskPart) toSnapshot()    {}
func (*DialogsPart) toSnapshot() {}

// ToEvents is what the events actor receives.
type ToEvents interface{ toEvents() }

type (
	// Note is one fact for the log and for the host's subscribers. The dialogs
	// actor sends its own through the supervisor.
	Note struct{ Event EngineEvent }
	// EventsPublished: the subscribers are done with the last batch.
	EventsPublished struct{ Panicked int }
)

func (*Note) toEvents()            {}
func (*Note) toSupervisor()        {}
func (*EventsPublished) toEvents() {}
