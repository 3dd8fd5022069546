package actors

import (
	"slices"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/actors/attach"
	"cdpsupervisor/messages"
)

// sessionsActor holds the sessions of one connection: it sets each of them up,
// knows their execution contexts, and sends the calls of agents on them.
// Replies to those calls go to the supervisor directly: they never wait behind
// a set-up.
//
// The sessions share an actor because there are hundreds on a busy page, and an
// actor that comes and goes costs more than all that happens to most of them.
// They share nothing else: when one panics, it alone is read again.
type sessionsActor struct {
	env        *Env
	epoch      messages.Epoch
	supervisor *actor.PID
	socket     *actor.PID
	table      *sessionTable

	effects []attach.Effect
}

// sessionTable outlives the actor. Only the actor touches it, but for handling,
// and the supervisor while there is no actor.
type sessionTable struct {
	sessions messages.Few[uint32, *session]
	// inputs are those that the actor has been told of, from next on not yet
	// handled.
	inputs *messages.SessionInputs // or nil
	next   int
	// handling is the number of the session that something is being done for,
	// or 0: the supervisor reads from it which one made the actor panic.
	handling atomic.Uint32

	// What is to be sent once the inputs are handled.
	out     *messages.SendCommands // or nil
	changes []messages.SessionChange
	turn    uint32 // counts the times that it was sent

	told spare[messages.SessionInputs]
	sent spare[messages.SendCommands]
}

// resting reports whether no session is being set up.
func (t *sessionTable) resting() bool {
	for _, s := range t.sessions.All() {
		if s.timer != nil {
			return false
		}
	}
	return t.inputs == nil || t.next == len(t.inputs.List)
}

// session is one CDP session.
type session struct {
	n        uint32
	begin    *messages.SessionBegin
	setup    attach.Setup
	contexts messages.Few[messages.ContextID, scriptContext]
	timer    messages.Timer
	turn     uint32 // that of the table when something was last sent for it
}

// scriptContext is a default execution context of a frame.
type scriptContext struct {
	unique string
	frame  messages.FrameID
}

// Receive handles one message.
func (a *sessionsActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		a.resume(ctx)
	case *messages.SessionInputs:
		a.table.inputs, a.table.next = m, 0
		a.run(ctx)
	case *messages.SessionTimer:
		a.table.handling.Store(m.Session)
		if s := a.table.sessions.Get(m.Session); s != nil {
			a.step(ctx, s, attach.Timer{At: a.env.Clock.Now(), Gen: m.Gen})
		}
		a.run(ctx)
	case *rest:
		if a.table.resting() {
			a.table.compact()
			a.effects = nil
			ctx.Send(a.supervisor, &rested{kind: ChildSessions, round: m.round})
		}
	case *messages.EndSessions:
		ctx.Stop(ctx.Self())
	case *actor.Stopping:
		for _, s := range a.table.sessions.All() {
			s.stopTimer()
		}
	}
}

// keep keeps what the actor was told when it panicked, see [sessionsActor.resume].
func (t *sessionTable) keep(_ *actor.PID, envelope *actor.MessageEnvelope) bool {
	if t.handling.Load() != 0 {
		return false
	}
	switch m := envelope.Message.(type) { // it had not begun, or had done with it: then it is empty
	case *messages.SessionInputs:
		t.inputs, t.next = m, 0
	case *messages.SessionTimer:
		t.handling.Store(m.Session) // no other timer of that session would come
	}
	return false
}

// resume goes on after a panic: the session that it was about is read again,
// what happened to the others is handled now.
func (a *sessionsActor) resume(ctx actor.Context) {
	if n := a.table.handling.Swap(0); n != 0 {
		if s := a.table.sessions.Get(n); s != nil {
			s.stopTimer()
			fresh := &session{n: n, begin: s.begin}
			a.table.sessions.Set(n, fresh)
			a.step(ctx, fresh, attach.Resync{At: a.env.Clock.Now(), Page: s.begin.Page, Target: s.begin.Target})
		}
	}
	a.run(ctx)
}

// run handles the inputs that are left, and then sends what came of them.
func (a *sessionsActor) run(ctx actor.Context) {
	t := a.table
	told := t.inputs
	if told != nil {
		for t.next < len(told.List) {
			in := &told.List[t.next]
			t.next++
			t.handling.Store(in.Session)
			a.input(ctx, in)
		}
		told.Empty() // before nothing is being handled any more, see keep
	}
	t.inputs, t.next = nil, 0
	t.handling.Store(0)
	if m := t.out; m != nil {
		t.out, m.Lender = nil, &t.sent
		t.turn++
		Tell(a.env.System, a.socket, m)
	}
	if len(t.changes) > 0 {
		ctx.Send(a.supervisor, &messages.SessionsChanged{Epoch: a.epoch, List: t.changes})
		t.changes = nil
	}
	if told != nil {
		t.told.TakeBack(told) // last: what makes the actor panic is still its own
	}
}

