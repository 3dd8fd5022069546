package actors

import (
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/actors/attach"
	"cdpsupervisor/actors/reconnect"
	"cdpsupervisor/messages"
	"cdpsupervisor/policy"
)

// drive steps the reconnect machine.
func (s *supervisor) drive(ctx actor.Context, in reconnect.Input) {
	for _, e := range reconnect.Step(&s.machine, in, nil) {
		switch e := e.(type) {
		case reconnect.Dial:
			s.dial(ctx, e.Renew)
		case reconnect.Arm:
			s.after(ctx, messages.TimerReconnect, e.Gen, e.At.Sub(s.env.Clock.Now()))
		case reconnect.GiveUp:
			s.giveUp(ctx, e.Status, e.Cause)
		}
	}
}

func (s *supervisor) dial(ctx actor.Context, renew bool) {
	epoch := messages.Epoch(s.rec.Epochs.Add(1))
	s.link = newLink(epoch)
	s.rec.forgetSessions()
	self, env, rec := ctx.Self(), s.env, s.rec
	pid, err := ctx.SpawnNamed(props(env, rec.ID, string(ChildSocket), func() actor.Actor {
		return &socketActor{env: env, rec: rec, epoch: epoch, renew: renew, supervisor: self}
	}, nil), fmt.Sprintf("%s/%d", ChildSocket, epoch))
	if err != nil {
		panic(err) // an epoch is counted once: a clash is a bug
	}
	s.link.socket = pid
}

func (s *supervisor) socketOpened(ctx actor.Context, m *messages.SocketOpened) {
	if !s.current(m.Epoch) {
		return
	}
	l := s.link
	l.open, l.pageLevel, l.bridge, l.browser = true, m.PageLevel, m.Bridge, m.Browser
	s.beginBridge()
	s.rootStep(ctx, attach.SocketOpen{At: s.env.Clock.Now(), PageLevel: m.PageLevel, Want: attach.Want{
		TargetID: s.rec.Options.TargetID, Own: s.rec.Options.OwnTab, Owned: s.rec.made, Prefer: s.rec.prefer,
		Again: s.rec.ready, Known: s.rec.known,
	}})
}

// rootStep steps the set-up of the connection.
func (s *supervisor) rootStep(ctx actor.Context, in attach.RootInput) {
	effects := attach.StepRoot(&s.link.root, in, nil)
	if s.stop != nil {
		s.rootStopped(ctx, effects)
		return
	}
	for _, e := range effects {
		switch e := e.(type) {
		case attach.RootSend:
			s.sendOwn(ctx, "", e.Command, s.rootReplied)
		case attach.RootArm:
			if s.link.rootTimer != nil {
				s.link.rootTimer.Stop()
			}
			s.link.rootTimer = s.after(ctx, messages.TimerRoot, e.Gen, e.At.Sub(s.env.Clock.Now()))
		case attach.Connected:
			s.link.product = e.Product
			s.closeCanary(ctx)
			s.drive(ctx, reconnect.Opened{At: s.env.Clock.Now()})
		case attach.Claim:
			s.claim(ctx, func(taken []messages.TargetID) {
				s.rootStep(ctx, attach.Granted{At: s.env.Clock.Now(), Taken: taken})
			})
		case attach.Chosen:
			s.chosen(ctx, e)
		case attach.RootLacks:
			s.link.lack(e.Capability, e.Reason)
			s.touched = true
		case attach.RootFail:
			s.rootFailed(ctx, e)
			return
		}
	}
}

func (s *supervisor) rootReplied(ctx actor.Context, r *messages.Reply) {
	if list, ok := r.Body.(*messages.TargetsReply); ok && len(list.Targets) < messages.MaxTargets {
		s.disownUnlisted(ctx, list.Targets)
	}
	s.rootStep(ctx, attach.RootReplied{At: s.env.Clock.Now(), Method: r.Method, Body: r.Body, Err: r.Err})
	if s.link != nil && r.Method == (messages.SetAutoAttach{}).Method() {
		s.decideAll(ctx)
	}
}

func (s *supervisor) rootTimer(ctx actor.Context, gen uint64, now time.Time) {
	s.rootStep(ctx, attach.RootTimer{At: now, Gen: gen})
}

// claim asks the registry for the right to choose a page.
func (s *supervisor) claim(ctx actor.Context, then func([]messages.TargetID)) {
	s.link.claim = then
	ctx.Send(ctx.Parent(), &messages.ClaimPage{Task: s.rec.ID, Life: s.rec.Life, Epoch: s.link.epoch})
}

// claimFor is claim for a question about a page that is not ours. then is called
// with the question if it still waits, and ends the claim.
func (s *supervisor) claimFor(ctx actor.Context, a *openAsk, then func(a *openAsk, taken []messages.TargetID)) {
	if s.link.claim != nil {
		s.fail(ctx, a, messages.CodePageBlocked, "the task is choosing a page right now; try again in a moment")
		return
	}
	a.stage = stageClaiming
	n := a.n
	s.claim(ctx, func(taken []messages.TargetID) {
		a := s.rec.asks.open.Get(n)
		if a == nil || a.stage != stageClaiming {
			s.claimed(ctx, "")
			return
		}
		then(a, taken)
	})
}

