package cdpwire

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"cdpsupervisor/messages"
)

const (
	versionPath     = "/json/version"
	browserPath     = "/devtools/browser"
	pagePath        = "/devtools/page/"
	maxRedirects    = 5
	maxVersionBytes = 1 << 20 // what is read of a /json/version answer
	maxPortFile     = 4 << 10
)

// discover asks the endpoint where its browser's WebSocket is.
func (a *attempt) discover(ctx context.Context, at *url.URL) (*url.URL, *messages.Cause) {
	u := *at
	if !strings.HasSuffix(u.Path, versionPath) {
		u.Path, u.RawPath = strings.TrimRight(u.Path, "/")+versionPath, ""
	}
	resp, cause := a.get(ctx, &u)
	if cause != nil {
		return nil, cause
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, statusCause(resp.StatusCode, shown(at), "the look-up through "+versionPath)
	}
	var version struct {
		URL string `json:"webSocketDebuggerUrl"`
	}
	err := json.NewDecoder(io.LimitReader(resp.Body, maxVersionBytes)).Decode(&version)
	if ctx.Err() != nil {
		return nil, dialCause(ctx.Err(), shown(at))
	}
	if err != nil || version.URL == "" {
		return nil, notCDP("%s answers, but not as a browser does (its %s names no webSocketDebuggerUrl): is this the debugging port?", shown(at), versionPath)
	}
	// The request may have been redirected: what is advertised is seen from there.
	return a.advertised(resp.Request.URL, version.URL)
}

// get follows redirects by hand: a lease's headers are secrets, and go to the
// configured host only.
func (a *attempt) get(ctx context.Context, u *url.URL) (*http.Response, *messages.Cause) {
	client := http.Client{
		Transport:     a.httpTransport(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()
	for range maxRedirects {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
		if err != nil {
			return nil, notCDP("%s leads to an address that is none", shown(u))
		}
		req.Header = a.headers()
		req.Host = a.host
		resp, err := client.Do(req)
		if err != nil {
			return nil, a.failed(err, u)
		}
		switch {
		case isRedirect(resp.StatusCode):
			location := resp.Header.Get("Location")
			_ = resp.Body.Close()
			next, cause := a.redirected(u, location)
			if cause != nil {
				return nil, cause
			}
			u = next
		case a.disguise(u, resp.StatusCode):
			_ = resp.Body.Close()
		default:
			return resp, nil
		}
	}
	return nil, notCDP("%s redirects too often", shown(u))
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// redirected is where a redirect leads. To another host our credentials do not
// go along, and from TLS there is no way back to plain text.
func (a *attempt) redirected(from *url.URL, location string) (*url.URL, *messages.Cause) {
	next, err := from.Parse(location)
	if err != nil || location == "" || next.Hostname() == "" {
		return nil, notCDP("%s redirects to an address that is none", shown(from))
	}
	next.Scheme = schemeLike(from.Scheme, next.Scheme)
	switch {
	case next.Scheme == "":
		return nil, notCDP("%s redirects to something that is no web address", shown(from))
	case isTLS(from.Scheme) && !isTLS(next.Scheme):
		return nil, notCDP("%s redirects from TLS to plain text, which is not followed; configure the address itself if you trust it", shown(from))
	}
	if !strings.EqualFold(from.Host, next.Host) {
		if !strings.EqualFold(from.Hostname(), next.Hostname()) {
			a.foreign = true
		}
		a.host = ""
	}
	next.User = nil
	return next, nil
}

// schemeLike is the target's scheme in the family of from's: web or WebSocket.
func schemeLike(from, to string) string {
	var secure bool
	switch to {
	case "http", "ws":
	case "https", "wss":
		secure = true
	default:
		return ""
	}
	return scheme(strings.HasPrefix(from, "ws"), secure)
}

func scheme(socket, secure bool) string {
	switch {
	case socket && secure:
		return "wss"
	case socket:
		return "ws"
	case secure:
		return "https"
	}
	return "http"
}

func isTLS(scheme string) bool { return scheme == "https" || scheme == "wss" }

// disguise makes the next request carry "Host: localhost", where Chrome refused
// the name of the host with a 500. It reports whether that is worth a try.
func (a *attempt) disguise(u *url.URL, status int) bool {
	if status != http.StatusInternalServerError || a.host != "" || isChromeHost(u.Hostname()) {
		return false
	}
	a.host = "localhost"
	if port := u.Port(); port != "" {
		a.host += ":" + port
	}
	return true
}

// advertised is the WebSocket address that the browser at ours names, as it is
// reached from here.
func (a *attempt) advertised(ours *url.URL, text string) (*url.URL, *messages.Cause) {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "ws" && u.Scheme != "wss") || u.Hostname() == "" {
		return nil, notCDP("%s names a webSocketDebuggerUrl that is none", shown(ours))
	}
	switch {
	case isLoopback(u.Hostname()) && !isLoopback(ours.Hostname()):
		// It speaks of its own machine; the way there is the one that we took.
		u.Host, u.Scheme = ours.Host, scheme(true, isTLS(ours.Scheme))
	case strings.EqualFold(u.Host, ours.Host):
		// Behind TLS Chrome does not know that it is.
		u.Scheme = scheme(true, isTLS(ours.Scheme) || u.Scheme == "wss")
	default:
		a.host = ""
	}
	if u.User != nil {
		a.user = u.User
		u.User = nil
	}
	if u.RawQuery == "" {
		u.RawQuery = a.query
	}
	if isTLS(ours.Scheme) && u.Scheme == "ws" {
		a.foreign = true // what was meant for TLS does not travel in plain text
	}
	return u, nil
}

// readPortFile is the address that Chrome notes in its profile folder: a line
// with the port and one with the path.
func readPortFile(folder string) (*url.URL, *messages.Cause) {
	file, err := os.Open(filepath.Join(folder, portFile))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, &messages.Cause{Kind: messages.DisconnectRefused, Text: "the profile folder has no " + portFile +
			": start its browser with --remote-debugging-port=0, or turn remote debugging on in chrome://inspect"}
	case err != nil:
		return nil, &messages.Cause{Kind: messages.DisconnectInvalid, Text: "the profile folder's " + portFile + " cannot be read: " + plainReason(err)}
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxPortFile))
	port, path, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	number, bad := strconv.ParseUint(strings.TrimSpace(port), 10, 16)
	path = strings.TrimSpace(path)
	if err != nil || bad != nil || number == 0 || !strings.HasPrefix(path, "/") {
		return nil, &messages.Cause{Kind: messages.DisconnectInvalid, Text: "the profile folder's " + portFile + " does not hold a port and a path"}
	}
	return &url.URL{Scheme: "ws", Host: "127.0.0.1:" + strconv.FormatUint(number, 10), Path: path}, nil
}
