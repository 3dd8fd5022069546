package frametree

import "cdpsupervisor/messages"

// place puts a frame where a session says it is: under parent, or, without
// one, under the session's root as a guess. It returns nil if the frame is not
// taken: above the cap, or impossible.
func (s *State) place(by *session, id, parent messages.FrameID) *node {
	if id == "" || id == by.rootID() || id == parent {
		return nil
	}
	n := s.nodes.Get(id)
	if n != nil && n.owner != nil && n.owner.parent != by {
		return nil // a main frame is nobody's child; an iframe goes with the session that announced its own
	}
	if parent == "" && n != nil && !n.ghost && n.by == by && !n.guessed {
		return n // known better already
	}
	p := s.parentFor(by, parent)
	switch {
	case p == nil || p.by != nil && p.by.page != by.page:
		return nil
	case n != nil && (n.by.page != by.page || n.above(p) || by.root != nil && n.above(by.root)):
		s.dropGhost(p)
		return nil
	}
	switch {
	case n == nil:
		if n = s.track(by, id); n == nil {
			s.dropGhost(p)
			return nil
		}
	case n.ghost:
		n.ghost = false
		s.ghosts--
	}
	if n.by != by {
		n.placeBy(by)
		n.local = false
		n.doc.loader, n.doc.coming, n.doc.world = "", "", "" // another renderer's documents
	}
	n.guessed = parent == ""
	if n.parent != p {
		old := n.parent
		s.link(n, p)
		s.dropGhost(old)
	}
	by.page.dirty = true
	return n
}

// replaced reports whether the document that a session speaks of is gone: the
// frame has a session of its own by now, and that one has shown another.
func (s *State) replaced(by *session, frame messages.FrameID) bool {
	n := s.nodes.Get(frame)
	return n != nil && n.owner != nil && n.owner != by && n.owner.told
}

// parentFor finds the node to hang a frame under: a ghost for a parent that is
// not known, and the session's limbo while its root is not known.
func (s *State) parentFor(by *session, parent messages.FrameID) *node {
	if parent == "" {
		if by.root == nil {
			return &by.limbo
		}
		return by.root
	}
	if p := s.nodes.Get(parent); p != nil {
		return p
	}
	p := s.track(by, parent)
	if p == nil {
		return nil
	}
	p.ghost = true
	s.ghosts++
	s.link(p, &by.limbo)
	return p
}

// track returns a new node, or nil at the cap.
func (s *State) track(by *session, id messages.FrameID) *node {
	if s.nodes.Len() >= messages.MaxFrames {
		s.dropped.Frames++
		return nil
	}
	return s.newNode(id, by)
}

// dropGhost frees a ghost that holds nothing.
func (s *State) dropGhost(p *node) {
	if p != nil && p.ghost && p.first == nil {
		s.free(p)
	}
}

// setRoot makes a frame the main frame of a page session. One that was there
// before is condemned. It returns nil if the frame is the root of another
// session.
func (s *State) setRoot(sess *session, id messages.FrameID) *node {
	if sess.root != nil && sess.root.id == id {
		return sess.root
	}
	n := s.nodes.Get(id)
	switch {
	case n == nil:
		// A page's main frame is tracked whatever the other pages hold.
		n = s.newNode(id, sess)
	case n.owner != nil || n.by.page != sess.page:
		return nil
	case n.ghost:
		n.ghost = false
		s.ghosts--
	}
	old := n.parent
	s.unlink(n)
	s.dropGhost(old)
	if sess.root != nil {
		sess.root.owner = nil
		s.condemn(sess.root)
	}
	n.placeBy(sess)
	n.owner, n.guessed, n.doc = sess, false, document{}
	sess.root, sess.doc, sess.told = n, document{}, false
	s.setLinked(n, true)
	for c := sess.limbo.first; c != nil; {
		next := c.next
		if !c.ghost {
			s.link(c, n)
		}
		c = next
	}
	return n
}
