package actors

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/actors/attach"
	"cdpsupervisor/actors/reconnect"
	"cdpsupervisor/messages"
	"cdpsupervisor/policy"
)

// stopping is an orderly stop: dismiss what is open, answer who waits, close
// the tab that is ours, close the connection, give the lease back. Each stage
// has a bound, so that a dead browser keeps nobody.
type stopping struct {
	stage   stopStage
	reason  string
	gen     uint64
	timer   messages.Timer
	closing messages.TargetID // the tab that is being closed
	again   bool              // for the second time
	// probing: it is being asked which dialogs are stranded.
	probing, probed bool
	// freeing: stranded dialogs are being ended.
	freeing bool
}

type stopStage uint8

const (
	stopSettling  stopStage = iota + 1
	stopRestoring           // what the dialog bridge put into pages
	stopClosing             // the tab
	stopLeaving             // the connection
	stopGiving              // the lease
	stopOver
)

// leaseReturned: the lease was given back.
type leaseReturned struct{}

func (s *supervisor) beginStop(ctx actor.Context, reason string) {
	if s.stop != nil || s.closing {
		return
	}
	now := s.env.Clock.Now()
	s.stop = &stopping{stage: stopSettling, reason: reason}
	s.drive(ctx, reconnect.Stop{At: now})
	s.armStop(ctx)
	if s.link == nil || !s.link.open {
		s.stopStep(ctx)
		return
	}
	s.dismissForStop(ctx, 1)
}

// dismissForStop dismisses what is open and may be dismissed; stopSettled follows.
func (s *supervisor) dismissForStop(ctx actor.Context, n uint64) {
	now := s.env.Clock.Now()
	s.tell(policy.DismissAll{
		At: now, Ref: messages.Ref{Owner: messages.OwnerSupervisor, N: n},
		By: messages.ClosedByAutoPolicy, Reason: messages.ReasonStopped, Until: now.Add(messages.StopTimeout),
	}, ctx)
}

// armStop bounds the stage that begins.
func (s *supervisor) armStop(ctx actor.Context) {
	s.stop.gen++
	if s.stop.timer != nil {
		s.stop.timer.Stop()
	}
	d := messages.SettleTimeout
	if s.stop.stage != stopSettling {
		d = messages.WillTimeout
	}
	s.stop.timer = s.after(ctx, messages.TimerStop, s.stop.gen, d)
}

func (s *supervisor) stopTimer(ctx actor.Context, gen uint64) {
	switch {
	case s.stop == nil || s.stop.gen != gen:
	case s.stop.stage == stopSettling && s.stop.probing:
		s.stopSettled(ctx, nil) // go on without an answer
	case s.stop.stage == stopClosing && s.unclosed() && !s.stop.again:
		// A close is lost where a dialog opens at the same moment.
		s.stop.again = true
		s.armStop(ctx)
		s.sendClose(ctx)
	default:
		s.stopStep(ctx)
	}
}

// stopSettled: the dialogs are dismissed, but those left.
func (s *supervisor) stopSettled(ctx actor.Context, left []messages.Dialog) {
	if s.stop == nil || s.stop.stage != stopSettling {
		return
	}
	if s.link != nil {
		if s.probeLeft(ctx, left) {
			return
		}
		for id, p := range s.link.pages.All() {
			stuck := slices.ContainsFunc(left, func(d messages.Dialog) bool { return d.TargetID == id })
			if p.poisoned != "" || stuck && s.rec.Options.OnStop != messages.OnStopLeave && !s.leaving(id) {
				s.disablePage(ctx, id)
			}
		}
		// The browser would die when the session of a stranded one goes.
		if s.stop.freeing = s.stranded(""); s.stop.freeing {
			s.armStop(ctx)
			return
		}
	}
	s.stopStep(ctx)
}

