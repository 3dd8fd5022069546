package config

import (
	"slices"
	"strings"
	"testing"
)

func TestMisspeltEnv(t *testing.T) {
	for _, tc := range []struct{ entry, meant string }{ // "" for no remark
		{"BROWSER_DIALOG_TIMEOUT=300", "BROWSER_DIALOG_TIMEOUT_S"},
		{"BROWSER_CDPURL=x", "BROWSER_CDP_URL"},
		{"BROWSER_CDP_URLS=x", "BROWSER_CDP_URL"},
		{"BROWSER_DIALOGPOLICY=x", "BROWSER_DIALOG_POLICY"},
		{"BROWSER_BRIDGE_TRANSPRT=x", "BROWSER_BRIDGE_TRANSPORT"},
		{"BROWSER_BYPAS_CPS=x", ""}, // three letters
		{"BROWSER_BYPASSCSP=x", "BROWSER_BYPASS_CSP"},
		{"BROWSER_BACKND=x", "BROWSER_BACKEND"},

		{"BROWSER_CDP_URL=x", ""},
		{"BROWSER_CDPURL=", ""}, // counts as not set
		{"BROWSER=firefox", ""},
		{"BROWSER_", ""},
		{"BROWSER_=x", ""},
		{"BROWSER_PATH=/usr/bin/x", ""},
		{"BROWSER_ARGS=--incognito", ""},
		{"BROWSER_URL=x", ""},
		{"BROWSER_TYPE=x", ""},
		{"BROWSER_STORE=x", ""},
		{"BROWSER_NAME=x", ""},
		{"BROWSER_VERSION=x", ""},
		{"BROWSER_HEADLESS=x", ""},
		{"BROWSER_TIMEOUT=x", ""},
		{"BROWSER_WS_ENDPOINT=x", ""},
		{"BROWSERSTACK_USERNAME=x", ""},
		{"BROWSERSLIST=x", ""},
		{"MY_BROWSER_CDPURL=x", ""},
		{"BROWSER_" + strings.Repeat("X", 100_000) + "=x", ""},
	} {
		name, _, _ := strings.Cut(tc.entry, "=")
		var want []string
		if tc.meant != "" {
			want = []string{"the environment variable " + name + " is not read; did you mean " + tc.meant + "?"}
		}
		if got := MisspeltEnv([]string{"PATH=/bin", tc.entry}); !slices.Equal(got, want) {
			t.Errorf("%.60s: %q, want %q", tc.entry, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "ab", 2}, {"ab", "", 2}, {"kitten", "sitting", 3}, {"scope", "store", 2}, {"ab", "ba", 2}} {
		if got := distance(tc.a, tc.b); got != tc.want {
			t.Errorf("%q and %q: %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}
