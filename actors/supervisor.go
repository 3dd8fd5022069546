package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/actors/frametree"
	"cdpsupervisor/actors/reconnect"
	"cdpsupervisor/bridge"
	"cdpsupervisor/messages"
	"cdpsupervisor/policy"
)

// supervisor is the root of one task:
//
//	socket ──batches──▶ supervisor ──parts──▶ snapshot ──▶ Task.Snapshot()
//	   ▲                  │   │ ▲                 │
//	   │ commands         │   │ └──── answers ────┘
//	   │                  │   ├──sessions, calls──▶ sessions/<epoch>
//	   └──────────────────┼───┘
//	                      └──dialogs, removals──▶ dialogs
//
// It owns the frame tree, the console ring, the table of sessions and the open
// questions. It applies what comes from the socket in the order of arrival,
// and publishes what changed once per message.
type supervisor struct {
	env *Env
	rec *Record

	self    *actor.PID
	closing bool // final parts were sent
	ending  bool // the actor stops, and waits for its children only

	snapshot, dialogs, events *actor.PID // nil while there is none
	compacted                 bool       // nothing came since [supervisor.compact]
	awake                     bool       // a child was told something since round
	round                     uint64     // of asking whether the children rest
	rests                     uint       // children that were stopped because they did
	gone                      policy.RemovedFrames

	machine reconnect.State
	link    *link // the connection, nil when there is none

	// What outlives a connection.
	page        messages.TargetID // the task's page
	pageInfo    messages.TargetInfo
	tabGone     bool
	lastTree    *messages.FrameTree
	open        []messages.OpenDialog
	console     console
	policy      messages.Policy
	timeout     time.Duration // of the watchdog
	remoteClose bool          // another client has closed a dialog of this browser
	condition   condition
	stop        *stopping
	lastWord    *messages.TaskStoppedEvent // noted behind the last status

	answers []messages.Answer // of this message, sent after its part
	part    messages.TaskPart // what was last published
	touched bool              // something in the part changed
	// tellReady: the registry is told after the part was sent.
	tellReady bool
	effects   []frametree.Effect
	pages     []messages.TargetID // scratch
}

func newSupervisor(env *Env, rec *Record) *supervisor {
	s := &supervisor{env: env, rec: rec, policy: rec.Options.Policy, timeout: rec.Options.DialogTimeout}
	if saved := rec.open.Load(); saved != nil { // changed while the task ran
		s.policy, s.timeout = saved.policy, saved.timeout
	}
	return s
}

// Receive handles one message and then publishes what changed.
func (s *supervisor) Receive(ctx actor.Context) {
	if s.ending {
		s.lastMessages(ctx)
		return
	}
	switch m := ctx.Message().(type) {
	case *actor.Stopping:
		s.ending = true
		return
	case *messages.Batch:
		s.batch(ctx, m)
	case messages.Ask:
		s.asked(ctx, m)
	case messages.ToSupervisor:
		s.inside(ctx, m)
	case *actor.Started:
		s.started(ctx)
	case *rested:
		s.childRests(ctx, m)
		return
	case *actor.Terminated:
		LetGo(ctx)
		return
	case *lastPublished:
		ctx.Stop(ctx.Self())
	case *leaseReturned:
		if s.stop != nil && s.stop.stage == stopGiving {
			s.stopStep(ctx)
		}
	default:
		Refuse(ctx, s.env.System, m, "pointers to the types of messages.Ask, such as *messages.CallRequest")
		return
	}
	s.flush(ctx)
}

// lastMessages takes what comes while the children stop. The library hands all of
// it over still, but a child that is started now is never stopped: the end of the
// connection, which ends with them, must not lead to another one.
func (s *supervisor) lastMessages(ctx actor.Context) {
	if _, ok := ctx.Message().(*actor.Terminated); ok {
		LetGo(ctx)
	}
}

// started begins, or goes on after a panic: what was asked before is
// answered, what is known is in the record.
func (s *supervisor) started(ctx actor.Context) {
	s.self = ctx.Self()
	now := s.env.Clock.Now()
	if s.rec.open.Load() != nil || s.rec.lostInput.Load() != nil {
		s.beginDialogs(ctx) // there were some
	}
	again := s.rec.Epochs.Load() > 0
	if again {
		s.resendAnswers() // those that were on their way
		s.failAll(ctx, nil, func(a *openAsk) *messages.Failure {
			f := crashed("supervisor")
			f.MayHaveRun = true
			return f
		})
		s.tell(policyEpochEnded(now), ctx)
		s.page = s.rec.prefer
		s.condition.set(messages.StatusReconnecting, "the supervisor was restarted", now)
	} else {
		s.condition.set(messages.StatusConnecting, "the task is starting", now)
	}
	s.touched = true
	s.drive(ctx, reconnect.Start{At: now, Again: again})
}

