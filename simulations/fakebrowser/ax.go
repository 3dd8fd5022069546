package fakebrowser

import (
	"slices"
	"strconv"
	"strings"
)

// axNode is one node of the accessibility tree before it is written.
type axNode struct {
	n        *node
	role     string
	internal bool // the role is one of Blink's own
	name     string
	value    string
	props    []object
	kids     []*axNode
}

// nodeID is the backend id of a node.
func (b *Browser) nodeID(n *node) int {
	if n.id == 0 {
		b.nodeSeq++
		n.id = b.nodeSeq
	}
	return n.id
}

// getFullAXTree is Accessibility.getFullAXTree of one frame.
func getFullAXTree(c *command) {
	var p struct {
		FrameID string `json:"frameId"`
	}
	if !c.bind(&p) {
		return
	}
	f := c.s.localFrame(p.FrameID)
	if f == nil {
		c.fail(codeInvalidParams, "Frame with the given frameId is not found.")
		return
	}
	d := f.doc
	root := &axNode{n: d.root, role: "RootWebArea", internal: true, name: d.shownTitle()}
	if body := d.root.byTag("body"); body != nil {
		root.kids = d.axKids(body)
	}
	root.props = []object{{"name", "focusable", "value", object{"type", "booleanOrUndefined", "value", true}}}
	nodes := []object{}
	f.page.b.writeAX(&nodes, root, "", f.id)
	c.reply(object{"nodes", nodes})
}

// axKids are the accessible nodes below an element; those without a meaning
// of their own pass theirs on.
func (d *document) axKids(n *node) []*axNode {
	var out []*axNode
	for _, k := range n.kids {
		out = append(out, d.axOf(k)...)
	}
	return out
}

func (d *document) axOf(n *node) []*axNode {
	if n.kind == textNode {
		text := strings.Join(strings.Fields(n.text), " ")
		if text == "" {
			return nil
		}
		return []*axNode{{n: n, role: "StaticText", internal: true, name: text}}
	}
	if n.hasAttr("hidden") || styleOf(n)["display"] == "none" || n.attr("aria-hidden") == "true" {
		return nil
	}
	a := &axNode{n: n, name: d.axName(n)}
	flag := func(name string, v any) {
		a.props = append(a.props, object{"name", name, "value", object{"type", "token", "value", v}})
	}
	a.role, a.internal = axRole(n)
	switch a.role {
	case "":
		return d.axKids(n)
	case "heading":
		level, err := strconv.Atoi(strings.TrimPrefix(n.tag, "h"))
		if err == nil {
			a.props = append(a.props, object{"name", "level", "value", object{"type", "integer", "value", level}})
		}
	case "textbox", "combobox":
		a.value = n.currentValue()
	case "checkbox", "radio":
		flag("checked", strconv.FormatBool(n.isChecked()))
	case "Iframe", "image":
		return []*axNode{a}
	}
	if n.hasAttr("disabled") {
		flag("disabled", true)
	}
	if d.active == n {
		flag("focused", true)
	}
	if !slices.Contains([]string{"textbox", "combobox"}, a.role) {
		a.kids = d.axKids(n)
	}
	return []*axNode{a}
}

// axRole is the role of an element, "" for one that has none.
func axRole(n *node) (role string, internal bool) {
	if r := n.attr("role"); r != "" {
		return r, false
	}
	switch n.tag {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		return "heading", false
	case "a":
		if n.hasAttr("href") {
			return "link", false
		}
	case "button", "summary":
		return "button", false
	case "input":
		switch n.attr("type") {
		case "checkbox", "radio":
			return n.attr("type"), false
		case "submit", "button", "reset":
			return "button", false
		case "hidden":
			return "", false
		}
		return "textbox", false
	case "textarea":
		return "textbox", false
	case "select":
		return "combobox", false
	case "option":
		return "option", false
	case "img":
		return "image", false
	case "p":
		return "paragraph", false
	case "ul", "ol":
		return "list", false
	case "li":
		return "listitem", false
	case "iframe", "frame":
		return "Iframe", true
	case "label":
		return "LabelText", true
	case "main", "nav", "form", "dialog":
		return map[string]string{"main": "main", "nav": "navigation", "form": "form", "dialog": "dialog"}[n.tag], false
	}
	return "", false
}

// axName is the accessible name of an element.
func (d *document) axName(n *node) string {
	if v := n.attr("aria-label"); v != "" {
		return v
	}
	text := func(k *node) string { return strings.Join(strings.Fields(k.textContent()), " ") }
	switch n.tag {
	case "img":
		return n.attr("alt")
	case "iframe":
		return n.attr("title")
	case "input", "textarea", "select":
		if t := n.attr("type"); t == "submit" || t == "button" {
			return n.attr("value")
		}
		if id := n.attr("id"); id != "" {
			if l := d.root.find(func(k *node) bool { return k.tag == "label" && k.attr("for") == id }); l != nil {
				return text(l)
			}
		}
		for up := n.up; up != nil; up = up.up {
			if up.tag == "label" {
				return text(up)
			}
		}
		if v := n.attr("title"); v != "" {
			return v
		}
		return n.attr("placeholder")
	case "h1", "h2", "h3", "h4", "h5", "h6", "a", "button", "option", "summary":
		return text(n)
	}
	return n.attr("title")
}

// writeAX writes a node and all below it, parents first.
func (b *Browser) writeAX(out *[]object, a *axNode, parent, frameID string) {
	id := strconv.Itoa(b.nodeID(a.n))
	kind := "role"
	if a.internal {
		kind = "internalRole"
	}
	props := a.props
	if props == nil {
		props = []object{}
	}
	o := object{"nodeId", id, "ignored", false, "role", object{"type", kind, "value", a.role},
		"name", object{"type", "computedString", "value", a.name}}
	if a.value != "" {
		o = append(o, "value", object{"type", "string", "value", a.value})
	}
	o = append(o, "properties", props)
	if parent != "" {
		o = append(o, "parentId", parent)
	}
	kids := []string{}
	for _, k := range a.kids {
		kids = append(kids, strconv.Itoa(b.nodeID(k.n)))
	}
	o = append(o, "childIds", kids, "backendDOMNodeId", b.nodeID(a.n))
	if parent == "" {
		o = append(o, "frameId", frameID)
	}
	*out = append(*out, o)
	for _, k := range a.kids {
		b.writeAX(out, k, id, frameID)
	}
}
