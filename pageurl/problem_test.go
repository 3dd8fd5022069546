package pageurl

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// What is said of each kind of URL is tested where agents read it, in tools.
func TestProblem(t *testing.T) {
	for url, says := range map[string]string{
		"https://a.test/": "",
		"about:blank":     "",
		" \t":             "is empty; write a whole URL, such as https://example.com/",
		"a.test":          `"a.test" has no scheme; write "https://a.test"`,
		"javascript:1":    "is a script and no page; run it with browser_cdp, method Runtime.evaluate",
		"javascript:8/2":  "is a script and no page; run it with browser_cdp, method Runtime.evaluate",
	} {
		if got := Problem(url); got != says {
			t.Errorf("%q: got %q, want %q", url, got, says)
		}
	}
	if got := Problem(strings.Repeat("ü", 1000)); len(got) > 300 || !utf8.ValidString(got) {
		t.Errorf("of a long URL %d bytes are told: %q", len(got), got)
	}
}