func (s *supervisor) granted(ctx actor.Context, m *messages.ClaimGranted) {
	if !s.current(m.Epoch) || s.link.claim == nil || s.stop != nil {
		s.claimed(ctx, "") // of a connection that is over, or of a task that is
		return
	}
	then := s.link.claim
	s.link.claim = nil
	then(m.Taken)
}

// chosen: this is the task's page.
func (s *supervisor) chosen(ctx actor.Context, e attach.Chosen) {
	info := e.Info
	if info.TargetID == "" {
		info.TargetID = "page" // a page-level endpoint that does not say
	}
	if e.Made {
		s.rec.made = info.TargetID
	}
	s.setPage(ctx, info)
	s.claimed(ctx, info.TargetID)
	if e.Root {
		s.addPage(ctx, "", info, false)
	}
}

// pageTaken: the page is another task's, or was closed before it could be used.
// What was begun on it ends with the connection, and the next one finds another
// page.
func (s *supervisor) pageTaken(ctx actor.Context, m *messages.PageTaken) {
	if s.link == nil || s.page != m.Page {
		return
	}
	why := "belongs to another task"
	if m.Closed {
		why = "was closed while the task started"
	}
	s.rec.prefer, s.rec.ready = "", false // it never had that one
	cause := messages.Cause{Kind: messages.DisconnectLost, Text: "page " + clipText(string(m.Page), 64) + " " + why}
	if s.link.pageLevel { // there is no other
		cause.Kind = messages.DisconnectInvalid
		cause.Text += "; connect to the browser instead, or to another page"
	}
	s.disconnected(ctx, &messages.Disconnected{Epoch: s.link.epoch, Cause: cause})
}

// setPage makes a target the task's page.
func (s *supervisor) setPage(ctx actor.Context, info messages.TargetInfo) {
	if s.page != info.TargetID {
		s.lastTree = nil
	}
	s.page, s.pageInfo, s.rec.prefer = info.TargetID, info, info.TargetID
	s.tabGone = false
	s.touched = true
}

func (s *supervisor) rootFailed(ctx actor.Context, e attach.RootFail) {
	s.claimed(ctx, "")
	if e.Gone && s.rec.ready {
		// The tab of a running task is gone; the browser is not.
		s.pageLost(ctx)
		return
	}
	Tell(s.env.System, s.link.socket, &messages.CloseSocket{Cause: e.Cause})
	s.disconnected(ctx, &messages.Disconnected{Epoch: s.link.epoch, Cause: e.Cause})
}

// disconnected ends the connection: whoever waits for it hears so, nothing of
// it is carried over but the last view of the frames.
func (s *supervisor) disconnected(ctx actor.Context, m *messages.Disconnected) {
	if !s.current(m.Epoch) {
		return
	}
	now := s.env.Clock.Now()
	l := s.link
	if l.rootTimer != nil {
		l.rootTimer.Stop()
	}
	l.stopTimers()
	if tree := l.tree.View(s.page, false); tree != nil {
		s.lastTree = tree
	}
	if l.infos.Len() > 0 {
		s.rec.known = s.rec.known[:0]
		for id := range l.infos.All() {
			s.rec.known = append(s.rec.known, id)
		}
	}
	s.link = nil
	s.touched = true
	if l.sessionsActor != nil {
		ctx.Send(l.sessionsActor, &messages.EndSessions{})
	}
	Tell(s.env.System, l.socket, &messages.CloseSocket{Cause: m.Cause}) // no-op if it is over
	s.tell(policy.EpochEnded{At: now, Reason: messages.ReasonDisconnected}, ctx)
	s.failAll(ctx, func(a *openAsk) bool { return a.stage == stageWaiting || a.stage == stageDialogs }, func(a *openAsk) *messages.Failure {
		f := messages.Fail(messages.CodeConnectionLost, "the connection to the browser was lost while %s ran: %s", s.nameOf(a), m.Cause.Text)
		f.MayHaveRun = a.onWire()
		return f
	})
	if s.stop != nil {
		s.stopStep(ctx)
		return
	}
	if s.machine.Phase() == reconnect.Up || s.rec.ready {
		s.condition.set(messages.StatusReconnecting, "the connection to the browser was lost: "+m.Cause.Text, now)
	}
	s.drive(ctx, reconnect.Lost{At: now, Cause: m.Cause, Chance: s.env.Chance(), Unused: !s.rec.ready})
}

// giveUp ends the task for good.
func (s *supervisor) giveUp(ctx actor.Context, status messages.Status, cause messages.Cause) {
	sentinel := messages.ErrTaskFailed
	if !s.rec.ready {
		sentinel = messages.ErrConnect
	}
	code := messages.CodeConnectionLost
	if cause.Kind == messages.DisconnectInvalid {
		code = messages.CodeInvalidArgument
	}
	s.failTask(ctx, status, messages.Fail(code, "%s", cause.Text).Because(sentinel))
}

