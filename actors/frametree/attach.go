package frametree

import "cdpsupervisor/messages"

// AddPage takes a page target that the owner has decided to supervise, with the
// session that was attached to it ("" on a page-level endpoint), and applies
// what came on that session before. The main frame is not known until the
// session tells it: its id need not be the target's.
//
// If the page has a session already, or that session is over, the answer is a
// [SessionUnclaimed].
func (s *State) AddPage(id messages.SessionID, info *messages.TargetInfo, waiting bool, dst []Effect) []Effect {
	why := UnclaimedSurplus
	switch {
	case s.pages.Get(info.TargetID) != nil || s.sessions.Get(id) != nil:
	case s.graves.has(id):
		why = UnclaimedOver
	case s.sessions.Len() >= messages.MaxSessions:
		s.dropped.Sessions++
		why = UnclaimedCap
	default:
		p := &page{target: info.TargetID, group: info.TargetID, dirty: true}
		s.openedBy(p, info)
		s.pages.Set(p.target, p)
		s.order = append(s.order, p)
		sess := s.newSession(id, nil, p)
		sess.targetURL = info.URL
		p.session = sess
		dst = s.announce(sess, info.TargetID, waiting, dst)
		return s.replay(sess, dst)
	}
	return s.unclaimed("", &messages.AttachedToTarget{SessionID: id, Info: *info, Waiting: waiting}, why, dst)
}

// openedBy notes what a page has from its opener: the renderers that both may
// share, and the origin that its blank first document inherits. The origin is
// taken now, since the opener may go on to another.
func (s *State) openedBy(p *page, info *messages.TargetInfo) {
	if info.OpenerID != "" && info.CanAccessOpener {
		p.group = info.OpenerID
		if o := s.pages.Get(info.OpenerID); o != nil {
			p.group = o.group
			n := s.nodes.Get(info.OpenerFrameID)
			if n == nil || n.ghost {
				n = o.session.root
			}
			if n != nil {
				p.origin = n.shownOrigin()
			}
		}
	}
	for _, q := range s.order { // popups that came before their opener
		if q.group == p.target {
			q.group = p.group
		}
	}
}

func (s *State) newSession(id messages.SessionID, parent *session, p *page) *session {
	sess := &session{id: id, parent: parent, page: p, since: s.seq}
	sess.limbo.limbo = true
	s.sessions.Set(id, sess)
	p.add(sess)
	return sess
}

func (s *State) announce(sess *session, target messages.TargetID, waiting bool, dst []Effect) []Effect {
	e := s.attachedSlab.next()
	*e = SessionAttached{
		Session: sess.id, Page: sess.page.target, Target: target, Frame: sess.rootID(), Waiting: waiting,
	}
	if sess.parent != nil {
		e.Parent = sess.parent.id
	}
	return append(dst, e)
}

func (s *State) unclaimed(
	parent messages.SessionID, b *messages.AttachedToTarget, why Unclaimed, dst []Effect,
) []Effect {
	e := s.unclaimedSlab.next()
	*e = SessionUnclaimed{Session: b.SessionID, Parent: parent, Info: b.Info, Waiting: b.Waiting, Why: why}
	return append(dst, e)
}

// attached gives an iframe its session. The frame may be known or not, and so
// may its parent.
func (s *State) attached(parent *session, b *messages.AttachedToTarget, dst []Effect) []Effect {
	id, frame := b.SessionID, messages.FrameID(b.Info.TargetID)
	if b.Info.Type != messages.TargetIframe {
		if b.Info.Type != messages.TargetPage {
			s.bar(id) // a worker has no frames
		}
		return s.unclaimed(parent.id, b, UnclaimedType, dst)
	}
	if n := s.nodes.Get(frame); s.sessions.Get(id) != nil || n != nil && n.owner != nil {
		return s.unclaimed(parent.id, b, UnclaimedSurplus, dst)
	}
	if s.graves.has(id) {
		return s.unclaimed(parent.id, b, UnclaimedOver, dst)
	}
	if s.sessions.Len() >= messages.MaxSessions {
		s.dropped.Sessions++
		s.bar(id)
		return s.unclaimed(parent.id, b, UnclaimedCap, dst)
	}
	n := s.place(parent, frame, b.Info.ParentFrameID)
	if n == nil {
		s.bar(id)
		why := UnclaimedOver
		if s.nodes.Len() >= messages.MaxFrames {
			why = UnclaimedCap
		}
		return s.unclaimed(parent.id, b, why, dst)
	}
	sess := s.newSession(id, parent, parent.page)
	sess.root, n.owner = n, sess
	sess.state = messages.FramePending
	sess.targetURL, sess.byParent = b.Info.URL, b.Info.URL != ""
	sess.carried = s.replaced(parent, n.parentID())
	parent.page.dirty = true
	dst = s.announce(sess, b.Info.TargetID, b.Waiting, dst)
	dst = s.heard(parent, n, dst)
	return s.replay(sess, dst)
}

