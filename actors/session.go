package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/actors/attach"
	"cdpsupervisor/messages"
)

// sessionActor sets one CDP session up, knows its execution contexts, and
// sends the calls of agents on it. Replies to those calls go to the supervisor
// directly: they never wait behind a set-up.
type sessionActor struct {
	env        *Env
	rec        *Record
	life       *sessionLife
	supervisor *actor.PID
	socket     *actor.PID

	setup    attach.Setup
	effects  []attach.Effect
	contexts map[messages.ContextID]scriptContext
	timer    messages.Timer
}

// sessionLife is what stays the same over restarts of the actor.
type sessionLife struct {
	epoch  messages.Epoch
	n      uint32
	id     messages.SessionID
	target messages.TargetID
	page   bool
	bridge []messages.Command
	begun  bool // the set-up was sent; only the actor writes it
}

// scriptContext is a default execution context of a frame.
type scriptContext struct {
	unique string
	frame  messages.FrameID
}

// Receive handles one message.
func (s *sessionActor) Receive(ctx actor.Context) {
	now := s.env.Clock.Now
	switch m := ctx.Message().(type) {
	case *actor.Started:
		s.contexts = make(map[messages.ContextID]scriptContext)
		if s.life.begun {
			s.step(ctx, attach.Resync{At: now(), Page: s.life.page, Target: s.life.target})
			return
		}
		s.life.begun = true
		s.step(ctx, attach.Begin{At: now(), Page: s.life.page, Target: s.life.target, Bridge: s.life.bridge})
	case *messages.SessionReply:
		s.step(ctx, attach.Replied{At: now(), Step: attach.Step(m.N), Err: m.Err})
	case *messages.SessionTimer:
		s.step(ctx, attach.Timer{At: now(), Gen: m.Gen})
	case *messages.SessionCrash:
		clear(s.contexts)
		if m.Reloaded {
			s.step(ctx, attach.Reloaded{At: now()})
		} else {
			s.step(ctx, attach.TargetCrashed{At: now()})
		}
	case *messages.SessionContext:
		s.context(m)
	case *messages.CallOn:
		s.call(ctx, m)
	case *messages.EndSession:
		ctx.Stop(ctx.Self())
	case *actor.Stopping, *actor.Restarting:
		if s.timer != nil {
			s.timer.Stop()
		}
	}
}

func (s *sessionActor) step(ctx actor.Context, in attach.Input) {
	s.effects = attach.StepSetup(&s.setup, in, s.effects[:0])
	var commands []messages.SendCommand
	for _, e := range s.effects {
		switch e := e.(type) {
		case attach.Send:
			on := s.life.id
			if e.Root && s.life.id != "" {
				on = ""
			}
			if commands == nil {
				commands = make([]messages.SendCommand, 0, len(s.effects))
			}
			commands = append(commands, messages.SendCommand{
				Epoch: s.life.epoch, Session: on, Command: e.Command,
				Ref: messages.Ref{Owner: messages.OwnerSession, Session: s.life.n, N: uint64(e.Step)},
			})
		case attach.Arm:
			root, self := s.env.System.Root, ctx.Self()
			s.timer = s.env.Clock.AfterFunc(e.At.Sub(s.env.Clock.Now()), func() {
				root.Send(self, &messages.SessionTimer{Gen: e.Gen})
			})
		case attach.Became:
			ctx.Send(s.supervisor, &messages.SessionChanged{Epoch: s.life.epoch, Session: s.life.n, State: messages.SessionState(e.Phase.String())})
		case attach.Lacks:
			ctx.Send(s.supervisor, &messages.CapabilityLost{Epoch: s.life.epoch, Capability: e.Capability, Reason: e.Reason})
		}
	}
	if len(commands) > 0 { // the set-up leaves as one
		ctx.Send(s.socket, &messages.SendCommands{List: commands})
	}
}

func (s *sessionActor) send(ctx actor.Context, on messages.SessionID, ref messages.Ref, cmd messages.Command) {
	ctx.Send(s.socket, &messages.SendCommand{Epoch: s.life.epoch, Session: on, Ref: ref, Command: cmd})
}

// context keeps the default contexts only: nothing else is ever asked for.
func (s *sessionActor) context(m *messages.SessionContext) {
	switch {
	case m.Cleared:
		clear(s.contexts)
	case m.Created == nil:
		delete(s.contexts, m.Destroyed)
	case m.Created.IsDefault && len(s.contexts) < messages.MaxContextsPerSession:
		s.contexts[m.Created.ID] = scriptContext{unique: m.Created.UniqueID, frame: m.Created.FrameID}
	}
}

// call sends an agent's method. In the name of a frame it runs in that
// frame's own context or not at all: never in another frame's.
func (s *sessionActor) call(ctx actor.Context, m *messages.CallOn) {
	cmd := messages.Raw{Name: m.Method, Params: m.Params}
	if m.ContextFrame != "" {
		cmd.Context = s.contextOf(m.ContextFrame)
		if cmd.Context == "" {
			ctx.Send(s.supervisor, &messages.SendFailed{Epoch: s.life.epoch, Ref: m.Ref, Failure: messages.Fail(
				messages.CodeFrameNotLoaded, "frame %s has no script context yet; wait for it to load and try again", m.ContextFrame)})
			return
		}
	}
	s.send(ctx, s.life.id, m.Ref, cmd)
}

func (s *sessionActor) contextOf(frame messages.FrameID) string {
	var newest messages.ContextID
	unique := ""
	for id, c := range s.contexts {
		if c.frame == frame && (unique == "" || id > newest) {
			newest, unique = id, c.unique
		}
	}
	return unique
}