func policyEpochEnded(now time.Time) policy.Input { return policy.EpochEnded{At: now} }

// inside handles what comes from the engine's own actors and timers.
func (s *supervisor) inside(ctx actor.Context, m messages.ToSupervisor) {
	switch m := m.(type) {
	case *messages.SocketOpened:
		s.socketOpened(ctx, m)
	case *messages.Disconnected:
		s.disconnected(ctx, m)
	case *messages.SendFailed:
		s.sendFailed(ctx, m)
	case *messages.Outgoing:
		s.outgoing(ctx, m)
	case *messages.WillChanged:
		if s.link != nil {
			Tell(s.env.System, s.link.socket, &messages.SetWill{Key: string(m.Dialog), Session: m.Session, Commands: m.Commands})
		}
	case *messages.DialogsOpen:
		s.dialogsOpen(ctx, m.Open)
	case *messages.DialogsSettled:
		s.settled(ctx, m)
	case *messages.TargetPoisoned:
		s.poisoned(ctx, m)
	case *messages.RemoteClosed:
		s.remoteClose = true
		if m.Auto {
			s.bridgeStep(ctx, bridge.ClosedUnasked{InARow: m.InARow})
		}
	case *messages.Answered:
		s.answered(ctx, m.Answers)
	case *messages.SessionsChanged:
		for _, change := range m.List {
			if s.current(m.Epoch) {
				s.sessionChanged(ctx, change)
			}
		}
	case *messages.CapabilityLost:
		if s.current(m.Epoch) {
			s.link.lack(m.Capability, m.Reason)
			s.touched = true
		}
	case *messages.ClaimGranted:
		s.granted(ctx, m)
	case *messages.PageTaken:
		s.pageTaken(ctx, m)
	case *messages.StopSupervisor:
		s.beginStop(ctx, m.Reason)
	case *messages.TimerFired:
		s.timer(ctx, m)
	case *messages.ChildFailed:
		s.childFailed(ctx, m)
	case *messages.Note:
		s.note(ctx, m.Event)
	case *messages.SocketQuiet:
		if s.current(m.Epoch) {
			s.quiet(ctx)
		}
	}
}

// answered takes answers of the dialogs actor that the snapshot actor has
// published, and those of our own.
func (s *supervisor) answered(ctx actor.Context, answers []messages.Answer) { s.deliver(ctx, answers) }

func (s *supervisor) current(epoch messages.Epoch) bool {
	return s.link != nil && s.link.epoch == epoch
}

func (s *supervisor) timer(ctx actor.Context, m *messages.TimerFired) {
	now := s.env.Clock.Now()
	switch m.Timer {
	case messages.TimerReconnect:
		s.drive(ctx, reconnect.Timer{At: now, Gen: m.Gen})
	case messages.TimerRoot:
		if s.current(m.Epoch) {
			s.rootTimer(ctx, m.Gen, now)
		}
	case messages.TimerAsk, messages.TimerReady, messages.TimerJudged:
		s.askTimer(ctx, m)
	case messages.TimerCommit:
		s.commitTimer(ctx, m.Gen)
	case messages.TimerStop:
		s.stopTimer(ctx, m.Gen)
	case messages.TimerLeave:
		ctx.Stop(ctx.Self())
	case messages.TimerProbe:
		if s.current(m.Epoch) {
			s.probeTimer(ctx, m.Gen)
		}
	case messages.TimerFocus:
		if s.current(m.Epoch) {
			s.hasFocus(ctx, uint32(m.Gen)) //nolint:gosec // it is a session's number
		}
	case messages.TimerHeal:
		if s.current(m.Epoch) {
			s.healTimer(ctx, m.Gen)
		}
	case messages.TimerBridge:
		if s.current(m.Epoch) {
			s.bridgeTimer(ctx, m.Gen)
		}
	}
}

// batch applies a batch: what changes state first, in the order of arrival,
// then the rest.
func (s *supervisor) batch(ctx actor.Context, b *messages.Batch) {
	if !s.current(b.Epoch) {
		return // a connection that is over; its buffers go with it
	}
	s.compacted = false
	for i := range b.State {
		s.apply(ctx, &b.State[i])
		if !s.current(b.Epoch) {
			return
		}
	}
	for i := range b.Bulk {
		s.applyBulk(&b.Bulk[i])
	}
	s.count(b.Counts)
	b.GiveBack()
}

