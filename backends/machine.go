package backends

import (
	"os"
	"path/filepath"
	"runtime"
)

// machine is what the places of browsers and profiles depend on. It is a
// value, so that a test on one system checks the places of all of them.
type machine struct {
	goos   string
	home   string // "" when nobody knows
	getenv func(string) string
}

func thisMachine() machine {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	return machine{goos: runtime.GOOS, home: home, getenv: os.Getenv}
}

// under joins each path to base, or gives nothing when base is unknown: a
// place relative to the working directory is nobody's browser.
func under(base string, paths ...string) []string {
	if base == "" {
		return nil
	}
	joined := make([]string, 0, len(paths))
	for _, p := range paths {
		joined = append(joined, filepath.Join(base, filepath.FromSlash(p)))
	}
	return joined
}
