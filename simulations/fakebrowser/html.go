package fakebrowser

import (
	"html"
	"slices"
	"strings"
)

// htmlParser builds a document from HTML as the renderer goes along: elements
// take effect as they appear, and an inline script stands in the middle of
// it. It knows as much of HTML as test pages need.
type htmlParser struct {
	d      *document
	src    string
	at     int
	line   int // of at, from 1
	bol    int // where that line starts
	stack  []*node
	defers []*node
	inBody bool
	frag   bool // innerHTML: no head and body, scripts do not run
}

// parseInto parses a fragment below n.
func (d *document) parseInto(n *node, src string) {
	if len(src) > maxHTML {
		src = src[:maxHTML]
	}
	p := &htmlParser{d: d, src: src, line: 1, stack: []*node{n}, frag: true}
	p.run()
}

func (p *htmlParser) top() *node { return p.stack[len(p.stack)-1] }

func (p *htmlParser) advance(n int) {
	end := min(p.at+n, len(p.src))
	for i := p.at; i < end; i++ {
		if p.src[i] == '\n' {
			p.line++
			p.bol = i + 1
		}
	}
	p.at = end
}

func (p *htmlParser) rest() string { return p.src[p.at:] }

// run parses to the end, or until the document is gone.
func (p *htmlParser) run() {
	for p.at < len(p.src) && !p.d.dead {
		rest := p.rest()
		switch {
		case strings.HasPrefix(rest, "<!--"):
			if i := strings.Index(rest, "-->"); i >= 0 {
				p.advance(i + 3)
			} else {
				p.advance(len(rest))
			}
		case strings.HasPrefix(rest, "<!") || strings.HasPrefix(rest, "<?"):
			p.skipTo('>')
		case strings.HasPrefix(rest, "</") && len(rest) > 2 && isLetter(rest[2]):
			p.endTag()
		case rest[0] == '<' && len(rest) > 1 && isLetter(rest[1]):
			p.startTag()
		default:
			i := strings.IndexByte(rest[1:], '<')
			if i < 0 {
				i = len(rest) - 1
			}
			p.textRun(rest[:i+1])
		}
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func (p *htmlParser) skipTo(c byte) {
	if i := strings.IndexByte(p.rest(), c); i >= 0 {
		p.advance(i + 1)
		return
	}
	p.advance(len(p.rest()))
}

func (p *htmlParser) textRun(s string) {
	p.advance(len(s))
	if !p.frag && !p.inBody {
		if strings.TrimSpace(s) == "" {
			return
		}
		p.toBody()
	}
	p.put(p.d.textNode(html.UnescapeString(s)))
}

func (p *htmlParser) put(n *node) {
	n.parsed = true
	p.d.insert(p.top(), n, nil)
}

// toBody leaves the head.
func (p *htmlParser) toBody() {
	if p.inBody || p.frag {
		return
	}
	p.inBody = true
	if body := p.d.root.byTag("body"); body != nil {
		p.stack = []*node{body}
	}
}

func (p *htmlParser) endTag() {
	start := p.at + 2
	p.skipTo('>')
	name := strings.ToLower(strings.TrimRight(strings.Fields(p.src[start:p.at])[0], "> "))
	switch name {
	case "html", "body":
		return
	case "head":
		p.toBody()
		return
	}
	for i := len(p.stack) - 1; i > 0; i-- {
		if p.stack[i].tag == name {
			p.stack = p.stack[:i]
			return
		}
	}
}

// startTag reads an element, and its text when that is raw.
func (p *htmlParser) startTag() {
	line, col := p.line, p.at-p.bol
	name, attrs, closed := p.readTag()
	switch name {
	case "html", "head", "body":
		if p.frag {
			return
		}
		if name == "body" {
			p.toBody()
		}
		if n := p.d.root.byTag(name); n != nil {
			for _, a := range attrs {
				n.putAttr(a.name, a.value)
			}
		}
		return
	}
	if !p.frag && !p.inBody && !slices.Contains([]string{"title", "meta", "link", "style", "script", "base", "noscript"}, name) {
		p.toBody()
	}
	p.closeImplied(name)
	n := p.d.element(name)
	n.attrs = attrs
	n.line, n.col = line, col
	switch name {
	case "script", "style", "title", "textarea", "noscript", "iframe", "xmp":
		n.line, n.col = p.line, p.at-p.bol
		p.rawElement(n)
		return
	}
	p.put(n)
	if !closed && !isVoid(name) && len(p.stack) < maxDepth {
		p.stack = append(p.stack, n)
	}
}

// rawElement reads an element whose content is text up to its end tag.
func (p *htmlParser) rawElement(n *node) {
	rest := p.rest()
	end := strings.Index(strings.ToLower(rest), "</"+n.tag)
	text := rest
	if end >= 0 {
		text = rest[:end]
	}
	p.advance(len(text))
	if end >= 0 {
		p.skipTo('>')
	}
	if n.tag == "title" || n.tag == "textarea" {
		text = html.UnescapeString(text)
	}
	if text != "" && n.tag != "iframe" && n.tag != "noscript" {
		p.d.link(n, p.d.textNode(text), nil)
	}
	p.put(n)
	if n.tag == "script" && !p.frag {
		if n.hasAttr("defer") && n.hasAttr("src") || n.attr("type") == "module" {
			p.defers = append(p.defers, n)
			return
		}
		p.d.runScript(n)
	}
}

// closeImplied ends elements that a start tag ends without saying so.
func (p *htmlParser) closeImplied(name string) {
	top := p.top().tag
	ends := func(tags ...string) {
		if len(p.stack) > 1 && slices.Contains(tags, top) {
			p.stack = p.stack[:len(p.stack)-1]
			top = p.top().tag
		}
	}
	switch name {
	case "li":
		ends("li")
	case "option":
		ends("option")
	case "td", "th":
		ends("td", "th")
	case "tr":
		ends("td", "th")
		ends("tr")
	case "p", "div", "ul", "ol", "h1", "h2", "h3", "form", "table":
		ends("p")
	}
}

func isVoid(name string) bool {
	switch name {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr":
		return true
	}
	return false
}

// readTag reads a start tag from its "<" to behind its ">".
func (p *htmlParser) readTag() (name string, attrs []attribute, closed bool) {
	s := p.rest()
	i := 1
	for i < len(s) && !strings.ContainsRune(" \t\r\n/>", rune(s[i])) {
		i++
	}
	name = strings.ToLower(s[1:i])
	for i < len(s) {
		for i < len(s) && strings.ContainsRune(" \t\r\n/", rune(s[i])) {
			closed = s[i] == '/'
			i++
		}
		if i >= len(s) || s[i] == '>' {
			i++
			break
		}
		closed = false
		start := i
		for i < len(s) && !strings.ContainsRune(" \t\r\n/>=", rune(s[i])) {
			i++
		}
		key := strings.ToLower(s[start:i])
		var value string
		value, i = attrValue(s, i)
		if key != "" && len(attrs) < 100 {
			attrs = append(attrs, attribute{key, html.UnescapeString(value)})
		} else if key == "" {
			i++ // a stray "="
		}
	}
	p.advance(i)
	return name, attrs, closed
}

// attrValue reads ="value" if there is one at i.
func attrValue(s string, i int) (string, int) {
	j := i
	for j < len(s) && strings.ContainsRune(" \t\r\n", rune(s[j])) {
		j++
	}
	if j >= len(s) || s[j] != '=' {
		return "", i
	}
	j++
	for j < len(s) && strings.ContainsRune(" \t\r\n", rune(s[j])) {
		j++
	}
	if j >= len(s) {
		return "", j
	}
	if q := s[j]; q == '"' || q == '\'' {
		end := strings.IndexByte(s[j+1:], q)
		if end < 0 {
			return s[j+1:], len(s)
		}
		return s[j+1 : j+1+end], j + end + 2
	}
	start := j
	for j < len(s) && !strings.ContainsRune(" \t\r\n>", rune(s[j])) {
		j++
	}
	return s[start:j], j
}

// outerHTML writes an element back.
func (n *node) outerHTML() string {
	if n.kind == textNode {
		if n.up != nil && (n.up.tag == "script" || n.up.tag == "style") {
			return n.text
		}
		return html.EscapeString(n.text)
	}
	var b strings.Builder
	b.WriteString("<" + n.tag)
	for _, a := range n.attrs {
		b.WriteString(" " + a.name + `="` + strings.ReplaceAll(strings.ReplaceAll(a.value, "&", "&amp;"), `"`, "&quot;") + `"`)
	}
	b.WriteString(">")
	if !isVoid(n.tag) {
		b.WriteString(n.innerHTML() + "</" + n.tag + ">")
	}
	return b.String()
}

func (n *node) innerHTML() string {
	var b strings.Builder
	for _, k := range n.kids {
		b.WriteString(k.outerHTML())
	}
	return b.String()
}
