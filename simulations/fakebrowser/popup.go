package fakebrowser

import "strings"

// openWindow is window.open: it finds the page of the name or makes one, and
// stands still inside the call while the debugger is waited for. It runs on
// the opener's thread. nil means that no window was opened.
func (d *document) openWindow(url, name, features string) *frame {
	b := d.b
	noopener := strings.Contains(features, "noopener") || strings.Contains(features, "noreferrer")
	switch name {
	case "_self":
		b.scriptNavigate(d, d.frame, url, false, "scriptInitiated")
		return d.frame
	case "_parent", "_top":
		to := d.frame.page.main
		if name == "_parent" && d.frame.parent != nil {
			to = d.frame.parent
		}
		b.scriptNavigate(d, to, url, false, "scriptInitiated")
		return to
	}
	if f := d.findNamed(name); f != nil {
		if url != "" {
			b.scriptNavigate(d, f, url, false, "scriptInitiated")
		}
		return f
	}
	if url == "" {
		url = "about:blank"
	}
	to, ok := resolveURL(d.base(), url)
	if !ok {
		return nil
	}
	allowed := (b.opt.AllowPopups || d.consumeGesture()) && (!d.sandbox.on || d.sandbox.popups) && b.maySpawn()
	shown := name
	if shown == "" {
		shown = "_blank"
	}
	list := []string{"menubar", "toolbar", "status", "scrollbars", "resizable"}
	if noopener {
		list = append(list, "noopener")
	}
	d.frame.local().pageEvent("Page.windowOpen", object{"url", to, "windowName", shown, "windowFeatures", list, "userGesture", allowed})
	if !allowed {
		return nil
	}
	return d.newWindow(to, name, noopener)
}

// newWindow makes the page of a popup and starts its load.
func (d *document) newWindow(url, name string, noopener bool) *frame {
	b := d.b
	opener := d.frame
	if noopener {
		opener = nil
	}
	p := b.newPage(pageSeed{kind: "page", opener: opener, from: d.frame, name: name, context: d.frame.page.context})
	n := &navigation{frame: p.main, url: url, kind: "differentDocument", initiator: d, replace: true, first: true}
	if noopener {
		b.startDetached(p, n)
		return nil
	}
	w := &block{nested: true, stands: true, why: "window.open"}
	start := func() {
		p.target.pageEvent("Page.frameRequestedNavigation", object{"frameId", p.main.id,
			"reason", "other", "url", url, "disposition", "currentTab"})
		b.startPopup(p, n)
		w.done = true
	}
	if !b.attachPage(p.target, func() { d.proc.post(task{devtools: true, run: start}) }) {
		start()
	} else if !d.proc.wait(w) {
		return nil
	}
	return p.main
}

// startPopup loads the first document of a popup that kept its opener.
// about:blank is there at once.
func (b *Browser) startPopup(p *page, n *navigation) {
	d := p.main.doc
	if n.url == "about:blank" {
		d.url = n.url
		d.initial = false
		p.history.push(&entry{id: b.nextEntry(), url: d.url, doc: d, transition: "link"})
		p.target.navigated(p.main, "Navigation")
		p.target.pageEvent("Page.frameStartedLoading", object{"frameId", p.main.id})
		p.target.shows(d.url, untitled(d.url))
		d.finishEmpty()
		return
	}
	b.begin(n)
	b.fetchLater(func() { b.load(n) })
}

// startDetached loads the first document of a popup without opener. Nobody
// waits for it; its sessions are answered by the empty document, and only
// after they were resumed.
func (b *Browser) startDetached(p *page, n *navigation) {
	n.initiator = nil
	p.target.suspended++
	start := func() {
		p.target.suspended--
		p.target.flush()
		p.main.doc.proc.later(func() {
			b.post(func() {
				if !p.closed {
					b.begin(n)
					b.fetchLater(func() { b.load(n) })
				}
			})
		})
	}
	if !b.attachPage(p.target, start) {
		b.post(start)
	}
}

// findNamed finds a page or frame by name among those that the document can
// script.
func (d *document) findNamed(name string) *frame {
	if name == "" || name == "_blank" {
		return nil
	}
	var found *frame
	for _, p := range d.b.pages {
		if p.group != d.frame.page.group {
			continue
		}
		if p.name == name {
			return p.main
		}
		p.main.walk(func(f *frame) {
			if f.parent != nil && f.name == name && found == nil {
				found = f
			}
		})
	}
	return found
}

// scriptNavigate is a navigation that a script of d asks for, of its own
// frame or of another. It runs on d's thread.
func (b *Browser) scriptNavigate(d *document, f *frame, ref string, replace bool, reason string) {
	if f.removed || d.dead || d.inCache() {
		return
	}
	if code, ok := strings.CutPrefix(strings.TrimSpace(ref), "javascript:"); ok {
		if f.doc.origin == d.origin && f.doc.proc == d.proc {
			f.doc.runURL(code)
		}
		return
	}
	url, ok := resolveURL(d.base(), ref)
	if !ok {
		return
	}
	n := &navigation{frame: f, url: url, kind: "differentDocument", initiator: d, replace: replace || !d.loaded && f == d.frame}
	if reason == "reload" {
		n.kind = "reload"
		n.url = f.doc.url
	}
	from := d.frame.local()
	local := f.local() == from
	asked := object{"frameId", f.id, "reason", reason, "url", n.url}
	if local {
		from.pageEvent("Page.frameScheduledNavigation", object{"frameId", f.id, "delay", 0, "reason", reason, "url", n.url})
	}
	here, _ := cutFragment(f.doc.url)
	if to, frag := cutFragment(n.url); frag != "" && to == here && n.kind != "reload" && !f.doc.initial {
		from.pageEvent("Page.frameStartedLoading", object{"frameId", f.id})
		f.doc.moveWithin(n.url, "fragment", replace, nil)
	} else {
		from.pageEvent("Page.frameRequestedNavigation", append(asked, "disposition", "currentTab"))
		b.scriptBegin(d, n, local)
	}
	if local {
		from.pageEvent("Page.frameClearedScheduledNavigation", object{"frameId", f.id})
	}
}

// scriptBegin starts the navigation: that of the document's own page after
// the script's turn, that of a frame at once.
func (b *Browser) scriptBegin(d *document, n *navigation, local bool) {
	f := n.frame
	if f == d.frame && d.listens("beforeunload") {
		if !d.beforeUnload(nil) || d.left() {
			return
		}
	}
	if t := f.target; t != nil && t.process() == d.proc {
		t.asksToLeave(n)
	}
	begin := func() {
		if f.removed || f.page.closed {
			n.over = true
			return
		}
		b.begin(n)
		if !b.gone() {
			b.fetchLater(func() { b.load(n) })
		}
	}
	if f.parent == nil {
		b.post(begin)
		return
	}
	begin()
}
