package pageurl

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const wholeURL = "such as https://example.com/"

// Problem says what of a URL no browser would show as a page, with what to write
// in its place: of most of these a browser says no more than that they are
// invalid, or aborted, and a script it runs. It is the rest of a sentence that
// begins with "the URL", and "" for all other URLs, which are for the browser to
// judge. What stands around the URL is nothing, as for a browser.
func Problem(url string) string {
	url = strings.TrimFunc(url, unicode.IsSpace)
	if url == "" {
		return "is empty; write a whole URL, " + wholeURL
	}
	if problem := controlProblem(url); problem != "" {
		return problem
	}
	return pageProblem(url)
}

// controlProblem: a browser takes some control characters out of a URL without
// a word, and then it is another URL than the one that was looked at.
func controlProblem(url string) string {
	for _, r := range url {
		if r < 0x20 || r == 0x7f {
			code := strings.ToUpper(strconv.FormatInt(int64(r)+0x10000, 16)[1:])
			return "holds the control character U+" + code + "; take it out, or write it as %" + code[2:]
		}
	}
	return ""
}

// pageProblem says what is wrong, and what to write.
func pageProblem(url string) string {
	scheme, rest, found := strings.Cut(url, ":")
	scheme = strings.ToLower(scheme)
	switch {
	case !found, !isScheme(scheme), isHostAndPort(scheme, rest):
		return schemeProblem(url)
	case scheme == "javascript":
		return "is a script and no page; run it with browser_cdp, method Runtime.evaluate"
	case scheme == "ws", scheme == "wss", scheme == "ftp":
		return "is no page; a page begins with http:// or https://"
	case scheme == "http", scheme == "https":
		return hostProblem(scheme, rest)
	}
	return ""
}

// isScheme reports whether a word could be one (RFC 3986, section 3.1), in lower
// case.
func isScheme(word string) bool {
	for i, r := range word {
		letter := r >= 'a' && r <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+.-", r)) {
			return false
		}
	}
	return word != ""
}

// isHostAndPort tells web:8080/x from a scheme with what follows it.
func isHostAndPort(word, rest string) bool {
	port := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		port = rest[:end]
	}
	switch word {
	case "about", "data", "javascript", "sms", "tel": // numbers follow these, too
		return false
	}
	_, err := strconv.ParseUint(port, 10, 16)
	return err == nil && !strings.Contains(word, "+")
}

// schemeProblem names the URL that was probably meant.
func schemeProblem(url string) string {
	if url[0] == '.' || url[0] == '?' || url[0] == '#' || url[0] == '/' && !strings.HasPrefix(url, "//") {
		return quoted(url) + " is relative; write the whole URL, such as https://example.com" + clip("/"+strings.TrimLeft(url, "./"))
	}
	scheme, rest := "", url
	if written, after, found := strings.Cut(url, "//"); found {
		if word := strings.ToLower(strings.TrimSuffix(written, ":")); word == "" || word == "http" || word == "https" {
			scheme, rest = word, after
		}
	}
	host := authority(rest)
	if host == "" || strings.ContainsFunc(host, unicode.IsSpace) {
		return quoted(url) + " has no scheme; write a whole URL, " + wholeURL
	}
	if scheme == "" {
		scheme = usualScheme(host)
	}
	return quoted(url) + " has no scheme; write " + quoted(scheme+"://"+rest)
}

// usualScheme: an address, and a name without a domain, seldom has a certificate.
func usualScheme(host string) string {
	name, _ := splitPort(host)
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil || !strings.Contains(name, ".") {
		return "http"
	}
	return "https"
}

// hostProblem looks at what follows http: or https:. How many slashes there
// are, and which, is nothing to a browser.
func hostProblem(scheme, rest string) string {
	host := authority(strings.TrimLeft(rest, `/\`))
	host = host[strings.LastIndex(host, "@")+1:]
	if strings.HasPrefix(host, "[") && !strings.Contains(host, "]") {
		return "has an address in brackets that does not end; write it as " + scheme + "://" + clip(host) + "]/"
	}
	name, port := splitPort(host)
	switch _, err := strconv.ParseUint(port, 10, 16); {
	case name == "":
		return "names no host; write one, " + wholeURL
	case port != "" && err != nil:
		return "has a port that is not from 0 to 65535; write another, or none"
	}
	return ""
}

// authority is a URL up to its path, query or fragment.
func authority(url string) string {
	if end := strings.IndexAny(url, `/\?#`); end >= 0 {
		return url[:end]
	}
	return url
}

// splitPort takes the port off a host, unless the colon is one of an IPv6
// address.
func splitPort(host string) (name, port string) {
	colon := strings.LastIndexByte(host, ':')
	if colon < 0 || colon < strings.LastIndexByte(host, ']') {
		return host, ""
	}
	return host[:colon], host[colon+1:]
}

// clip keeps what a caller sent from filling an error.
func clip(s string) string {
	const limit = 60
	if len(s) <= limit {
		return s
	}
	end := limit
	for end > limit-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

func quoted(s string) string { return strconv.Quote(clip(s)) }
