// Package pageurl reads URLs as browsers do, for guards that decide by them: a
// browser opens what it reads, not what was written. It does no I/O.
package pageurl

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// maxNested is how many URLs are looked for inside of each other, as in
// view-source:blob:https://….
const maxNested = 4

// Canonical writes a URL as the browser will read it, so that a guard is
// not asked about another spelling: a browser drops white space, takes \ for
// /, decodes the host and knows many ways to write 127.0.0.1. A text without a
// scheme stays as it is; a browser opens no such thing. An error says what
// cannot be written in one way: a host that is not ASCII or no host at all, a
// port that is none, URLs nested too deep.
func Canonical(text string) (string, error) { return canonicalNested(text, maxNested) }

func canonicalNested(text string, nested int) (string, error) {
	text = strings.TrimFunc(text, func(r rune) bool { return r <= ' ' })
	text = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(text)
	scheme, rest, ok := CutScheme(text)
	switch {
	case !ok:
		return text, nil
	case defaultPort(scheme) != 0:
		return canonicalWeb(scheme, rest)
	case scheme == "file":
		path, tail := cutPath(rest)
		slashes := len(path) - len(strings.TrimLeft(path, "/"))
		if slashes != 2 { // two mean that a host follows
			path = "///" + path[slashes:]
		}
		host, path, _ := strings.Cut(path[2:], "/")
		return "file://" + strings.ToLower(host) + withoutDots("/"+path) + tail, nil
	case wraps(scheme) && nested > 0:
		inner, err := canonicalNested(rest, nested-1)
		return scheme + ":" + inner, err
	case wraps(scheme):
		return "", errors.New("it nests too deep")
	default:
		return scheme + ":" + rest, nil
	}
}

// CutScheme takes the scheme off, in lower case; ok is false where there is none.
func CutScheme(text string) (scheme, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(text, ":")
	scheme = strings.ToLower(scheme)
	if !ok || scheme == "" || scheme[0] < 'a' || scheme[0] > 'z' || strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789+-.") != "" {
		return "", "", false
	}
	return scheme, rest, true
}

// HasHost reports whether a host follows in URLs of the scheme, which is in lower
// case.
func HasHost(scheme string) bool { return defaultPort(scheme) != 0 }

// defaultPort is the port of a scheme whose URLs have a host, else 0.
func defaultPort(scheme string) int {
	switch scheme {
	case "http", "ws":
		return 80
	case "https", "wss":
		return 443
	case "ftp":
		return 21
	default:
		return 0
	}
}

// wraps reports whether what follows the scheme is a URL itself.
func wraps(scheme string) bool {
	return scheme == "view-source" || scheme == "blob" || scheme == "filesystem"
}

