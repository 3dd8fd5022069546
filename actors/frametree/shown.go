package frametree

import (
	"strings"

	"cdpsupervisor/messages"
)

// lastURL is what stays known of the URL when the session has ended.
func (s *session) lastURL() string {
	if s.told && !s.byParent && s.doc.url != "" {
		return s.doc.url
	}
	return s.targetURL
}

// remote reports whether the frame shows a document of its own session: not
// before that session or its target has named one.
func (n *node) remote() bool {
	o := n.owner
	return o != nil && (o.told && o.doc.url != "" || o.targetURL != "")
}

// shownURL is the URL of the document in the frame; "" before there was one.
func (n *node) shownURL() string {
	switch {
	case !n.remote():
		return n.doc.url
	case n.owner.told && n.owner.doc.url != "":
		return n.owner.doc.url
	}
	return n.owner.targetURL
}

// shownName is the name of the frame. Sessions of iframes report none, so the
// placer's word stays.
func (n *node) shownName() string {
	if n.owner != nil && n.owner.doc.name != "" {
		return n.owner.doc.name
	}
	return n.doc.name
}

// shownLoader is the document in the frame, or "".
func (n *node) shownLoader() messages.LoaderID {
	if n.remote() {
		return n.owner.doc.loader
	}
	return n.doc.loader
}

// shownState says why the frame cannot be reached right now.
func (n *node) shownState() messages.FrameState {
	switch {
	case n.owner == nil && n.swapping():
		return messages.FrameSwapping
	case n.owner == nil:
		return ""
	case n.owner.crashed:
		return messages.FrameCrashed
	}
	return n.owner.state
}

const opaque = "null"

// shownOrigin is the origin of the document in the frame: "null" when opaque, ""
// while nothing is known.
//
// Blank and srcdoc documents have their creator's, which for a frame in its
// parent's renderer is the parent; browsers report "://" for them. In a renderer
// of its own such a document is sandboxed, or went there by itself: its creator
// is not the parent, so nothing is claimed.
func (n *node) shownOrigin() string {
	for n != nil {
		if world := n.world(); world != "" {
			return world
		}
		url := n.shownURL()
		raw := n.doc.origin
		if n.remote() {
			raw = ""
			if n.owner.told {
				raw = n.owner.doc.origin
			}
		}
		switch {
		case raw == opaque:
			return opaque
		case raw != "" && raw != "://":
			return raw
		case !inherits(url):
			if raw == "://" {
				return opaque
			}
			return originOf(url)
		case n.owner != nil && n.owner.parent == nil:
			return n.blankPage(url)
		case n.remote():
			return opaque
		case n.swapping() || n.owner != nil && url == "":
			return "" // whatever it shows, its parent's renderer does not
		}
		n = n.parent
	}
	return ""
}

// blankPage is the origin of a blank main frame: the opener's, if it has one.
func (n *node) blankPage(url string) string {
	switch {
	case n.owner.page.origin != "":
		return n.owner.page.origin
	case url == "":
		return ""
	}
	return opaque
}

// inherits reports whether a document at this URL has its creator's origin. A
// frame that has loaded nothing shows a blank document.
func inherits(url string) bool {
	path, _, _ := strings.Cut(url, "#")
	path, _, _ = strings.Cut(path, "?")
	return path == "" || path == "about:blank" || path == "about:srcdoc"
}

// originOf is the origin that a URL has by itself.
func originOf(url string) string {
	url = strings.TrimPrefix(url, "blob:")
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok || strings.ContainsAny(scheme, ":/?# ") {
		return opaque
	}
	if scheme == "file" {
		return "file://"
	}
	host := rest
	if i := strings.IndexAny(host, "/?#\\"); i >= 0 {
		host = host[:i]
	}
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	if host == "" || scheme == "chrome-error" {
		return opaque
	}
	return scheme + "://" + host
}
