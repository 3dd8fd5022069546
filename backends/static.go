package backends

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"cdpsupervisor/messages"
)

// activePortFile is the file in which a browser that chose its own debugging
// port says which one it took.
const activePortFile = "DevToolsActivePort"

// StaticSource is an endpoint that somebody wrote down. See [Static].
type StaticSource struct {
	endpoint messages.Endpoint // as it was written, or the whole path of a profile folder
	folder   bool              // it is a profile folder
	broken   error             // it has no form that we know
}

// Static returns the source for a given endpoint (--cdp-url): ws://, wss://,
// http://, https://, host:port, or a profile folder or its DevToolsActivePort
// file, where ~ is the home folder. It reads nothing; a form that it does not
// know is an error of Open.
func Static(endpoint messages.Endpoint) *StaticSource {
	raw := strings.TrimSpace(endpoint.Reveal())
	s := &StaticSource{endpoint: messages.Endpoint(raw)}
	if !isFolder(raw) {
		_, s.broken = parseEndpoint(raw)
		return s
	}
	folder, err := profileFolder(raw)
	if err != nil {
		s.broken = fmt.Errorf("%w: %w", ErrBadEndpoint, err)
		return s
	}
	s.endpoint, s.folder = messages.Endpoint(folder), true
	return s
}

// Identity returns the endpoint in one spelling: scheme and host in lower
// case, without the scheme's own port and without a trailing slash. host:port
// is http://host:port, since that is how it is looked up, and the
// DevToolsActivePort file is its folder. Credentials and query are kept: with
// another token it is another endpoint.
func (s *StaticSource) Identity() string {
	raw := s.endpoint.Reveal()
	if s.folder || s.broken != nil {
		return raw
	}
	u, err := parseEndpoint(raw)
	if err != nil {
		return raw
	}
	u.Host = strings.ToLower(u.Host)
	if port := u.Port(); port != "" && port == defaultPort(u.Scheme) {
		u.Host = strings.TrimSuffix(u.Host, ":"+port)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = strings.TrimRight(u.RawPath, "/")
	u.Fragment, u.RawFragment = "", ""
	return u.String()
}

// Open gives the endpoint as it was written, and a profile folder by its whole
// path. It belongs to whoever wrote it down, so closing the lease ends nothing.
func (s *StaticSource) Open(context.Context) (*messages.Lease, error) {
	if s.broken != nil {
		return nil, s.broken
	}
	return &messages.Lease{Endpoint: s.endpoint}, nil
}

// Renew gives the same endpoint again: there is no other to be had.
func (s *StaticSource) Renew(ctx context.Context, _ *messages.Lease) (*messages.Lease, error) {
	return s.Open(ctx)
}

// isFolder tells a path from a URL. A bare name without a port is neither.
func isFolder(raw string) bool {
	return filepath.IsAbs(raw) || filepath.VolumeName(raw) != "" || strings.HasPrefix(raw, ".") ||
		raw == "~" || strings.HasPrefix(raw, "~/") || raw == activePortFile
}

// profileFolder is the whole path of a profile folder, also of one that is
// named by the file in it.
func profileFolder(raw string) (string, error) {
	path, err := thisMachine().expandHome(raw)
	if err != nil {
		return "", err
	}
	if filepath.Base(path) == activePortFile {
		path = filepath.Dir(path)
	}
	folder, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("the profile folder has no whole path: %w", err)
	}
	return folder, nil
}

// parseEndpoint returns the endpoint as a URL with a scheme. Its errors never
// quote the endpoint, which may hold a token.
func parseEndpoint(raw string) (*url.URL, error) {
	const forms = "write ws://, wss://, http:// or https:// with a host, host:port, or the folder of a browser profile"
	if raw == "" {
		return nil, fmt.Errorf("%w: it is empty; %s", ErrBadEndpoint, forms)
	}
	if !strings.Contains(raw, "://") {
		authority := raw
		if end := strings.IndexAny(authority, "/?#"); end >= 0 {
			authority = authority[:end]
		}
		authority = authority[strings.LastIndex(authority, "@")+1:] // credentials have colons too
		if _, _, err := net.SplitHostPort(authority); err != nil {
			return nil, fmt.Errorf("%w: it has no scheme and is not host:port; %s", ErrBadEndpoint, forms)
		}
		raw = "http://" + raw
	}
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" {
		return nil, fmt.Errorf("%w: it does not parse as a URL with a host; %s", ErrBadEndpoint, forms)
	}
	if defaultPort(u.Scheme) == "" { // url.Parse has put the scheme in lower case
		return nil, fmt.Errorf("%w: scheme %q is not known; %s", ErrBadEndpoint, u.Scheme, forms)
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, fmt.Errorf("%w: its port is not between 1 and 65535; %s", ErrBadEndpoint, forms)
		}
	}
	return u, nil
}

// defaultPort is empty for a scheme that no endpoint has.
func defaultPort(scheme string) string {
	switch scheme {
	case "ws", "http":
		return "80"
	case "wss", "https":
		return "443"
	default:
		return ""
	}
}
