package fakebrowser

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// origin is a web origin. Two opaque origins are never the same unless they
// are one document's own.
type origin struct {
	scheme string
	host   string // with the port
	opaque int    // 0 for a tuple origin, else which opaque one
}

// String is the origin as scripts see it.
func (o origin) String() string {
	if o.opaque != 0 {
		return "null"
	}
	return o.scheme + "://" + o.host
}

// wire is the origin as CDP writes it.
func (o origin) wire() string {
	if o.opaque != 0 {
		return "://"
	}
	return o.String()
}

// originOf is the tuple origin of a URL; false for those that have none of
// their own.
func originOf(raw string) (origin, bool) {
	u, err := url.Parse(raw)
	if err != nil {
		return origin{}, false
	}
	switch u.Scheme {
	case "http", "https", "ws", "wss", "chrome", "chrome-extension", "chrome-error":
		if u.Scheme == "chrome-error" || u.Host == "" {
			return origin{}, false
		}
		return origin{scheme: u.Scheme, host: dropDefaultPort(u)}, true
	case "blob":
		return originOf(u.Opaque)
	}
	return origin{}, false
}

func dropDefaultPort(u *url.URL) string {
	if p := u.Port(); p == "80" && u.Scheme == "http" || p == "443" && u.Scheme == "https" {
		return strings.ToLower(u.Hostname())
	}
	return strings.ToLower(u.Host)
}

// opaqueOrigin makes an origin that equals no other.
func (b *Browser) opaqueOrigin() origin {
	b.nodeSeq++
	return origin{opaque: b.nodeSeq}
}

// registrable is the registrable domain of a host, "" for an IP address and
// for a host without a dot.
func registrable(host string) string {
	if h, _, ok := strings.Cut(host, ":"); ok && !strings.HasPrefix(host, "[") {
		host = h
	}
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ""
	}
	labels := strings.Split(host, ".")
	if len(labels) < 2 {
		return ""
	}
	n := 2
	if len(labels) > 2 && slices.Contains([]string{"co.uk", "org.uk", "com.au", "co.jp", "com.br", "github.io"},
		strings.Join(labels[len(labels)-2:], ".")) {
		n = 3
	}
	return strings.Join(labels[len(labels)-n:], ".")
}

// site is the scheme and registrable domain: what decides about renderers.
func (o origin) site() string {
	host, _, _ := strings.Cut(o.host, ":")
	if d := registrable(o.host); d != "" {
		host = d
	}
	return o.scheme + "://" + host
}

// normalizeURL is the URL as the browser writes it; false when it is none.
func normalizeURL(raw string) (string, bool) {
	raw = strings.TrimSpace(raw)
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" {
		return "", false
	}
	switch u.Scheme {
	case "http", "https":
		if u.Host == "" {
			return "", false
		}
		u.Host = dropDefaultPort(u)
		if u.Path == "" {
			u.Path = "/"
		}
		return u.String(), true
	}
	return raw, true
}

// resolveURL resolves a reference against a document's base.
func resolveURL(base, ref string) (string, bool) {
	ref = strings.TrimSpace(ref)
	if abs, ok := normalizeURL(ref); ok {
		return abs, true
	}
	b, err := url.Parse(base)
	if err != nil || b.Host == "" {
		return "", false
	}
	r, err := b.Parse(ref)
	if err != nil {
		return "", false
	}
	return normalizeURL(r.String())
}

// cutFragment splits a URL at its fragment, which keeps its "#".
func cutFragment(u string) (string, string) {
	if i := strings.IndexByte(u, '#'); i >= 0 {
		return u[:i], u[i:]
	}
	return u, ""
}
