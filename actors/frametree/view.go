package frametree

import "cdpsupervisor/messages"

// Dirty reports whether the view of a page has changed since [State.View] was
// last taken of it. It is false for a page that is not there.
func (s *State) Dirty(page messages.TargetID) bool {
	p := s.pages.Get(page)
	return p != nil && p.dirty
}

// View returns the capped view of a page, and marks it as clean. It is nil while
// no main frame is known. The view is new at every call and belongs to the
// caller. Without sessions the session ids are left out.
//
// It goes breadth first: at most [messages.MaxViewFrames] children, and none
// that is more than [messages.MaxViewOOPIFDepth] sessions away from the top. Its
// cost depends on what is shown, not on how many frames there are.
func (s *State) View(page messages.TargetID, withSessions bool) *messages.FrameTree {
	p := s.pages.Get(page)
	if p == nil || p.session.root == nil {
		return nil
	}
	p.dirty = false
	return p.view(withSessions, messages.MaxViewFrames, messages.MaxViewOOPIFDepth)
}

// FullView is [State.View] without caps; it leaves the page as dirty as it was.
func (s *State) FullView(page messages.TargetID, withSessions bool) *messages.FrameTree {
	p := s.pages.Get(page)
	if p == nil || p.session.root == nil {
		return nil
	}
	return p.view(withSessions, p.linked, p.linked)
}

// shown is a frame in a view, and how many sessions it is away from the top.
type shown struct {
	n    *node
	hops int
}

func (p *page) view(withSessions bool, maxFrames, maxHops int) *messages.FrameTree {
	room := min(p.linked-1, maxFrames)
	queue := make([]shown, 1, room+1)
	queue[0] = shown{n: p.session.root}
	for i := 0; i < len(queue) && len(queue) <= room; i++ {
		for c := queue[i].n.first; c != nil && len(queue) <= room; c = c.next {
			hops := queue[i].hops
			if c.owner != nil {
				hops++
			}
			if hops <= maxHops {
				queue = append(queue, shown{c, hops})
			}
		}
	}
	flags := [2]bool{false, true} // the entries point at them
	tree := &messages.FrameTree{
		Top:      entry(queue[0].n, nil, withSessions),
		Children: make([]messages.FrameEntry, 0, len(queue)-1),
		Omitted:  p.linked - len(queue),
	}
	for _, q := range queue[1:] {
		oopif := &flags[0]
		if q.n.owner != nil {
			oopif = &flags[1]
		}
		tree.Children = append(tree.Children, entry(q.n, oopif, withSessions))
	}
	tree.Truncated = tree.Omitted > 0
	return tree
}

func entry(n *node, oopif *bool, withSessions bool) messages.FrameEntry {
	e := messages.FrameEntry{
		FrameID: n.id, ParentFrameID: n.parentID(), URL: n.shownURL(), Origin: n.shownOrigin(),
		Name: n.shownName(), OOPIF: oopif, State: n.shownState(), LoaderID: n.shownLoader(),
	}
	// The top frame answers without a session id, as the page itself.
	if withSessions && n.owner != nil && n.owner.parent != nil {
		e.SessionID = n.owner.id
	}
	return e
}