// input is one thing that happened to one session.
func (a *sessionsActor) input(ctx actor.Context, in *messages.SessionInput) {
	now := a.env.Clock.Now
	if in.Kind == messages.SessionBegan {
		s := &session{n: in.Session, begin: in.Begin}
		a.table.sessions.Set(s.n, s)
		a.step(ctx, s, attach.Begin{At: now(), Page: in.Begin.Page, Target: in.Begin.Target, Bridge: in.Begin.Bridge})
		return
	}
	s := a.table.sessions.Get(in.Session)
	if s == nil {
		return
	}
	switch in.Kind {
	case messages.SessionReplied:
		a.step(ctx, s, attach.Replied{At: now(), Step: attach.Step(in.N), Err: in.Err})
	case messages.SessionContextCreated:
		s.created(in)
	case messages.SessionContextDestroyed:
		s.contexts.Delete(in.Context)
	case messages.SessionContextsCleared:
		s.contexts.Clear()
	case messages.SessionRendererGone:
		s.contexts.Clear()
		a.step(ctx, s, attach.TargetCrashed{At: now()})
	case messages.SessionRendererBack:
		a.step(ctx, s, attach.Reloaded{At: now()})
	case messages.SessionCalled:
		a.call(ctx, s, in.Call)
	case messages.SessionOver:
		a.over(s)
	case messages.SessionBegan:
	}
}

// step steps the set-up of a session.
func (a *sessionsActor) step(ctx actor.Context, s *session, in attach.Input) {
	a.effects = attach.StepSetup(&s.setup, in, a.effects[:0])
	for _, e := range a.effects {
		switch e := e.(type) {
		case attach.Send:
			on := s.begin.ID
			if e.Root {
				on = ""
			}
			a.send(s, on, messages.Ref{Owner: messages.OwnerSession, Session: s.n, N: uint64(e.Step)}, e.Command)
		case attach.Arm:
			system, self, m := a.env.System, ctx.Self(), &messages.SessionTimer{Session: s.n, Gen: e.Gen}
			s.timer = a.env.Clock.AfterFunc(e.At.Sub(a.env.Clock.Now()), func() { Tell(system, self, m) })
		case attach.Became:
			if e.Phase != attach.Pending {
				s.stopTimer()
			}
			a.table.changes = append(a.table.changes, messages.SessionChange{Session: s.n, State: messages.SessionState(e.Phase.String())})
		case attach.Lacks:
			ctx.Send(a.supervisor, &messages.CapabilityLost{Epoch: a.epoch, Capability: e.Capability, Reason: e.Reason})
		}
	}
}

// send puts a command for a session to those that leave together.
func (a *sessionsActor) send(s *session, on messages.SessionID, ref messages.Ref, cmd messages.Command) {
	out := a.table.outgoing()
	s.turn = a.table.turn
	out.List = append(out.List, messages.SendCommand{Epoch: a.epoch, Session: on, Ref: ref, Command: cmd})
}

// outgoing is what is to be sent.
func (t *sessionTable) outgoing() *messages.SendCommands {
	if t.out == nil {
		t.out = t.sent.take()
	}
	return t.out
}

// over forgets a session. What would have been sent on it goes with it: the
// browser would answer that there is no such session.
func (a *sessionsActor) over(s *session) {
	t := a.table
	s.stopTimer()
	t.sessions.Delete(s.n)
	out, id := t.outgoing(), s.begin.ID
	if s.turn == t.turn {
		out.List = slices.DeleteFunc(out.List, func(c messages.SendCommand) bool { return c.Session == id })
	}
	out.Forget = append(out.Forget, id)
}

func (s *session) stopTimer() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}

// created keeps a default context: nothing else is ever asked for.
func (s *session) created(in *messages.SessionInput) {
	if s.contexts.Len() < messages.MaxContextsPerSession {
		s.contexts.Set(in.Context, scriptContext{unique: in.Unique, frame: in.Frame})
	}
}

// call sends an agent's method. In the name of a frame it runs in that
// frame's own context or not at all: never in another frame's.
func (a *sessionsActor) call(ctx actor.Context, s *session, m *messages.CallOn) {
	cmd := messages.Raw{Name: m.Method, Params: m.Params}
	if m.ContextFrame != "" {
		cmd.Context = s.contextOf(m.ContextFrame)
		if cmd.Context == "" {
			ctx.Send(a.supervisor, &messages.SendFailed{Epoch: a.epoch, Ref: m.Ref, Failure: messages.Fail(
				messages.CodeFrameNotLoaded, "frame %s has no script context yet; wait for it to load and try again", m.ContextFrame)})
			return
		}
	}
	a.send(s, s.begin.ID, m.Ref, cmd)
}

// contextOf is the newest context of a frame.
func (s *session) contextOf(frame messages.FrameID) string {
	var newest messages.ContextID
	unique := ""
	for id, c := range s.contexts.All() {
		if c.frame == frame && (unique == "" || id > newest) {
			newest, unique = id, c.unique
		}
	}
	return unique
}