// apply takes one event that changes state.
func (s *supervisor) apply(ctx actor.Context, ev *messages.Event) {
	switch body := ev.Body.(type) {
	case *messages.Reply:
		s.reply(ctx, ev, body)
		return
	case *messages.DialogOpening:
		s.dialogOpening(ctx, ev, body)
		return
	case *messages.DialogClosed:
		s.dialogOver(ctx, s.pageOf(ev.Session), body.FrameID)
		s.unloadClosed(s.pageOf(ev.Session), body.Result, ev.At)
		s.tell(policy.Closed{
			At: ev.At, Session: ev.Session, Frame: body.FrameID, Result: body.Result, UserInput: body.UserInput,
			NavigationInFlight: s.link.navigating(s.pageOf(ev.Session), ev.At),
			NavigationOrdered:  s.navigationOrdered(s.pageOf(ev.Session), ev.At),
		}, ctx)
		return
	case *messages.ContextCreated:
		s.bridgeContext(ctx, ev)
		if body.IsDefault {
			s.toSession(ev.Session, messages.SessionInput{
				Kind: messages.SessionContextCreated, Context: body.ID, Unique: body.UniqueID, Frame: body.FrameID,
			})
		}
	case *messages.ContextDestroyed:
		s.bridgeContext(ctx, ev)
		s.toSession(ev.Session, messages.SessionInput{Kind: messages.SessionContextDestroyed, Context: body.ID})
		return
	case *messages.ContextsCleared:
		s.bridgeContext(ctx, ev)
		s.toSession(ev.Session, messages.SessionInput{Kind: messages.SessionContextsCleared})
	case *messages.FrameStartedNavigating:
		if !sameDocument(body) { // which commits nothing
			s.link.startNavigating(s.pageOf(ev.Session), body.FrameID, ev.At)
		}
	case *messages.RequestPaused, *messages.DebuggerPaused, *messages.DebuggerResumed:
		s.bridgeEvent(ctx, ev)
		return
	case *messages.ConsoleHeld:
		if s.link.sessions.Has(ev.Session) {
			s.send(ctx, ev.Session, messages.Ref{}, messages.ReleaseObjects{Group: consoleObjects})
		}
		return
	case *messages.ConsoleMessage, *messages.ExceptionThrown:
		s.applyBulk(ev)
		return
	}
	s.targetEvent(ctx, ev)
	s.effects = s.link.tree.Apply(ev, s.effects[:0])
	s.treeEffects(ctx, ev.At, s.effects)
}

// sameDocument reports whether a navigation stays in its document.
func sameDocument(nav *messages.FrameStartedNavigating) bool {
	return nav.Type == "sameDocument" || nav.Type == "historySameDocument"
}

func (s *supervisor) toSession(id messages.SessionID, in messages.SessionInput) {
	if e := s.link.sessions.Get(id); e != nil {
		in.Session = e.n
		s.input(in)
	}
}

func (s *supervisor) pageOf(id messages.SessionID) messages.TargetID {
	page, _, _ := s.link.tree.PageOf(id)
	return page
}

// treeEffects performs what the frame tree asks for.
func (s *supervisor) treeEffects(ctx actor.Context, now time.Time, effects []frametree.Effect) {
	for _, e := range effects {
		switch e := e.(type) {
		case *frametree.SessionAttached:
			s.sessionAttached(ctx, e)
		case *frametree.SessionUnclaimed:
			s.unclaimed(ctx, e)
		case *frametree.SessionEnded:
			s.sessionEnded(ctx, e, now)
		case *frametree.FramesRemoved:
			s.link.navigatesNoMore(e.Page, e.Frames)
			s.tell(policy.FramesRemoved{At: now, Frames: e.Frames}, ctx)
			s.removedSilent(ctx, e, now)
		case *frametree.FramesPruned:
			s.link.navigatesNoMore(e.Page, e.Frames)
		case *frametree.Committed:
			s.committed(ctx, e, now)
		case *frametree.Reseed:
			s.reseed(ctx, e.Session)
		}
	}
}

// note publishes a fact.
func (s *supervisor) note(ctx actor.Context, ev messages.EngineEvent) {
	s.toEvents(ctx, &messages.Note{Event: ev})
}
