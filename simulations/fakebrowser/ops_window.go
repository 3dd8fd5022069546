package fakebrowser

import (
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/dop251/goja"
)

// documentOp are the operations of the document.
func (r *realm) documentOp(name string, _ *goja.Object, a opArgs) (goja.Value, bool) {
	d := r.doc
	switch name {
	case "title":
		return r.vm.ToValue(d.title), true
	case "setTitle":
		d.writeTitle(cut(a.text(0), 4096))
	case "readyState":
		return r.vm.ToValue(d.readyState), true
	case "hidden":
		return r.vm.ToValue(d.inUnload == "visibilitychange" || d.inUnload == "unload"), true
	case "domain":
		if d.sandbox.opaque() {
			return r.vm.ToValue(""), true
		}
		return r.vm.ToValue(d.locationPart("hostname")), true
	case "setDomain":
		r.setDomain(a.text(0))
	case "active":
		return r.wrap(d.active), true
	case "currentScript":
		return r.wrap(d.currentScript), true
	case "byId":
		return r.wrap(d.root.byID(a.text(0))), true
	case "create":
		return r.wrap(d.element(cut(a.text(0), 100))), true
	case "createText":
		return r.wrap(d.textNode(cut(a.text(0), maxHTML))), true
	case "createFragment":
		return r.wrap(&node{kind: fragmentNode, doc: d}), true
	case "write":
		if body := d.root.byTag("body"); body != nil {
			d.parseInto(body, a.text(0))
			body.walk(func(n *node) bool {
				if n.tag == "script" && !n.ran {
					d.runScript(n)
				}
				return true
			})
		}
	case "reopen":
		d.reopen(r)
	default:
		return nil, false
	}
	return goja.Undefined(), true
}

// setDomain refuses every domain but the document's own, in the words of what
// forbids it.
func (r *realm) setDomain(to string) {
	d := r.doc
	switch {
	case d.sandbox.on:
		r.throwDOM("SecurityError", "Failed to set the 'domain' property on 'Document': Assignment is forbidden for sandboxed iframes.")
	case to == "":
		r.throwDOM("SecurityError", "Failed to set the 'domain' property on 'Document': '' is an empty domain.")
	case to != d.locationPart("hostname"):
		r.throwDOM("SecurityError", "Failed to set the 'domain' property on 'Document': '"+cut(to, 256)+"' is not a suffix of '"+d.locationPart("hostname")+"'.")
	}
}

func (d *document) writeTitle(title string) {
	t := d.root.byTag("title")
	if t == nil {
		t = d.element("title")
		if head := d.root.byTag("head"); head != nil {
			d.insert(head, t, nil)
		}
	}
	d.setText(t, title)
	d.setTitle(strings.TrimSpace(title))
}

// reopen is document.open: an empty about:blank takes over the URL of who
// opened it.
func (d *document) reopen(by *realm) {
	if body := d.root.byTag("body"); body != nil {
		d.clear(body)
	}
	if d.url == "about:blank" || d.url == "" {
		d.url = by.doc.base()
		f := d.frame
		f.local().pageEvent("Page.documentOpened", object{"frame", f.json(f.local())})
	}
}

// windowOp are the operations of the window, its location and history.
func (r *realm) windowOp(name string, this *goja.Object, a opArgs) (goja.Value, bool) {
	d := r.doc
	switch name {
	case "listens":
		r.hears[a.text(0)] += int(a.value(1).ToInteger())
	case "location":
		return r.vm.ToValue(d.locationPart(a.text(0))), true
	case "go":
		r.b.scriptNavigate(d, d.frame, a.text(0), a.flag(1), "scriptInitiated")
	case "reload":
		r.b.scriptNavigate(d, d.frame, d.url, true, "reload")
	case "history":
		return r.historyOp(a), true
	case "pushState":
		r.pushState(a)
	case "activation":
		if a.text(0) == "been" {
			return r.vm.ToValue(d.activated), true
		}
		g := d.gesture
		return r.vm.ToValue(g.live && r.b.clock.Now().Sub(g.at) <= gestureLife), true
	case "now":
		return r.vm.ToValue(float64(r.now().UnixMicro()%1e12) / 1e3), true
	case "random":
		return r.vm.ToValue(uint32(r.b.ids.number())), true //nolint:gosec // the low bits are as good as any
	case "uuid":
		return r.vm.ToValue(r.b.ids.guid()), true
	case "timeOrigin":
		return r.vm.ToValue(r.millis()), true
	case "window":
		return r.windowPart(a), true
	case "store":
		return r.store(a), true
	default:
		return nil, false
	}
	return goja.Undefined(), true
}

func (d *document) locationPart(part string) string {
	shown := d.url
	if shown == "" {
		shown = "about:blank"
	}
	u, err := url.Parse(shown)
	if err != nil {
		u = &url.URL{}
	}
	switch part {
	case "href":
		return shown
	case "origin":
		return d.origin.String()
	case "protocol":
		return u.Scheme + ":"
	case "host":
		return u.Host
	case "hostname":
		return u.Hostname()
	case "port":
		return u.Port()
	case "pathname":
		if u.Opaque != "" {
			return u.Opaque
		}
		return u.EscapedPath()
	case "search":
		if u.RawQuery != "" {
			return "?" + u.RawQuery
		}
	case "hash":
		if _, h := cutFragment(shown); len(h) > 1 {
			return h
		}
	}
	return ""
}

