package actors

import (
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/policy"
)

// The supervisor's children are started when there is something for them, and
// those that keep nothing that could not be read again are stopped when a task
// has been quiet for long: most tasks are, most of the time, and an actor that
// waits takes one and a half KiB.
//
//	events     while there is something to publish
//	sessions   while sessions are set up, or used; their table is the link's
//	snapshot   from the first part on; begins with what is published
//	dialogs    from the first dialog on, and then for ever
//
// Nothing may be lost in the mailbox of a child that is stopped. So the child is
// asked whether it is at rest, and is stopped only if it was told nothing since.
type (
	// rest asks a child to say [rested] if it has nothing to do.
	rest struct{ round uint64 }
	// rested is the answer.
	rested struct {
		kind  ChildKind
		round uint64
	}
)

// IgnoreDeadLetterLogging as for all messages of the engine.
func (*rest) IgnoreDeadLetterLogging() {}

// IgnoreDeadLetterLogging as for all messages of the engine.
func (*rested) IgnoreDeadLetterLogging() {}

// spawn starts a child.
func (s *supervisor) spawn(ctx actor.Context, kind ChildKind, name string, producer actor.Producer, keep lost) *actor.PID {
	if s.rests > 0 {
		name = fmt.Sprintf("%s~%d", name, s.rests+1) // the one before may still be on its way out
	}
	pid, err := ctx.SpawnNamed(props(s.env, s.rec.ID, string(kind), producer, keep), name)
	if err != nil {
		// The name is ours alone: a clash is a bug, and restarts the task.
		panic(err)
	}
	return pid
}

// toSnapshot tells the snapshot actor something.
func (s *supervisor) toSnapshot(ctx actor.Context, m any) {
	s.awake = true
	ctx.Send(s.snapshotActor(ctx), m)
}

func (s *supervisor) snapshotActor(ctx actor.Context) *actor.PID {
	if s.snapshot == nil {
		s.snapshot = s.spawn(ctx, ChildSnapshot, string(ChildSnapshot), func() actor.Actor { return &snapshotActor{env: s.env, rec: s.rec} }, nil)
	}
	return s.snapshot
}

// toEvents tells the events actor something.
func (s *supervisor) toEvents(ctx actor.Context, m any) {
	s.awake = true
	if s.events == nil {
		s.events = s.spawn(ctx, ChildEvents, string(ChildEvents), func() actor.Actor { return &eventsActor{env: s.env, rec: s.rec} }, nil)
	}
	ctx.Send(s.events, m)
}

// toDialogs tells the dialogs actor something, if there is one.
func (s *supervisor) toDialogs(ctx actor.Context, m any) {
	s.awake = true
	if s.dialogs != nil {
		ctx.Send(s.dialogs, m)
	}
}

// tell gives the dialogs actor one input. What only ends dialogs is nothing to
// it before there was one, but for frames that are gone: the news of a dialog
// can come after that of its frame's end.
func (s *supervisor) tell(in policy.Input, ctx actor.Context) {
	if s.dialogs == nil {
		switch in := in.(type) {
		case policy.FramesRemoved:
			s.gone.Add(in.Frames)
			return
		case policy.EpochEnded:
			s.gone = nil
			return
		case policy.Navigated, policy.TargetGone, policy.SessionGone, policy.Closed, policy.Stranded:
			return
		case policy.Opened, policy.Ask, policy.AnswerReplied, policy.Timer, policy.SetPolicy, policy.DismissAll:
			s.beginDialogs(ctx)
		}
	}
	s.toDialogs(ctx, &dialogInput{Input: in})
}

// beginDialogs starts the dialogs actor.
func (s *supervisor) beginDialogs(ctx actor.Context) {
	snapshot := s.snapshotActor(ctx) // which does not rest from now on
	s.dialogs = s.spawn(ctx, ChildDialogs, string(ChildDialogs), func() actor.Actor {
		return &dialogsActor{env: s.env, rec: s.rec, snapshot: snapshot}
	}, s.rec.keepInput)
	if len(s.gone) > 0 {
		s.toDialogs(ctx, &dialogInput{Input: policy.FramesRemoved{At: s.env.Clock.Now(), Frames: s.gone}})
		s.gone = nil
	}
}

// beginSessions starts the actor that holds the connection's sessions.
func (s *supervisor) beginSessions(ctx actor.Context) {
	l := s.link
	if l.sessionsActor != nil {
		return
	}
	env, epoch, self, socket, table := s.env, l.epoch, ctx.Self(), l.socket, l.sessionTable()
	l.sessionsActor = s.spawn(ctx, ChildSessions, fmt.Sprintf("%s/%d", ChildSessions, epoch), func() actor.Actor {
		return &sessionsActor{env: env, epoch: epoch, table: table, supervisor: self, socket: socket}
	}, table.keep)
}

// askRest asks the children that may be stopped whether they are at rest.
func (s *supervisor) askRest(ctx actor.Context) {
	s.round++
	s.awake = false
	m := &rest{round: s.round}
	if s.link != nil && s.link.sessionsActor != nil {
		ctx.Send(s.link.sessionsActor, m)
	}
	if s.events != nil {
		ctx.Send(s.events, m)
	}
	if s.snapshot != nil && s.dialogs == nil {
		ctx.Send(s.snapshot, m)
	}
}

// childRests stops a child that has nothing to do and was told nothing since it
// said so.
func (s *supervisor) childRests(ctx actor.Context, m *rested) {
	if s.awake || m.round != s.round || s.closing || s.stop != nil {
		return
	}
	pid := &s.events
	switch m.kind {
	case ChildSnapshot:
		pid = &s.snapshot
	case ChildSessions:
		if s.link == nil {
			return
		}
		pid = &s.link.sessionsActor
	case ChildEvents:
	case ChildDialogs, ChildSocket:
		return
	}
	if *pid != nil {
		ctx.Stop(*pid)
		*pid = nil
		s.rests++
	}
}

// LetGo drops what the library still holds of children that have stopped: it
// shortens its list of them and leaves them behind the end of it, where each
// keeps its mailbox and its actor alive. The list is the library's own.
func LetGo(ctx actor.Context) {
	children := ctx.Children()
	clear(children[len(children):cap(children)])
}
