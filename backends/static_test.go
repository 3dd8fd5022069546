package backends

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"cdpsupervisor/messages"
)

func TestStaticIdentity(t *testing.T) {
	t.Parallel()
	cases := []struct{ endpoint, want string }{
		{"ws://Host:9222/devtools/browser/AbC", "ws://host:9222/devtools/browser/AbC"},
		{"WSS://Host:443/Path/?Token=aB", "wss://host/Path?Token=aB"},
		{"wss://host:80/", "wss://host:80"},
		{"ws://host:80", "ws://host"},
		{"http://HOST:9222/", "http://host:9222"},
		{"HTTPS://host:443//", "https://host"},
		{"https://User:Pw@Host/?b=2&a=1", "https://User:Pw@host?b=2&a=1"},
		{"http://[::1]:80/", "http://[::1]"},
		{"localhost:9222", "http://localhost:9222"},
		{" LOCALHOST:9222/ ", "http://localhost:9222"},
		{"host:9222?token=a:b", "http://host:9222?token=a:b"},
		{"user:pw@host:9222", "http://user:pw@host:9222"},
		{"[::1]:9222", "http://[::1]:9222"},
		{"/home/me/profile/", "/home/me/profile"},
		{"/home/me/profile/DevToolsActivePort", "/home/me/profile"},
		{"/home/me/./profile/../p", "/home/me/p"},
	}
	for _, c := range cases {
		source := Static(messages.Endpoint(c.endpoint))
		if got := source.Identity(); got != c.want {
			t.Errorf("%q: identity %q, want %q", c.endpoint, got, c.want)
		}
		if _, err := source.Open(t.Context()); err != nil {
			t.Errorf("%q: %v", c.endpoint, err)
		}
	}
}

func TestStaticProfileFolders(t *testing.T) {
	home, work := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home) // what Windows calls it
	t.Chdir(work)
	for endpoint, want := range map[string]string{
		"~/profile":                      filepath.Join(home, "profile"),
		" ~/profile/ ":                   filepath.Join(home, "profile"),
		"~/profile/DevToolsActivePort":   filepath.Join(home, "profile"),
		"~":                              home,
		"./profile":                      filepath.Join(work, "profile"),
		".profile":                       filepath.Join(work, ".profile"),
		"../p/DevToolsActivePort":        filepath.Join(filepath.Dir(work), "p"),
		"DevToolsActivePort":             work,
		work + "/./a/":                   filepath.Join(work, "a"),
		work + "/aDevToolsActivePort":    filepath.Join(work, "aDevToolsActivePort"),
		"./profile/DevToolsActivePort/x": filepath.Join(work, "profile", "DevToolsActivePort", "x"),
	} {
		source := Static(messages.Endpoint(endpoint))
		lease, err := source.Open(t.Context())
		if err != nil {
			t.Errorf("%q: %v", endpoint, err)
			continue
		}
		// What dials knows fewer forms, and the folder it is started in may change.
		if got := lease.Endpoint.Reveal(); got != want || source.Identity() != want {
			t.Errorf("%q: endpoint %q, identity %q, want %q", endpoint, got, source.Identity(), want)
		}
	}
	t.Setenv("HOME", "")
	t.Setenv("USERPROFILE", "")
	t.Setenv("home", "")
	if _, err := Static("~/profile").Open(t.Context()); !errors.Is(err, ErrBadEndpoint) || !strings.Contains(err.Error(), "~") {
		t.Errorf("without a home folder: %v", err)
	}
}

func TestStaticOpenGivesTheEndpointAsWritten(t *testing.T) {
	t.Parallel()
	const written = "wss://Host:443/Path/?Token=aB"
	source := Static(written)
	lease, err := source.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if lease.Endpoint != written || lease.Close != nil || lease.OwnsBrowser {
		t.Errorf("lease %+v: the endpoint must be as written, and nothing of it is ours to end", lease)
	}
	if renewed, err := source.Renew(t.Context(), lease); err != nil || renewed.Endpoint != written {
		t.Errorf("Renew: %+v, %v", renewed, err)
	}
}

func TestStaticRefusesWhatIsNoEndpoint(t *testing.T) {
	t.Parallel()
	for _, endpoint := range []string{
		"", "  ", "localhost", "ftp://s3cret@host", "ws://", "ws:///path/s3cret", "s3cret", "http://[::1", "user:s3cret@host",
		"ws://host:0/s3cret", "http://host:65536", "host:99999", "ws://host:s3cret", "~s3cret/profile", "ws://:9222/s3cret",
	} {
		_, err := Static(messages.Endpoint(endpoint)).Open(t.Context())
		if !errors.Is(err, ErrBadEndpoint) {
			t.Errorf("%q: %v, want ErrBadEndpoint", endpoint, err)
			continue
		}
		if strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), "host:port") {
			t.Errorf("%q: %q must name the forms and nothing of the endpoint", endpoint, err)
		}
	}
}
