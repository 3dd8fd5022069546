package backends

import "errors"

var (
	// ErrNoBrowser says that no Chromium-based browser was found, or that the
	// one asked for is not there.
	ErrNoBrowser = errors.New("no browser found")
	// ErrProfileLocked says that another browser uses the profile folder.
	ErrProfileLocked = errors.New("profile is in use")
	// ErrLaunch says that a browser was started and did not come up.
	ErrLaunch = errors.New("browser did not start")
	// ErrNotRunning says that no running browser listens for CDP.
	ErrNotRunning = errors.New("no running browser listens for CDP")
	// ErrBadEndpoint says that an endpoint has no form that we know.
	ErrBadEndpoint = errors.New("not a CDP endpoint")
	// ErrBadOption says that a launch option is refused.
	ErrBadOption = errors.New("bad launch option")
)
