package main

import (
	"strings"

	"cdpsupervisor/cmd/engine/internal/config"
)

// check refuses flags that contradict each other, or would be without effect.
func (f *browserFlags) check() error {
	switch {
	case f.TargetID != "" && f.OwnTab:
		return usage("--target-id and --own-tab exclude each other: one names a page that is there, the other opens a new one; leave one out")
	case f.TargetID != strings.TrimSpace(f.TargetID):
		return usage("--target-id %q begins or ends with white space, which no id does; take it out", f.TargetID)
	case f.Launch && f.AutoConnect:
		return usage("--launch and --auto-connect exclude each other; leave one out")
	case f.Isolated && f.UserDataDir != "":
		return usage("--isolated and --user-data-dir exclude each other: one is a new, empty profile, the other one that is kept; leave one out")
	case f.Launch, f.AutoConnect:
		if err := f.onlyChooser(); err != nil {
			return err
		}
	}
	return f.checkLaunch()
}

// chooser is the flag that names the browser by itself.
func (f *browserFlags) chooser() string {
	if f.Launch {
		return "--launch"
	}
	return "--auto-connect"
}

// onlyChooser refuses flags that name another browser than the chooser does.
func (f *browserFlags) onlyChooser() error {
	switch {
	case f.CDPURL != nil && *f.CDPURL != "":
		return usage("%s and --cdp-url exclude each other; leave one out", f.chooser())
	case f.Backend != nil && *f.Backend != string(config.Local):
		return usage("%s and --backend %s exclude each other; leave one out", f.chooser(), *f.Backend)
	}
	return nil
}

// checkLaunch refuses flags that say how to launch when nothing is launched.
func (f *browserFlags) checkLaunch() error {
	if f.Launch {
		return nil
	}
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"--headless", f.Headless}, {"--headed", f.Headed}, {"--executable-path", f.Executable != ""},
		{"--user-data-dir", f.UserDataDir != ""}, {"--isolated", f.Isolated},
	} {
		if flag.given {
			return usage("%s goes with --launch only; add --launch, or leave it out", flag.name)
		}
	}
	return nil
}
