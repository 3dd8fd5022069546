package fakebrowser

import (
	"slices"
	"strings"
)

type nodeKind int

const (
	documentNode nodeKind = iota
	elementNode
	textNode
	fragmentNode
)

type attribute struct{ name, value string }

// node is a node of a document's tree.
type node struct {
	id    int // backend node id, given when somebody asks
	kind  nodeKind
	tag   string // lower case
	text  string
	attrs []attribute
	up    *node
	kids  []*node
	doc   *document
	frame *frame // of an iframe element in its document
	inDoc bool
	// value is what the user typed, nil while the attribute says it.
	value   *string
	checked *bool
	ran     bool // a script element that has run
	line    int  // where a script's text starts in its document, from 1
	col     int
	parsed  bool // put in by the parser
}

func (n *node) attr(name string) string {
	for _, a := range n.attrs {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

func (n *node) hasAttr(name string) bool {
	return slices.ContainsFunc(n.attrs, func(a attribute) bool { return a.name == name })
}

func (n *node) dropAttr(name string) {
	n.attrs = slices.DeleteFunc(n.attrs, func(a attribute) bool { return a.name == name })
}

// putAttr sets an attribute without its effects.
func (n *node) putAttr(name, value string) {
	for i := range n.attrs {
		if n.attrs[i].name == name {
			n.attrs[i].value = value
			return
		}
	}
	n.attrs = append(n.attrs, attribute{name, value})
}

// walk visits the node and all below it in document order until visit
// returns false.
func (n *node) walk(visit func(*node) bool) bool {
	if !visit(n) {
		return false
	}
	for _, k := range n.kids {
		if !k.walk(visit) {
			return false
		}
	}
	return true
}

// find is the first node in document order that fits.
func (n *node) find(fits func(*node) bool) *node {
	var found *node
	n.walk(func(k *node) bool {
		if fits(k) {
			found = k
		}
		return found == nil
	})
	return found
}

func (n *node) byTag(tag string) *node {
	return n.find(func(k *node) bool { return k.kind == elementNode && k.tag == tag })
}

func (n *node) byID(id string) *node {
	if id == "" {
		return nil
	}
	return n.find(func(k *node) bool { return k.kind == elementNode && k.attr("id") == id })
}

// contains reports whether k is n or below it.
func (n *node) contains(k *node) bool {
	for ; k != nil; k = k.up {
		if k == n {
			return true
		}
	}
	return false
}

// textContent is the text of the node and all below it.
func (n *node) textContent() string {
	var b strings.Builder
	n.walk(func(k *node) bool {
		if k.kind == textNode {
			b.WriteString(k.text)
		}
		return true
	})
	return b.String()
}

func (d *document) element(tag string) *node {
	return &node{kind: elementNode, tag: strings.ToLower(tag), doc: d}
}

func (d *document) textNode(s string) *node { return &node{kind: textNode, text: s, doc: d} }

// buildEmpty makes the html, head and body of a document without content.
func (d *document) buildEmpty() {
	html := d.element("html")
	d.link(d.root, html, nil)
	d.link(html, d.element("head"), nil)
	d.link(html, d.element("body"), nil)
}

// link puts a node into the tree without effects.
func (d *document) link(parent, n, before *node) {
	n.up = parent
	if i := slices.Index(parent.kids, before); before != nil && i >= 0 {
		parent.kids = slices.Insert(parent.kids, i, n)
	} else {
		parent.kids = append(parent.kids, n)
	}
	n.setInDoc(parent.inDoc)
}

func (n *node) setInDoc(in bool) {
	n.inDoc = in
	for _, k := range n.kids {
		k.setInDoc(in)
	}
}

// insert puts a node, or what a fragment holds, before another one and lets
// it take effect: iframes load, scripts run.
func (d *document) insert(parent, n, before *node) bool {
	if n.contains(parent) || d.nodes > maxNodes || depthOf(parent) > maxDepth {
		return false
	}
	if n.kind == fragmentNode {
		for _, k := range slices.Clone(n.kids) {
			d.insert(parent, k, before)
		}
		return true
	}
	d.remove(n)
	d.nodes++
	d.link(parent, n, before)
	if n.inDoc {
		var fresh []*node
		n.walk(func(k *node) bool {
			if k.kind == elementNode {
				fresh = append(fresh, k)
			}
			return true
		})
		for _, k := range fresh {
			d.entered(k)
		}
	}
	return true
}

func depthOf(n *node) int {
	i := 0
	for ; n != nil; n = n.up {
		i++
	}
	return i
}

// entered is the effect of an element that is now in the document.
func (d *document) entered(n *node) {
	if !n.inDoc {
		return
	}
	switch n.tag {
	case "iframe", "frame", "object", "embed":
		if n.frame == nil && (n.tag == "iframe" || n.tag == "frame" || n.attr("data") != "" || n.attr("src") != "") {
			d.b.frameInserted(n)
		}
	case "script":
		if !n.parsed {
			d.runScript(n)
		}
	case "title":
		d.setTitle(strings.TrimSpace(n.textContent()))
	case "meta":
		if strings.EqualFold(n.attr("http-equiv"), "Content-Security-Policy") {
			d.policy.add(n.attr("content"))
		}
	}
}

// remove takes a node out of the tree; frames in it end.
func (d *document) remove(n *node) {
	if n.up == nil {
		return
	}
	var frames []*frame
	if n.inDoc {
		n.walk(func(k *node) bool {
			if k.frame != nil {
				frames = append(frames, k.frame)
			}
			return true
		})
	}
	n.up.kids = slices.DeleteFunc(n.up.kids, func(o *node) bool { return o == n })
	n.up = nil
	n.setInDoc(false)
	if d.active != nil && n.contains(d.active) {
		d.active = nil
	}
	for _, f := range frames {
		d.b.frameRemoved(f)
	}
}

func (d *document) clear(n *node) {
	for _, k := range slices.Clone(n.kids) {
		d.remove(k)
	}
}
