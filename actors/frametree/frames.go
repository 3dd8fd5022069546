package frametree

import "cdpsupervisor/messages"

// frameAttached: a frame has come to a renderer, as a new one or, after its
// session has ended, as one that was remote before.
func (s *State) frameAttached(sess *session, b *messages.FrameAttached, dst []Effect) []Effect {
	if s.replaced(sess, b.ParentID) {
		return dst
	}
	n := s.place(sess, b.FrameID, b.ParentID)
	if n == nil {
		return dst
	}
	n.settle()
	return s.heard(sess, n, dst)
}

// heard draws the conclusion from a frame that a session has announced: when it
// stands right below the session's root, the session has spoken of the document
// there.
func (s *State) heard(sess *session, n *node, dst []Effect) []Effect {
	if sess.root != nil && n.parent == sess.root {
		return s.speaks(sess, dst)
	}
	return dst
}

// speaks notes that a session has spoken of the document at its root. What the
// placer of the root had below it belonged to the document before.
func (s *State) speaks(sess *session, dst []Effect) []Effect {
	if sess.told {
		return dst
	}
	sess.told = true
	for c := sess.root.first; c != nil; c = c.next {
		if c.by != sess {
			s.condemn(c)
		}
	}
	if len(s.doomed) == 0 {
		return dst
	}
	return s.pruned(sess.page, s.spread(dst))
}

// frameDetached: a frame has left a renderer, for another one (swap) or for ever
// (remove). Browsers of before 2021 give no reason: a frame that has got a
// session since it was last seen here is taken to be swapped.
func (s *State) frameDetached(sess *session, b *messages.FrameDetached, dst []Effect) []Effect {
	n := s.nodes.Get(b.FrameID)
	if n == nil || n.by.page != sess.page || n == sess.page.session.root {
		return dst
	}
	swap := b.Reason == messages.DetachSwap
	if b.Reason != messages.DetachSwap && b.Reason != messages.DetachRemove {
		swap = n.owner != nil && n.local
	}
	if swap {
		if n.by == sess && !n.ghost {
			n.local, n.away = false, true
			n.doc.loader, n.doc.world = "", ""
			sess.page.dirty = true
		}
		return dst
	}
	// The removal comes first: whoever has a dialog of one of these frames must
	// know before anything else that it may not be answered.
	e := s.removedSlab.next()
	at := len(dst)
	dst = append(dst, e)
	s.condemn(n)
	dst = s.spread(dst)
	e.Page, e.Frames = sess.page.target, s.bury()
	if len(e.Frames) == 0 { // a ghost alone
		return append(dst[:at], dst[at+1:]...)
	}
	return dst
}

// startedNavigating notes from when on a session may speak of a document that is
// not there yet.
func (s *State) startedNavigating(sess *session, b *messages.FrameStartedNavigating) {
	if n := s.nodes.Get(b.FrameID); n != nil {
		if d := sess.account(n); d != nil {
			d.coming, d.comingAt = b.LoaderID, s.seq
		}
	}
}

// withinDocument: the URL of a frame has changed without a new document.
func (s *State) withinDocument(sess *session, b *messages.NavigatedWithinDocument, dst []Effect) []Effect {
	n := s.nodes.Get(b.FrameID)
	if n == nil || n.ghost {
		return dst
	}
	d := sess.account(n)
	if d == nil {
		return dst
	}
	d.url = b.URL
	sess.page.dirty = true
	if n.owner == sess {
		return s.speaks(sess, dst)
	}
	return dst
}

// documentOpened: document.open has given a frame the URL of the document that
// called it. Its children, if it had any, are detached by events of their own.
func (s *State) documentOpened(sess *session, b *messages.DocumentOpened, dst []Effect) []Effect {
	n := s.named(sess, &b.Frame)
	if n == nil {
		return dst
	}
	d := sess.account(n)
	d.show(&b.Frame)
	if b.Frame.LoaderID != "" {
		d.loader = b.Frame.LoaderID
	}
	sess.page.dirty = true
	if n.owner == sess {
		return s.speaks(sess, dst)
	}
	return s.heard(sess, n, dst)
}

// named finds the frame that a session describes, and places it if need be: the
// root of the session, or a frame in its renderer. It is nil if the frame is not
// for this session to describe, or would be another main frame.
func (s *State) named(sess *session, f *messages.FrameInfo) *node {
	switch {
	case f.ID == "":
		return nil
	case f.ID == sess.rootID():
		s.adopt(sess.root, f.ParentID)
		return sess.root
	case f.ParentID == "" && sess.parent == nil && sess.root == nil:
		return s.setRoot(sess, f.ID)
	case f.ParentID == "" || s.replaced(sess, f.ParentID):
		return nil
	}
	n := s.place(sess, f.ID, f.ParentID)
	if n != nil {
		n.settle()
	}
	return n
}

// adopt puts the root of a session under the parent that it names itself, if the
// session above could only guess.
func (s *State) adopt(n *node, parent messages.FrameID) {
	if n.guessed && parent != "" && n.parentID() != parent {
		s.place(n.by, n.id, parent)
	}
}

// show takes over what a frame says of its document. A name that is known stays:
// sessions of iframes report none.
func (d *document) show(f *messages.FrameInfo) {
	d.url, d.origin, d.domain, d.world = f.URL, f.Origin, f.Domain, ""
	if f.Name != "" {
		d.name = f.Name
	}
}