func (r *realm) historyOp(a opArgs) goja.Value {
	d := r.doc
	h := &d.frame.page.history
	switch a.text(0) {
	case "length":
		return r.vm.ToValue(max(1, len(h.entries)))
	case "state":
		if e := h.current(); e != nil && e.doc == d && e.state != nil {
			if v, err := r.parseJSON(e.state); err == nil {
				return v
			}
		}
		return goja.Null()
	}
	by := int(a.value(1).ToInteger())
	if to := h.at + by; to >= 0 && to < len(h.entries) && by != 0 {
		e := h.entries[to]
		r.b.goTo(d.frame.page, e, d, nil)
	} else if by == 0 {
		r.b.scriptNavigate(d, d.frame, d.url, true, "reload")
	}
	return goja.Undefined()
}

// mayShow reports whether a script may give the document another URL. That of a
// blank one is compared itself: its base and its origin are somebody else's.
func (d *document) mayShow(url string) bool {
	if strings.HasPrefix(d.url, "about:") {
		here, _ := cutFragment(d.url)
		there, _ := cutFragment(url)
		return here == there
	}
	o, _ := originOf(url)
	return o == d.origin
}

func (r *realm) pushState(a opArgs) {
	d := r.doc
	to := d.url
	if ref := a.text(1); ref != "" {
		u, ok := resolveURL(d.base(), ref)
		if !ok || !d.mayShow(u) {
			r.throwDOM("SecurityError", "A history state object with that URL cannot be created.")
		}
		to = u
	}
	state, err := r.jsonOf(a.value(0))
	f := d.frame
	f.local().pageEvent("Page.frameStartedLoading", object{"frameId", f.id})
	d.moveWithin(to, "historyApi", a.flag(2), nil)
	if e := f.page.history.current(); e != nil && f.parent == nil && err == nil {
		e.state = state
	}
}

func (r *realm) parseJSON(raw []byte) (goja.Value, error) {
	parse, ok := goja.AssertFunction(r.vm.GlobalObject().Get("JSON").ToObject(r.vm).Get("parse"))
	if !ok {
		return goja.Undefined(), nil
	}
	return r.call(parse, goja.Undefined(), r.vm.ToValue(string(raw)))
}

func (r *realm) windowPart(a opArgs) goja.Value {
	f := r.doc.frame
	switch a.text(0) {
	case "parent":
		if f.parent != nil {
			return r.window(f.parent)
		}
		return r.vm.GlobalObject()
	case "top":
		return r.window(f.page.main)
	case "opener":
		if o := f.page.opener; o != nil && f.parent == nil && !o.removed && !o.page.closed {
			return r.window(o)
		}
		return goja.Null()
	case "length":
		return r.vm.ToValue(len(r.doc.kids))
	case "closed":
		return r.vm.ToValue(f.removed || f.page.closed)
	case "name":
		if f.parent != nil {
			return r.vm.ToValue(f.name)
		}
		return r.vm.ToValue(f.page.name)
	case "setName":
		if f.parent != nil {
			f.name = cut(a.text(1), 256)
		} else {
			f.page.name = cut(a.text(1), 256)
		}
	case "frameElement":
		if f.parent != nil && f.parent.doc.origin == r.doc.origin && f.parent.doc.proc == r.doc.proc {
			p := f.parent.doc.ensureRealm()
			return r.bring(p, p.wrap(f.owner))
		}
		return goja.Null()
	}
	return goja.Undefined()
}

// store is localStorage and sessionStorage.
func (r *realm) store(a opArgs) goja.Value {
	at := a.text(0) + " " + r.doc.origin.String()
	all := r.b.scripts.storage[at]
	if all == nil {
		all = map[string]string{}
		r.b.scripts.storage[at] = all
	}
	key := a.text(2)
	switch a.text(1) {
	case "get":
		if v, ok := all[key]; ok {
			return r.vm.ToValue(v)
		}
		return goja.Null()
	case "set":
		if len(all) < 1_000 {
			all[key] = cut(a.text(3), maxHTML)
		}
	case "remove":
		delete(all, key)
	case "clear":
		clear(all)
	case "length":
		return r.vm.ToValue(len(all))
	}
	return goja.Undefined()
}

func (r *realm) btoa(c goja.FunctionCall) goja.Value {
	var raw []byte
	for _, x := range c.Argument(0).String() {
		raw = append(raw, byte(x))
	}
	return r.vm.ToValue(base64.StdEncoding.EncodeToString(raw))
}

func (r *realm) atob(c goja.FunctionCall) goja.Value {
	raw, err := base64.StdEncoding.DecodeString(c.Argument(0).String())
	if err != nil {
		r.throwDOM("InvalidCharacterError", "The string to be decoded is not correctly encoded.")
	}
	var s strings.Builder
	for _, b := range raw {
		s.WriteRune(rune(b))
	}
	return r.vm.ToValue(s.String())
}

// open is window.open.
func (r *realm) open(c goja.FunctionCall) goja.Value {
	arg := func(i int) string {
		if v := c.Argument(i); !goja.IsUndefined(v) && !goja.IsNull(v) {
			return v.String()
		}
		return ""
	}
	d := r.doc
	f := d.openWindow(arg(0), arg(1), arg(2))
	if d.proc.dead {
		r.unwind()
	}
	if f == nil {
		return goja.Null()
	}
	return r.window(f)
}

// closeWindow is window.close: it closes what a script opened.
func (r *realm) closeWindow(goja.FunctionCall) goja.Value {
	r.b.closeByScript(r.doc.frame)
	return goja.Undefined()
}

func (b *Browser) closeByScript(f *frame) {
	p := f.page
	if f.parent != nil || !p.script && len(p.history.entries) > 1 {
		return
	}
	b.post(p.closeAsking)
}
