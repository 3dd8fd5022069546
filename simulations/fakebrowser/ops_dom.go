package fakebrowser

import (
	"strings"

	"github.com/dop251/goja"
)

// op is the one native behind the prelude: the name of an operation, the
// object that it is done to, and its arguments.
func (r *realm) op(c goja.FunctionCall) goja.Value {
	name := c.Argument(0).String()
	this, _ := c.Argument(1).(*goja.Object)
	args := opArgs{r, nil}
	if len(c.Arguments) > 2 {
		args.all = c.Arguments[2:]
	}
	n := r.nodes[this]
	if n != nil {
		if v, ok := r.nodeOp(name, n, args); ok {
			return v
		}
		if v, ok := r.elementOp(name, n, args); ok {
			return v
		}
	}
	for _, part := range []func(string, *goja.Object, opArgs) (goja.Value, bool){r.documentOp, r.windowOp, r.netOp} {
		if v, ok := part(name, this, args); ok {
			return v
		}
	}
	if n == nil {
		r.throw("TypeError", "Illegal invocation")
	}
	return goja.Undefined()
}

// opArgs are the arguments of an operation.
type opArgs struct {
	r   *realm
	all []goja.Value
}

func (a opArgs) value(i int) goja.Value {
	if i < len(a.all) {
		return a.all[i]
	}
	return goja.Undefined()
}

func (a opArgs) text(i int) string { return a.value(i).String() }
func (a opArgs) flag(i int) bool   { return a.value(i).ToBoolean() }

func (a opArgs) node(i int) *node {
	o, _ := a.value(i).(*goja.Object)
	return a.r.nodes[o]
}

// wrap is the script object of a node, nil becomes null.
func (r *realm) wrap(n *node) goja.Value {
	if n == nil {
		return goja.Null()
	}
	if o := r.wrappers[n]; o != nil {
		return o
	}
	var proto goja.Value
	switch n.kind {
	case textNode:
		proto = r.protos.Get("text")
	case fragmentNode:
		proto = r.protos.Get("fragment")
	case documentNode, elementNode:
		v, err := r.protoOf(goja.Undefined(), r.vm.ToValue(n.tag))
		if err != nil {
			r.b.fault(err)
			return goja.Null()
		}
		proto = v
	}
	p, _ := proto.(*goja.Object)
	o := r.vm.CreateObject(p)
	r.wrappers[n], r.nodes[o] = o, n
	return o
}

func (r *realm) wrapAll(all []*node) goja.Value {
	out := make([]any, len(all))
	for i, n := range all {
		out[i] = r.wrap(n)
	}
	return r.vm.NewArray(out...)
}

// nodeOp are the operations of every node.
func (r *realm) nodeOp(name string, n *node, a opArgs) (goja.Value, bool) {
	d := r.doc
	switch name {
	case "nodeType":
		return r.vm.ToValue(map[nodeKind]int{documentNode: 9, elementNode: 1, textNode: 3, fragmentNode: 11}[n.kind]), true
	case "nodeName":
		return r.vm.ToValue(nodeName(n)), true
	case "parent":
		return r.wrap(n.up), true
	case "kids":
		return r.wrapAll(n.kids), true
	case "sibling":
		return r.wrap(sibling(n, int(a.value(0).ToInteger()))), true
	case "connected":
		return r.vm.ToValue(n.inDoc), true
	case "text":
		return r.vm.ToValue(n.textContent()), true
	case "setText":
		d.setText(n, a.text(0))
	case "insert":
		k := a.node(0)
		if k == nil {
			r.throw("TypeError", "Failed to execute 'appendChild' on 'Node': parameter 1 is not of type 'Node'.")
		}
		if !d.insert(n, k, a.node(1)) {
			r.throwDOM("HierarchyRequestError", "The new child element contains the parent.")
		}
		return a.value(0), true
	case "remove":
		d.remove(n)
	case "contains":
		return r.vm.ToValue(n.contains(a.node(0)) && a.node(0) != nil), true
	case "clone":
		return r.wrap(n.clone(d, a.flag(0))), true
	case "query":
		return r.query(n, a), true
	default:
		return nil, false
	}
	return goja.Undefined(), true
}

func nodeName(n *node) string {
	switch n.kind {
	case documentNode:
		return "#document"
	case textNode:
		return "#text"
	case fragmentNode:
		return "#document-fragment"
	case elementNode:
	}
	return strings.ToUpper(n.tag)
}

func sibling(n *node, by int) *node {
	if n.up == nil {
		return nil
	}
	for i, k := range n.up.kids {
		if k == n && i+by >= 0 && i+by < len(n.up.kids) {
			return n.up.kids[i+by]
		}
	}
	return nil
}

func (d *document) setText(n *node, s string) {
	if n.kind == textNode {
		n.text = cut(s, maxHTML)
		return
	}
	d.clear(n)
	if s != "" {
		d.insert(n, d.textNode(cut(s, maxHTML)), nil)
	}
	if n.tag == "title" && n.inDoc {
		d.setTitle(strings.TrimSpace(s))
	}
}

func (n *node) clone(d *document, deep bool) *node {
	c := &node{kind: n.kind, tag: n.tag, text: n.text, doc: d, attrs: append([]attribute(nil), n.attrs...)}
	if deep {
		for _, k := range n.kids {
			d.link(c, k.clone(d, true), nil)
		}
	}
	return c
}

