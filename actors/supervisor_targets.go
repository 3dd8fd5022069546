package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/actors/attach"
	"cdpsupervisor/actors/frametree"
	"cdpsupervisor/bridge"
	"cdpsupervisor/messages"
	"cdpsupervisor/policy"
)

// targetEvent keeps what is known of page targets, before the frame tree sees
// the event.
func (s *supervisor) targetEvent(ctx actor.Context, ev *messages.Event) {
	switch body := ev.Body.(type) {
	case *messages.TargetCreated:
		s.known(&body.Info)
		s.discovered(ctx, &body.Info)
	case *messages.TargetInfoChanged:
		s.known(&body.Info)
	case *messages.TargetDestroyed:
		s.link.infos.Delete(body.TargetID)
		s.link.expected.Delete(body.TargetID)
		s.closed(ctx, body.TargetID)
		s.stopClosed(ctx, body.TargetID)
		if body.TargetID == s.page && s.link.pages.Get(s.page) == nil {
			s.pageLost(ctx)
		}
	case *messages.TargetCrashed:
		if e := s.link.pageSession(body.TargetID); e != nil {
			s.crashed(ctx, e, ev.At)
		}
	case *messages.InspectorCrashed:
		if e := s.link.sessions.Get(ev.Session); e != nil {
			s.crashed(ctx, e, ev.At)
		}
	case *messages.InspectorReloaded:
		if e := s.link.sessions.Get(ev.Session); e != nil {
			if p := s.link.pages.Get(e.target); p != nil {
				p.crashed = false
			}
			e.state = messages.SessionReady
			s.input(messages.SessionInput{Session: e.n, Kind: messages.SessionRendererBack})
		}
	}
}

// known keeps the newest title and URL of page targets.
func (s *supervisor) known(info *messages.TargetInfo) {
	if info.Type != messages.TargetPage {
		return
	}
	if have := s.link.infos.Get(info.TargetID); have != nil || s.link.infos.Len() < messages.MaxSessions {
		kept := *info
		s.link.infos.Set(info.TargetID, &kept)
	}
	if info.TargetID == s.page && (info.URL != s.pageInfo.URL || info.Title != s.pageInfo.Title) {
		s.pageInfo.URL, s.pageInfo.Title = info.URL, info.Title
		s.touched = true
	}
}

// discovered attaches a popup where the browser does not do so by itself: on
// a page-level endpoint, or when auto-attach was refused.
func (s *supervisor) discovered(ctx actor.Context, info *messages.TargetInfo) {
	refused := s.link.lacks.Has("popups")
	if info.Type != messages.TargetPage || info.Subtype != "" || !s.link.pageLevel && !refused {
		return
	}
	if info.OpenerID == "" || s.link.pages.Get(info.OpenerID) == nil || s.link.pages.Get(info.TargetID) != nil {
		return
	}
	if s.link.expected.Len() >= messages.MaxSessions {
		return // as many as can be attached are on their way
	}
	s.link.expected.Set(info.TargetID, true)
	s.sendOwn(ctx, "", messages.AttachToTarget{TargetID: info.TargetID}, func(actor.Context, *messages.Reply) {})
}

// unclaimed decides about a session that the tree did not take.
func (s *supervisor) unclaimed(ctx actor.Context, e *frametree.SessionUnclaimed) {
	if e.Why != frametree.UnclaimedType || e.Info.Type != messages.TargetPage {
		s.release(ctx, e)
		return
	}
	if s.canaryAttached(ctx, e) {
		return
	}
	info := &e.Info
	s.known(info)
	l := s.link
	ours := info.TargetID == s.page || l.expected.Get(info.TargetID) ||
		s.rec.Options.Scope == messages.ScopeBrowser && info.Subtype == "" ||
		info.OpenerID != "" && l.pages.Get(info.OpenerID) != nil && info.Subtype == ""
	switch {
	case l.pages.Get(info.TargetID) != nil: // a second session of a page
		s.release(ctx, e)
	case ours:
		l.expected.Delete(info.TargetID)
		s.addPage(ctx, e.Session, *info, e.Waiting)
	case l.creating > 0 || !e.Waiting && info.OpenerID != "" && l.root.Phase() == attach.RootAttaching:
		// It may be the tab that is being opened, or a popup whose opener has
		// not been attached yet.
		if len(l.undecided) < messages.MaxSessions {
			l.undecided = append(l.undecided, e)
			return
		}
		s.release(ctx, e)
	default:
		s.release(ctx, e)
	}
}

// release lets a target that is not ours go: resumed first, detached then, or
// its opener would hang.
func (s *supervisor) release(ctx actor.Context, e *frametree.SessionUnclaimed) {
	if s.link.sessions.Get(e.Session) != nil {
		return // one of ours that was told twice
	}
	if e.Waiting {
		s.send(ctx, e.Session, messages.Ref{}, messages.RunIfWaiting{})
	}
	if e.Why != frametree.UnclaimedOver {
		s.send(ctx, e.Parent, messages.Ref{}, messages.DetachFromTarget{SessionID: e.Session})
	}
}

