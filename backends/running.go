package backends

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"time"

	"cdpsupervisor/messages"
)

// usualAddress is where people who start a browser by hand put its port. Such
// a browser is not in the folders: with a fixed port Chromium writes no
// DevToolsActivePort file, and Chrome ignores the flag on its default profile.
const usualAddress = "127.0.0.1:9222"

// Running is a browser that a person has open (--auto-connect). It is looked
// for at every Open and Renew, because a browser that was restarted listens
// elsewhere.
type Running struct {
	folders []string
	address string
}

// NewRunning returns a source that finds a running browser by the usual
// profile folders of Chrome, Chromium, Edge and Brave, and then by port 9222.
func NewRunning() *Running {
	return &Running{folders: thisMachine().profileFolders(), address: usualAddress}
}

// FindRunning returns the endpoint of a browser that is open on this machine
// and listens for CDP, or [ErrNotRunning] with the way to get one.
func FindRunning(ctx context.Context) (messages.Endpoint, error) {
	return NewRunning().find(ctx)
}

// Identity is the same for all: there is one running browser to be found.
func (r *Running) Identity() string { return "running-browser" }

// Open finds the browser. It is the person's, so closing the lease ends nothing.
func (r *Running) Open(ctx context.Context) (*messages.Lease, error) {
	endpoint, err := r.find(ctx)
	if err != nil {
		return nil, err
	}
	return &messages.Lease{Endpoint: endpoint, Bridge: messages.BridgeNotNeeded}, nil
}

// Renew looks again.
func (r *Running) Renew(ctx context.Context, _ *messages.Lease) (*messages.Lease, error) {
	return r.Open(ctx)
}

func (r *Running) find(ctx context.Context) (messages.Endpoint, error) {
	var dead []string
	for _, folder := range r.folders {
		port, err := readActivePort(folder)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = checkAnswers(ctx, port)
		}
		if err == nil {
			return port.endpoint(), nil
		}
		dead = append(dead, fmt.Sprintf("%s (%v)", folder, err))
	}
	if _, err := askVersion(ctx, r.address); err == nil {
		return messages.Endpoint("http://" + r.address), nil
	}
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("%w: the search was cut short: %w", ErrNotRunning, context.Cause(ctx))
	}
	leftOver := ""
	if len(dead) > 0 {
		leftOver = "; left over from an earlier run: " + strings.Join(dead, ", ")
	}
	return "", fmt.Errorf("%w: no %s in the usual profile folders and nothing on %s%s; "+
		"switch remote debugging on at chrome://inspect/#remote-debugging, "+
		"or start a browser with --remote-debugging-port=9222 and a --user-data-dir of its own",
		ErrNotRunning, activePortFile, r.address, leftOver)
}

// checkAnswers tells a live file from one that a dead browser left behind,
// whose port may long be somebody else's. Remote debugging that was switched
// on in a running Chrome answers 404 to every discovery request: then the path
// in the file is the only way in, and the dial that follows is the proof.
func checkAnswers(ctx context.Context, port activePort) error {
	path, err := askVersion(ctx, port.authority())
	switch {
	case errors.Is(err, errNoDiscovery):
		return nil
	case err != nil:
		return err
	case path != port.path:
		return errors.New("another browser has its port now")
	}
	return nil
}

// errNoDiscovery: something speaks HTTP there and knows no /json/version.
var errNoDiscovery = errors.New("answers, without discovery")

// askVersion asks a local port for /json/version and returns the path of the
// browser's WebSocket.
func askVersion(ctx context.Context, authority string) (string, error) {
	const patience, most = 5 * time.Second, 64 << 10 // a browser that just starts is slow to answer
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+authority+"/json/version", nil)
	if err != nil {
		return "", fmt.Errorf("asking %s: %w", authority, err)
	}
	// A transport of its own: no proxy for loopback, no connection kept.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return "", fmt.Errorf("nothing answers: %w", unwrapURL(err))
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode == http.StatusNotFound {
		return "", errNoDiscovery
	}
	var version struct {
		WebSocketDebuggerURL string `json:"webSocketDebuggerUrl"`
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("answers with status %d", response.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, most)).Decode(&version); err != nil {
		return "", fmt.Errorf("does not answer as a browser: %w", err)
	}
	socket, err := url.Parse(version.WebSocketDebuggerURL)
	if err != nil || !strings.HasPrefix(socket.Path, "/devtools/") {
		return "", errors.New("does not answer as a browser")
	}
	return socket.Path, nil
}

// unwrapURL drops the request's URL from an error of net/http.
func unwrapURL(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}

// profileFolders lists where browsers keep the profile they start with.
func (m machine) profileFolders() []string {
	switch m.goos {
	case "darwin":
		return under(m.home,
			"Library/Application Support/Google/Chrome",
			"Library/Application Support/Chromium",
			"Library/Application Support/Microsoft Edge",
			"Library/Application Support/BraveSoftware/Brave-Browser")
	case "windows":
		return under(m.getenv("LocalAppData"),
			"Google/Chrome/User Data",
			"Chromium/User Data",
			"Microsoft/Edge/User Data",
			"BraveSoftware/Brave-Browser/User Data")
	default:
		config := m.getenv("XDG_CONFIG_HOME")
		if config == "" && m.home != "" {
			config = m.home + "/.config"
		}
		folders := under(config, "google-chrome", "chromium", "microsoft-edge", "BraveSoftware/Brave-Browser")
		return append(folders, under(m.home, // packaged as snap and flatpak
			"snap/chromium/common/chromium",
			".var/app/com.google.Chrome/config/google-chrome",
			".var/app/org.chromium.Chromium/config/chromium")...)
	}
}
