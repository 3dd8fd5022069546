package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
)

// snapshotActor is the single writer of the published pointer. It stores
// first and answers then: whoever got an answer finds its effect in the next
// Load.
type snapshotActor struct {
	env     *Env
	rec     *Record
	seq     uint64
	task    *messages.TaskPart
	dialogs *messages.DialogsPart
}

// Receive takes one changed part.
func (s *snapshotActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		s.restore()
	case *messages.TaskPart:
		s.task = m
		s.publish()
		s.answer(ctx, m.Answers)
	case *messages.DialogsPart:
		s.dialogs = m
		s.publish()
		s.answer(ctx, m.Answers)
	case *messages.Answered:
		// Nothing changed, but what was sent before is published by now.
		s.answer(ctx, m.Answers)
	case *rest:
		ctx.Send(ctx.Parent(), &rested{kind: ChildSnapshot, round: m.round})
	}
}

// restore takes up the last snapshot, until every owner has published again.
func (s *snapshotActor) restore() {
	last := s.rec.Published.Load()
	s.seq = last.Seq
	s.dialogs = &messages.DialogsPart{Pending: last.PendingDialogs, Recent: last.RecentDialogs}
	s.task = &messages.TaskPart{
		Epoch: last.Epoch, Ready: last.Ready, PageTargetID: last.PageTargetID, Page: last.Page,
		Tree: last.FrameTree, State: last.Supervisor, Console: last.ConsoleErrors, Policy: last.Policy,
	}
}

func (s *snapshotActor) publish() {
	s.seq++
	s.rec.Published.Store(&messages.Snapshot{
		Seq: s.seq, At: s.env.Clock.Now(), Epoch: s.task.Epoch, Task: s.rec.ID,
		PendingDialogs: s.dialogs.Pending, RecentDialogs: s.dialogs.Recent,
		FrameTree: s.task.Tree, PageTargetID: s.task.PageTargetID, Supervisor: s.task.State,
		Page: s.task.Page, Policy: s.task.Policy, ConsoleErrors: s.task.Console, Ready: s.task.Ready,
	})
}

func (s *snapshotActor) answer(ctx actor.Context, answers []messages.Answer) {
	if len(answers) > 0 {
		ctx.Send(ctx.Parent(), &messages.Answered{Answers: answers})
	}
}

// PublishEnded stores the last snapshot of a task whose actors are gone, and
// tells the host, unless they have done that themselves.
func PublishEnded(env *Env, rec *Record, status messages.Status, reason string) {
	last := *rec.Published.Load()
	if last.Supervisor != nil && last.Supervisor.Status.Final() {
		return
	}
	last.Seq++
	last.At = env.Clock.Now()
	last.Ready = false
	last.PendingDialogs = []messages.Dialog{}
	last.Supervisor = &messages.SupervisorState{Status: status, Reason: reason, Since: messages.EpochSeconds(last.At)}
	if status == messages.StatusFailed {
		last.Supervisor.WaysOut = []string{"stop the task, or start it again"}
	}
	rec.Published.Store(&last)
	events := []messages.EngineEvent{
		&messages.TaskStatusEvent{Task: rec.ID, Status: status, Reason: reason},
		&messages.TaskStoppedEvent{Task: rec.ID, Reason: reason, Failed: status == messages.StatusFailed},
	}
	for _, ev := range events {
		logEvent(env, rec, ev)
	}
	go publishAll(env.System, rec, events)
}