// decideAll looks again at what could not be decided; each round may make
// openers known.
func (s *supervisor) decideAll(ctx actor.Context) {
	for {
		waiting := s.link.undecided
		if len(waiting) == 0 {
			return
		}
		s.link.undecided = nil
		before := s.link.pages.Len()
		for _, e := range waiting {
			s.unclaimed(ctx, e)
		}
		if s.link.pages.Len() == before {
			if s.link.creating == 0 {
				rest := s.link.undecided
				s.link.undecided = nil
				for _, e := range rest {
					s.release(ctx, e)
				}
			}
			return
		}
	}
}

// addPage supervises a page target.
func (s *supervisor) addPage(ctx actor.Context, session messages.SessionID, info messages.TargetInfo, waiting bool) {
	s.link.pages.Set(info.TargetID, &pageEntry{session: session})
	if info.TargetID != s.page {
		s.own(ctx, info.TargetID, true)
	}
	s.treeEffects(ctx, s.env.Clock.Now(), s.link.tree.AddPage(session, &info, waiting, nil))
	if info.TargetID == s.page {
		s.tabGone = false
		s.rootStep(ctx, attach.PageAttached{At: s.env.Clock.Now()})
	}
	if s.link != nil {
		s.decideAll(ctx)
	}
}

// sessionAttached has a session set up.
func (s *supervisor) sessionAttached(ctx actor.Context, e *frametree.SessionAttached) {
	n := s.rec.Sessions.Add(1)
	begin := &messages.SessionBegin{ID: e.Session, Target: e.Target, Page: e.Target == e.Page, Bridge: s.bridgeInstall(ctx, e.Session)}
	s.input(messages.SessionInput{Session: n, Kind: messages.SessionBegan, Begin: begin})
	entry := &sessionEntry{n: n, id: e.Session, page: e.Page, target: e.Target, isPage: begin.Page, state: messages.SessionPending}
	s.link.sessions.Set(e.Session, entry)
	s.link.numbers.Set(n, entry)
	if !e.Waiting && !entry.isPage {
		s.link.expectWord(messages.FrameID(e.Target), s.env.Clock.Now())
	}
	s.touched = true
}

// sessionChanged follows the set-up of a session.
func (s *supervisor) sessionChanged(ctx actor.Context, m messages.SessionChange) {
	e := s.link.numbers.Get(m.Session)
	if e == nil {
		return
	}
	s.becomes(ctx, e, m.State)
}

// becomes changes the state of a session.
func (s *supervisor) becomes(ctx actor.Context, e *sessionEntry, state messages.SessionState) {
	e.state = state
	s.touched = true
	if state != messages.SessionPending && state != messages.SessionUnresponsive {
		delete(s.link.silent, messages.FrameID(e.target))
	}
	switch state {
	case messages.SessionReady:
		s.link.tree.SetSessionState(e.id, "")
		s.focusOwn(ctx, e)
	case messages.SessionPending:
		s.link.tree.SetSessionState(e.id, messages.FramePending)
	case messages.SessionUnresponsive, messages.SessionBlocked:
		s.link.tree.SetSessionState(e.id, messages.FrameUnresponsive)
	case messages.SessionCrashed, messages.SessionEnded:
	}
	if e.isPage && e.target == s.page {
		s.pageChanged(ctx, e)
	}
}

// pageChanged tells the registry when the task can be used, and sends on what
// waited for it.
func (s *supervisor) pageChanged(ctx actor.Context, e *sessionEntry) {
	switch e.state {
	case messages.SessionReady, messages.SessionBlocked, messages.SessionCrashed:
	default:
		return
	}
	s.condition.clear()
	s.link.wasReady = true
	s.lastTree = nil
	if !s.rec.ready {
		s.rec.ready = true
	}
	s.beginCanary(ctx)
	// Published first: whoever is told finds the page in the snapshot.
	s.tellReady = true
	s.routeWaiting(ctx)
}

// crashed: the renderer of a session is gone. What was sent to it is never
// answered.
func (s *supervisor) crashed(ctx actor.Context, e *sessionEntry, now time.Time) {
	s.input(messages.SessionInput{Session: e.n, Kind: messages.SessionRendererGone})
	e.state = messages.SessionCrashed // at once: its actor says so too late for the next call
	if e.isPage {
		if p := s.link.pages.Get(e.target); p != nil {
			p.crashed, p.committing = true, ""
		}
		s.tell(policy.TargetGone{At: now, Target: e.target, Reason: messages.ReasonCrashed}, ctx)
	} else {
		// No event tells that a question of the bridge died with its frame.
		s.tell(policy.SessionGone{At: now, Session: e.id, Reason: messages.ReasonCrashed}, ctx)
	}
	s.touched = true
	s.failAll(ctx, func(a *openAsk) bool {
		other := s.link.sessions.Get(a.session)
		sameSession := a.session == e.id
		samePage := e.isPage && other != nil && other.page == e.page
		// A navigation brings the page back and is answered, unless the renderer
		// that is gone was to commit it.
		return !a.onWire() || a.actor == 0 || a.class.Cancels || !sameSession && !samePage
	}, func(a *openAsk) *messages.Failure {
		f := targetCrashed()
		f.MayHaveRun = true
		return f
	})
	if e.isPage {
		s.boundCommits(ctx, e.target)
	}
}

