package frametree

import "cdpsupervisor/messages"

// Ref is what the tree knows of one frame. It is a copy.
type Ref struct {
	Frame  messages.FrameID
	Parent messages.FrameID  // "" for a main frame, and while the parent is not known
	Page   messages.TargetID // the page that it belongs to
	Main   bool              // it is the main frame of its page

	// HasSession reports whether the frame is the root of a session of its
	// own, Session (which may be "", on a page-level endpoint).
	HasSession bool
	Session    messages.SessionID
	// OwnerFrame is the nearest frame, itself or above, that has a session.
	// Its renderer runs the frame, and commands for it go to OwnerSession.
	OwnerFrame   messages.FrameID
	OwnerSession messages.SessionID
	// PageSession is the session of the page, where dialogs are answered.
	PageSession messages.SessionID

	URL    string
	Origin string // "null" when opaque, "" when not known
	Domain string // registrable domain, "" when not known
	Name   string
	Loader messages.LoaderID
	State  messages.FrameState
	// Loaded reports whether the frame shows a document that we have heard of.
	Loaded bool
}

// OOPIF reports whether the frame is one of another process with a session of
// its own. A frame that is swapping has none at the moment, and is not.
func (r Ref) OOPIF() bool { return r.HasSession && !r.Main }

func (s *State) ref(n *node) Ref {
	root := n.by.page.session
	r := Ref{
		Frame: n.id, Parent: n.parentID(), Page: n.by.page.target, Main: n == root.root,
		PageSession: root.id, OwnerSession: n.by.id, OwnerFrame: n.by.rootID(),
		URL: n.shownURL(), Origin: n.shownOrigin(), Domain: n.doc.domain, Name: n.shownName(),
		Loader: n.shownLoader(), State: n.shownState(),
	}
	r.Loaded = r.URL != "" && r.State != messages.FrameSwapping
	if n.parent != nil && n.parent.ghost {
		r.Parent = ""
	}
	if n.owner != nil {
		r.HasSession, r.Session = true, n.owner.id
		if n.remote() {
			r.Domain = n.owner.doc.domain
		}
	}
	for m := n; m != nil; m = m.parent {
		if m.owner != nil {
			r.OwnerFrame, r.OwnerSession = m.id, m.owner.id
			break
		}
	}
	return r
}

// Lookup finds a frame that is tracked, shown in a view or not.
func (s *State) Lookup(frame messages.FrameID) (Ref, bool) {
	n := s.nodes.Get(frame)
	if n == nil || n.ghost {
		return Ref{}, false
	}
	return s.ref(n), true
}

// MainFrame finds the main frame of a page. It is unknown until the page's
// session has told it.
func (s *State) MainFrame(page messages.TargetID) (Ref, bool) {
	p := s.pages.Get(page)
	if p == nil || p.session.root == nil {
		return Ref{}, false
	}
	return s.ref(p.session.root), true
}

// RootFrame finds the frame at the root of a session.
func (s *State) RootFrame(session messages.SessionID) (Ref, bool) {
	sess := s.sessions.Get(session)
	if sess == nil || sess.root == nil {
		return Ref{}, false
	}
	return s.ref(sess.root), true
}

// Pages appends the pages to dst, in the order in which they were added.
func (s *State) Pages(dst []messages.TargetID) []messages.TargetID {
	for _, p := range s.order {
		dst = append(dst, p.target)
	}
	return dst
}

// Sessions appends the sessions of a page to dst, in the order in which they
// were attached: the page's first, each before those nested in it.
func (s *State) Sessions(page messages.TargetID, dst []messages.SessionID) []messages.SessionID {
	if p := s.pages.Get(page); p != nil {
		for sess := p.firstSession; sess != nil; sess = sess.next {
			dst = append(dst, sess.id)
		}
	}
	return dst
}

// PageOf returns the page that a session belongs to, and the page's session.
func (s *State) PageOf(session messages.SessionID) (page messages.TargetID, pageSession messages.SessionID, ok bool) {
	sess := s.sessions.Get(session)
	if sess == nil {
		return "", "", false
	}
	return sess.page.target, sess.page.session.id, true
}

// PageSession returns the session of a page.
func (s *State) PageSession(page messages.TargetID) (session messages.SessionID, ok bool) {
	p := s.pages.Get(page)
	if p == nil {
		return "", false
	}
	return p.session.id, true
}

// ParentSession returns the session that a session was announced on. ok is
// false for pages and for sessions that are not ours.
func (s *State) ParentSession(session messages.SessionID) (parent messages.SessionID, ok bool) {
	sess := s.sessions.Get(session)
	if sess == nil || sess.parent == nil {
		return "", false
	}
	return sess.parent.id, true
}

// Dropped returns what the caps kept out.
func (s *State) Dropped() Counters { return s.dropped }
