package fakebrowser

import "slices"

// holdCommit keeps the commit of a subframe, and one that a script has asked
// for, back while the page shows a dialog; its target has been attached and resumed by then. A page that a
// command made does not wait for the debugger, but whatever it is navigated
// to next does.
func (b *Browser) holdCommit(n *navigation) {
	t := n.frame.target
	switch {
	case n.over:
		return
	case n.frame.parent == nil && !n.first && slices.ContainsFunc(t.sessions, func(s *session) bool { return s.waiting }):
		t.onResume = append(t.onResume, func() { b.holdCommit(n) })
		return
	}
	if (n.frame.parent != nil || n.initiator != nil) && n.waitsForDialog(func() { b.holdCommit(n) }) {
		return
	}
	b.commit(n)
}

// commit hands the document to its renderer. The browser process answers
// Page.navigate now and ends what the old document cannot answer any more;
// the rest waits for the renderer's main thread.
func (b *Browser) commit(n *navigation) {
	f := n.frame
	if f.parent == nil && f.page.stale {
		if f.page.cancelDialog(); b.gone() {
			return
		}
	}
	if n.cmd != nil && !n.reload() {
		r := object{"frameId", f.id, "loaderId", n.loader}
		if n.errorText != "" {
			r = append(r, "errorText", n.errorText)
		}
		n.cmd.reply(append(r, "isDownload", false))
	}
	if f.target != nil {
		f.target.abandon()
		f.target.standNoMore(n)
	}
	if f.parent == nil && !f.doc.initial && !f.doc.fromCreator {
		if old := f.page.next; old != nil {
			old.began = false // the frame goes on loading
			old.fail("net::ERR_ABORTED")
		}
		f.page.next = n
	}
	if !f.page.goesWithin(n.place.proc) {
		n.leavingNow()
	}
	swap := func() {
		n.place.proc.commits(func() {
			if !n.over && !f.removed && !f.page.closed {
				b.swap(n)
			}
		})
	}
	old := f.doc
	if n.place.proc.dead {
		n.place.proc, n.place.key = b.newRenderer(n.place.proc.key), ""
	}
	n.keeps = n.place.proc
	n.keeps.docs++
	if old.proc.dead || !old.hearsUnload() || old.proc != n.place.proc && old.proc.blocked != nil {
		swap() // nobody waits for the handlers of another renderer that hangs
		return
	}
	old.proc.commits(func() {
		old.runUnload()
		b.post(swap)
	})
}

// abandon ends what scripts of the old document had been asked, and takes
// back the rest for the new one.
func (t *target) abandon() {
	for _, s := range slices.Clone(t.sessions) {
		for _, c := range slices.Clone(s.pending) {
			switch {
			case !c.sent:
			case c.m.ends:
				c.fail(codeServer, "Inspected target navigated or closed")
			case !c.began:
				c.sent = false
				c.turn++
			}
		}
	}
}

// leavingNow swallows the dialogs of the documents that are being replaced. The
// renderers that have no part in the commit hear of it afterwards only.
func (n *navigation) leavingNow() {
	from, to := n.frame.doc.proc, n.place.proc
	n.frame.walk(func(g *frame) {
		if g.doc.proc == from || g.doc.proc == to {
			g.doc.leaving = true
		}
	})
}

// swap puts the new document into the frame, on its renderer's main thread,
// and tells of it in Chromium's order.
func (b *Browser) swap(n *navigation) {
	f, old := n.frame, n.frame.doc
	if f.parent == nil && f.page.dialog != nil && !f.page.stale {
		f.page.cancelDialog() // a frame has opened it since the navigation began
	}
	outer := f.outer()
	reuse := old.initial && old.fromCreator && old.proc == n.place.proc && old.origin == n.place.origin && old.main() != nil
	d := b.newDocument(f, n.place.proc, n.url, n.place.origin)
	d.loader = n.loader
	d.response = n.resp
	d.sandbox = f.sandbox
	if s := cspSandbox(n.resp); s != nil {
		d.sandbox = s.with(f.sandbox)
	}
	d.readyState = "loading"
	d.policy = parsePolicies(n.resp)
	d.bypassCSP = f.bypassesCSP()
	if n.errorText != "" {
		d.url, d.unreachable = "chrome-error://chromewebdata/", n.url
		d.response.HTML = "<!doctype html><title>" + untitled(n.url) + "</title>"
	}
	switch {
	case f.parent == nil && old.proc == d.proc && (old.fromCreator || reuse):
		b.swapFirst(n, old, d, reuse)
	case f.parent == nil:
		b.swapMain(n, old, d)
	case n.target != nil:
		b.swapOut(n, old, d)
	case f.target != nil && d.proc == f.parent.doc.proc:
		b.swapIn(n, old, d)
	case f.target != nil:
		b.swapRemote(n, old, d)
	default:
		b.swapLocal(n, old, d, reuse)
	}
	if reuse {
		d.adopt(old)
	}
	b.tellTarget(n, d)
	if !reuse && f.local().inspected() {
		d.context()
	}
	if n.target != nil {
		outer.pageEvent("Page.frameDetached", object{"frameId", f.id, "reason", "swap"})
		old.contextsGoneOn(outer)
		n.target = nil
		n.place.proc.release()
	}
	if !old.cached {
		old.discard(d, reuse)
	}
	n.finish()
	d.proc.later(func() { d.parse() })
}

