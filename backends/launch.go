package backends

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"cdpsupervisor/messages"
)

// How long things may take. A cold start on a busy machine takes seconds, a
// graceful end a tenth of one.
const (
	launchPatience = 45 * time.Second
	pollEvery      = 10 * time.Millisecond
	gracePeriod    = 10 * time.Second
	drainPatience  = time.Second
)

// browser is a launched one with all its processes.
type browser struct {
	endpoint messages.Endpoint
	cmd      *exec.Cmd
	group    *processGroup
	profile  profile
	stderr   *tail

	exited chan struct{} // closed when its main process has ended
	gone   chan struct{} // closed when all of it has been killed, too

	closing  sync.Once
	closeErr error // valid after closing
}

// launch starts a browser and returns when it listens for CDP. On an error
// nothing of it is left.
func launch(ctx context.Context, options Options) (*browser, error) {
	executable, err := FindChromium(options.Executable)
	if err != nil {
		return nil, err
	}
	home, err := newProfile(options, executable)
	if err != nil {
		return nil, err
	}
	b, err := start(ctx, options, executable, home)
	if err != nil {
		return nil, errors.Join(err, home.remove())
	}
	if err := b.awaitPort(ctx); err != nil {
		return nil, errors.Join(err, b.end())
	}
	return b, nil
}

// start runs the browser's command line inside a process group of its own.
func start(ctx context.Context, options Options, executable string, home profile) (*browser, error) {
	args, err := arguments(options, home.folder, runtime.GOOS, os.Geteuid())
	if err != nil {
		return nil, err
	}
	if err := home.clear(ctx); err != nil {
		return nil, err
	}
	group, err := newProcessGroup(home.scratch)
	if err != nil {
		return nil, err
	}
	readEnd, writeEnd, err := os.Pipe()
	if err != nil {
		group.kill()
		return nil, fmt.Errorf("%w: a pipe for its stderr: %w", ErrLaunch, err)
	}
	defer func() { _ = writeEnd.Close() }()

	// ctx bounds the launch; the browser outlives it.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), executable, args...)
	cmd.Env = home.environment()
	cmd.Stderr = writeEnd
	group.enlist(cmd)
	if err := cmd.Start(); err != nil {
		group.kill()
		_ = readEnd.Close()
		return nil, fmt.Errorf("%w: %w", ErrLaunch, err)
	}
	b := &browser{
		cmd: cmd, group: group, profile: home, stderr: &tail{},
		exited: make(chan struct{}), gone: make(chan struct{}),
	}
	go b.watch(readEnd)
	if err := group.started(cmd.Process); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrLaunch, err), b.end())
	}
	return b, nil
}

// watch waits for the main process and takes the others along: without it they
// are of no use, and after a crash some stay. It ends by itself.
func (b *browser) watch(stderr *os.File) {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(b.stderr, stderr)
	}()
	_ = b.cmd.Wait() // how it ended is in ProcessState
	close(b.exited)
	b.group.kill()
	select {
	case <-drained:
	case <-time.After(drainPatience): // somebody outside the group holds it
	}
	_ = stderr.Close()
	<-drained
	close(b.gone)
}

// alive says whether the main process runs.
func (b *browser) alive() bool {
	select {
	case <-b.exited:
		return false
	default:
		return true
	}
}

// awaitPort waits until the browser has written where it listens.
func (b *browser) awaitPort(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, launchPatience,
		fmt.Errorf("it did not say where it listens within %v", launchPatience))
	defer cancel()
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for {
		select {
		case <-b.exited:
			<-b.gone // so that all of its stderr is there
			return b.diedEarly(ctx)
		case <-ctx.Done():
			return fmt.Errorf("%w: %s: %w; %s", ErrLaunch, b.cmd.Path, context.Cause(ctx), b.lastWords())
		case <-poll.C:
			if port, err := readActivePort(b.profile.folder); err == nil {
				b.endpoint = port.endpoint()
				return nil
			}
		}
	}
}

// diedEarly explains a browser that ended before it listened. One that found
// its profile open hands its work to the other and ends in peace.
func (b *browser) diedEarly(ctx context.Context) error {
	if err := b.profile.clear(ctx); errors.Is(err, ErrProfileLocked) {
		return err
	}
	return fmt.Errorf("%w: %s ended at once (%v); %s", ErrLaunch, b.cmd.Path, b.cmd.ProcessState, b.lastWords())
}

// lastWords are what it wrote to stderr, with the way out of the usual reasons.
func (b *browser) lastWords() string {
	stderr := b.stderr.String()
	return stderr + wayOut(b.cmd.Path, stderr)
}

func wayOut(path, stderr string) string {
	switch {
	case strings.Contains(stderr, "No usable sandbox"), strings.Contains(stderr, "namespace sandbox"):
		return "; allow unprivileged user namespaces on this machine, or pass --no-sandbox if you trust the pages"
	case strings.Contains(stderr, "X server"), strings.Contains(stderr, "ozone_platform"):
		return "; there is no display: use --headless"
	case strings.HasPrefix(path, "/snap/"):
		return "; a snap may not write to most folders: name a --user-data-dir below ~/snap/chromium/common"
	default:
		return ""
	}
}

// close asks the browser to end, kills what is left of it when it takes too
// long or ctx ends, and removes a temporary profile. All who call it return
// when that is done, with the same result.
func (b *browser) close(ctx context.Context) error {
	b.closing.Do(func() {
		b.group.ask(b.cmd.Process)
		select {
		case <-b.exited:
		case <-time.After(gracePeriod):
		case <-ctx.Done():
		}
		b.closeErr = b.end()
	})
	return b.closeErr
}

// end kills all processes and removes a temporary profile.
func (b *browser) end() error {
	b.group.kill()
	select {
	case <-b.gone:
	case <-time.After(gracePeriod): // only a process stuck in the kernel survives the kill
		return fmt.Errorf("browser process %d does not die; its profile %s stays", b.cmd.Process.Pid, b.profile.folder)
	}
	return b.profile.remove()
}
