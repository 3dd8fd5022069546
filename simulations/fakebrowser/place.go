package fakebrowser

import (
	"slices"
	"strings"
)

// place is where a document is going to live.
type place struct {
	group  *group
	key    string
	origin origin
	proc   *renderer // nil: look it up by group and key
	noWait bool      // the debugger is not waited for, and the URL told at once
}

// chooseProcess finds the renderer for the document and moves the frame's
// target there if need be: a frame that leaves its parent's renderer gets a
// target of its own, which who attaches automatically may hold.
func (b *Browser) chooseProcess(n *navigation) {
	n.place = b.placeOf(n)
	n.place.proc = b.processAt(n)
	f := n.frame
	moves := f.parent != nil && f.target == nil && n.place.proc != f.parent.doc.proc
	if !moves {
		b.holdCommit(n)
		return
	}
	t := &target{id: f.id, kind: "iframe", page: f.page, frame: f, parent: f.outer(), parentFrame: f.parent, next: n.place.proc}
	n.target = t
	n.place.proc.docs++ // kept alive for the document that is to come
	from := inOrder(t.parent.sessions)
	if n.place.noWait {
		t.url, t.title = n.url, n.url
	}
	b.addTarget(t)
	b.throttle(t, from, !n.place.noWait, func() { b.holdCommit(n) })
}

// placeOf decides on origin and site.
func (b *Browser) placeOf(n *navigation) place {
	f := n.frame
	box := f.sandbox
	if csp := cspSandbox(n.resp); csp != nil {
		box = box.with(*csp)
		if !f.sandbox.on {
			box = *csp
		}
	}
	p := place{group: f.page.group}
	from := n.initiator
	if f.parent != nil && (from == nil || n.url == "about:srcdoc") {
		from = f.parent.doc
	}
	scheme, _, _ := strings.Cut(n.url, ":")
	tuple, hasTuple := originOf(n.url)
	switch {
	case n.errorText != "":
		p.origin, p.key = b.opaqueOrigin(), "error:"+tuple.site()
		p.noWait = f.parent != nil && n.errorText == "net::ERR_BLOCKED_BY_RESPONSE"
		if f.parent == nil {
			p.key = "error:"
		}
	case scheme == "about" && from != nil:
		p.origin, p.proc = from.origin, from.proc
		if box.opaque() {
			p.origin = b.opaqueOrigin()
			if n.url == "about:srcdoc" && b.opt.SiteIsolation {
				p.proc, p.key, p.noWait = nil, "sandbox:"+from.origin.site(), true
			}
		}
	case scheme == "data" && from != nil:
		p.origin, p.proc = b.opaqueOrigin(), from.proc
	case scheme == "blob" && from != nil:
		p.origin, p.proc = from.origin, from.proc
	case hasTuple:
		p.origin, p.key = tuple, tuple.site()
		if strings.Contains(header(n.resp, "Origin-Agent-Cluster"), "?1") && tuple.scheme == "https" {
			p.key = tuple.String()
		}
		if box.opaque() {
			p.origin, p.key = b.opaqueOrigin(), "sandbox:"+p.key
		}
	default:
		p.origin, p.key = b.opaqueOrigin(), "blank"
	}
	if p.proc == nil && f.parent == nil && b.leavesGroup(f.page, p.key) {
		p.group = b.newGroup()
	}
	return p
}

// leavesGroup reports whether a top-level navigation to the site breaks with
// the page's group, so that the old document can be cached: it goes to
// another site and no other page depends on this one.
func (b *Browser) leavesGroup(p *page, site string) bool {
	if p.main.doc.proc.key.site == site || p.main.doc.proc.free {
		return false
	}
	return p.opener == nil && !slices.ContainsFunc(b.pages, func(o *page) bool { return o != p && o.group == p.group })
}

// processAt finds or starts the renderer of a place.
func (b *Browser) processAt(n *navigation) *renderer {
	p := n.place
	if p.proc != nil && !p.proc.dead {
		return p.proc
	}
	key := procKey{p.group.id, p.key}
	if !b.opt.SiteIsolation && n.errorText == "" {
		key.site = ""
	}
	for _, r := range b.procs {
		if r.key == key && !r.dead {
			return r
		}
	}
	// The first site takes over the renderer of about:blank, and the one that
	// was started for a crashed frame.
	cur := n.frame.doc.proc
	own := n.frame.parent == nil && n.frame.page.opener == nil || n.frame.doc.revived
	if own && cur.free && !cur.dead && n.errorText == "" {
		cur.free = p.key == "blank"
		cur.key = key
		return cur
	}
	r := b.newRenderer(key)
	r.free = p.key == "blank"
	return r
}

// cspSandbox is the sandbox directive of a response's policy, nil without.
func cspSandbox(r Response) *sandbox {
	for _, d := range strings.Split(header(r, "Content-Security-Policy"), ";") {
		f := strings.Fields(d)
		if len(f) > 0 && strings.EqualFold(f[0], "sandbox") {
			s := parseSandbox(strings.Join(f[1:], " "))
			return &s
		}
	}
	return nil
}
