package frametree

import "cdpsupervisor/messages"

// node is one frame. Siblings and the frames of one placer are chained through
// the nodes themselves, so that attach, detach and reparent cost the same in
// any tree.
type node struct {
	id    messages.FrameID
	by    *session // the session that placed it; for a main frame the page's own
	owner *session // the session that it is the root of, or nil
	doc   document // what by says of it

	parent, first, last, prev, next *node
	prevPlaced, nextPlaced          *node

	ghost   bool // only mentioned as a parent so far
	limbo   bool // no frame: holds what has no parent yet
	linked  bool // reachable from the main frame of its page
	guessed bool // its parent is a guess from the session that announced it
	local   bool // its placer's renderer held it when that last spoke of it
	away    bool // its placer's renderer gave it to another (frameDetached{swap})
	lost    bool // its session ended and nothing was heard of it since
	doomed  bool // being removed
}

// swapping reports whether the frame is on its way from one renderer to another.
func (n *node) swapping() bool { return n.owner == nil && (n.away || n.lost) }

// stays reports whether the frame is still in its placer's renderer although it
// has a session: that was made for a document that has not come yet.
func (n *node) stays() bool { return n.owner != nil && n.local && !n.away && !n.remote() }

// parentID is the id of the parent frame, "" for a main frame and for one
// whose parent is not known.
func (n *node) parentID() messages.FrameID {
	if n.parent == nil {
		return ""
	}
	return n.parent.id
}

// settle notes that the frame is in its placer's renderer.
func (n *node) settle() { n.local, n.away, n.lost = true, false, false }

// newNode returns an unlinked node that is in the map and on its placer's list.
func (s *State) newNode(id messages.FrameID, by *session) *node {
	if s.spare == nil {
		s.chunk = min(max(2, 2*s.chunk), slabSize)
		chunk := make([]node, s.chunk)
		for i := range chunk {
			chunk[i].next = s.spare
			s.spare = &chunk[i]
		}
	}
	n := s.spare
	s.spare = n.next
	*n = node{id: id}
	s.nodes.Set(id, n)
	n.placeBy(by)
	return n
}

// free takes a node without children out of everything and keeps it for later.
func (s *State) free(n *node) {
	parent := n.parent
	s.unlink(n)
	n.placeBy(nil)
	s.nodes.Delete(n.id)
	if n.ghost {
		s.ghosts--
	}
	*n = node{next: s.spare}
	s.spare = n
	if parent != nil && parent.ghost && parent.first == nil && !parent.doomed {
		s.free(parent)
	}
}

// placeBy puts the node on the list of another placer; nil takes it off.
func (n *node) placeBy(by *session) {
	if n.by == by {
		return
	}
	if n.by != nil {
		if n.prevPlaced != nil {
			n.prevPlaced.nextPlaced = n.nextPlaced
		} else {
			n.by.placed = n.nextPlaced
		}
		if n.nextPlaced != nil {
			n.nextPlaced.prevPlaced = n.prevPlaced
		}
	}
	n.by, n.prevPlaced, n.nextPlaced = by, nil, nil
	if by == nil {
		return
	}
	if by.placed != nil {
		by.placed.prevPlaced = n
		n.nextPlaced = by.placed
	}
	by.placed = n
}

// link makes n the last child of parent. The caller has made sure that n is
// not above parent.
func (s *State) link(n, parent *node) {
	s.unlink(n)
	n.parent = parent
	n.prev = parent.last
	if parent.last != nil {
		parent.last.next = n
	} else {
		parent.first = n
	}
	parent.last = n
	if parent.linked {
		s.setLinked(n, true)
	}
}

// unlink takes n and what is below it from its parent.
func (s *State) unlink(n *node) {
	if n.linked {
		s.setLinked(n, false)
	}
	if n.parent == nil {
		return
	}
	if n.prev != nil {
		n.prev.next = n.next
	} else {
		n.parent.first = n.next
	}
	if n.next != nil {
		n.next.prev = n.prev
	} else {
		n.parent.last = n.prev
	}
	n.parent, n.prev, n.next = nil, nil, nil
}

// setLinked counts n and what is below it in or out of the page's tree. A
// single frame, the usual case, costs one step.
func (s *State) setLinked(n *node, linked bool) {
	for m := n; m != nil; m = m.after(n) {
		if m.linked == linked {
			continue
		}
		m.linked = linked
		if linked {
			m.by.page.linked++
		} else {
			m.by.page.linked--
		}
	}
	n.by.page.dirty = true
}

// after is the node that follows n when the tree under top is walked parents
// first, or nil at the end.
func (n *node) after(top *node) *node {
	if n.first != nil {
		return n.first
	}
	for n != top {
		if n.next != nil {
			return n.next
		}
		n = n.parent
	}
	return nil
}

// above reports whether n is m or above it.
func (n *node) above(m *node) bool {
	if n.first == nil {
		return n == m
	}
	for ; m != nil; m = m.parent {
		if m == n {
			return true
		}
	}
	return false
}
