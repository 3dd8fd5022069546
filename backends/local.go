package backends

import (
	"context"
	"fmt"
	"sync"

	"cdpsupervisor/messages"
)

// Options say how a [Local] browser is launched. The zero value is a visible
// browser of any brand on a profile that is kept from run to run.
type Options struct {
	// Executable is the browser's path or its name on the PATH. Empty means
	// whatever [FindChromium] finds.
	Executable string
	// Headless runs the browser without a window.
	Headless bool
	// UserDataDir is the profile folder. Empty means a folder of our own in
	// the user's configuration folder, never the person's everyday profile.
	UserDataDir string
	// Isolated gives each lease a browser of its own on a new, empty profile
	// that is removed with it. It excludes UserDataDir.
	Isolated bool
	// ExtraArgs go to the browser after our own, so that they win.
	ExtraArgs []string
}

// Local launches a Chromium on this machine. Leases on a kept profile share
// one browser, because a profile can be open only once; it ends with the last
// of them. Isolated leases have one each. All methods are safe for use by
// several goroutines.
type Local struct {
	options Options

	launching chan struct{} // held by the one Open that may launch on the kept profile

	mu     sync.Mutex
	shared *browser                     // the last one on the kept profile, alive or not
	leases map[*messages.Lease]*browser // those not given back yet
}

// NewLocal returns a source that launches browsers as options say. Nothing
// is launched or looked for before the first Open.
func NewLocal(options Options) *Local {
	return &Local{
		options:   options,
		launching: make(chan struct{}, 1),
		leases:    map[*messages.Lease]*browser{},
	}
}

// Identity is the options, written out: launching the same way again is the
// same endpoint.
func (l *Local) Identity() string {
	o := l.options
	return fmt.Sprintf("launch executable=%q headless=%t profile=%q isolated=%t args=%q",
		o.Executable, o.Headless, o.UserDataDir, o.Isolated, o.ExtraArgs)
}

// Open launches a browser, or joins the one that is open on the kept profile,
// and returns when it listens. When ctx ends first the half-started browser is
// ended and the error says why.
func (l *Local) Open(ctx context.Context) (*messages.Lease, error) {
	if l.options.Isolated {
		b, err := launch(ctx, l.options)
		if err != nil {
			return nil, err
		}
		return l.lease(b), nil
	}
	select {
	case l.launching <- struct{}{}:
		defer func() { <-l.launching }()
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: another launch on the same profile was not over in time: %w", ErrLaunch, context.Cause(ctx))
	}
	lease, last := l.join()
	if lease != nil {
		return lease, nil
	}
	if last != nil { // it must be gone before its profile is free again
		if err := last.close(ctx); err != nil {
			return nil, err
		}
	}
	b, err := launch(ctx, l.options)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.shared = b
	l.mu.Unlock()
	return l.lease(b), nil
}

// Renew returns old while its browser lives, and launches anew when it died.
func (l *Local) Renew(ctx context.Context, old *messages.Lease) (*messages.Lease, error) {
	l.mu.Lock()
	b := l.leases[old]
	l.mu.Unlock()
	if b != nil && b.alive() {
		return old, nil
	}
	if err := l.release(ctx, old); err != nil {
		return nil, err
	}
	return l.Open(ctx)
}

// lease counts one more user of b.
func (l *Local) lease(b *browser) *messages.Lease {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.leaseLocked(b)
}

func (l *Local) leaseLocked(b *browser) *messages.Lease {
	lease := &messages.Lease{
		Endpoint:    b.endpoint,
		Bridge:      messages.BridgeNotNeeded,
		OwnsBrowser: l.options.Isolated,
	}
	lease.Close = func(ctx context.Context) error { return l.release(ctx, lease) }
	l.leases[lease] = b
	return lease
}

// join leases the shared browser if it lives and somebody holds it. Otherwise
// it returns that browser, which is dead or about to end.
func (l *Local) join() (*messages.Lease, *browser) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shared != nil && l.shared.alive() && l.usersLocked(l.shared) > 0 {
		return l.leaseLocked(l.shared), nil
	}
	return nil, l.shared
}

// release gives a lease back and ends the browser that nobody holds any more.
// A lease that is given back twice is no error: Renew may have done it.
func (l *Local) release(ctx context.Context, lease *messages.Lease) error {
	l.mu.Lock()
	b := l.leases[lease]
	delete(l.leases, lease)
	unused := b != nil && l.usersLocked(b) == 0
	l.mu.Unlock()
	if !unused {
		return nil
	}
	return b.close(ctx)
}

func (l *Local) usersLocked(b *browser) int {
	users := 0
	for _, held := range l.leases {
		if held == b {
			users++
		}
	}
	return users
}
