package frametree

import "cdpsupervisor/messages"

// contextCreated takes the origin of a document from its script context, which
// the browser announces after the commit. Only the page's own world counts.
func (s *State) contextCreated(sess *session, b *messages.ContextCreated) {
	if !b.IsDefault || b.FrameID == "" || b.Origin == "" {
		return
	}
	n := s.nodes.Get(b.FrameID)
	if n == nil {
		if sess.worlds.Len() < messages.MaxContextsPerSession {
			sess.worlds.Set(b.FrameID, b.Origin)
		}
		return
	}
	d := sess.account(n)
	if d == nil || d.world == b.Origin {
		return
	}
	d.world = b.Origin
	sess.page.dirty = true
}

// world is the origin of the script context of what the frame shows: "null"
// when opaque, "" while unknown.
func (n *node) world() string {
	world := n.doc.world
	if n.remote() {
		world = n.owner.doc.world
	}
	if world == "://" {
		return opaque
	}
	return world
}
