package fakebrowser

import (
	"slices"
	"strings"
)

// entry is one entry of a page's session history.
type entry struct {
	id         int
	url, title string
	transition string
	doc        *document // the live or cached document of the entry, nil when it is gone
	state      []byte    // history.state as JSON
}

// history is the session history of a page.
type history struct {
	entries []*entry
	at      int
	cached  []*document // oldest first
}

func (h *history) current() *entry {
	if len(h.entries) == 0 {
		return nil
	}
	return h.entries[h.at]
}

// push makes e the current entry; what was forward of it is gone. The
// documents that this makes unreachable are returned.
func (h *history) push(e *entry) []*document {
	var lost []*document
	if len(h.entries) > 0 {
		for _, o := range h.entries[h.at+1:] {
			if o.doc != nil && o.doc.cached {
				lost = append(lost, o.doc)
			}
		}
		h.entries = h.entries[:h.at+1]
	}
	h.entries = append(h.entries, e)
	if len(h.entries) > maxHistory {
		h.entries = h.entries[1:]
	}
	h.at = len(h.entries) - 1
	return lost
}

// commit records that a document was committed in the main frame.
func (h *history) commit(n *navigation, d *document) {
	p := d.frame.page
	cur := h.current()
	switch {
	case n.entry != nil:
		h.at = max(0, slices.Index(h.entries, n.entry))
		n.entry.doc, n.entry.url = d, n.url
	case cur != nil && (n.replace || n.reload() || n.url == cur.url):
		cur.doc, cur.url = d, n.url
		if n.reload() {
			cur.transition = "reload"
		}
	default:
		transition := "typed"
		if n.initiator != nil {
			transition = "link"
		}
		lost := h.push(&entry{id: p.b.nextEntry(), url: n.url, doc: d, transition: transition})
		for _, l := range lost {
			p.evict(l)
		}
	}
}

// within records that the document moved to another URL in place.
func (h *history) within(d *document, replace bool, to *entry) {
	p := d.frame.page
	cur := h.current()
	switch {
	case to != nil:
		h.at = max(0, slices.Index(h.entries, to))
	case replace && cur != nil:
		cur.url = d.url
	default:
		for _, l := range h.push(&entry{id: p.b.nextEntry(), url: d.url, doc: d, transition: "link"}) {
			p.evict(l)
		}
	}
}

// mayCache reports whether the document that a navigation leaves can be kept
// for the way back.
func (p *page) mayCache(n *navigation, old *document) bool {
	alone := p.opener == nil && !slices.ContainsFunc(p.b.pages, func(o *page) bool { return o != p && o.opener != nil && o.opener.page == p })
	return !p.b.opt.NoBackForwardCache && alone && !n.reload() && !n.replace && !p.target.crashed &&
		!old.initial && old.unreachable == "" && strings.HasPrefix(old.url, "http") && !old.proc.dead &&
		!strings.Contains(header(old.response, "Cache-Control"), "no-store") && !old.listens("unload") && !old.framesNavigate()
}

// framesNavigate reports whether a frame of the document is on its way to
// another one.
func (d *document) framesNavigate() bool {
	return slices.ContainsFunc(d.kids, func(k *frame) bool { return k.nav != nil || k.doc.framesNavigate() })
}

// cacheDocument keeps a document that was left, and lets go of the oldest.
func (p *page) cacheDocument(d *document) {
	d.cached = true
	p.history.cached = append(p.history.cached, d)
	if len(p.history.cached) > maxCachedPages {
		p.evict(p.history.cached[0])
	}
}

// evict destroys a cached document. The page's session hears of its remote
// frames now, long after it has forgotten them.
func (p *page) evict(d *document) {
	p.history.cached = slices.DeleteFunc(p.history.cached, func(o *document) bool { return o == d })
	for _, e := range p.history.entries {
		if e.doc == d {
			e.title, e.doc = d.title, nil
		}
	}
	kids := remoteKidsOf(d)
	slices.Reverse(kids)
	for _, k := range kids {
		p.target.pageEvent("Page.frameDetached", object{"frameId", k.id, "reason", "remove"})
		p.b.dropTargets(k)
	}
	for _, k := range d.kids {
		if !k.removed {
			k.vanish()
		}
	}
	d.kids = nil
	d.destroy()
}

