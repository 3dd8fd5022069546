package frametree

import "cdpsupervisor/messages"

// Apply takes one event, in the order of the stream, and appends what follows
// from it to dst. Events that do not concern frames do nothing.
//
// Each Target.attachedToTarget comes out as one [SessionAttached], for an iframe
// that the tree takes, or as one [SessionUnclaimed]. For a page the owner then
// decides and calls [State.AddPage].
func (s *State) Apply(ev *messages.Event, dst []Effect) []Effect {
	s.seq++
	sess := s.sessions.Get(ev.Session)
	switch {
	case sess != nil:
		return s.step(sess, ev.Body, dst)
	case s.graves.has(ev.Session):
		return s.late(ev, dst)
	case ev.Session == "":
		return s.browser(ev, dst)
	}
	return s.notYet(ev, dst)
}

// step applies an event of a session of ours.
func (s *State) step(sess *session, body messages.EventBody, dst []Effect) []Effect {
	switch b := body.(type) {
	case *messages.FrameAttached:
		return s.frameAttached(sess, b, dst)
	case *messages.FrameNavigated:
		return s.frameNavigated(sess, b, dst)
	case *messages.FrameDetached:
		return s.frameDetached(sess, b, dst)
	case *messages.FrameStartedNavigating:
		s.startedNavigating(sess, b)
	case *messages.NavigatedWithinDocument:
		return s.withinDocument(sess, b, dst)
	case *messages.DocumentOpened:
		return s.documentOpened(sess, b, dst)
	case *messages.ContextCreated:
		s.contextCreated(sess, b)
	case *messages.ContextsCleared:
		sess.worlds.Clear()
	case *messages.AttachedToTarget:
		return s.attached(sess, b, dst)
	case *messages.DetachedFromTarget:
		return s.detached(b.SessionID, dst)
	case *messages.TargetInfoChanged:
		return s.infoChanged(sess, &b.Info, dst)
	case *messages.TargetDestroyed:
		return s.destroyed(b, dst)
	case *messages.InspectorCrashed:
		s.setCrashed(sess, true)
	case *messages.InspectorReloaded:
		s.setCrashed(sess, false)
	}
	return dst
}

// browser applies an event of the browser's own session.
func (s *State) browser(ev *messages.Event, dst []Effect) []Effect {
	switch b := ev.Body.(type) {
	case *messages.AttachedToTarget:
		why := UnclaimedType
		if b.Info.Type != messages.TargetPage {
			s.bar(b.SessionID)
		}
		if b.Info.Type == messages.TargetIframe {
			why = UnclaimedStranger
		}
		return s.unclaimed("", b, why, dst)
	case *messages.DetachedFromTarget:
		return s.detached(b.SessionID, dst)
	case *messages.TargetInfoChanged:
		return s.infoChanged(nil, &b.Info, dst)
	case *messages.TargetDestroyed:
		return s.destroyed(b, dst)
	}
	return s.notYet(ev, dst)
}

// late handles an event of a session that is over: it says nothing about the
// tree any more, but the sessions that it brings must not be taken for new.
func (s *State) late(ev *messages.Event, dst []Effect) []Effect {
	switch b := ev.Body.(type) {
	case *messages.AttachedToTarget:
		s.bar(b.SessionID)
		return s.unclaimed(ev.Session, b, UnclaimedOver, dst)
	case *messages.DetachedFromTarget:
		return s.detached(b.SessionID, dst)
	}
	return dst
}

// notYet keeps an event of a session that is not known. Where there is no room
// the session goes that has waited longest, since most likely it never comes. If
// that is its own the event goes: the rest would be nothing without its beginning.
func (s *State) notYet(ev *messages.Event, dst []Effect) []Effect {
	if s.early.keep(ev) {
		return dst
	}
	oldest := s.early.order[0]
	if oldest == ev.Session {
		return s.dropEarly(ev, dst)
	}
	list := s.early.take(oldest)
	for i := range list {
		dst = s.dropEarly(&list[i], dst)
	}
	s.early.keep(ev)
	return dst
}

// dropEarly counts an event that is not kept. A session that it brings is let go.
func (s *State) dropEarly(ev *messages.Event, dst []Effect) []Effect {
	s.dropped.Early++
	if b, ok := ev.Body.(*messages.AttachedToTarget); ok {
		return s.unclaimed(ev.Session, b, UnclaimedStranger, dst)
	}
	return dst
}

// replay applies what came for a session before it was known.
func (s *State) replay(sess *session, dst []Effect) []Effect {
	list := s.early.take(sess.id)
	for i := range list {
		dst = s.Apply(&list[i], dst)
	}
	return dst
}

// bar makes sure that a session that we do not know will never be taken, nor
// those that it has announced.
func (s *State) bar(id messages.SessionID) {
	if s.sessions.Get(id) != nil {
		return
	}
	s.graves.add(id)
	list := s.early.take(id)
	for i := range list {
		if b, ok := list[i].Body.(*messages.AttachedToTarget); ok {
			s.bar(b.SessionID)
		}
	}
}

func (s *State) setCrashed(sess *session, crashed bool) {
	if sess.crashed != crashed {
		sess.crashed = crashed
		sess.page.dirty = true
	}
}