// detached ends a session that the browser says is gone. For an iframe that
// alone does not say that the frame is gone: its parent does, or that document's
// end.
func (s *State) detached(id messages.SessionID, dst []Effect) []Effect {
	sess := s.sessions.Get(id)
	if sess == nil {
		s.bar(id)
		return dst
	}
	p, n := sess.page, sess.root
	if n != nil && sess.parent != nil {
		s.leave(sess, n)
	}
	dst = s.endSession(sess, dst)
	dst = s.spread(dst)
	return s.pruned(p, dst)
}

// leave gets a frame ready for the end of its session.
func (s *State) leave(sess *session, n *node) {
	if sess.carried {
		s.condemn(n) // of an old document after all
		return
	}
	if n.stays() {
		return // the document that the session was made for did not come
	}
	if n.away { // what its placer once held below it went with the swap
		for c := n.first; c != nil; c = c.next {
			s.condemn(c)
		}
	}
	n.lost = true
	n.doc.loader, n.doc.world = "", "" // what it shows when it is back is yet to be told
	if url := sess.lastURL(); url != "" {
		n.doc = document{url: url, name: n.doc.name}
	}
}

// pruned buries the condemned and tells of the frames that went.
func (s *State) pruned(p *page, dst []Effect) []Effect {
	p.dirty = true
	if ids := s.bury(); len(ids) > 0 {
		e := s.prunedSlab.next()
		*e = FramesPruned{Page: p.target, Frames: ids}
		dst = append(dst, e)
	}
	return dst
}

// SessionGone ends a session that the owner knows to be gone, as
// Target.detachedFromTarget does. One that is not known will not be taken later.
func (s *State) SessionGone(id messages.SessionID, dst []Effect) []Effect {
	return s.detached(id, dst)
}

// destroyed ends a page whose target is gone. An iframe's end is told by its
// parent session, which alone is in order with a new session for the same id.
func (s *State) destroyed(b *messages.TargetDestroyed, dst []Effect) []Effect {
	if p := s.pages.Get(b.TargetID); p != nil {
		return s.detached(p.session.id, dst)
	}
	return dst
}

// infoChanged takes the URL that a target shows. What the parent session says
// counts; what only the browser says fills the gap.
//
// A session that was asked for its frames too early speaks of the document now:
// the parent session tells the URL of one that has come.
func (s *State) infoChanged(on *session, info *messages.TargetInfo, dst []Effect) []Effect {
	var sess *session
	if p := s.pages.Get(info.TargetID); p != nil {
		sess = p.session
	} else if n := s.nodes.Get(messages.FrameID(info.TargetID)); n != nil {
		sess = n.owner
	}
	if sess == nil || info.URL == "" {
		return dst
	}
	fromParent := on == sess.parent
	if fromParent || !sess.byParent {
		sess.targetURL = info.URL
		sess.byParent = fromParent
		sess.page.dirty = true
	}
	if fromParent && sess.early {
		return s.speaks(sess, dst)
	}
	return dst
}

// SetSessionState sets what views show for the frame at the root of a session:
// "" once it answers, pending or unresponsive before. An iframe's session begins
// as pending, a page's as "". A crash, which the session itself reports, is shown
// instead while it lasts.
func (s *State) SetSessionState(id messages.SessionID, state messages.FrameState) {
	if sess := s.sessions.Get(id); sess != nil && sess.state != state {
		sess.state = state
		sess.page.dirty = true
	}
}
