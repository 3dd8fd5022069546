package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/actors/frametree"
	"cdpsupervisor/bridge"
	"cdpsupervisor/messages"
)

// canaryTimer is the generation of the canary's timer; the early questions
// count from 1.
const canaryTimer uint64 = 0

// canaryTab is a background tab of ours in which the bridge asks itself once
// per connection: so it is known that requests are held before a page asks.
type canaryTab struct {
	stage   canaryStage
	target  messages.TargetID
	session messages.SessionID
}

type canaryStage uint8

const (
	canaryNone canaryStage = iota
	canaryOpening
	canaryAttaching
	canaryAsking
	canaryOver
)

// beginCanary opens the tab, where it is worth it. A page-level endpoint has no
// tabs.
func (s *supervisor) beginCanary(ctx actor.Context) {
	b := s.link.bridging
	if b == nil || b.canary.stage != canaryNone || s.link.pageLevel || !s.link.wasReady || !b.machine.WantsCanary() {
		return
	}
	b.canary.stage = canaryOpening
	s.link.creating++
	s.after(ctx, messages.TimerBridge, canaryTimer, messages.BlockedAfter)
	s.sendOwn(ctx, "", messages.CreateTarget{URL: "about:blank"}, func(ctx actor.Context, r *messages.Reply) {
		s.link.creating--
		made, ok := r.Body.(*messages.CreatedReply)
		if !ok || made.TargetID == "" {
			b.canary.stage = canaryOver // the bridge stays unproven
			s.decideAll(ctx)
			s.stopOpened(ctx)
			return
		}
		b.canary.target, s.rec.canary = made.TargetID, made.TargetID
		if b.canary.stage == canaryOver {
			s.closeCanary(ctx)
			s.decideAll(ctx)
			s.stopOpened(ctx)
			return
		}
		b.canary.stage = canaryAttaching
		// Nobody else of this engine takes it for a page to adopt.
		s.own(ctx, made.TargetID, true)
		s.decideAll(ctx)
		if b.canary.stage == canaryAttaching { // it does not attach by itself
			s.sendOwn(ctx, "", messages.AttachToTarget{TargetID: made.TargetID}, func(actor.Context, *messages.Reply) {})
		}
	})
}

// canaryAttached takes the session of the canary's tab, and reports whether the
// session may be it.
func (s *supervisor) canaryAttached(ctx actor.Context, e *frametree.SessionUnclaimed) bool {
	b := s.link.bridging
	if b == nil || e.Info.OpenerID != "" {
		return false
	}
	c := &b.canary
	switch {
	case c.stage == canaryOpening && len(s.link.undecided) < messages.MaxSessions && s.link.pages.Get(e.Info.TargetID) == nil &&
		e.Info.TargetID != s.page && !s.link.expected.Get(e.Info.TargetID):
		s.link.undecided = append(s.link.undecided, e) // the reply will tell
		return true
	case c.stage != canaryAttaching || e.Info.TargetID != c.target:
		return false
	}
	c.stage, c.session = canaryAsking, e.Session
	s.send(ctx, e.Session, messages.Ref{}, bridge.Hold())
	s.send(ctx, e.Session, messages.Ref{}, messages.RunIfWaiting{})
	s.sendOwn(ctx, e.Session, messages.Evaluate{Expression: b.machine.CanaryExpression()}, func(ctx actor.Context, r *messages.Reply) {
		if body, ok := r.Body.(*messages.EvaluateReply); ok && r.Err == nil {
			in := bridge.CanaryEnded{Value: body.Value}
			if body.Exception {
				in.Value = ""
			}
			s.bridgeStep(ctx, in)
		}
		s.endCanary(ctx) // a tab that went proves nothing
	})
	return true
}

// endCanary closes the tab, whatever it has shown.
func (s *supervisor) endCanary(ctx actor.Context) {
	c := &s.link.bridging.canary
	if c.stage == canaryNone || c.stage == canaryOver {
		return
	}
	c.stage = canaryOver
	if c.target == "" {
		return // the reply will close it
	}
	s.closeCanary(ctx)
	s.disown(ctx, c.target)
}

// closeCanary closes the tab, also that of a connection that broke meanwhile.
func (s *supervisor) closeCanary(ctx actor.Context) {
	if s.rec.canary != "" {
		s.send(ctx, "", messages.Ref{}, messages.CloseTarget{TargetID: s.rec.canary})
		s.rec.canary = ""
	}
}
