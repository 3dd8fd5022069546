package frametree

import (
	"errors"
	"fmt"

	"cdpsupervisor/messages"
)

// Early is the number of events that wait for their session.
func (s *State) Early() int { return s.early.total }

// StillHere: the frame has a session, and its placer's renderer still has it.
func (s *State) StillHere(frame messages.FrameID) bool {
	n := s.nodes.Get(frame)
	return n != nil && n.stays()
}

// Verify holds the whole state against its invariants.
func (s *State) Verify() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if len(s.doomed) != 0 {
		bad("%d frames still condemned", len(s.doomed))
	}
	ghosts, placed := 0, 0
	linked := make(map[*page]int)
	for id, n := range s.nodes.All() {
		if n.id != id {
			bad("frame %s is kept under %s", n.id, id)
		}
		if n.doomed || n.limbo {
			bad("frame %s: doomed %t, limbo %t", id, n.doomed, n.limbo)
		}
		if n.ghost {
			ghosts++
			if n.first == nil || n.owner != nil || n.parent == nil || !n.parent.limbo {
				bad("ghost %s: empty, owned or not in limbo", id)
			}
		}
		if n.by == nil || s.sessions.Get(n.by.id) != n.by {
			bad("frame %s was placed by a session that is gone", id)
			continue
		}
		if n.owner != nil && (s.sessions.Get(n.owner.id) != n.owner || n.owner.root != n || n.owner.page != n.by.page) {
			bad("frame %s: its session is gone, of another page, or has another root", id)
		}
		if n.owner != nil && n.owner.parent != nil && n.owner.parent != n.by {
			bad("frame %s was placed by another session than its own was announced on", id)
		}
		errs = append(errs, n.verifyPlace(s)...)
		if n.linked {
			linked[n.by.page]++
		}
	}
	errs = append(errs, s.verifyHeights()...)
	for id, sess := range s.sessions.All() {
		errs = append(errs, sess.verify(s, id)...)
		for n := sess.placed; n != nil; n = n.nextPlaced {
			placed++
			if n.by != sess || s.nodes.Get(n.id) != n || n.nextPlaced != nil && n.nextPlaced.prevPlaced != n {
				bad("session %s: its list of frames is broken at %s", id, n.id)
				break
			}
		}
	}
	if placed != s.nodes.Len() {
		bad("%d frames on the lists of placers, %d in all", placed, s.nodes.Len())
	}
	if ghosts != s.ghosts || s.Frames() != s.nodes.Len()-ghosts {
		bad("%d ghosts counted, %d there", s.ghosts, ghosts)
	}
	for _, p := range s.order {
		if p.linked != linked[p] {
			bad("page %s counts %d frames, %d are there", p.target, p.linked, linked[p])
		}
		if s.pages.Get(p.target) != p || s.sessions.Get(p.session.id) != p.session || p.session.parent != nil {
			bad("page %s has no session", p.target)
		}
	}
	if len(s.order) != s.pages.Len() {
		bad("%d pages in order, %d in all", len(s.order), s.pages.Len())
	}
	early := 0
	for id, list := range s.early.of {
		early += len(list)
		if s.sessions.Get(id) != nil || len(list) == 0 {
			bad("early events of session %s are left over", id)
		}
	}
	if early != s.early.total || early > maxEarly || len(s.early.order) != len(s.early.of) {
		bad("%d early events counted, %d there, of %d sessions; %d in order", s.early.total, early, len(s.early.of), len(s.early.order))
	}
	if len(s.graves.set) > maxGraves || len(s.graves.set) != len(s.graves.ring) {
		bad("%d graves, ring of %d", len(s.graves.set), len(s.graves.ring))
	}
	if s.sessions.Len() > messages.MaxSessions || s.nodes.Len() > messages.MaxFrames+messages.MaxSessions {
		bad("%d sessions, %d frames", s.sessions.Len(), s.nodes.Len())
	}
	return errors.Join(errs...)
}

// verifyPlace checks what is around a node.
func (n *node) verifyPlace(s *State) (errs []error) {
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("frame %s: "+format, append([]any{n.id}, args...)...))
	}
	main := n == n.by.page.session.root
	if main != (n.parent == nil) {
		bad("main %t, but has a parent: %t", main, n.parent != nil)
	}
	if p := n.parent; p != nil {
		if n.prev == nil && p.first != n || n.prev != nil && n.prev.next != n ||
			n.next == nil && p.last != n || n.next != nil && n.next.prev != n {
			bad("the list of its siblings is broken")
		}
		if !p.limbo && s.nodes.Get(p.id) != p {
			bad("its parent %s is gone", p.id)
		}
		if n.linked != p.linked {
			bad("linked %t, its parent %t", n.linked, p.linked)
		}
		if !p.limbo && p.by.page != n.by.page {
			bad("its parent is on another page")
		}
	}
	for c := n.first; c != nil; c = c.next {
		if c.parent != n {
			bad("has a child of another parent, %s", c.id)
			break
		}
	}
	return errs
}

// verifyHeights checks that no frame is above itself: what is climbed once is
// not climbed again.
func (s *State) verifyHeights() (errs []error) {
	seen := make(map[*node]int, s.nodes.Len()) // in which climb
	climb := 0
	for _, n := range s.nodes.All() {
		climb++
		for m := n; m != nil && seen[m] == 0; m = m.parent {
			seen[m] = climb
			if m.parent != nil && seen[m.parent] == climb {
				errs = append(errs, fmt.Errorf("frame %s is above itself", m.parent.id))
				break
			}
		}
	}
	return errs
}

// verify checks a session.
func (sess *session) verify(s *State, id messages.SessionID) (errs []error) {
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("session %s: "+format, append([]any{id}, args...)...))
	}
	if sess.id != id || s.graves.has(id) {
		bad("kept under another id, or buried alive")
	}
	if s.pages.Get(sess.page.target) != sess.page {
		bad("its page is gone")
	}
	if sess.parent != nil && s.sessions.Get(sess.parent.id) != sess.parent {
		bad("its parent is gone")
	}
	if sess.parent != nil && (sess.root == nil || sess.root.owner != sess) {
		bad("an iframe session without its frame")
	}
	found := 0
	for q := sess.page.firstSession; q != nil; q = q.next {
		if q == sess {
			found++
		}
	}
	if found != 1 {
		bad("%d times on the list of its page", found)
	}
	for g := sess.limbo.first; g != nil; g = g.next {
		if g.parent != &sess.limbo {
			bad("its limbo is broken")
		}
	}
	return errs
}
