package frametree

import (
	"strings"

	"cdpsupervisor/messages"
)

// SameRenderer reports whether two sessions are taken to run in one renderer, so
// that a dialog in one stops the other. Sessions are per local root, renderers
// per site: two local roots share one when their scheme and registrable domain
// are equal, within a page and the pages that can script each other through
// window.opener. A frame with a session right below another is never in the same
// renderer: else it would have none.
//
// It is a guess, in both directions: the browser may join or split processes as
// it likes.
func (s *State) SameRenderer(a, b messages.SessionID) bool {
	x, y := s.sessions.Get(a), s.sessions.Get(b)
	switch {
	case x == nil || y == nil:
		return false
	case x == y:
		return true
	case x.page.group != y.page.group || x.parent == y || y.parent == x:
		return false
	case x.root == nil || y.root == nil:
		return false
	}
	return x.root.site().same(y.root.site())
}

// site is what decides in which renderer a document runs.
type site struct {
	scheme, host string
	domain       string // registrable domain, "" if not known
}

// site returns the site of the document at a local root; it is empty for an
// opaque origin.
func (n *node) site() site {
	scheme, host, ok := strings.Cut(n.shownOrigin(), "://")
	if !ok {
		return site{}
	}
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host = host[:i]
	}
	st := site{scheme: scheme, host: host}
	if o := n.owner; o != nil && o.told {
		st.domain = o.doc.domain
	}
	return st
}

func (a site) same(b site) bool {
	switch {
	case a.scheme == "" || a.scheme != b.scheme:
		return false
	case a.domain != "" && b.domain != "":
		return a.domain == b.domain
	case a.domain != "":
		return under(b.host, a.domain)
	case b.domain != "":
		return under(a.host, b.domain)
	}
	return a.host == b.host
}

// under reports whether a host is a domain or one of its subdomains.
func under(host, domain string) bool {
	rest, ok := strings.CutSuffix(host, domain)
	return ok && (rest == "" || strings.HasSuffix(rest, "."))
}
