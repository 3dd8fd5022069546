package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// versionCommand prints which build this is.
type versionCommand struct{}

// Run prints one line.
func (versionCommand) Run(a *app) error {
	_, err := fmt.Fprintln(a.stdout, version())
	return err
}

// version reads what the Go toolchain wrote into the binary.
func version() string {
	text, revision, modified := "(devel)", "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			text = info.Main.Version
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = " " + s.Value[:min(12, len(s.Value))]
			case s.Key == "vcs.modified" && s.Value == "true":
				modified = " with local changes"
			}
		}
	}
	return fmt.Sprintf("cdpsupervisor %s%s%s, %s %s/%s", text, revision, modified, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
