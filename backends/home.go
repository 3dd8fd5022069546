package backends

import (
	"errors"
	"path/filepath"
	"strings"
)

// errNoHome says why a path with a tilde cannot be used.
var errNoHome = errors.New("~ stands for a home folder, and there is none; write the whole path")

// ExpandHome puts the home folder of who runs this in place of a leading ~/.
func ExpandHome(path string) (string, error) { return thisMachine().expandHome(path) }

// expandHome puts the home folder in place of a leading tilde. A shell does
// that in most places, but not in --flag=~/folder, and nobody does it in a
// file or a variable: there it would name a folder "~".
func (m machine) expandHome(path string) (string, error) {
	rest, below := strings.CutPrefix(path, "~/")
	switch {
	case path == "~":
		rest = ""
	case !below:
		return path, nil
	}
	if m.home == "" {
		return "", errNoHome
	}
	return filepath.Join(m.home, rest), nil
}