// tellTarget sets what the frame's target says.
func (b *Browser) tellTarget(n *navigation, d *document) {
	switch t := d.frame.target; {
	case t == nil:
	case d.frame.parent == nil:
		t.shows(n.url, untitled(n.url))
	case t.url == n.url && t.title == n.url:
	default:
		t.shows(n.url, n.url)
	}
}

// swapFirst replaces the empty document that a popup began with, in its
// renderer. That takes the old document apart, and with it the frames that a
// script has put into it.
func (b *Browser) swapFirst(n *navigation, old, d *document, reuse bool) {
	f := n.frame
	old.takeApart()
	if !reuse {
		f.target.runtimeEvent("Runtime.executionContextsCleared", object{})
		f.target.forgetConsole(old.proc)
	}
	f.doc = d
	f.page.history.commit(n, d)
	f.target.navigated(f, "Navigation")
}

// takeApart removes the frames of a document.
func (d *document) takeApart() {
	for _, k := range d.frame.remoteKids() {
		k.dismantle()
	}
	for _, k := range slices.Clone(d.kids) {
		if !k.removed {
			k.dismantle()
		}
	}
	d.kids = nil
}

// swapMain replaces the document of a page. Sessions of direct child targets
// detach; those of nested ones go silently with them. The old document goes
// into the cache if it may; if not, the removal of its remote frames is told,
// by another renderer than the new one's only after the commit.
func (b *Browser) swapMain(n *navigation, old, d *document) {
	f, p := n.frame, n.frame.page
	t := p.target
	kids := f.remoteKids()
	for _, k := range kids {
		k.endSessions()
	}
	cleared := object{}
	cache := p.mayCache(n, old)
	t.runtimeEvent("Runtime.executionContextsCleared", cleared)
	removed := func(k *frame) { t.pageEvent("Page.frameDetached", object{"frameId", k.id, "reason", "remove"}) }
	if !cache {
		for _, k := range kids {
			if old.proc == d.proc {
				removed(k)
			}
			b.dropTargets(k)
		}
	}
	old.tellRevived()
	t.runtimeEvent("Runtime.executionContextsCleared", cleared)
	t.forgetConsole(old.proc)
	f.doc = d
	p.group = n.place.group
	if cache {
		p.cacheDocument(old)
	}
	p.history.commit(n, d)
	t.navigated(f, "Navigation")
	if !cache && old.proc != d.proc {
		for _, k := range kids {
			removed(k)
		}
	}
}

// navigated tells of a commit to the sessions that watch the frame.
func (t *target) navigated(f *frame, kind string) {
	t.pageEvent("Page.frameNavigated", object{"frame", f.json(t), "type", kind})
}

// swapOut moves a frame from its parent's renderer to another one.
func (b *Browser) swapOut(n *navigation, old, d *document) {
	f := n.frame
	for _, k := range slices.Clone(old.kids) {
		k.dismantle()
	}
	t := n.target
	f.doc, f.target = d, t
	t.next = nil
	t.runtimeEvent("Runtime.executionContextsCleared", object{})
	if !n.place.noWait {
		t.navigated(f, "Navigation")
	}
}

// swapIn brings a frame back into its parent's renderer: its session goes,
// and the parent sees the frame attach once more.
func (b *Browser) swapIn(n *navigation, old, d *document) {
	f := n.frame
	f.endSessions()
	t := f.target
	f.target = nil
	b.dropTarget(t)
	for _, k := range old.kids {
		k.vanish()
	}
	old.kids = nil
	f.doc = d
	f.outer().pageEvent("Page.frameAttached", object{"frameId", f.id, "parentFrameId", f.parent.id})
	f.outer().navigated(f, "Navigation")
}

// swapRemote replaces the document of a frame that keeps a target of its own.
func (b *Browser) swapRemote(n *navigation, old, d *document) {
	f, t := n.frame, n.frame.target
	for _, k := range f.remoteKids() {
		k.endSessions()
	}
	for _, k := range old.kids {
		k.vanish()
	}
	old.kids = nil
	t.runtimeEvent("Runtime.executionContextsCleared", object{})
	old.tellRevived()
	t.runtimeEvent("Runtime.executionContextsCleared", object{})
	t.forgetConsole(old.proc)
	f.doc = d
	t.navigated(f, "Navigation")
}

// swapLocal replaces the document of a frame in its parent's renderer.
func (b *Browser) swapLocal(n *navigation, old, d *document, reuse bool) {
	f := n.frame
	old.takeApart()
	if !reuse {
		old.contextsGone()
	}
	f.doc = d
	f.outer().navigated(f, "Navigation")
}

// tellRevived tells of the context of the empty document that stood in for a
// crashed one.
func (d *document) tellRevived() {
	if d.revived && d.frame.local().inspected() {
		d.context()
	}
}

// contextsGoneOn is contextsGone on another target than the frame's own.
func (d *document) contextsGoneOn(t *target) {
	for _, r := range d.realms {
		t.runtimeEvent("Runtime.executionContextDestroyed",
			object{"executionContextId", r.id, "executionContextUniqueId", r.unique})
	}
}

// discard ends a document that was replaced. The global object of the first
// empty document lives on when the new one took it over.
func (d *document) discard(next *document, reused bool) {
	for _, k := range d.kids {
		if !k.removed {
			k.vanish()
		}
	}
	d.kids = nil
	if reused {
		d.realms = nil
	}
	d.destroy()
}