// failTask publishes one last snapshot that says why, answers everybody, and
// stops.
func (s *supervisor) failTask(ctx actor.Context, status messages.Status, f *messages.Failure) {
	if s.closing {
		return
	}
	s.condition.set(status, f.Message, s.env.Clock.Now())
	s.lastWord = &messages.TaskStoppedEvent{Task: s.rec.ID, Reason: f.Message, Failed: true}
	s.final(ctx, f)
}

// childFailed follows up what the strategy decided.
func (s *supervisor) childFailed(ctx actor.Context, m *messages.ChildFailed) {
	s.note(ctx, &messages.ActorFailedEvent{Task: s.rec.ID, Actor: m.Child, Reason: m.Reason})
	switch ChildKind(m.Child) {
	case ChildSocket:
		s.endEpoch(ctx, "the socket actor failed: "+m.Reason)
	case ChildSessions:
		s.sessionFailed(ctx, m)
	case ChildDialogs:
		// A question that was with the lost incarnation has lost its place.
		s.failAll(ctx, func(a *openAsk) bool { return a.stage != stageDialogs && a.stage != stageSettling }, func(*openAsk) *messages.Failure {
			return crashed("dialogs actor")
		})
	case ChildSnapshot:
		s.toDialogs(ctx, &republish{})
		s.touched = true
		s.resendAnswers()
		s.tellReady = s.rec.ready
		if s.closing {
			s.answers = append(s.answers, messages.Answer{Ref: messages.Ref{Owner: messages.OwnerSupervisor, N: echoFinal}})
		}
	case ChildEvents:
	}
	if m.Stopped && ChildKind(m.Child) != ChildSocket && ChildKind(m.Child) != ChildSessions {
		s.failTask(ctx, messages.StatusFailed, messages.Fail(messages.CodeStopped,
			"the task's %s actor panicked too often: %s", m.Child, m.Reason).Because(messages.ErrTaskFailed))
	}
}

// endEpoch gives the connection up; the reconnect machine makes a new one.
func (s *supervisor) endEpoch(ctx actor.Context, why string) {
	if s.link == nil {
		return
	}
	s.disconnected(ctx, &messages.Disconnected{Epoch: s.link.epoch, Cause: messages.Cause{Kind: messages.DisconnectPanic, Text: why}})
}

// sessionFailed: the actor goes on with the same CDP session, but what it was
// about to send on it is lost.
func (s *supervisor) sessionFailed(ctx actor.Context, m *messages.ChildFailed) {
	if s.link == nil {
		return
	}
	if e := s.link.numbers.Get(m.Session); e != nil {
		e.liveFrom = 0 // it enables Runtime again, and the browser replays
		s.failAll(ctx, func(a *openAsk) bool { return !a.onWire() || a.actor != m.Session }, func(a *openAsk) *messages.Failure {
			f := crashed("sessions actor")
			f.MayHaveRun = true
			return f
		})
	}
	if m.Stopped {
		s.endEpoch(ctx, "the handling of a session panicked too often: "+m.Reason)
	}
}

// resendAnswers sends every answer again that the lost snapshot actor may have
// held.
func (s *supervisor) resendAnswers() {
	for _, a := range s.rec.asks.open.All() {
		if a.stage == stageAnswered {
			s.answers = append(s.answers, messages.Answer{Ref: a.ref(), Result: a.result})
		}
	}
}

// HandleFailure is the strategy of the supervisor's children.
func (s *supervisor) HandleFailure(system *actor.ActorSystem, parent actor.Supervisor, child *actor.PID, _ *actor.RestartStatistics, reason, _ any) {
	kind, n := s.kindOf(child)
	key := string(kind)
	if kind == ChildSessions {
		key = failuresOf(n)
	}
	w := s.rec.failures[key]
	if w == nil {
		w = &FailureWindow{}
		if s.rec.failures == nil {
			s.rec.failures = make(map[string]*FailureWindow)
		}
		s.rec.failures[key] = w
	}
	decision := Decide(kind, w, s.env.Clock.Now())
	if decision == Restart {
		parent.RestartChildren(child)
	} else {
		parent.StopChildren(child)
		delete(s.rec.failures, key)
	}
	// As an ordinary message: the strategy runs between two of them.
	system.Root.Send(s.self, &messages.ChildFailed{
		Child: string(kind), Session: n, Stopped: decision != Restart, Reason: PanicText(reason),
	})
}

// failuresOf is where the panics of one session are counted.
func failuresOf(n uint32) string { return fmt.Sprintf("%s-%d", ChildSessions, n) }

func (s *supervisor) kindOf(child *actor.PID) (ChildKind, uint32) {
	for kind, pid := range map[ChildKind]*actor.PID{ChildSnapshot: s.snapshot, ChildDialogs: s.dialogs, ChildEvents: s.events} {
		if pid != nil && pid.Id == child.Id {
			return kind, 0
		}
	}
	if s.link != nil {
		if s.link.sessionsActor != nil && s.link.sessionsActor.Id == child.Id {
			return ChildSessions, s.link.table.handling.Load()
		}
		if s.link.socket != nil && s.link.socket.Id == child.Id {
			return ChildSocket, 0
		}
	}
	return ChildSessions, 0 // of a connection that is over: nobody misses it
}
