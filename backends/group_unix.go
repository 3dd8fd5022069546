//go:build unix

package backends

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// processGroup is a browser and everything it starts, on Linux and macOS a
// Unix process group.
//
// Its first member is a watchdog: a shell that reads from a pipe of which we
// alone hold the other end. The kernel closes that end when we die, however
// we die, and then the watchdog ends the group. Asking the kernel for a signal
// at our death instead (PR_SET_PDEATHSIG) would reach the browser's first
// process only, would come when a mere thread of ours ends, and exists on
// Linux only. As a living member the watchdog also keeps the group's number
// from being given to strangers, whom we would then kill.
type processGroup struct {
	watchdog *exec.Cmd
	lifeline *os.File // nothing is ever written to it
	once     sync.Once
}

// watchdogScript gets the folder to remove as $1, or "". It survives what ends
// the others: a polite signal first, so that the browser stops writing and the
// folder can go, then the one that nobody survives, itself included.
const watchdogScript = `
trap '' HUP INT TERM
read -r _
kill -TERM 0
if [ -n "$1" ]; then
	for _ in 1 2 3 4 5 6 7 8; do
		sleep 0.2 || sleep 1
		rm -rf -- "$1" 2>/dev/null
		[ -e "$1" ] || break
	done
fi
kill -KILL 0`

// newProcessGroup starts the watchdog, before the browser, so that there is no
// moment in which a browser runs unwatched.
func newProcessGroup(scratch string) (*processGroup, error) {
	theirs, ours, err := os.Pipe() // neither end is inherited, but as stdin
	if err != nil {
		return nil, fmt.Errorf("%w: a pipe for the watchdog: %w", ErrLaunch, err)
	}
	defer func() { _ = theirs.Close() }()
	watchdog := exec.CommandContext(context.Background(), "/bin/sh", "-c", watchdogScript, "cdpsupervisor-watchdog", scratch)
	watchdog.Stdin = theirs
	watchdog.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := watchdog.Start(); err != nil {
		_ = ours.Close()
		return nil, fmt.Errorf("%w: starting the watchdog: %w", ErrLaunch, err)
	}
	return &processGroup{watchdog: watchdog, lifeline: ours}, nil
}

// enlist makes cmd start as a member. Being in another group than ours also
// keeps a Ctrl-C at the terminal from reaching the browser before us.
func (g *processGroup) enlist(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: g.watchdog.Process.Pid}
}

// started has nothing left to do: members are born into the group.
func (g *processGroup) started(*os.Process) error { return nil }

// ask tells the browser's main process to end in its own way, which saves the
// profile and ends the others.
func (g *processGroup) ask(browser *os.Process) { _ = browser.Signal(syscall.SIGTERM) }

// kill ends every member, the watchdog last of all: until it is waited for the
// group keeps its number.
func (g *processGroup) kill() {
	g.once.Do(func() {
		_ = syscall.Kill(-g.watchdog.Process.Pid, syscall.SIGKILL)
		_ = g.watchdog.Wait()
		_ = g.lifeline.Close()
	})
}