// probeLeft asks once which of the dialogs that stay open are stranded: nobody
// may have tried to answer them. It reports whether to wait for the answers.
func (s *supervisor) probeLeft(ctx actor.Context, left []messages.Dialog) bool {
	first := !s.stop.probed
	s.stop.probing, s.stop.probed = false, true
	if !first || s.rec.Options.OnStop != messages.OnStopLeave { // else their dismissal has told
		return false
	}
	var pages []messages.TargetID
	for _, d := range left {
		if d.Via == messages.ViaNative && d.State != messages.StateUnanswerable && s.link.pageSession(d.TargetID) != nil && !slices.Contains(pages, d.TargetID) {
			pages = append(pages, d.TargetID)
		}
	}
	waits := len(pages)
	for _, page := range pages {
		s.probe(ctx, page, func(ctx actor.Context) {
			if waits--; waits == 0 && s.stop != nil && s.stop.probing {
				s.dismissForStop(ctx, 2) // settled once the dialogs actor knows
			}
		})
	}
	s.stop.probing = waits > 0
	return s.stop.probing
}

// stopFreed goes on when stranded dialogs have ended.
func (s *supervisor) stopFreed(ctx actor.Context) {
	if s.stop != nil && s.stop.freeing && s.stop.stage == stopSettling && !s.stranded("") {
		s.stop.freeing = false
		s.stopStep(ctx)
	}
}

// stopStep goes on to the next stage.
func (s *supervisor) stopStep(ctx actor.Context) {
	switch s.stop.stage {
	case stopSettling:
		s.failAll(ctx, nil, func(*openAsk) *messages.Failure {
			return messages.Fail(messages.CodeStopped, "the task was stopped: %s", s.stop.reason).Because(messages.ErrTaskStopped)
		})
		s.stop.stage = stopRestoring
		s.armStop(ctx)
		if s.bridgeRestore(ctx) {
			return
		}
		s.stopStep(ctx)
	case stopRestoring:
		s.stop.stage = stopClosing
		s.armStop(ctx)
		if s.opening() || s.closeTab(ctx) {
			return
		}
		s.stopStep(ctx)
	case stopClosing:
		s.stop.stage = stopLeaving
		s.armStop(ctx)
		if s.link != nil {
			Tell(s.env.System, s.link.socket, &messages.CloseSocket{Cause: messages.Cause{Kind: messages.DisconnectClosed, Text: s.stop.reason}})
			return
		}
		s.stopStep(ctx)
	case stopLeaving:
		s.stop.stage = stopGiving
		s.armStop(ctx)
		s.giveLease(ctx)
	case stopGiving:
		s.stop.stage = stopOver
		s.condition.set(messages.StatusStopped, s.stop.reason, s.env.Clock.Now())
		s.lastWord = &messages.TaskStoppedEvent{Task: s.rec.ID, Reason: s.stop.reason}
		s.final(ctx, nil)
	case stopOver:
	}
}

// opening reports whether the browser is just opening a tab for the task.
func (s *supervisor) opening() bool {
	return s.link != nil && (s.link.root.Phase() == attach.RootCreating || s.link.creating > 0)
}

// rootStopped is what is left of the set-up of a connection when the task stops:
// what was opened is to be closed.
func (s *supervisor) rootStopped(ctx actor.Context, effects []attach.RootEffect) {
	for _, e := range effects {
		switch e := e.(type) {
		case attach.Connected:
			s.closeCanary(ctx) // of the connection before
		case attach.Chosen:
			if e.Made {
				s.rec.made = e.Info.TargetID
			}
		}
	}
	s.stopOpened(ctx)
}

// stopOpened goes on when no tab is being opened any more.
func (s *supervisor) stopOpened(ctx actor.Context) {
	if s.stop == nil || s.stop.stage != stopClosing || s.stop.closing != "" || s.opening() {
		return
	}
	s.armStop(ctx)
	if !s.closeTab(ctx) {
		s.stopStep(ctx)
	}
}

