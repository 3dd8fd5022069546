package fakebrowser

import "slices"

// autoAttach is what Target.setAutoAttach asked for on one session.
type autoAttach struct {
	wait   bool
	filter targetFilter
}

// attach makes a session of parent on t. waiting is what the client is told;
// the caller keeps the target from going on.
func (b *Browser) attach(parent *session, t *target, byAuto, waiting bool) *session {
	s := &session{conn: parent.conn, id: b.ids.hex32(), seq: b.nextSession(), target: t, parent: parent,
		byAuto: byAuto, waiting: waiting}
	first := len(t.sessions) == 0
	t.add(s)
	parent.children = append(parent.children, s)
	parent.conn.open = append(parent.conn.open, s)
	if first {
		t.changedFor(func(o *session) bool { return o != parent || t.kind != "iframe" })
	}
	parent.event("Target.attachedToTarget", object{"sessionId", s.id, "targetInfo", t.info(), "waitingForDebugger", waiting})
	return s
}

// changedFor tells who discovers of the new attached flag.
func (t *target) changedFor(only func(*session) bool) {
	params := object{"targetInfo", t.info()}
	t.page.b.discoverers(t, func(s *session) {
		if only(s) {
			s.event("Target.targetInfoChanged", params)
		}
	})
}

// detach ends a session from the browser's side and tells the parent.
func (s *session) detach(why closeCause) {
	if s.parent != nil {
		s.parent.event("Target.detachedFromTarget", object{"sessionId", s.id, "targetId", s.target.id})
	}
	s.close(why)
}

// setAutoAttach turns auto-attach of a session on, changes it, or turns it
// off with nil. What exists already is attached before it returns.
func (b *Browser) setAutoAttach(s *session, a *autoAttach) {
	was := s.auto
	s.auto = a
	if a == nil {
		for _, c := range slices.Clone(s.children) {
			if c.byAuto {
				c.detach(closeDetach)
			}
		}
		return
	}
	if was != nil {
		// A change of filter lets go of what no longer passes.
		for _, c := range slices.Clone(s.children) {
			if c.byAuto && !a.filter.takes(c.target.kind) {
				c.detach(closeDetach)
			}
		}
	}
	for _, t := range slices.Clone(b.targets) {
		if b.sees(s, t) && !s.attachedByAuto(t) {
			b.attach(s, t, true, false)
		}
	}
}

func (s *session) attachedByAuto(t *target) bool {
	return slices.ContainsFunc(s.children, func(c *session) bool { return c.target == t && c.byAuto })
}

// sees reports whether auto-attach of s covers t: pages for the browser's
// sessions, direct child iframes for those of a target.
func (b *Browser) sees(s *session, t *target) bool {
	if s.auto == nil || t.gone || !s.auto.filter.takes(t.kind) {
		return false
	}
	if s.target == nil {
		return t.kind != "iframe"
	}
	return t.parent == s.target && !t.frame.removed && !t.cached()
}

// throttle attaches every session that auto-attaches through the parent to a
// new iframe target, one after the other: a session that waits for the
// debugger holds back the sessions behind it, and the commit. then runs when
// the last has been resumed. Some targets cannot be held: mayWait is false.
func (b *Browser) throttle(t *target, from []*session, mayWait bool, then func()) {
	for i, s := range from {
		if s.closed || !b.sees(s, t) || s.attachedByAuto(t) {
			continue
		}
		child := b.attach(s, t, true, s.auto.wait && mayWait)
		if child.waiting {
			rest := from[i+1:]
			child.resume = func() { b.throttle(t, rest, mayWait, then) }
			return
		}
	}
	then()
}

// attachPage attaches the browser's sessions to a new page. It reports
// whether one of them waits; then resumed runs when it is resumed.
func (b *Browser) attachPage(t *target, resumed func()) bool {
	left := 0
	for _, c := range b.connections() {
		for _, s := range slices.Clone(c.open) {
			if s.target != nil || !b.sees(s, t) {
				continue
			}
			child := b.attach(s, t, true, s.auto.wait)
			if child.waiting {
				left++
				child.resume = func() {
					if left--; left == 0 {
						resumed()
					}
				}
			}
		}
	}
	return left > 0
}

// inOrder sorts sessions by when they were attached.
func inOrder(all []*session) []*session {
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b *session) int { return a.seq - b.seq })
	return out
}
