// Package e2e drives the engine on a real Chromium, as a host and its agent
// do, and looks at every result from the page's side too: a value that the
// page wrote, or that a second client of the browser sees.
package e2e

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"cdpsupervisor/backends"
)

func TestMain(m *testing.M) {
	if kind := os.Getenv(childVariable); kind != "" {
		os.Exit(beChild(kind))
	}
	if _, err := backends.FindChromium(""); err != nil && os.Getenv("CI") != "" {
		fmt.Fprintf(os.Stderr, "these tests need a browser and CI is set: %v\n", err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// needChromium skips a test on a machine without a browser.
func needChromium(t *testing.T) {
	t.Helper()
	if _, err := backends.FindChromium(""); err != nil {
		t.Skipf("no browser, and CI is not set: %v", err)
	}
}