// closeTab closes the tab that the engine made, unless it is the browser's
// last: closing that would end the browser.
func (s *supervisor) closeTab(ctx actor.Context) bool {
	if s.link == nil || !s.link.open || s.rec.made == "" || s.link.infos.Get(s.rec.made) == nil {
		return false
	}
	if s.link.infos.Len() < 2 {
		return false
	}
	if !s.leaving(s.rec.made) {
		s.disablePage(ctx, s.rec.made) // a dialog may open before the tab is closed
	}
	s.stop.closing = s.rec.made
	s.sendClose(ctx)
	return true
}

func (s *supervisor) sendClose(ctx actor.Context) {
	s.sendOwn(ctx, "", messages.CloseTarget{TargetID: s.stop.closing}, func(ctx actor.Context, r *messages.Reply) {
		// The browser lists the tab until it is gone: a task that starts behind
		// this stop would take it.
		if s.stop.stage == stopClosing && (r.Err != nil || s.link.lacks.Has("discovery") || !s.unclosed()) {
			s.stopStep(ctx)
		}
	})
}

// unclosed reports whether the tab that is being closed is still there.
func (s *supervisor) unclosed() bool {
	return s.link != nil && s.link.infos.Get(s.stop.closing) != nil
}

// stopClosed goes on when the tab is gone.
func (s *supervisor) stopClosed(ctx actor.Context, page messages.TargetID) {
	if s.stop != nil && s.stop.stage == stopClosing && page == s.stop.closing {
		s.stopStep(ctx)
	}
}

// stopCommitted closes a tab again that shows another document than the one that
// was told to close: with that, the browser may have forgotten what it confirmed.
func (s *supervisor) stopCommitted(ctx actor.Context, page messages.TargetID) {
	if s.stop != nil && s.stop.stage == stopClosing && page == s.stop.closing {
		s.sendClose(ctx)
	}
}

// leaving reports whether a page is on its way to another document. If its old one
// opens a dialog now, that may be one that the new one waits for, under which the
// browser dies of Page.disable, but of no close.
func (s *supervisor) leaving(page messages.TargetID) bool {
	now := s.env.Clock.Now()
	main, known := s.link.tree.MainFrame(page)
	return s.navigationOrdered(page, now) || known && s.link.frameNavigating(page, main.Frame, now)
}

// giveLease gives the endpoint back.
func (s *supervisor) giveLease(ctx actor.Context) {
	system, self := s.env.System, ctx.Self()
	s.rec.GiveBack(s.env, func() { Tell(system, self, &leaseReturned{}) })
}

// final sends the last part, and ends in finalEcho when it is published.
func (s *supervisor) final(ctx actor.Context, f *messages.Failure) {
	s.closing = true
	s.touched = true
	s.failAll(ctx, nil, func(*openAsk) *messages.Failure {
		if f != nil {
			return messages.Fail(messages.CodeStopped, "the task has failed: %s", f.Message).Because(messages.ErrTaskFailed)
		}
		return messages.Fail(messages.CodeStopped, "the task is stopped").Because(messages.ErrTaskStopped)
	})
	ctx.Send(ctx.Parent(), &messages.SupervisorEnded{Task: s.rec.ID, Life: s.rec.Life, Failure: f})
	s.answers = append(s.answers, messages.Answer{Ref: messages.Ref{Owner: messages.OwnerSupervisor, N: echoFinal}})
	if f != nil {
		s.giveLease(ctx)
	}
}

// What comes back from the snapshot actor under a Ref of our own.
const (
	echoFinal uint64 = iota + 1
	echoReady
)

// finalEcho: what was sent before the Ref is published. After the last part
// everybody has been answered, and what is left is the last event.
func (s *supervisor) finalEcho(ctx actor.Context, ref messages.Ref) {
	switch {
	case ref.N == echoReady:
		ctx.Send(ctx.Parent(), &messages.SupervisorReady{Task: s.rec.ID, Life: s.rec.Life})
	case s.closing:
		// Subscribers hear of the end, too, if they take no longer than a second.
		s.toEvents(ctx, &lastCall{})
		s.after(ctx, messages.TimerLeave, 0, messages.WillTimeout)
	}
}
