package backends

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// profile is where a browser keeps its state.
type profile struct {
	folder string
	// scratch is a temporary folder around it that goes with the browser;
	// empty when the profile is kept.
	scratch string
}

// newProfile makes the folder, if it has to.
func newProfile(options Options, executable string) (profile, error) {
	if options.Isolated {
		if options.UserDataDir != "" {
			return profile{}, fmt.Errorf("%w: an isolated browser has a temporary profile, and %q is named too; "+
				"leave out one of them", ErrBadOption, options.UserDataDir)
		}
		scratch, err := os.MkdirTemp("", "cdpsupervisor-")
		if err != nil {
			return profile{}, fmt.Errorf("%w: making a temporary profile: %w", ErrLaunch, err)
		}
		return profile{folder: filepath.Join(scratch, "profile"), scratch: scratch}, nil
	}
	folder := options.UserDataDir
	if folder == "" {
		base, err := os.UserConfigDir()
		if err != nil {
			return profile{}, fmt.Errorf("%w: no place for a profile: %w; name one with --user-data-dir or use --isolated", ErrLaunch, err)
		}
		// One for each brand: a browser may refuse, or spoil, the profile of a newer one.
		brand := strings.TrimSuffix(filepath.Base(executable), filepath.Ext(executable))
		folder = filepath.Join(base, "cdpsupervisor", "profile-"+strings.ReplaceAll(brand, " ", "-"))
	}
	folder, err := thisMachine().expandHome(folder)
	if err == nil {
		folder, err = filepath.Abs(folder)
	}
	if err != nil {
		return profile{}, fmt.Errorf("%w: the profile folder %q: %w", ErrLaunch, options.UserDataDir, err)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return profile{}, fmt.Errorf("%w: making the profile folder: %w; name another folder with --user-data-dir", ErrLaunch, err)
	}
	return profile{folder: folder}, nil
}

// clear makes the profile ready for a new browser: free of another's lock, and
// of the port that an earlier one left behind, which would be taken for ours.
func (p profile) clear(ctx context.Context) error {
	holder, err := lockHolder(ctx, p.folder)
	if err != nil {
		return fmt.Errorf("%w: reading the lock of profile %s: %w", ErrLaunch, p.folder, err)
	}
	if holder != "" {
		return fmt.Errorf("%w: %s is open in %s; end that browser, name another --user-data-dir, or use --isolated",
			ErrProfileLocked, p.folder, holder)
	}
	err = os.Remove(filepath.Join(p.folder, activePortFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: removing a stale %s: %w", ErrLaunch, activePortFile, err)
	}
	return nil
}

// environment gives the browser of a temporary profile a temporary folder
// inside it, for the socket folder that Chromium leaves in TMPDIR when killed.
func (p profile) environment() []string {
	// The path of a Unix socket ends at 104 or 108 bytes; Chromium adds 50.
	const longest = 50
	if p.scratch == "" || len(p.scratch) > longest {
		return nil // nil is ours
	}
	return append(os.Environ(), "TMPDIR="+p.scratch)
}

// remove deletes a temporary profile. The browser's processes have been killed
// but may take a moment to die, and write until then.
func (p profile) remove() error {
	if p.scratch == "" {
		return nil
	}
	const tries, pause = 50, 20 * time.Millisecond
	var err error
	for range tries {
		if err = os.RemoveAll(p.scratch); err == nil {
			return nil
		}
		time.Sleep(pause)
	}
	return fmt.Errorf("removing the temporary profile: %w; delete %s yourself", err, p.scratch)
}
