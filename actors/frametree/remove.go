package frametree

import (
	"slices"

	"cdpsupervisor/messages"
)

// A removal has three steps, so that it is the same whatever begins it: condemn
// the frames that it is about, spread to all that goes with them, bury them.

// condemn marks a frame for removal.
func (s *State) condemn(n *node) {
	if !n.doomed {
		n.doomed = true
		s.doomed = append(s.doomed, n)
	}
}

// spread condemns what goes with the condemned: the frames below them, the
// sessions at their roots, and all that those have placed.
func (s *State) spread(dst []Effect) []Effect {
	for i := 0; i < len(s.doomed); i++ {
		n := s.doomed[i]
		for c := n.first; c != nil; c = c.next {
			s.condemn(c)
		}
		if n.owner != nil {
			dst = s.endSession(n.owner, dst)
		}
	}
	return dst
}

// bury removes the condemned and returns their ids, in the order in which they
// were condemned.
func (s *State) bury() []messages.FrameID {
	ids := s.cutIDs(len(s.doomed))
	for _, n := range s.doomed {
		if !n.ghost {
			ids = append(ids, n.id)
		}
		n.by.page.dirty = true
	}
	for _, n := range s.doomed {
		for n.first != nil {
			s.unlink(n.first)
		}
		s.free(n)
	}
	s.doomed = s.doomed[:0]
	return ids
}

// endSession takes a session out, and condemns what it has placed.
func (s *State) endSession(sess *session, dst []Effect) []Effect {
	s.sessions.Delete(sess.id)
	s.graves.add(sess.id)
	sess.page.remove(sess)
	for n := sess.placed; n != nil; n = n.nextPlaced {
		s.condemn(n)
	}
	e := s.endedSlab.next()
	*e = SessionEnded{Session: sess.id, Page: sess.page.target, Frame: sess.rootID()}
	if sess.root != nil {
		sess.root.owner = nil
		sess.root = nil
	}
	if sess.page.session == sess {
		s.removePage(sess.page)
	}
	return append(dst, e)
}

func (s *State) removePage(p *page) {
	s.pages.Delete(p.target)
	for i, q := range s.order {
		if q == p {
			s.order = append(s.order[:i], s.order[i+1:]...)
			return
		}
	}
}

// add puts a session at the end of the page's list.
func (p *page) add(sess *session) {
	sess.prev = p.lastSession
	if p.lastSession != nil {
		p.lastSession.next = sess
	} else {
		p.firstSession = sess
	}
	p.lastSession = sess
}

// remove takes a session off the page's list.
func (p *page) remove(sess *session) {
	if sess.prev != nil {
		sess.prev.next = sess.next
	} else {
		p.firstSession = sess.next
	}
	if sess.next != nil {
		sess.next.prev = sess.prev
	} else {
		p.lastSession = sess.prev
	}
	sess.prev, sess.next = nil, nil
}

const maxGraves = 2 * messages.MaxSessions

// graves remembers the sessions that ended last: an event that comes late on
// one of them is dropped, not kept for a session yet to come.
type graves struct {
	set  map[messages.SessionID]struct{}
	ring []messages.SessionID
	at   int
}

func (g *graves) has(id messages.SessionID) bool {
	_, ok := g.set[id]
	return ok
}

// last are up to n of those that ended last, oldest first.
func (g *graves) last(n int) []messages.SessionID {
	ids := slices.Concat(g.ring[g.at:], g.ring[:g.at])
	return ids[max(0, len(ids)-n):]
}

func (g *graves) add(id messages.SessionID) {
	if id == "" || g.has(id) { // the root session is used again
		return
	}
	if g.set == nil {
		g.set = make(map[messages.SessionID]struct{})
	}
	g.set[id] = struct{}{}
	if len(g.ring) < maxGraves {
		g.ring = append(g.ring, id)
		return
	}
	delete(g.set, g.ring[g.at])
	g.ring[g.at] = id
	g.at = (g.at + 1) % maxGraves
}