// cutPath cuts before the query or the fragment, and has the browser's slashes
// in what is before.
func cutPath(rest string) (path, tail string) {
	end := strings.IndexAny(rest, "?#")
	if end < 0 {
		end = len(rest)
	}
	return strings.ReplaceAll(rest[:end], `\`, "/"), rest[end:]
}

func canonicalWeb(scheme, rest string) (string, error) {
	path, tail := cutPath(rest)
	authority, path, _ := strings.Cut(strings.TrimLeft(path, "/"), "/")
	at := strings.LastIndex(authority, "@") + 1
	host, port, err := cutPort(authority[at:])
	if err != nil {
		return "", err
	}
	if host, err = canonicalHost(host); err != nil {
		return "", err
	}
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return "", errors.New("its port is no number up to 65535")
		}
		if port = ""; int(n) != defaultPort(scheme) {
			port = ":" + strconv.Itoa(int(n))
		}
	}
	return scheme + "://" + authority[:at] + host + port + withoutDots("/"+path) + tail, nil
}

func cutPort(authority string) (host, port string, err error) {
	colon := strings.LastIndexByte(authority, ':')
	if strings.HasPrefix(authority, "[") {
		end := strings.IndexByte(authority, ']')
		if end < 0 || end+1 < len(authority) && authority[end+1] != ':' {
			return "", "", errors.New("its host is no IPv6 address")
		}
		colon = end + 1
	}
	if colon < 0 || colon >= len(authority) {
		return authority, "", nil
	}
	return authority[:colon], authority[colon+1:], nil
}

func canonicalHost(host string) (string, error) {
	if literal, ok := strings.CutPrefix(host, "["); ok {
		address, err := netip.ParseAddr(strings.TrimSuffix(literal, "]"))
		if err != nil || !address.Is6() || address.Zone() != "" {
			return "", errors.New("its host is no IPv6 address")
		}
		if b := address.As16(); address.Is4In6() {
			return fmt.Sprintf("[::ffff:%x:%x]", uint(b[12])<<8|uint(b[13]), uint(b[14])<<8|uint(b[15])), nil
		}
		return "[" + address.String() + "]", nil
	}
	host, err := url.PathUnescape(host)
	if err != nil {
		return "", errors.New("its host has a broken escape")
	}
	host = strings.ToLower(host)
	for _, r := range host {
		switch {
		case r > '~':
			return "", errors.New("its host is not ASCII; write it as xn--…")
		case r <= ' ', strings.ContainsRune(`"#%/:<>?@[\]^|`+"`{}", r):
			return "", fmt.Errorf("its host has a %q in it", r)
		}
	}
	if host == "" {
		return "", errors.New("it has no host")
	}
	return canonicalIPv4(host)
}

// canonicalIPv4 writes 0x7f.1, 2130706433 and the like as four numbers. A host
// whose last part is no number is a name.
func canonicalIPv4(host string) (string, error) {
	parts := strings.Split(strings.TrimSuffix(host, "."), ".")
	last := parts[len(parts)-1]
	if _, err := ipv4Number(last); err != nil && (last == "" || strings.Trim(last, "0123456789") != "") {
		return host, nil
	}
	var address uint64
	for i, part := range parts {
		n, err := ipv4Number(part)
		room := 8
		if i == len(parts)-1 {
			room = 8 * (4 - i)
		}
		if err != nil || len(parts) > 4 || n >= 1<<room {
			return "", errors.New("its host is no IPv4 address")
		}
		address = address<<room | n
	}
	return netip.AddrFrom4([4]byte{byte(address >> 24), byte(address >> 16), byte(address >> 8), byte(address)}).String(), nil
}

// ipv4Number reads a part of an IPv4 address: decimal, octal or hexadecimal.
func ipv4Number(part string) (uint64, error) {
	switch {
	case part == "0x":
		return 0, nil
	case strings.HasPrefix(part, "0x"):
		return strconv.ParseUint(part[2:], 16, 33)
	case len(part) > 1 && part[0] == '0':
		return strconv.ParseUint(part[1:], 8, 33)
	default:
		return strconv.ParseUint(part, 10, 33)
	}
}

// withoutDots resolves . and .. in a path, also where they are escaped.
func withoutDots(path string) string {
	if !strings.Contains(path, "/.") && !strings.Contains(strings.ToLower(path), "/%2e") {
		return path
	}
	parts := strings.Split(path, "/")[1:]
	kept := make([]string, 0, len(parts))
	for i, part := range parts {
		last := i == len(parts)-1
		switch strings.ReplaceAll(strings.ToLower(part), "%2e", ".") {
		case ".":
		case "..":
			kept = kept[:max(0, len(kept)-1)]
		default:
			kept = append(kept, part)
			continue
		}
		if last {
			kept = append(kept, "")
		}
	}
	return "/" + strings.Join(kept, "/")
}

// Readings are the URLs that a guard is asked about for one: the URL itself,
// the one inside of it, and the plain spelling of the same place, without user
// and without the dot that may end a host name.
func Readings(text string) []string {
	out := []string{text}
	for range maxNested {
		scheme, rest, _ := CutScheme(text)
		if !wraps(scheme) {
			break
		}
		text = rest
		out = append(out, text)
	}
	if plain := plainURL(text); plain != text {
		out = append(out, plain)
	}
	return out
}

func plainURL(text string) string {
	scheme, rest, _ := CutScheme(text)
	after, ok := strings.CutPrefix(rest, "//")
	if defaultPort(scheme) == 0 || !ok {
		return text
	}
	end := strings.IndexAny(after, "/?#")
	if end < 0 {
		end = len(after)
	}
	authority := after[:end]
	host, port, err := cutPort(authority[strings.LastIndex(authority, "@")+1:])
	if err != nil {
		return text
	}
	if port != "" {
		port = ":" + port
	}
	host = strings.TrimRight(host, ".")
	if address, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil && address.Is4In6() {
		host = address.Unmap().String()
	}
	return scheme + "://" + host + port + after[end:]
}

// Place is what of a URL may be told of a page that is denied: where it is,
// and nothing of what it says.
func Place(text string) string {
	scheme, rest, ok := CutScheme(text)
	switch {
	case !ok, scheme == "about":
		return text
	case defaultPort(scheme) == 0 || !strings.HasPrefix(rest, "//"):
		return scheme + ":"
	}
	authority, _, _ := strings.Cut(plainURL(text)[len(scheme)+3:], "/")
	if end := strings.IndexAny(authority, "?#"); end >= 0 {
		authority = authority[:end]
	}
	return scheme + "://" + authority + "/"
}
