package messages

import "strconv"

// EngineEvent is a fact that is published on the host's EventStream and logged
// at its level, but for what a flood of dialogs leaves out of the log. It is one
// of *[DialogOpenedEvent], *[DialogEndedEvent], *[TaskStatusEvent],
// *[TaskStoppedEvent], *[ActorFailedEvent], *[EventsDroppedEvent] and
// *[NoteEvent]. Changes of frames are no events of their own: [Snapshot] shows
// them.
type EngineEvent interface {
	// Level is "debug", "info", "warn" or "error".
	Level() string
	// Text is one line for people; it holds no secret and no page text.
	Text() string
	engineEvent()
}

type (
	// DialogOpenedEvent: a dialog opened.
	DialogOpenedEvent struct {
		Task   TaskID
		Dialog Dialog
	}
	// DialogEndedEvent: a dialog is over.
	DialogEndedEvent struct {
		Task   TaskID
		Record DialogRecord
	}
	// TaskStatusEvent: the task's status changed; an empty one means well.
	TaskStatusEvent struct {
		Task   TaskID
		Status Status
		Reason string
	}
	// TaskStoppedEvent: the task is over; its last status was told before.
	TaskStoppedEvent struct {
		Task   TaskID
		Reason string
		Failed bool
	}
	// ActorFailedEvent: an actor panicked. Stack is for the log only.
	ActorFailedEvent struct {
		Task   TaskID
		Actor  string
		Reason string
		Stack  string
	}
	// EventsDroppedEvent: the host's subscribers were too slow.
	EventsDroppedEvent struct {
		Task    TaskID
		Dropped uint64
	}
	// NoteEvent is a remark that fits none of the others. Dialog is the dialog
	// that it is about, or empty.
	NoteEvent struct {
		Task     TaskID
		Severity string
		Message  string
		Dialog   DialogID
	}
)

// Level of a dialog's opening.
func (*DialogOpenedEvent) Level() string { return "info" }

// Level is warn when a watchdog or nobody here ended the dialog.
func (e *DialogEndedEvent) Level() string {
	if e.Record.ClosedBy == ClosedByWatchdog || e.Record.ClosedBy == ClosedByRemote {
		return "warn"
	}
	return "info"
}

// Level is warn while something is wrong. A stop is what somebody asked for.
func (e *TaskStatusEvent) Level() string {
	switch e.Status {
	case "", StatusStopped:
		return "info"
	case StatusFailed, StatusExpired:
		return "error"
	case StatusConnecting:
		return "debug"
	default:
		return "warn"
	}
}

// Level is error for a task that failed.
func (e *TaskStoppedEvent) Level() string {
	if e.Failed {
		return "error"
	}
	return "info"
}

// Level of a panic.
func (*ActorFailedEvent) Level() string { return "error" }

// Level of lost events.
func (*EventsDroppedEvent) Level() string { return "warn" }

// Level is the note's own.
func (e *NoteEvent) Level() string { return e.Severity }

// Text names the dialog.
func (e *DialogOpenedEvent) Text() string {
	return "dialog " + string(e.Dialog.ID) + " (" + string(e.Dialog.Type) + ") opened" + inARow(e.Dialog.Count)
}

// inARow tells how many equal dialogs one is the last of.
func inARow(count int) string {
	if count < 2 {
		return ""
	}
	return ", " + strconv.Itoa(count) + " equal ones in a row"
}

// Text names the dialog and who ended it.
func (e *DialogEndedEvent) Text() string {
	s := "dialog " + string(e.Record.ID) + " (" + string(e.Record.Type) + ") closed by " + string(e.Record.ClosedBy)
	if e.Record.Reason != "" {
		s += ": " + string(e.Record.Reason)
	}
	return s + inARow(e.Record.Count)
}

// Text names the status and its reason.
func (e *TaskStatusEvent) Text() string {
	if e.Status == "" {
		return "task is well"
	}
	return "task is " + string(e.Status) + ": " + e.Reason
}

// Text says why the task ended.
func (e *TaskStoppedEvent) Text() string { return "task stopped: " + e.Reason }

// Text names the actor.
func (e *ActorFailedEvent) Text() string { return e.Actor + " panicked: " + e.Reason }

// Text says what was lost.
func (*EventsDroppedEvent) Text() string { return "subscribers were too slow, events were dropped" }

// Text is the remark.
func (e *NoteEvent) Text() string { return e.Message }

func (*DialogOpenedEvent) engineEvent()  {}
func (*DialogEndedEvent) engineEvent()   {}
func (*TaskStatusEvent) engineEvent()    {}
func (*TaskStoppedEvent) engineEvent()   {}
func (*ActorFailedEvent) engineEvent()   {}
func (*EventsDroppedEvent) engineEvent() {}
func (*NoteEvent) engineEvent()          {}
