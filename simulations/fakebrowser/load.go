package fakebrowser

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/dop251/goja"
)

// newDocScript is a script of Page.addScriptToEvaluateOnNewDocument.
type newDocScript struct {
	id, source, world string
}

// parse builds the document from its response, on its renderer's thread.
// Inline scripts stand in the middle of it.
func (d *document) parse() {
	if d.dead {
		return
	}
	d.lifecycle("init", "commit")
	d.runNewDocumentScripts()
	html := d.root.byTag("html")
	d.parser = &htmlParser{d: d, src: cut(d.response.HTML, maxHTML), line: 1, stack: []*node{d.root.byTag("head")}}
	d.parser.run()
	for _, s := range d.parser.defers {
		d.runScript(s)
	}
	d.parser = nil
	if d.dead || html == nil {
		return
	}
	d.bodyHandlers()
	d.parsed = true
	d.readyState = "interactive"
	d.fireDocument("DOMContentLoaded")
	d.rootEvent("Page.domContentEventFired")
	d.lifecycle("DOMContentLoaded")
	d.setTitle(d.title)
	d.b.checkLoad(d)
}

// rootEvent tells of a stage of loading, which only the root of a target's
// frames does.
func (d *document) rootEvent(method string) {
	if t := d.frame.target; t != nil && !d.dead {
		t.pageEvent(method, object{"timestamp", d.b.monotonic()})
	}
}

// lifecycle tells stages to the sessions that asked for them.
func (d *document) lifecycle(names ...string) {
	for _, s := range d.frame.local().sessions {
		if s.pageOn && s.lifecycle {
			s.tellLifecycle(d, names...)
		}
	}
}

func (s *session) tellLifecycle(d *document, names ...string) {
	for _, n := range names {
		s.event("Page.lifecycleEvent", object{"frameId", d.frame.id, "loaderId", d.loader, "name", n, "timestamp", d.b.monotonic()})
	}
}

// checkLoad fires the load event once the document is parsed and no frame in
// it loads any more.
func (b *Browser) checkLoad(d *document) {
	if !d.parsed || d.loaded || d.dead {
		return
	}
	for _, k := range d.kids {
		if k.loading {
			return
		}
	}
	d.loaded = true
	d.later(func() {
		if d.dead {
			return
		}
		d.readyState = "complete"
		d.fireWindow("load")
		d.rootEvent("Page.loadEventFired")
		d.lifecycle("load", "networkAlmostIdle", "networkIdle")
		d.frameLoaded()
	})
}

// frameLoaded ends the frame's loading: its element hears of it before the
// parent's load event.
func (d *document) frameLoaded() {
	f := d.frame
	if d.dead || f.doc != d || f.nav != nil {
		return
	}
	if f.parent != nil && f.owner != nil {
		up, owner := f.parent.doc, f.owner
		up.later(func() { up.fireNode(owner, "load") })
	}
	f.stopLoading()
}

// fireDocument fires an event at the document.
func (d *document) fireDocument(kind string) {
	for _, r := range slices.Clone(d.realms) {
		if r.hears[kind] > 0 {
			r.fireAt(r.wrappers[d.root], kind, nil)
		}
	}
}

// bodyHandlers gives the window the handlers that stand on the body element.
func (d *document) bodyHandlers() {
	body := d.root.byTag("body")
	if body == nil {
		return
	}
	for _, kind := range []string{"beforeunload", "unload", "load", "message", "pagehide", "hashchange"} {
		if body.hasAttr("on" + kind) {
			r := d.ensureRealm()
			r.check(r.vm.GlobalObject().Set("on"+kind, r.attrHandler(body, kind)))
		}
	}
}

// runNewDocumentScripts runs the scripts that sessions want in every new
// document before its own.
func (d *document) runNewDocumentScripts() {
	for _, s := range inOrder(d.frame.local().sessions) {
		if !s.pageOn {
			continue // without Page.enable they are kept and never run
		}
		for _, x := range s.scripts {
			d.runInjected(x)
		}
	}
}

func (d *document) runInjected(x newDocScript) {
	if d.dead {
		return
	}
	r := d.ensureRealm()
	if x.world != "" {
		r = d.worldNamed(x.world)
	}
	_, err := r.run("", x.source, 1, 0)
	r.report(err)
}

// finishEmpty ends the load of a document without content: about:blank that
// is there at once.
func (d *document) finishEmpty() {
	d.parsed, d.loaded = true, true
	d.readyState = "complete"
	if d.frame.local().inspected() {
		d.context()
	}
	d.runNewDocumentScripts()
	d.frame.loading = true
	if d.frame.parent == nil {
		d.rootEvent("Page.domContentEventFired")
		d.rootEvent("Page.loadEventFired")
	}
	d.frameLoaded()
}

