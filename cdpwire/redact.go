package cdpwire

import (
	"net/url"
	"strings"
)

// Redact rewrites every URL in a text to its scheme, host and port, so that the
// text of a library's error can be shown. A URL that cannot be read is rewritten
// to its scheme alone, and takes the rest of the text with it: where it ends is
// then unknown.
func Redact(text string) string {
	var out strings.Builder
	for {
		at := strings.Index(text, "://")
		if at < 0 {
			break
		}
		start := schemeStart(text, at)
		end := at + len("://")
		for end < len(text) && !endsURL(text[end]) {
			end++
		}
		out.WriteString(text[:start])
		u, err := url.Parse(text[start:end])
		if err != nil || u.Host == "" {
			out.WriteString(text[start:at] + "://…")
			return out.String()
		}
		out.WriteString(u.Scheme + "://" + u.Host)
		text = text[end:]
	}
	out.WriteString(text)
	return out.String()
}

// schemeStart is where the scheme begins that ends at text[at].
func schemeStart(text string, at int) int {
	for at > 0 {
		c := text[at-1] | 0x20
		if (c < 'a' || c > 'z') && (text[at-1] < '0' || text[at-1] > '9') && !strings.ContainsRune("+-.", rune(text[at-1])) {
			break
		}
		at--
	}
	return at
}

func endsURL(c byte) bool {
	return c <= ' ' || c == '"' || c == '\'' || c == '<' || c == '>' || c == '`'
}

// shown is a URL as logs may show it.
func shown(u *url.URL) string { return u.Scheme + "://" + u.Host }
