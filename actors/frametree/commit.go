package frametree

import "cdpsupervisor/messages"

// frameNavigated: a frame shows another document. The frames of the old one go
// with it, mostly without a word of their own; those of the new one that were
// announced before stay.
func (s *State) frameNavigated(sess *session, b *messages.FrameNavigated, dst []Effect) []Effect {
	f := &b.Frame
	n := s.named(sess, f)
	if n == nil && f.ID != "" && f.ParentID == "" && sess.parent == nil {
		n = s.setRoot(sess, f.ID) // in the place of the main frame that was
	}
	if n == nil {
		return dst
	}
	d := sess.account(n)
	if d.loader == "" || d.loader != f.LoaderID {
		s.condemnOld(sess, n, d, b)
	}
	dst = s.spread(dst)
	if n.doomed { // it hung below what it has told to be gone: no browser says so
		return s.pruned(sess.page, dst)
	}
	d.show(f)
	d.loader, d.coming = f.LoaderID, ""
	sess.page.dirty = true
	main := n == sess.page.session.root
	e := s.committedSlab.next()
	*e = Committed{
		Page: sess.page.target, Session: sess.id, Frame: n.id, MainFrame: main,
		Loader: f.LoaderID, Type: b.Type, Frames: s.bury(),
	}
	dst = append(dst, e)
	if n.owner == sess {
		sess.told, sess.crashed = true, false
	} else {
		dst = s.heard(sess, n, dst)
	}
	if main && b.Type == messages.NavigationBFCache {
		dst = s.reseed(sess.page, dst)
	}
	return dst
}

// condemnOld condemns the frames of the document that n has shown so far.
func (s *State) condemnOld(sess *session, n *node, d *document, b *messages.FrameNavigated) {
	for c := n.first; c != nil; c = c.next {
		switch {
		case c.by == sess:
			if !carries(sess, d, c, b) {
				s.condemn(c)
			}
		case n.owner == sess: // from before the frame had a session
			s.condemn(c)
		}
	}
	if n.owner != sess {
		return
	}
	for g := sess.limbo.first; g != nil; g = g.next {
		if !g.ghost {
			if !carries(sess, d, g, b) {
				s.condemn(g)
			}
			continue
		}
		for c := g.first; c != nil; c = c.next {
			if !carries(sess, d, c, b) {
				s.condemn(c)
			}
		}
	}
}

// carries decides whether a frame below one that commits belongs to the new
// document. Frames of the renderer are announced after the commit, so it can
// only be one with a session: a restore from the back/forward cache attaches
// those first. A browser detaches the sessions of the old document before the
// commit or right after it; the latter is why a carried frame goes with its
// session.
func carries(sess *session, d *document, c *node, b *messages.FrameNavigated) bool {
	o := c.owner
	if o == nil {
		return false
	}
	announced := d.coming != "" && d.coming == b.Frame.LoaderID && o.since > d.comingAt
	if b.Type == messages.NavigationPlain && sess.told && !announced {
		return false
	}
	o.carried = true
	return true
}

// reseed asks for the frame trees of a page that came back: its frames in the
// renderers were announced in another life.
func (s *State) reseed(p *page, dst []Effect) []Effect {
	for sess := p.firstSession; sess != nil; sess = sess.next {
		e := s.reseedSlab.next()
		e.Session = sess.id
		dst = append(dst, e)
	}
	return dst
}