func (r *realm) query(n *node, a opArgs) goja.Value {
	sel, err := parseSelector(a.text(0))
	if err != nil {
		r.throwDOM("SyntaxError", "'"+a.text(0)+"' is not a valid selector.")
	}
	if !a.flag(1) {
		return r.wrap(n.find(func(k *node) bool { return k != n && sel.matches(k) }))
	}
	var all []*node
	n.walk(func(k *node) bool {
		if k != n && sel.matches(k) {
			all = append(all, k)
		}
		return true
	})
	return r.wrapAll(all)
}

// elementOp are the operations of elements.
func (r *realm) elementOp(name string, n *node, a opArgs) (goja.Value, bool) {
	d := r.doc
	switch name {
	case "attr":
		if !n.hasAttr(strings.ToLower(a.text(0))) {
			return goja.Null(), true
		}
		return r.vm.ToValue(n.attr(strings.ToLower(a.text(0)))), true
	case "setAttr":
		d.setAttr(n, strings.ToLower(a.text(0)), cut(a.text(1), maxHTML))
	case "dropAttr":
		n.dropAttr(strings.ToLower(a.text(0)))
	case "html":
		return r.vm.ToValue(n.innerHTML()), true
	case "outer":
		return r.vm.ToValue(n.outerHTML()), true
	case "setHTML":
		d.clear(n)
		d.parseInto(n, a.text(0))
	case "adjacent":
		d.adjacent(n, a.text(0), a.text(1))
	case "matches":
		sel, err := parseSelector(a.text(0))
		return r.vm.ToValue(err == nil && sel.matches(n)), true
	case "rect":
		return r.rect(n), true
	case "style":
		return r.vm.ToValue(styleOf(n)[kebab(a.text(0))]), true
	case "setStyle":
		setStyle(n, kebab(a.text(0)), a.text(1))
	case "click":
		d.click(n, false)
	case "focus":
		d.active = n
		d.fireNode(n, "focus")
	case "blur":
		if d.active == n {
			d.active = nil
		}
	case "url":
		v := n.attr(a.text(0))
		if to, ok := resolveURL(d.base(), v); ok && v != "" {
			v = to
		}
		return r.vm.ToValue(v), true
	case "value":
		return r.vm.ToValue(n.currentValue()), true
	case "setValue":
		v := a.text(0)
		n.value = &v
	case "checked":
		return r.vm.ToValue(n.isChecked()), true
	case "setChecked":
		v := a.flag(0)
		n.checked = &v
	case "submit":
		d.submit(n)
	case "handler":
		return r.attrHandler(n, a.text(0)), true
	case "contentWindow":
		if n.frame == nil {
			return goja.Null(), true
		}
		return r.window(n.frame), true
	case "contentDocument":
		return r.contentDocument(n), true
	case "root":
		return r.wrap(n.byTag(a.text(0))), true
	default:
		return nil, false
	}
	return goja.Undefined(), true
}

// setAttr sets an attribute and lets it take effect.
func (d *document) setAttr(n *node, key, value string) {
	n.putAttr(key, value)
	if n.frame == nil {
		return
	}
	switch key {
	case "src", "srcdoc", "data":
		d.b.showOwner(n.frame, false)
	case "name":
		n.frame.name = value
	case "sandbox":
		n.frame.sandbox = sandboxOf(n).with(d.sandbox)
	}
}

func (d *document) adjacent(n *node, where, src string) {
	frag := &node{kind: fragmentNode, doc: d}
	d.parseInto(frag, src)
	switch where {
	case "beforeend":
		d.insert(n, frag, nil)
	case "afterbegin":
		var first *node
		if len(n.kids) > 0 {
			first = n.kids[0]
		}
		d.insert(n, frag, first)
	case "beforebegin":
		if n.up != nil {
			d.insert(n.up, frag, n)
		}
	case "afterend":
		if n.up != nil {
			d.insert(n.up, frag, sibling(n, 1))
		}
	}
}

// attrHandler compiles an on… attribute.
func (r *realm) attrHandler(n *node, kind string) goja.Value {
	src := n.attr("on" + kind)
	if src == "" || r.isolated || r.doc.sandbox.on && !r.doc.sandbox.scripts {
		return goja.Null()
	}
	v, err := r.run(r.doc.url, "(function on"+kind+"(event) {"+src+"\n})", max(1, n.line), 0)
	if err != nil {
		r.report(err)
		return goja.Null()
	}
	return v
}

func (n *node) currentValue() string {
	switch {
	case n.value != nil:
		return *n.value
	case n.tag == "textarea":
		return n.textContent()
	case n.tag == "option" && !n.hasAttr("value"):
		return strings.TrimSpace(n.textContent())
	case n.tag == "select":
		var chosen *node
		n.walk(func(k *node) bool {
			if k.tag == "option" && (chosen == nil || k.hasAttr("selected")) {
				chosen = k
			}
			return true
		})
		if chosen != nil {
			return chosen.currentValue()
		}
		return ""
	}
	return n.attr("value")
}

func (n *node) isChecked() bool {
	if n.checked != nil {
		return *n.checked
	}
	return n.hasAttr("checked")
}
