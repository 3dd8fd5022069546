package cdpwire

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"cdpsupervisor/messages"
)

// portFile is the file in which Chrome notes where it listens.
const portFile = "DevToolsActivePort"

// place is a configured endpoint, taken apart: a profile folder, or a URL in
// its normal form.
type place struct {
	profile string
	url     *url.URL // ws, wss, http or https; without credentials and fragment
	user    *url.Userinfo
}

func parseEndpoint(endpoint messages.Endpoint) (place, error) {
	text := strings.TrimSpace(endpoint.Reveal())
	if text == "" {
		return place{}, invalidEndpoint("it is empty")
	}
	if isPath(text) {
		return parseProfile(text)
	}
	if !strings.Contains(text, "://") {
		return parseBare(text)
	}
	return parseURL(text)
}

// invalidEndpoint says what is wrong. The endpoint itself is a secret, and one
// that cannot be read cannot be redacted.
func invalidEndpoint(format string, args ...any) error {
	return fmt.Errorf("%w endpoint: %s; an endpoint is ws://, wss://, http:// or https:// with a host, host:port such as localhost:9222, "+
		"or the folder of a Chrome profile", messages.ErrInvalid, fmt.Sprintf(format, args...))
}

// isPath reports whether the endpoint names a file or folder.
func isPath(text string) bool {
	return strings.HasPrefix(text, "/") || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") ||
		strings.HasPrefix(text, "~/") || text == portFile || filepath.VolumeName(text) != ""
}

func parseProfile(text string) (place, error) {
	if rest, ok := strings.CutPrefix(text, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return place{}, invalidEndpoint("~ stands for a home folder, and there is none")
		}
		text = filepath.Join(home, rest)
	}
	if filepath.Base(text) == portFile {
		text = filepath.Dir(text)
	}
	folder, err := filepath.Abs(text)
	if err != nil {
		return place{}, invalidEndpoint("the profile folder has no absolute path")
	}
	return place{profile: folder}, nil
}

// parseBare reads host:port, which stands for http://host:port.
func parseBare(text string) (place, error) {
	host, _, _ := strings.Cut(text, "/")
	host, _, _ = strings.Cut(host, "?")
	host = host[strings.LastIndexByte(host, '@')+1:]
	if _, _, err := net.SplitHostPort(host); err != nil {
		return place{}, invalidEndpoint("it has neither a scheme nor a port")
	}
	return parseURL("http://" + text)
}

func parseURL(text string) (place, error) {
	u, err := url.Parse(text)
	if err != nil {
		return place{}, invalidEndpoint("%s", parseReason(err))
	}
	switch u.Scheme { // url.Parse has made it lower case
	case "ws", "wss", "http", "https":
	default:
		return place{}, invalidEndpoint("its scheme is none of ws, wss, http, https")
	}
	if u.Hostname() == "" {
		return place{}, invalidEndpoint("it has no host")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return place{}, invalidEndpoint("its port is not between 1 and 65535")
		}
	}
	p := place{url: u, user: u.User}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	u.Host = normalHost(u)
	return p, nil
}

// normalHost is the host in lower case, without the port that its scheme has
// anyway.
func normalHost(u *url.URL) string {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if port == defaultPort(u.Scheme) {
		port = ""
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" {
		return host
	}
	return host + ":" + port
}

func defaultPort(scheme string) string {
	if scheme == "https" || scheme == "wss" {
		return "443"
	}
	return "80"
}

// parseReason is why net/url refuses a URL, without any part of the URL.
func parseReason(err error) string {
	var escape url.EscapeError
	var host url.InvalidHostError
	switch {
	case errors.As(err, &escape):
		return "a % in it begins no escape"
	case errors.As(err, &host):
		return "a character in its host is not allowed there"
	case strings.Contains(err.Error(), "invalid port"):
		return "its port is not a number"
	case strings.Contains(err.Error(), "control character"):
		return "it holds a control character"
	}
	return "it is no URL"
}

// isLoopback reports whether the host is this machine: then there is no proxy on
// the way.
func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// isChromeHost reports whether Chrome takes the host in a Host header: an
// address or localhost.
func isChromeHost(host string) bool { return isLoopback(host) || net.ParseIP(host) != nil }
