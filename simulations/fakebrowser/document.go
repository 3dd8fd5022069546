package fakebrowser

import (
	"slices"
	"strings"
)

// document is what a frame shows between two commits.
type document struct {
	b      *Browser
	frame  *frame
	loader string
	url    string
	origin origin
	proc   *renderer
	root   *node
	kids   []*frame
	// realms are its script contexts, the page's own first.
	realms  []*realm
	sandbox sandbox
	title   string

	initial       bool   // the empty document that every frame starts with
	revived       bool   // the empty document of a frame whose renderer died
	unreachable   string // the URL of which this is the error page
	policy        policies
	readyState    string
	parsed        bool
	loaded        bool // its load event was fired
	cached        bool // in the back/forward cache
	dead          bool
	leaving       bool // it is being replaced: its dialogs are swallowed
	inUnload      string
	activated     bool // the user has done something in it
	gesture       gesture
	bypassCSP     bool
	frozen        []func() // what waits for the document to come out of the cache
	response      Response
	active        *node // the focused element
	xhrs          []*xhr
	fromCreator   bool // its first empty document, which speaks for who made it
	currentScript *node
	nodes         int
	parser        *htmlParser
}

func (b *Browser) newDocument(f *frame, r *renderer, url string, org origin) *document {
	r.docs++
	d := &document{b: b, frame: f, loader: b.ids.hex32(), url: url, origin: org, proc: r,
		sandbox: f.sandbox, readyState: "complete"}
	d.root = &node{kind: documentNode, doc: d, inDoc: true}
	d.buildEmpty()
	return d
}

// urlOrigin is the origin of the URL alone, as Page.Frame tells it: about:
// and data: have none, whatever the document inherited.
func (d *document) urlOrigin() origin {
	if o, ok := originOf(d.url); ok {
		return o
	}
	return origin{opaque: -1}
}

// main is the page's own realm, nil while no script has needed one.
func (d *document) main() *realm {
	if len(d.realms) == 0 {
		return nil
	}
	return d.realms[0]
}

// contextsGone tells that the document's script contexts are destroyed.
func (d *document) contextsGone() {
	for _, r := range d.realms {
		d.frame.local().runtimeEvent("Runtime.executionContextDestroyed",
			object{"executionContextId", r.id, "executionContextUniqueId", r.unique})
	}
}

// destroy ends the document: its scripts run no more, its renderer may end.
func (d *document) destroy() {
	if d.dead {
		return
	}
	d.dead = true
	for _, r := range d.realms {
		r.retire()
	}
	d.releaseXHR()
	d.proc.release()
}

// sortKids puts the child frames into the order of their elements.
func (d *document) sortKids() {
	if len(d.kids) < 2 {
		return
	}
	at := map[*frame]int{}
	i := 0
	d.root.walk(func(n *node) bool {
		if n.frame != nil {
			at[n.frame] = i
		}
		i++
		return true
	})
	slices.SortStableFunc(d.kids, func(a, b *frame) int { return at[a] - at[b] })
}

// base is what relative URLs of the document are resolved against.
func (d *document) base() string {
	for g := d.frame; g != nil; g = g.parent {
		if !strings.HasPrefix(g.doc.url, "about:") && g.doc.url != "" {
			return g.doc.url
		}
	}
	if o := d.frame.page.opener; o != nil && o.doc != nil {
		return o.doc.url
	}
	return d.url
}

// shownTitle is the title that a target tells: the document's, else its URL
// without the scheme.
func (d *document) shownTitle() string {
	if d.title != "" {
		return d.title
	}
	return untitled(d.url)
}

func untitled(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		return strings.TrimSuffix(rest, "/")
	}
	return url
}

// setTitle takes over a new title. Targets show it from now on; no event
// tells of it.
func (d *document) setTitle(title string) {
	d.title = title
	if t := d.frame.page.target; d.frame == d.frame.page.main && !d.cached {
		t.title = d.shownTitle()
	}
}

// sandbox is the set of flags of a sandboxed frame.
type sandbox struct {
	on      bool
	origin  bool // allow-same-origin
	scripts bool
	modals  bool
	popups  bool
}

func (s sandbox) opaque() bool { return s.on && !s.origin }

// with adds what an outer sandbox takes away.
func (s sandbox) with(outer sandbox) sandbox {
	switch {
	case !outer.on:
		return s
	case !s.on:
		return outer
	}
	return sandbox{on: true, origin: s.origin && outer.origin, scripts: s.scripts && outer.scripts,
		modals: s.modals && outer.modals, popups: s.popups && outer.popups}
}

func parseSandbox(tokens string) sandbox {
	s := sandbox{on: true}
	for _, t := range strings.Fields(strings.ToLower(tokens)) {
		switch t {
		case "allow-same-origin":
			s.origin = true
		case "allow-scripts":
			s.scripts = true
		case "allow-modals":
			s.modals = true
		case "allow-popups":
			s.popups = true
		}
	}
	return s
}

func sandboxOf(n *node) sandbox {
	if !n.hasAttr("sandbox") {
		return sandbox{}
	}
	return parseSandbox(n.attr("sandbox"))
}
