package backends

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cdpsupervisor/messages"
)

// isolated launches the real browser without a window on a temporary profile.
func isolated(t *testing.T) *Local {
	t.Helper()
	return NewLocal(Options{Executable: chromium(t), Headless: true, Isolated: true})
}

// kept launches it on a profile folder.
func kept(t *testing.T, folder string) *Local {
	t.Helper()
	return NewLocal(Options{Executable: chromium(t), Headless: true, UserDataDir: folder})
}

// open opens a lease that is closed when the test ends.
func open(t *testing.T, source *Local) *messages.Lease {
	t.Helper()
	lease, err := source.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { giveBack(t, lease) })
	return lease
}

func giveBack(t *testing.T, lease *messages.Lease) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 30*time.Second)
	defer cancel()
	if err := lease.Close(ctx); err != nil {
		t.Error(err)
	}
}

// listens says whether a browser with the lease's endpoint answers. One that
// is slow, on a busy machine, is asked again.
func listens(t *testing.T, lease *messages.Lease) bool {
	t.Helper()
	authority, path, _ := strings.Cut(strings.TrimPrefix(lease.Endpoint.Reveal(), "ws://"), "/")
	for range 5 {
		got, err := askVersion(t.Context(), authority)
		if !errors.Is(err, context.DeadlineExceeded) {
			return err == nil && got == "/"+path
		}
	}
	return false
}

// script is an executable that stands for a browser which misbehaves.
func script(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "browser")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// awaitFile returns when a file has content, or after a time that fails any test.
func awaitFile(path string) {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if content, err := os.ReadFile(path); err == nil && len(content) > 0 {
			return
		}
	}
}

func TestIsolatedBrowserLeavesNothing(t *testing.T) {
	t.Parallel()
	source := isolated(t)
	lease := open(t, source)
	b := source.leases[lease]
	if !lease.OwnsBrowser || lease.Bridge != messages.BridgeNotNeeded || !listens(t, lease) {
		t.Fatalf("lease %+v of a browser that should listen", lease)
	}
	if members := livingMembers(t, b); len(members) < 3 {
		t.Errorf("only %q found of a browser and its children", members)
	}
	if sockets, _ := filepath.Glob(filepath.Join(b.profile.scratch, "org.chromium.*")); len(sockets) == 0 {
		t.Error("its socket folder is not inside the temporary one and would stay behind")
	}
	began := time.Now()
	giveBack(t, lease)
	if took := time.Since(began); took > gracePeriod {
		t.Errorf("a graceful end took %v", took)
	}
	if listens(t, lease) {
		t.Error("the browser still answers")
	}
	awaitDead(t, b)
	giveBack(t, lease) // twice is no error
}

func TestIsolatedLeasesHaveABrowserEach(t *testing.T) {
	t.Parallel()
	source := isolated(t)
	first, second := open(t, source), open(t, source)
	if first.Endpoint == second.Endpoint {
		t.Fatal("two isolated leases share a browser")
	}
	giveBack(t, first)
	if !listens(t, second) {
		t.Error("the other browser went with it")
	}
}

func TestLeasesOfAKeptProfileShareTheBrowser(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	source := kept(t, folder)
	leases := make([]*messages.Lease, 4)
	var all sync.WaitGroup
	for i := range leases {
		all.Go(func() {
			lease, err := source.Open(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			leases[i] = lease
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	for _, lease := range leases[1:] {
		if lease.Endpoint != leases[0].Endpoint || lease.OwnsBrowser {
			t.Errorf("%+v and %+v are not the same, shared browser", lease, leases[0])
		}
		giveBack(t, lease)
	}
	if !listens(t, leases[0]) {
		t.Error("the browser ended before its last lease")
	}
	giveBack(t, leases[0])
	if listens(t, leases[0]) {
		t.Error("the browser outlived its last lease")
	}
	if _, err := os.Stat(filepath.Join(folder, "Default")); err != nil {
		t.Errorf("the profile is not kept: %v", err)
	}
	again := open(t, source) // at once: its profile must be free by now
	if !listens(t, again) {
		t.Error("the browser does not start again on its profile")
	}
}

// TestOpenWaitsForTheProfile opens while the last lease's browser takes its
// time to end. The stand-in fails when it finds another of its kind.
func TestOpenWaitsForTheProfile(t *testing.T) {
	t.Parallel()
	source := NewLocal(Options{UserDataDir: t.TempDir(), Executable: script(t, `
cd "${2#*=}"
mkdir running || exit 9
trap 'echo yes > ending; sleep 1; rmdir running; exit' TERM
printf '1\n/devtools/browser/%s' $$ > DevToolsActivePort
sleep 300 & wait`)})
	first := open(t, source)
	folder := source.leases[first].profile.folder
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		giveBack(t, first)
	}()
	awaitFile(filepath.Join(folder, "ending"))
	if second := open(t, source); second.Endpoint == first.Endpoint {
		t.Error("the second lease is of a browser that is ending")
	}
	<-closed
}

func TestLaunchIgnoresAStalePort(t *testing.T) {
	t.Parallel()
	folder := folderWith(t, "1\n/devtools/browser/stale")
	lease := open(t, kept(t, folder))
	if strings.HasSuffix(lease.Endpoint.Reveal(), "stale") || !listens(t, lease) {
		t.Errorf("got %s", lease.Endpoint.Reveal())
	}
	got, err := (&Running{folders: []string{folder}, address: nobody(t)}).find(t.Context())
	if err != nil || got != lease.Endpoint {
		t.Errorf("a running browser is found as %s, %v; want %s", got.Reveal(), err, lease.Endpoint.Reveal())
	}
}

func TestALockedProfileNamesItsHolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	first := kept(t, folder)
	lease := open(t, first)
	_, err := kept(t, folder).Open(t.Context())
	if !errors.Is(err, ErrProfileLocked) {
		t.Fatalf("got %v, want ErrProfileLocked", err)
	}
	host, _ := os.Hostname()
	for _, want := range []string{folder, host, strconv.Itoa(first.leases[lease].cmd.Process.Pid), "--isolated"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not name %q", err, want)
		}
	}
	if !listens(t, lease) {
		t.Error("the holder was disturbed")
	}
}

func TestRenew(t *testing.T) {
	t.Parallel()
	source := isolated(t)
	lease := open(t, source)
	if same, err := source.Renew(t.Context(), lease); err != nil || same != lease {
		t.Fatalf("a living browser was renewed: %v, %v", same, err)
	}
	b := source.leases[lease]
	if err := b.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-b.exited
	fresh, err := source.Renew(t.Context(), lease)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { giveBack(t, fresh) })
	if fresh.Endpoint == lease.Endpoint || !listens(t, fresh) {
		t.Error("a dead browser was not replaced")
	}
	awaitDead(t, b)
}

