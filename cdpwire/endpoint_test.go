package cdpwire

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cdpsupervisor/messages"
)

// identity is what is left of an endpoint when it has been taken apart: two
// endpoints that are dialled in the same way have the same.
func identity(endpoint messages.Endpoint) (string, error) {
	p, err := parseEndpoint(endpoint)
	if err != nil {
		return "", err
	}
	if p.profile != "" {
		return "profile:" + p.profile, nil
	}
	u := *p.url
	u.User = p.user
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	return u.String(), nil
}

func TestIdentity(t *testing.T) {
	folder, err := filepath.Abs("profile")
	if err != nil {
		t.Fatal(err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for endpoint, want := range map[string]string{
		"http://localhost:9222":              "http://localhost:9222",
		"  HTTP://LocalHost:9222/ ":          "http://localhost:9222",
		"localhost:9222":                     "http://localhost:9222",
		"LOCALHOST:9222/":                    "http://localhost:9222",
		"127.0.0.1:80":                       "http://127.0.0.1",
		"[::1]:9222":                         "http://[::1]:9222",
		"[2001:DB8::1]:80":                   "http://[2001:db8::1]",
		"https://h:443/":                     "https://h",
		"https://h:80/":                      "https://h:80",
		"ws://h:80/devtools/browser/Ab/":     "ws://h/devtools/browser/Ab",
		"WSS://Connect.Example.COM:443?k=Ab": "wss://connect.example.com?k=Ab",
		"wss://u:P@h/?k=%2F#frag":            "wss://u:P@h?k=%2F",
		"h:1/a%2Fb/":                         "http://h:1/a%2Fb",
		"u:p@h:1":                            "http://u:p@h:1",
		"./profile":                          "profile:" + folder,
		"./profile/DevToolsActivePort":       "profile:" + folder,
		"/a/b/../c/":                         "profile:/a/c",
		"~/x":                                "profile:" + filepath.Join(home, "x"),
	} {
		if got, err := identity(messages.Endpoint(endpoint)); err != nil || got != want {
			t.Errorf("Identity(%q) = %q, %v, want %q", endpoint, got, err, want)
		}
	}
}

func TestIdentityKeepsApartWhatIsNotTheSame(t *testing.T) {
	seen := make(map[string]string)
	for _, endpoint := range []string{
		"http://h:1", "https://h:1", "ws://h:1", "wss://h:1", "http://h:2", "http://g:1", "http://h:1/a", "http://h:1/A", "http://h:1?a", "http://h:1?A",
		"http://u@h:1", "http://u:p@h:1", "/h", "/h/1",
	} {
		id, err := identity(messages.Endpoint(endpoint))
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[id]; ok {
			t.Errorf("%s and %s are both %s", endpoint, other, id)
		}
		seen[id] = endpoint
	}
}

func TestIdentityNamesWhatIsWrong(t *testing.T) {
	for endpoint, says := range map[string]string{
		"":                       "empty",
		" \t":                    "empty",
		"s3cr3t":                 "neither a scheme nor a port",
		"browser.test?k=s3cr3t":  "neither a scheme nor a port",
		"9222":                   "neither a scheme nor a port",
		"ftp://h/s3cr3t":         "its scheme",
		"chrome://s3cr3t":        "its scheme",
		"ws://":                  "no host",
		"http:///s3cr3t":         "no host",
		"ws://:9222":             "no host",
		"ws://h:0":               "port",
		"ws://h:65536/?s3cr3t":   "port",
		"ws://h:s3cr3t":          "port",
		"ws://h/%zz?s3cr3t":      "%",
		"ws://h/\x01s3cr3t":      "control character",
		"ws://u5er:pa55@h h/":    "host",
		"://s3cr3t":              "no URL",
		"ws://[::1/s3cr3t":       "no URL",
		"ws://u5er:pa/55@h:9222": "port",
	} {
		_, err := identity(messages.Endpoint(endpoint))
		if !errors.Is(err, messages.ErrInvalid) || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "localhost:9222") {
			t.Errorf("Identity(%q): %v, want %q and a way out", endpoint, err, says)
			continue
		}
		checkNoSecret(t, err.Error())
	}
}

func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		"nothing to hide": "nothing to hide",
		`Get "http://u5er:pa55@h:1/gu1d?s3cr3t": EOF`:          `Get "http://h:1": EOF`,
		"wss://u5er@h/s3cr3t and ws://g/gu1d.":                 "wss://h and ws://g",
		"dial <https://h/?k=s3cr3t>":                           "dial <https://h>",
		"parse wss://u5er:pa%zz@h/ s3cr3t":                     "parse wss://…",
		`parse "://s3cr3t": missing protocol scheme`:           `parse "://…`,
		"file:///home/s3cr3t/x":                                "file://…",
		"read tcp 127.0.0.1:1->127.0.0.1:2: connection closed": "read tcp 127.0.0.1:1->127.0.0.1:2: connection closed",
	} {
		if got := Redact(text); got != want {
			t.Errorf("Redact(%q) = %q, want %q", text, got, want)
		}
	}
}
