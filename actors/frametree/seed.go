package frametree

import "cdpsupervisor/messages"

// Seed merges the reply to Page.getFrameTree on a session, at its place in the
// stream. The reply lists the frames of that session's renderer only, and may
// leave a URL empty that is known already. Where the session itself has told of
// another document than the reply shows, the reply is older, and its part from
// that frame down is passed over.
func (s *State) Seed(id messages.SessionID, root *messages.FrameNode, dst []Effect) []Effect {
	sess := s.sessions.Get(id)
	if sess == nil || root == nil || root.Frame.ID == "" {
		return dst
	}
	if sess.root == nil {
		if s.setRoot(sess, root.Frame.ID) == nil {
			return dst
		}
	}
	if sess.rootID() != root.Frame.ID {
		return dst
	}
	s.adopt(sess.root, root.Frame.ParentID)
	s.merge(sess, sess.root, root, 0)
	sess.page.dirty = true
	if sess.parent != nil && sess.doc.url == "" && sess.targetURL == "" {
		sess.early = true // the document is yet to come, and may never do
		return dst
	}
	// Last, so that a frame that the placer had here and the reply lists stays.
	return s.speaks(sess, dst)
}

func (s *State) merge(sess *session, n *node, t *messages.FrameNode, depth int) {
	d := sess.account(n)
	f := &t.Frame
	if d.loader != "" && f.LoaderID != "" && d.loader != f.LoaderID {
		return
	}
	d.fill(f)
	if world, ok := sess.worlds.Lookup(f.ID); ok {
		d.world = world
		sess.worlds.Delete(f.ID)
	}
	if depth >= messages.MaxFrameDepth {
		s.dropped.Frames += uint64(len(t.Children))
		return
	}
	for i := range t.Children {
		child := &t.Children[i]
		if s.replaced(sess, n.id) {
			return
		}
		if c := s.place(sess, child.Frame.ID, n.id); c != nil {
			c.settle()
			s.merge(sess, c, child, depth+1)
		}
	}
}

// fill takes over what a frame tree reply knows.
func (d *document) fill(f *messages.FrameInfo) {
	if f.LoaderID != "" {
		d.loader = f.LoaderID
	}
	if f.URL != "" {
		d.url, d.origin, d.domain = f.URL, f.Origin, f.Domain
	}
	if f.Name != "" {
		d.name = f.Name
	}
}