// sessionEnded: a session is over, by itself or with the one above it.
func (s *supervisor) sessionEnded(ctx actor.Context, e *frametree.SessionEnded, now time.Time) {
	entry := s.link.sessions.Get(e.Session)
	if entry == nil {
		return
	}
	s.link.sessions.Delete(e.Session)
	s.link.numbers.Delete(entry.n)
	s.link.forget(entry.id)
	delete(s.link.silent, messages.FrameID(entry.target))
	if len(s.rec.failures) > 0 {
		delete(s.rec.failures, failuresOf(entry.n))
	}
	s.input(messages.SessionInput{Session: entry.n, Kind: messages.SessionOver})
	s.touched = true
	s.bridgeStep(ctx, bridge.Ended{Session: e.Session})
	if entry.isPage {
		s.pageEnded(ctx, entry, now)
	}
	s.tell(policy.SessionGone{At: now, Session: e.Session}, ctx)
	s.failAll(ctx, func(a *openAsk) bool { return !a.onWire() || a.actor != entry.n }, func(a *openAsk) *messages.Failure {
		f := messages.Fail(messages.CodeSessionLost, "the session of %s went away while it ran: its frame was removed, replaced or closed", s.nameOf(a))
		f.MayHaveRun = true
		return f
	})
}

// closed answers who wanted a page closed: the browser may say that it is, and
// nothing more. A page may also close itself as soon as its dialog is dismissed.
func (s *supervisor) closed(ctx actor.Context, page messages.TargetID) {
	for _, a := range s.rec.asks.pending() {
		if a.stage != stageSent && a.stage != stageSettling || a.class.Rewrite != messages.RewriteClose || a.target != page {
			continue
		}
		result := "{}"
		if a.class.Root {
			result = `{"success":true}`
		}
		s.answer(ctx, a, &messages.CallResult{Result: []byte(result)})
	}
}

func (s *supervisor) pageEnded(ctx actor.Context, entry *sessionEntry, now time.Time) {
	s.closed(ctx, entry.target)
	s.link.pages.Delete(entry.target)
	delete(s.link.navigation, entry.target)
	s.tell(policy.TargetGone{At: now, Target: entry.target, Reason: messages.ReasonTargetClosed}, ctx)
	s.disown(ctx, entry.target)
	if entry.target == s.page {
		s.navigateElsewhere(entry.target)
		s.pageLost(ctx)
	}
}

// pageLost: the task's tab is closed. The task itself is well, and says so. One
// that has never had its page takes another, unless it was told which or there is
// none but that.
func (s *supervisor) pageLost(ctx actor.Context) {
	again := s.rec.unused == s.page && s.rec.unusedOn != s.link.epoch
	if !s.rec.ready && s.rec.Options.TargetID == "" && !s.link.pageLevel && s.stop == nil && !again {
		s.rec.unused, s.rec.unusedOn = s.page, s.link.epoch
		if s.rec.made == s.page {
			s.rec.made = ""
		}
		ctx.Send(ctx.Self(), &messages.PageTaken{Page: s.page, Closed: true})
		return
	}
	s.tabGone = s.tabGone || s.stop == nil // while the task stops it is no news
	s.touched = true
	if s.rec.made == s.page {
		s.rec.made = ""
	}
	s.rec.prefer = ""
	s.rootStep(ctx, attach.PageGone{At: s.env.Clock.Now()})
	s.condition.clear()
	s.rec.ready, s.tellReady = true, true
	s.routeWaiting(ctx)
}

// committed: a frame shows another document.
func (s *supervisor) committed(ctx actor.Context, e *frametree.Committed, now time.Time) {
	s.link.navigatesNoMore(e.Page, e.Frames)
	delete(s.link.navigation[e.Page], e.Frame)
	s.answersAgain(s.link.sessions.Get(e.Session))
	s.tell(policy.Navigated{
		At: now, Session: e.Session, Target: e.Page, Frame: e.Frame,
		Frames: e.Frames, TopFrame: e.MainFrame,
	}, ctx)
	s.bridgeCommitted(ctx, e.Session, e.Frame)
	if !e.MainFrame {
		return
	}
	s.stopCommitted(ctx, e.Page)
	delete(s.link.navigation, e.Page)
	if p := s.link.pages.Get(e.Page); p != nil {
		p.committing, p.closing = "", false
		if !s.ordersAnother(e.Page, e.Loader) {
			p.ordered = time.Time{}
		}
	}
	for _, a := range s.rec.asks.pending() {
		if a.stage == stageCommit && a.target == e.Page && a.loader == e.Loader {
			s.navigated(ctx, a)
		}
	}
}

// answersAgain: a session that was given up has committed a document, so its
// renderer is alive; the replies of its set-up are on their way.
func (s *supervisor) answersAgain(e *sessionEntry) {
	if e == nil || e.state != messages.SessionBlocked && e.state != messages.SessionUnresponsive {
		return
	}
	e.state = messages.SessionPending
	s.link.tree.SetSessionState(e.id, "")
	s.touched = true
}
