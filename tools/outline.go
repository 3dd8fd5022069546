package tools

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"cdpsupervisor/messages"
	"cdpsupervisor/pageurl"
)

const (
	maxNameBytes   = 300 // of one element's name or value
	maxTextBytes   = 500 // of one run of text
	maxIndent      = 24  // levels that are still indented further
	maxAXDepth     = 400 // levels that are followed at all
	reservedForCut = 320 // characters kept for the lines that say what is left out
)

// outline is the page as a list of lines.
type outline struct {
	text     string
	elements int // elements found, those left out included
}

// outliner writes the outline of a page under its cap.
type outliner struct {
	page     *pageReader
	out      strings.Builder
	budget   int
	chars    int
	elements int
	left     int // lines left out
	placed   map[messages.FrameID]bool
}

func (o *outliner) frame(id messages.FrameID, depth int) {
	o.placed[id] = true
	read := o.page.reads[id]
	switch {
	case read == nil:
		o.note(depth, "not read")
	case read.note != "":
		o.note(depth, read.note)
	case read.tree.root != nil:
		o.node(walk{tree: read.tree, node: read.tree.root, frame: id, depth: depth, seen: map[string]bool{}})
	}
	// Frames whose element is hidden, or whose parent did not answer, have no
	// place: they follow their parent's content.
	for _, child := range o.page.childrenOf(id) {
		if !o.placed[child.FrameID] {
			o.iframe(depth, "", child)
		}
	}
}

// walk is where the outliner stands in one document.
type walk struct {
	tree    *axTree
	node    *axNode
	frame   messages.FrameID
	depth   int // indentation
	level   int // nesting, also where nothing is indented
	covered string
	seen    map[string]bool
}

// node writes a node and what is below it.
func (o *outliner) node(w walk) {
	n := w.node
	if w.seen[n.ID] || n.silent() {
		return
	}
	if w.level > maxAXDepth {
		o.left++
		return
	}
	w.seen[n.ID] = true
	if n.role() == roleText && !n.Ignored {
		o.textRun(w, n.name())
		return
	}
	if n.role() == roleIframe && !n.Ignored {
		if child, ok := o.page.frameAt(w.frame, n.Backend); ok && !o.placed[child.FrameID] {
			o.iframe(w.depth, n.name(), child)
			return
		}
	}
	if !n.transparent() {
		o.element(w.depth, n)
		w.depth++
		w.covered = ""
		if n.namedByContent() {
			w.covered = n.name() + " " + oneLine(n.Value.text())
		}
	}
	o.children(w)
}

// children writes the children of the node; text that follows text is one run.
func (o *outliner) children(w walk) {
	parent := w.node
	var run []string
	flush := func() {
		if len(run) > 0 {
			o.textRun(w, strings.Join(run, " "))
			run = nil
		}
	}
	for _, id := range parent.Children {
		child := w.tree.nodes[id]
		if child == nil {
			continue
		}
		if child.role() == roleText && !child.Ignored && !w.seen[child.ID] {
			w.seen[child.ID] = true
			run = append(run, child.name())
			continue
		}
		flush()
		next := w
		next.node, next.level = child, w.level+1
		o.node(next)
	}
	flush()
}

// textRun writes text that its element's name does not say already.
func (o *outliner) textRun(w walk, text string) {
	text = oneLine(text)
	if text == "" || strings.Contains(w.covered, text) {
		return
	}
	o.line(w.depth, "text "+quote(text, maxTextBytes))
}

func (o *outliner) element(depth int, n *axNode) {
	o.elements++
	var s strings.Builder
	role, _ := messages.Cut(oneLine(n.role()), 40)
	s.WriteString(printable(role))
	if name := n.name(); name != "" {
		s.WriteString(" " + quote(name, maxNameBytes))
	}
	if v := oneLine(n.Value.text()); v != "" && v != n.name() {
		s.WriteString(" = " + quote(v, maxNameBytes))
	}
	marks := n.states()
	if n.actionable() && n.Backend != 0 {
		marks = append(marks, "node="+strconv.FormatInt(n.Backend, 10))
	}
	if len(marks) > 0 {
		s.WriteString(" [" + strings.Join(marks, ", ") + "]")
	}
	o.line(depth, s.String())
}

// iframe writes a frame at its place, and its content below it.
func (o *outliner) iframe(depth int, name string, f messages.FrameEntry) {
	o.elements++
	if o.page.guard(f.URL) != nil {
		f.URL, f.Name = pageurl.Place(f.URL), ""
	}
	if name == "" {
		name = oneLine(f.Name)
	}
	s := roleIframe
	if name != "" {
		s += " " + quote(name, maxNameBytes)
	}
	marks := []string{"frame_id=" + printable(string(f.FrameID)), "url=" + quote(f.URL, maxNameBytes)}
	if f.OOPIF != nil && *f.OOPIF {
		marks = append(marks, "own process")
	}
	if f.State != "" {
		marks = append(marks, string(f.State))
	}
	o.line(depth, s+" ["+strings.Join(marks, ", ")+"]")
	o.frame(f.FrameID, depth+1)
}

func (o *outliner) note(depth int, text string) { o.line(depth, "("+text+")") }

// line writes one line, or counts it when the cap is reached.
func (o *outliner) line(depth int, text string) {
	line := strings.Repeat("  ", min(depth, maxIndent)) + "- " + text + "\n"
	n := utf8.RuneCountInString(line)
	if o.left > 0 || o.chars+n > o.budget {
		o.left++
		return
	}
	o.chars += n
	o.out.WriteString(line)
}

// finish says what was left out.
func (o *outliner) finish(limit, omittedFrames int) outline {
	if o.left > 0 {
		fmt.Fprintf(&o.out, "… left out: %d lines; the limit is %d characters, raise it with max_chars\n", o.left, limit)
	}
	if omittedFrames > 0 {
		fmt.Fprintf(&o.out, "… left out: %d frames beyond those in frame_tree; Target.getTargets lists those with a process of their own, Page.getFrameTree the others, which Runtime.evaluate reaches by frame_id with same_process\n", omittedFrames)
	}
	return outline{text: o.out.String(), elements: o.elements}
}

// quote shows page text as one quoted, capped string without control
// characters.
func quote(s string, limit int) string {
	s, cut := messages.Cut(s, limit)
	if cut {
		s += "…"
	}
	return strconv.Quote(s)
}

// printable keeps control characters out of words that are not quoted.
func printable(s string) string {
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}

// childrenOf lists the frames whose parent is id, in the tree's order.
func (p *pageReader) childrenOf(id messages.FrameID) []messages.FrameEntry {
	return slices.Collect(func(yield func(messages.FrameEntry) bool) {
		for _, f := range p.frames {
			if f.ParentFrameID == id && f.FrameID != id && !yield(f) {
				return
			}
		}
	})
}