// showOwner loads what a frame's element says: at first, and when its
// attributes are changed.
func (b *Browser) showOwner(f *frame, first bool) {
	n, d := f.owner, f.parent.doc
	src := n.attr("src")
	if n.tag == "object" {
		src = n.attr("data")
	}
	url, ok := resolveURL(d.base(), src)
	switch {
	case n.hasAttr("srcdoc") && n.tag == "iframe":
		url = "about:srcdoc"
	case src == "" || !ok:
		url = "about:blank"
	}
	if code, js := strings.CutPrefix(url, "javascript:"); js {
		f.doc.runURL(code)
		if first {
			d.later(func() { d.fireNode(n, "load") })
		}
		return
	}
	if !first {
		if url == "about:srcdoc" {
			b.begin(&navigation{frame: f, url: url, kind: "differentDocument", initiator: d, html: n.attr("srcdoc")})
			nav := f.nav
			b.fetchLater(func() { b.load(nav) })
			return
		}
		b.scriptNavigate(d, f, url, false, "scriptInitiated")
		return
	}
	f.outer().pageEvent("Page.frameRequestedNavigation", object{"frameId", f.id,
		"reason", "initialFrameNavigation", "url", url, "disposition", "currentTab"})
	if url == "about:blank" {
		blank := f.doc
		blank.url, blank.initial = url, false
		f.outer().navigated(f, "Navigation")
		f.outer().pageEvent("Page.frameStartedLoading", object{"frameId", f.id})
		blank.finishEmpty()
		return
	}
	nav := &navigation{frame: f, url: url, kind: "differentDocument", initiator: d, html: n.attr("srcdoc")}
	b.begin(nav)
	b.fetchLater(func() { b.load(nav) })
}

// bypassesCSP reports whether a session switched policies off for the frame.
func (f *frame) bypassesCSP() bool {
	for g := f; g != nil; g = g.parent {
		if g.target == nil {
			continue
		}
		for _, s := range g.target.sessions {
			if s.bypassCSP {
				return true
			}
		}
	}
	return false
}

// dataHTML is the content of a data: URL.
func dataHTML(rest string) string {
	meta, body, ok := strings.Cut(rest, ",")
	if !ok {
		return ""
	}
	text, err := unescape(body)
	if err != nil {
		return ""
	}
	if strings.HasSuffix(meta, ";base64") {
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return ""
		}
		return string(raw)
	}
	return text
}

// click does what a click on an element does: handlers, then the default
// action of links, boxes and buttons.
func (d *document) click(n *node, trusted bool) {
	if n.hasAttr("disabled") {
		return
	}
	if trusted {
		d.activate()
	}
	allowed := true
	if m := d.main(); m != nil && m.vm != nil || d.hasClickAttr(n) {
		d.ensureRealm()
		for _, r := range slices.Clone(d.realms) {
			if r.vm == nil || r.isolated && r.wrappers[n] == nil {
				continue
			}
			if !r.fireAt(r.wrap(n), "click", nil) {
				allowed = false
			}
			if d.dead {
				return
			}
		}
	}
	if allowed {
		d.clickDefault(n)
	}
}

func (d *document) hasClickAttr(n *node) bool {
	for ; n != nil; n = n.up {
		if n.hasAttr("onclick") {
			return true
		}
	}
	return false
}

func (d *document) clickDefault(n *node) {
	for e := n; e != nil; e = e.up {
		switch {
		case e.tag == "a" && e.hasAttr("href"):
			if t := e.attr("target"); t != "" && t != "_self" {
				features := ""
				if t == "_blank" && !strings.Contains(e.attr("rel"), "opener") || strings.Contains(e.attr("rel"), "noopener") {
					features = "noopener"
				}
				d.openWindow(e.attr("href"), t, features)
				return
			}
			d.b.scriptNavigate(d, d.frame, e.attr("href"), false, "anchorClick")
			return
		case e.tag == "input" && e.attr("type") == "checkbox":
			v := !e.isChecked()
			e.checked = &v
			return
		case e.tag == "input" && e.attr("type") == "submit", e.tag == "button" && e.attr("type") != "button":
			if form := e.up; form != nil {
				for form != nil && form.tag != "form" {
					form = form.up
				}
				if form != nil {
					d.submit(form)
				}
			}
			return
		}
	}
}

// submit sends a form by GET.
func (d *document) submit(form *node) {
	var q []string
	form.walk(func(k *node) bool {
		if name := k.attr("name"); name != "" && (k.tag == "input" || k.tag == "textarea" || k.tag == "select") {
			q = append(q, name+"="+strings.ReplaceAll(k.currentValue(), " ", "+"))
		}
		return true
	})
	to, ok := resolveURL(d.base(), form.attr("action"))
	if form.attr("action") == "" {
		to, ok = d.base(), true
	}
	if ok {
		base, _, _ := strings.Cut(to, "?")
		d.b.scriptNavigate(d, d.frame, base+"?"+strings.Join(q, "&"), false, "formSubmissionGet")
	}
}

// rect is getBoundingClientRect.
func (r *realm) rect(n *node) goja.Value {
	b := r.doc.boxOf(n)
	return r.vm.ToValue(map[string]any{"x": b.x, "y": b.y, "left": b.x, "top": b.y, "width": b.w, "height": b.h,
		"right": b.x + b.w, "bottom": b.y + b.h})
}
