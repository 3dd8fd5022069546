package fakebrowser

import (
	"slices"
	"strconv"
	"strings"
)

// box is where an element is on the page, in CSS pixels.
type box struct{ x, y, w, h float64 }

func (b box) holds(x, y float64) bool { return x >= b.x && x < b.x+b.w && y >= b.y && y < b.y+b.h }

// The layout of everything that has no position of its own: one row each.
const (
	rowHeight = 24.0
	rowWidth  = 400.0
	margin    = 8.0
)

// styleOf is the inline style of an element by property.
func styleOf(n *node) map[string]string {
	out := map[string]string{}
	for _, d := range strings.Split(n.attr("style"), ";") {
		if k, v, ok := strings.Cut(d, ":"); ok {
			out[strings.ToLower(strings.TrimSpace(k))] = strings.TrimSpace(v)
		}
	}
	return out
}

func setStyle(n *node, key, value string) {
	var parts []string
	for _, d := range strings.Split(n.attr("style"), ";") {
		if k, _, ok := strings.Cut(d, ":"); ok && strings.TrimSpace(k) != key {
			parts = append(parts, strings.TrimSpace(d))
		}
	}
	if value != "" {
		parts = append(parts, key+": "+value)
	}
	n.putAttr("style", strings.Join(parts, "; "))
}

// kebab turns backgroundColor into background-color.
func kebab(s string) string {
	var b strings.Builder
	for _, c := range s {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('-')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}

func px(s string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(s), "px"), 64)
	return v, err == nil
}

// placed is the box of an element that its style puts somewhere.
func placed(n *node) (box, bool) {
	st := styleOf(n)
	if p := st["position"]; p != "absolute" && p != "fixed" {
		return box{}, false
	}
	var b box
	var okX, okY bool
	b.x, okX = px(st["left"])
	b.y, okY = px(st["top"])
	b.w, b.h = 100, rowHeight
	if w, ok := px(st["width"]); ok {
		b.w = w
	}
	if h, ok := px(st["height"]); ok {
		b.h = h
	}
	return b, okX && okY
}

// clickable reports whether an element takes a row of the layout.
func clickable(n *node) bool {
	if n.kind != elementNode || hiddenNode(n) {
		return false
	}
	switch n.tag {
	case "a", "button", "input", "textarea", "select", "label", "iframe":
		return true
	}
	return n.hasAttr("onclick") || n.hasAttr("id")
}

func hiddenNode(n *node) bool {
	for ; n != nil; n = n.up {
		if n.hasAttr("hidden") || styleOf(n)["display"] == "none" || n.tag == "head" {
			return true
		}
	}
	return false
}

// boxOf is where an element is: where its style says, else its row.
func (d *document) boxOf(n *node) box {
	if b, ok := placed(n); ok {
		return b
	}
	row := 0
	found := false
	d.root.walk(func(k *node) bool {
		if k == n {
			found = true
			return false
		}
		if _, abs := placed(k); clickable(k) && !abs && k.tag != "body" && k.tag != "html" {
			row++
		}
		return true
	})
	if !found || hiddenNode(n) {
		return box{}
	}
	return box{margin, margin + float64(row)*rowHeight, rowWidth, rowHeight}
}

// hit is the element at a point: the last placed one there, else the one
// whose row it is, else the body.
func (d *document) hit(x, y float64) *node {
	var at *node
	d.root.walk(func(k *node) bool {
		if b, ok := placed(k); ok && !hiddenNode(k) && b.holds(x, y) {
			at = k
		}
		return true
	})
	if at != nil {
		return at
	}
	d.root.walk(func(k *node) bool {
		if _, abs := placed(k); clickable(k) && !abs && d.boxOf(k).holds(x, y) {
			at = k
		}
		return true
	})
	if at == nil {
		at = d.root.byTag("body")
	}
	return at
}

// inputMethods is the Input domain. An event is answered at once while a
// dialog blocks the renderer, and not before its handlers have run else: a
// handler that opens a dialog withholds the reply.
func inputMethods() map[string]method {
	return map[string]method{
		"Input.dispatchMouseEvent": {on: onTargets, first: unlessBlocked, renderer: mouseEvent},
		"Input.dispatchKeyEvent":   {on: onTargets, first: unlessBlocked, renderer: keyEvent},
		"Input.insertText":         inRenderer(insertText),
	}
}

// unlessBlocked swallows input for a renderer that stands still.
func unlessBlocked(c *command) bool {
	if r := c.s.target.process(); r != nil && r.blocked != nil {
		c.reply(nil)
		return false
	}
	return true
}

type inputParams struct {
	Type       string  `json:"type"`
	X          float64 `json:"x"`
	Y          float64 `json:"y"`
	Button     string  `json:"button"`
	ClickCount int     `json:"clickCount"`
	Key        string  `json:"key"`
	Text       string  `json:"text"`
}

func mouseEvent(c *command) {
	var p inputParams
	if !c.bind(&p, "type", "x", "y") {
		return
	}
	d := c.s.target.frame.doc
	x, y := p.X, p.Y
	for {
		n := d.hit(x, y)
		if n == nil || n.frame == nil || n.frame.target != nil {
			break
		}
		b := d.boxOf(n)
		x, y, d = x-b.x, y-b.y, n.frame.doc
	}
	n := d.hit(x, y)
	switch p.Type {
	case "mousePressed":
		d.activate()
		if n != nil {
			d.active = n
			d.fireNode(n, "mousedown")
		}
	case "mouseReleased":
		if n != nil {
			d.fireNode(n, "mouseup")
			if (p.Button == "left" || p.Button == "") && !d.dead {
				d.click(n, true)
			}
		}
	}
	c.reply(nil)
}

func keyEvent(c *command) {
	var p inputParams
	if !c.bind(&p, "type") {
		return
	}
	d := c.s.target.frame.doc
	n := d.active
	if n == nil {
		n = d.root.byTag("body")
	}
	switch p.Type {
	case "keyDown", "rawKeyDown", "char":
		d.activate()
		if p.Type != "char" && n != nil {
			d.fireNode(n, "keydown")
		}
		if p.Text != "" && p.Text != "\r" {
			d.typeText(p.Text)
		}
		if p.Key == "Enter" && n != nil && (n.tag == "button" || n.tag == "a") {
			d.click(n, true)
		}
	case "keyUp":
		if n != nil {
			d.fireNode(n, "keyup")
		}
	}
	c.reply(nil)
}

func insertText(c *command) {
	var p inputParams
	if !c.bind(&p, "text") {
		return
	}
	c.s.target.frame.doc.typeText(p.Text)
	c.reply(nil)
}

// typeText puts text behind what the focused field holds.
func (d *document) typeText(s string) {
	if n := d.active; n != nil && slices.Contains([]string{"input", "textarea"}, n.tag) {
		v := n.currentValue() + cut(s, maxDialogMessage)
		n.value = &v
		d.fireNode(n, "input")
	}
}