// dropCached destroys all cached documents, newest first.
func (p *page) dropCached() {
	for len(p.history.cached) > 0 {
		p.evict(p.history.cached[len(p.history.cached)-1])
	}
}

// goTo navigates to a history entry: by bringing back the cached document, or
// by loading the URL again.
func (b *Browser) goTo(p *page, e *entry, initiator *document, cmd *command) {
	kind := "historyDifferentDocument"
	n := &navigation{frame: p.main, url: e.url, kind: kind, entry: e, initiator: initiator}
	answer := func() {
		if cmd != nil {
			cmd.reply(nil)
		}
	}
	if e.doc != nil && e.doc == p.main.doc {
		answer()
		b.sameDocument(n)
		return
	}
	b.begin(n)
	if b.gone() {
		return
	}
	answer()
	b.askUnload(b.unloadAskers(p.main), true, func(ok bool) {
		switch {
		case n.over:
		case !ok:
			n.fail("net::ERR_ABORTED")
		case e.doc != nil && e.doc.cached && !e.doc.proc.dead:
			b.fetchLater(func() { b.bringBack(n) })
		default:
			b.fetchLater(func() { b.load(n) })
		}
	}, n)
}

// bringBack begins a restore, if the document is still there. It waits for the
// dialog of the page that is left, which is asked to freeze before.
func (b *Browser) bringBack(n *navigation) {
	d := n.entry.doc
	switch {
	case n.over:
	case d == nil || !d.cached || d.proc.dead:
		b.load(n)
	case n.waitsForDialog(func() { b.bringBack(n) }):
	default:
		d.proc.later(func() { b.restore(n) })
	}
}

// waitsForDialog has a dialog of the page go before, if it shows one.
func (n *navigation) waitsForDialog(then func()) bool {
	p := n.frame.page
	if p.dialog == nil || p.stale {
		return false
	}
	p.held = append(p.held, then)
	return true
}

// restore brings a document back from the cache. Its remote frames attach
// before the commit is told, its local ones are not told at all.
func (b *Browser) restore(n *navigation) {
	p, d := n.frame.page, n.entry.doc
	if n.over || d == nil || !d.cached || n.waitsForDialog(func() { b.bringBack(n) }) {
		return
	}
	p.target.abandon()
	t, old := p.target, p.main.doc
	for _, k := range p.main.remoteKids() {
		k.endSessions()
	}
	cache := p.mayCache(n, old)
	p.history.cached = slices.DeleteFunc(p.history.cached, func(o *document) bool { return o == d })
	d.cached = false
	p.main.doc = d
	p.group = &group{id: d.proc.key.group}
	p.history.commit(n, d)
	if cache {
		p.cacheDocument(old)
	}
	for _, k := range p.main.remoteKids() {
		for _, s := range inOrder(t.sessions) {
			if b.sees(s, k.target) && !s.attachedByAuto(k.target) {
				b.attach(s, k.target, true, false)
			}
		}
	}
	p.main.loading = true
	p.main.stopLoading()
	t.runtimeEvent("Runtime.executionContextsCleared", object{})
	for _, s := range t.sessions {
		if s.runtimeOn {
			s.reportContexts()
		}
	}
	t.navigated(p.main, "BackForwardCacheRestore")
	t.shows(d.url, d.shownTitle())
	if !cache {
		old.discard(d, false)
	}
	n.finish()
	d.thaw()
}

// inCache reports whether the document, or one around it, is in the cache.
func (d *document) inCache() bool {
	for !d.cached {
		if d.frame.owner == nil {
			return false
		}
		d = d.frame.owner.doc
	}
	return true
}

// later queues a task of the document. In the cache it waits for the way back.
func (d *document) later(f func()) {
	d.proc.later(func() {
		if d.inCache() {
			d.frozen = append(d.frozen, f)
			return
		}
		f()
	})
}

// thaw runs what came due while the document was in the cache.
func (d *document) thaw() {
	for _, f := range d.frozen {
		d.later(f)
	}
	d.frozen = nil
	d.later(func() { d.fireWindow("pageshow") })
	for _, k := range d.kids {
		k.doc.thaw()
	}
}

func remoteKidsOf(d *document) []*frame {
	var out []*frame
	for _, k := range d.kids {
		if k.target != nil {
			out = append(out, k)
			continue
		}
		out = append(out, remoteKidsOf(k.doc)...)
	}
	return out
}
