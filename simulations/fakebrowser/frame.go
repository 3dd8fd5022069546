package fakebrowser

import "slices"

// frame is a node of a page's frame tree. Its id stays through navigations
// and swaps between renderers.
type frame struct {
	id      string
	page    *page
	parent  *frame
	owner   *node // the iframe element, in the parent's document
	name    string
	sandbox sandbox
	doc     *document
	target  *target // set while the frame is the root of a renderer's frames
	nav     *navigation
	loading bool
	removed bool
}

// remote reports whether the frame's document lives in another renderer than
// its parent's.
func (f *frame) remote() bool { return f.parent != nil && f.target != nil }

// local is the target that covers the frame: its own, or that of the nearest
// ancestor with one.
func (f *frame) local() *target {
	for g := f; g != nil; g = g.parent {
		if g.target != nil {
			return g.target
		}
	}
	return f.page.target
}

// outer is the target that hears of the frame as a child: its parent's.
func (f *frame) outer() *target {
	if f.parent == nil {
		return f.page.target
	}
	return f.parent.local()
}

// walk visits the frame and all below it, parents first.
func (f *frame) walk(visit func(*frame)) {
	visit(f)
	if f.doc == nil {
		return
	}
	for _, k := range f.doc.kids {
		k.walk(visit)
	}
}

// walkLocal visits the frame and those below it that its target covers.
func (f *frame) walkLocal(visit func(*frame)) {
	visit(f)
	for _, k := range f.doc.kids {
		if k.target == nil {
			k.walkLocal(visit)
		}
	}
}

// remoteKids are the frames below f with a target of their own that hang
// directly on f's, in tree order.
func (f *frame) remoteKids() []*frame { return remoteKidsOf(f.doc) }

// depth is how deep the frame is nested.
func (f *frame) depth() int {
	n := 0
	for g := f.parent; g != nil; g = g.parent {
		n++
	}
	return n
}

// within reports whether f is anc or below it.
func (f *frame) within(anc *frame) bool {
	for g := f; g != nil; g = g.parent {
		if g == anc {
			return true
		}
	}
	return false
}

// frameInserted makes the frame of an iframe element that was put into a
// document, and starts what it shows.
func (b *Browser) frameInserted(n *node) {
	d := n.doc
	if d.frame.page.frames >= maxFrames || d.frame.depth() >= maxDepth || d.dead {
		return
	}
	d.frame.page.frames++
	f := &frame{id: b.ids.hex32(), page: d.frame.page, parent: d.frame, owner: n, name: n.attr("name")}
	f.sandbox = sandboxOf(n).with(d.sandbox)
	f.doc = b.newDocument(f, d.proc, "", f.inherit(d.origin))
	f.doc.initial, f.doc.fromCreator = true, true
	n.frame = f
	d.kids = append(d.kids, f)
	d.sortKids()
	f.outer().pageEvent("Page.frameAttached", object{"frameId", f.id, "parentFrameId", d.frame.id})
	b.showOwner(f, true)
}

// inherit is the origin that a document without one of its own gets.
func (f *frame) inherit(from origin) origin {
	if f.sandbox.opaque() {
		return f.page.b.opaqueOrigin()
	}
	return from
}

// frameRemoved takes a frame out of the tree because its element was removed.
func (b *Browser) frameRemoved(f *frame) {
	if f.removed || f.parent == nil {
		return
	}
	outer := f.outer()
	outer.pageEvent("Page.frameSubtreeWillBeDetached", object{"frameId", f.id})
	f.page.ownerRemoved(f)
	f.dismantle()
	d := f.parent.doc
	d.kids = slices.DeleteFunc(d.kids, func(o *frame) bool { return o == f })
	if f.owner != nil {
		f.owner.frame = nil
	}
	b.checkLoad(d)
}

// dismantle tells of the end of a frame and of all below it, and destroys
// their documents: first the frames of other renderers, innermost first, each
// on the sessions that know it; then those of this one, leaves first. What
// lies inside another renderer goes silently with its session.
func (f *frame) dismantle() {
	for _, k := range f.remoteKids() {
		k.dismantle()
	}
	if f.target != nil {
		f.closeTarget(true)
		f.vanish()
		return
	}
	for _, k := range slices.Clone(f.doc.kids) {
		if !k.removed {
			k.dismantle()
		}
	}
	if n := f.nav; n != nil {
		n.dropTarget() // it may have been about to move to another renderer
		f.removed = true
		n.fail("net::ERR_ABORTED")
		f.loading = false
		f.outer().pageEvent("Page.frameStoppedLoading", object{"frameId", f.id})
	}
	f.outer().pageEvent("Page.frameDetached", object{"frameId", f.id, "reason", "remove"})
	f.doc.contextsGone()
	f.vanish()
}

// vanish ends a frame and all below it without an event.
func (f *frame) vanish() {
	f.removed = true
	f.abortNavigation()
	f.page.frames--
	for _, k := range f.doc.kids {
		if !k.removed {
			k.vanish()
		}
	}
	f.page.b.dropTargets(f)
	f.doc.destroy()
}

// json is Page.Frame of the frame's document as a session of t sees it.
func (f *frame) json(t *target) object {
	d := f.doc
	if t.frame == f && t.next != nil {
		d = t.yetEmpty()
	}
	url, fragment := cutFragment(d.url)
	o := object{"id", f.id}
	if f.parent != nil {
		name := f.name
		if name == "" && f.owner != nil {
			name = f.owner.attr("id")
		}
		if t.frame == f {
			name = ""
		}
		o = append(o, "parentId", f.parent.id, "loaderId", d.loader, "name", name)
	} else {
		o = append(o, "loaderId", d.loader)
	}
	o = append(o, "url", url)
	if fragment != "" {
		o = append(o, "urlFragment", fragment)
	}
	wire := d.urlOrigin()
	o = append(o, "domainAndRegistry", registrable(wire.host), "securityOrigin", wire.wire(),
		"securityOriginDetails", object{"isLocalhost", false}, "mimeType", "text/html")
	if d.unreachable != "" {
		o = append(o, "unreachableUrl", d.unreachable)
	}
	ad := object{"adFrameType", "none"}
	if f.parent != nil {
		ad = append(ad, "explanations", []string{})
	}
	secure := "InsecureScheme"
	if wire.scheme == "https" {
		secure = "Secure"
	}
	return append(o, "adFrameStatus", ad, "secureContextType", secure,
		"crossOriginIsolatedContextType", "NotIsolated", "gatedAPIFeatures", []string{})
}

// yetEmpty is what a target shows whose document has not come: none of the
// frame's.
func (t *target) yetEmpty() *document {
	if t.loader == "" {
		t.loader = t.page.b.ids.hex32()
	}
	return &document{frame: t.frame, loader: t.loader}
}

// tree is Page.FrameTree: the frames that the target covers, and not a trace
// of the others.
func (f *frame) tree(t *target) object {
	o := object{"frame", f.json(t)}
	if t.next != nil {
		return o
	}
	kids := []object{}
	for _, k := range f.doc.kids {
		if k.target == nil {
			kids = append(kids, k.tree(t))
		}
	}
	if len(kids) > 0 {
		o = append(o, "childFrames", kids)
	}
	return o
}
