package fakebrowser

import "slices"

// target is what a session attaches to: a page, or an iframe that is the root
// of the frames in its renderer (its id is the frame's).
type target struct {
	id       string
	kind     string // "page", "iframe" or "browser_ui"
	page     *page
	frame    *frame
	sessions []*session // in order of attachment
	// parent is the target that an iframe's session attaches through, and
	// parentFrame the frame that embeds it; both nil for pages.
	parent      *target
	parentFrame *frame
	crashed     bool
	suspended   int // navigations of its root frame that are under way
	url, title  string
	gone        bool
	paused      *pausedScript // the Debugger domain has stopped it
	leaves      *navigation   // on its way: debugger statements stop nothing
	onResume    []func()      // commits that wait for every session to resume
	unresumed   func()        // goes on with a page whose waiting session was detached
	// next is the renderer that the frame is about to get, while the target
	// waits for the debugger before its first commit; loader is that of the
	// empty document there, once it was asked for.
	next   *renderer
	loader string
}

func (t *target) add(s *session) { t.sessions = append(t.sessions, s) }

// remove takes a session off; without another one the target is no longer
// attached.
func (t *target) remove(s *session) {
	t.sessions = slices.DeleteFunc(t.sessions, func(o *session) bool { return o == s })
	if len(t.sessions) == 0 && !t.gone {
		t.changed()
	}
}

// resumed lets go of the commits that waited for the debugger.
func (t *target) resumed() {
	held := t.onResume
	t.onResume = nil
	for _, f := range held {
		t.page.b.post(f)
	}
}

// process is the renderer that answers for the target, nil while there is
// none.
func (t *target) process() *renderer {
	if t.next != nil {
		return t.next
	}
	if t.frame == nil || t.frame.doc == nil {
		return nil
	}
	return t.frame.doc.proc
}

// cached reports whether the target's frame is in a document that was left
// and is kept for the way back.
func (t *target) cached() bool {
	for f := t.frame; f != nil; f = f.parent {
		if f.doc != nil && f.doc.cached || f.parent != nil && f.parent.doc.cached {
			return true
		}
		if f.parent != nil && !slices.Contains(f.parent.doc.kids, f) {
			return true
		}
	}
	return false
}

// info is Target.TargetInfo.
func (t *target) info() object {
	o := object{"targetId", t.id, "type", t.kind, "title", t.title, "url", t.url,
		"attached", len(t.sessions) > 0}
	if t.parent != nil {
		o = append(o, "parentId", t.parent.id)
	}
	if p := t.page; t.kind == "page" && p.openerTarget != "" {
		o = append(o, "openerId", p.openerTarget)
	}
	o = append(o, "canAccessOpener", t.kind == "page" && t.page.opener != nil && !t.page.opener.page.closed)
	if p := t.page; t.kind == "page" && p.openerTarget != "" {
		o = append(o, "openerFrameId", p.openerFrame)
	}
	if t.parentFrame != nil {
		o = append(o, "parentFrameId", t.parentFrame.id)
	}
	return append(o, "browserContextId", t.page.context)
}

// pageEvent sends an event of the Page domain to the sessions that enabled it.
func (t *target) pageEvent(method string, params any) {
	for _, s := range slices.Clone(t.sessions) {
		if s.pageOn {
			s.event(method, params)
		}
	}
}

// runtimeEvent sends an event of the Runtime domain to the sessions that
// enabled it.
func (t *target) runtimeEvent(method string, params any) {
	for _, s := range slices.Clone(t.sessions) {
		if s.runtimeOn {
			s.event(method, params)
		}
	}
}

// inspected reports whether a session has the Runtime domain on.
func (t *target) inspected() bool {
	return slices.ContainsFunc(t.sessions, func(s *session) bool { return s.runtimeOn })
}

// anyEvent sends an event to every session of the target.
func (t *target) anyEvent(method string, params any) {
	for _, s := range slices.Clone(t.sessions) {
		s.event(method, params)
	}
}

// target finds a target by id.
func (b *Browser) target(id string) *target {
	for _, t := range b.targets {
		if t.id == id {
			return t
		}
	}
	return nil
}

// addTarget registers a target and announces it to who discovers.
func (b *Browser) addTarget(t *target) {
	b.targets = append(b.targets, t)
	b.discoverers(t, func(s *session) { s.event("Target.targetCreated", object{"targetInfo", t.info()}) })
}

// dropTarget forgets a target and says so.
func (b *Browser) dropTarget(t *target) {
	if t.gone {
		return
	}
	t.gone = true
	b.targets = slices.DeleteFunc(b.targets, func(o *target) bool { return o == t })
	b.discoverers(t, func(s *session) { s.event("Target.targetDestroyed", object{"targetId", t.id}) })
}

// discoverers calls f for each session that wants to hear of the target.
func (b *Browser) discoverers(t *target, f func(*session)) {
	for _, c := range b.connections() {
		for _, s := range slices.Clone(c.open) {
			if s.discover && s.filter.takes(t.kind) {
				f(s)
			}
		}
	}
}

// changed tells of new contents of the target's info: to who discovers, and
// for an iframe to the session that it was attached through.
func (t *target) changed() {
	params := object{"targetInfo", t.info()}
	for _, s := range slices.Clone(t.sessions) {
		if t.kind == "iframe" && s.parent != nil && s.byAuto {
			s.parent.event("Target.targetInfoChanged", params)
		}
	}
	t.page.b.discoverers(t, func(s *session) { s.event("Target.targetInfoChanged", params) })
}

// shows sets what the target's info says of its document.
func (t *target) shows(url, title string) {
	t.url, t.title = url, title
	t.changed()
}

// targetFilter is a Target.TargetFilter: the first entry that fits decides.
type targetFilter []filterEntry

type filterEntry struct {
	Exclude bool   `json:"exclude"`
	Type    string `json:"type"`
}

// takes reports whether a target of the type passes. Without a filter all
// but tabs do.
func (f targetFilter) takes(kind string) bool {
	if len(f) == 0 {
		return true
	}
	for _, e := range f {
		if e.Type == "" || e.Type == kind {
			return !e.Exclude
		}
	}
	return false
}
