package fakebrowser

import "slices"

// crashPage is Page.crash: the renderer of the session's target dies. The
// command is never answered by it.
func crashPage(c *command) bool {
	c.s.pending = append(c.s.pending, c)
	b := c.s.conn.b
	t := c.s.target
	if r := t.process(); r != nil {
		b.crashRenderer(r, 5)
	}
	return false
}

// crashByURL is what chrome://crash does to the page it is opened in.
func (b *Browser) crashByURL(n *navigation) {
	f := n.frame
	t := f.local()
	t.pageEvent("Page.frameStartedLoading", object{"frameId", f.id})
	if n.cmd != nil {
		n.cmd.reply(object{"frameId", f.id, "errorText", "net::ERR_ABORTED"})
	}
	t.pageEvent("Page.frameStoppedLoading", object{"frameId", f.id})
	b.crashRenderer(f.doc.proc, 11)
}

// crashRenderer kills a renderer and tells the targets that lived in it. Their
// sessions stay; nothing that a renderer would answer is answered until the
// frame is loaded again.
func (b *Browser) crashRenderer(r *renderer, code int) {
	if r.dead {
		return
	}
	r.kill()
	for _, t := range slices.Clone(b.targets) {
		if t.frame == nil || t.crashed || t.gone || t.frame.doc.proc != r || t.next != nil {
			continue
		}
		t.frame.abortNavigation()
		p := t.page
		if p.next != nil && t.frame == p.main {
			p.next.fail("net::ERR_ABORTED")
		}
		if t.frame == p.main && p.dialog != nil && p.dialog.frame != p.main && p.watched() {
			b.die("the page's renderer died while a dialog of a subframe was showing")
			return
		}
		for _, k := range t.frame.remoteKids() {
			p.ownerRemoved(k)
			k.closeTarget(true)
		}
		t.crashed = true
		t.anyEvent("Inspector.targetCrashed", object{})
		b.discoverers(t, func(s *session) {
			s.event("Target.targetCrashed", object{"targetId", t.id, "status", "crashed", "errorCode", code})
		})
		for _, k := range t.frame.doc.kids {
			k.vanish()
		}
		t.frame.doc.kids = nil
	}
	b.procs = slices.DeleteFunc(b.procs, func(o *renderer) bool { return o == r })
}

// reviveAfterCrash gives a frame whose renderer died an empty document in a
// new one, and answers everything that was waiting with an error.
func (b *Browser) reviveAfterCrash(f *frame) {
	t := f.target
	if t == nil || !t.crashed {
		return
	}
	t.crashed = false
	for _, s := range slices.Clone(t.sessions) {
		for _, c := range slices.Clone(s.pending) {
			if f.nav == nil || c != f.nav.cmd {
				c.fail(codeServer, "Target crashed")
			}
		}
	}
	t.anyEvent("Inspector.targetReloadedAfterCrash", object{})
	r := b.newRenderer(procKey{f.page.group.id, "revived:" + f.id})
	r.free = true
	old := f.doc
	f.doc = b.newDocument(f, r, "about:blank", b.opaqueOrigin())
	f.doc.initial = true
	old.destroy()
	f.doc.revived = true
}
