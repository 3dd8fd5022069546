package fakebrowser

import "slices"

// group is a set of pages whose scripts can reach each other: a page and the
// popups that kept their opener.
type group struct{ id int }

// page is a tab or popup: one frame tree, one place for dialogs, one history.
type page struct {
	b      *Browser
	target *target
	main   *frame
	group  *group
	name   string // of the browsing context, for window.open
	opener *frame // nil with noopener
	// openerTarget and openerFrame are told of popups, with noopener too.
	openerTarget, openerFrame string

	dialog *dialog  // the one that is showing
	held   []func() // commits of subframes that wait for the dialog's end
	// stale: the frame that opened the dialog was removed. The browser keeps
	// a pointer to it, which is what kills it.
	stale bool
	// next is the document on its way to its renderer that replaces the page's
	// one; the sessions of the page belong to it already.
	next    *navigation
	closing bool
	closed  bool
	frames  int
	history history
	context string // browserContextId
	script  bool   // opened by a script, which may close it
}

func (b *Browser) newGroup() *group {
	b.groups++
	return &group{id: b.groups}
}

// pageSeed is what a new page starts from.
type pageSeed struct {
	kind    string
	url     string // that its target tells before the first commit
	opener  *frame // of a popup that keeps its opener
	from    *frame // the frame that opened it, with noopener too
	name    string // of the browsing context
	context string // browser context; "" for the default one
}

// newPage makes a page with an empty document. A popup starts in its opener's
// renderer and with its origin.
func (b *Browser) newPage(seed pageSeed) *page {
	p := &page{b: b, opener: seed.opener, name: seed.name, context: seed.context}
	if p.context == "" {
		p.context = b.context
	}
	var proc *renderer
	var org origin
	if o := seed.opener; o != nil {
		p.group, proc, org = o.page.group, o.doc.proc, o.doc.origin
	} else {
		p.group, org = b.newGroup(), b.opaqueOrigin()
		proc = b.newRenderer(procKey{p.group.id, "blank"})
		proc.free = true
	}
	if f := seed.from; f != nil {
		p.script = true
		p.openerTarget, p.openerFrame = f.page.target.id, f.id
	}
	id := b.ids.hex32()
	p.main = &frame{id: id, page: p}
	p.target = &target{id: id, kind: seed.kind, page: p, frame: p.main, url: seed.url}
	p.main.target = p.target
	p.main.doc = b.newDocument(p.main, proc, "", org)
	p.main.doc.initial, p.main.doc.fromCreator = true, seed.opener != nil
	b.pages = append(b.pages, p)
	b.addTarget(p.target)
	return p
}

// startBlank commits about:blank in a new page.
func (b *Browser) startBlank(p *page) {
	d := p.main.doc
	d.initial = false
	d.url, d.title = "about:blank", "about:blank"
	d.parsed, d.loaded = true, true
	d.readyState = "complete"
	p.history.push(&entry{id: b.nextEntry(), url: d.url, transition: "auto_toplevel"})
	p.target.shows(d.url, d.title)
}

func (b *Browser) nextEntry() int {
	b.entrySeq++
	return b.entrySeq
}

// watched reports whether a session has the Page domain on.
func (p *page) watched() bool {
	return slices.ContainsFunc(p.target.sessions, func(s *session) bool { return s.pageOn })
}

// close ends the page without asking its beforeunload handlers. Done runs
// when it is gone; it does not run when the browser dies of it.
func (p *page) close(done func()) {
	if p.closing || p.closed {
		return
	}
	p.closing = true
	b := p.b
	p.dropCached()
	kids := p.main.remoteKids()
	slices.Reverse(kids)
	for _, f := range kids {
		f.closeTarget(true)
	}
	if !p.endDialogForClose() {
		return
	}
	proc := p.main.doc.proc
	last := proc.docs <= p.docsIn(proc)
	p.closed = true
	p.main.vanish()
	if p.next != nil {
		p.next.fail("net::ERR_ABORTED")
	}
	if last {
		p.target.anyEvent("Inspector.detached", object{"reason", "Render process gone."})
	}
	b.pages = slices.DeleteFunc(b.pages, func(o *page) bool { return o == p })
	p.target.leave()
	b.dropTarget(p.target)
	if done != nil {
		done()
	}
}

// docsIn counts the page's documents in a renderer, and those on their way.
func (p *page) docsIn(r *renderer) int {
	n := 0
	if p.next != nil && p.next != p.main.nav && p.next.keeps == r {
		n++
	}
	p.main.walk(func(f *frame) {
		if f.doc.proc == r {
			n++
		}
		if f.nav != nil && f.nav.keeps == r {
			n++
		}
	})
	return n
}

// leave ends every session of a target that goes away: attached ones are told
// to their parents, page connections end.
func (t *target) leave() {
	for _, s := range slices.Clone(t.sessions) {
		if s.parent == nil {
			s.event("Inspector.detached", object{"reason", "target_closed"})
			s.conn.drop()
			s.conn.hangUp(ErrDropped)
			continue
		}
		parent, id := s.parent, s.id
		s.close(closeTarget)
		parent.event("Target.detachedFromTarget", object{"sessionId", id, "targetId", t.id})
	}
}

// closeTarget tells of the end of an iframe's target: to the parent that the
// frame is removed, then the session, then the target. Removed is false when
// no frameDetached is to be told.
func (f *frame) closeTarget(removed bool) {
	t := f.target
	if t == nil || t.gone {
		return
	}
	if removed && t.parent != nil {
		t.parent.pageEvent("Page.frameDetached", object{"frameId", f.id, "reason", "remove"})
	}
	f.endSessions()
	f.page.b.dropTargets(f)
}

// endSessions detaches the sessions of an iframe's target. Those of nested
// iframes go with them, silently.
func (f *frame) endSessions() {
	if t := f.target; t != nil && t.kind == "iframe" {
		t.leave()
	}
}

// dropTargets forgets the targets of a frame and of all below it.
func (b *Browser) dropTargets(f *frame) {
	var all []*target
	f.walk(func(g *frame) {
		if g.target != nil && g.target.kind == "iframe" {
			all = append(all, g.target)
		}
		if g.nav != nil && g.nav.target != nil {
			all = append(all, g.nav.target)
		}
	})
	for _, t := range all {
		for _, s := range slices.Clone(t.sessions) {
			s.close(closeTarget)
		}
		b.dropTarget(t)
	}
}