func TestABrowserThatEndsAtOnce(t *testing.T) {
	t.Parallel()
	source := NewLocal(Options{Isolated: true, Executable: script(t, "echo 'no such library: libfoo' >&2; exit 7")})
	began := time.Now()
	_, err := source.Open(t.Context())
	if !errors.Is(err, ErrLaunch) {
		t.Fatalf("got %v, want ErrLaunch", err)
	}
	for _, want := range []string{"libfoo", "exit status 7", source.options.Executable} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not name %q", err, want)
		}
	}
	if took := time.Since(began); took > launchPatience/2 {
		t.Errorf("it took %v to notice", took)
	}
}

func TestABrowserThatNeverListens(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "profile-was")
	// It ignores the polite signal, and so does its child.
	source := NewLocal(Options{Isolated: true, Executable: script(t,
		`trap '' TERM; echo stuck >&2; echo "$2" > `+mark+`; sleep 300 & wait; sleep 300`)})
	enough := errors.New("enough waited")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		awaitFile(mark)
		time.Sleep(50 * time.Millisecond) // its stderr comes another way
		cancel(enough)
	}()
	began := time.Now()
	_, err := source.Open(ctx)
	if !errors.Is(err, ErrLaunch) || !errors.Is(err, enough) || !strings.Contains(err.Error(), "stuck") {
		t.Fatalf("got %v, want ErrLaunch with the cause and its stderr", err)
	}
	if took := time.Since(began); took > launchPatience/2 {
		t.Errorf("Open took %v although it was cancelled", took)
	}
	argument, err := os.ReadFile(mark)
	if err != nil {
		t.Fatal(err)
	}
	folder := strings.TrimSpace(strings.TrimPrefix(string(argument), "--user-data-dir="))
	if _, err := os.Stat(filepath.Dir(folder)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its temporary profile %s is still there: %v", folder, err)
	}
	awaitNobodyMentions(t, filepath.Dir(folder))
}

func TestCloseKillsABrowserThatWillNotEnd(t *testing.T) {
	t.Parallel()
	source := NewLocal(Options{UserDataDir: t.TempDir(), Executable: script(t,
		`trap '' TERM; printf '1\n/devtools/browser/x' > "${2#*=}"/DevToolsActivePort; sleep 300 & wait; sleep 300`)})
	lease := open(t, source)
	b := source.leases[lease]
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	if err := lease.Close(ctx); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > gracePeriod/2 {
		t.Errorf("Close took %v, its context ended after 100 ms", took)
	}
	awaitDead(t, b)
}

func TestOptionsThatContradict(t *testing.T) {
	t.Parallel()
	source := NewLocal(Options{Isolated: true, UserDataDir: "/x", Executable: script(t, "exit 1")})
	if _, err := source.Open(t.Context()); !errors.Is(err, ErrBadOption) {
		t.Errorf("got %v, want ErrBadOption", err)
	}
}

func TestLocalIdentity(t *testing.T) {
	t.Parallel()
	visible, headless := NewLocal(Options{}), NewLocal(Options{Headless: true})
	if again := NewLocal(Options{Headless: true}); again.Identity() != headless.Identity() {
		t.Errorf("equal options, yet %s and %s", again.Identity(), headless.Identity())
	}
	if visible.Identity() == headless.Identity() {
		t.Errorf("other options, yet the same %s", visible.Identity())
	}
}
