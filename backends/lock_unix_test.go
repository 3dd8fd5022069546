//go:build unix

package backends

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lockedBy is a profile folder whose lock names host and pid.
func lockedBy(t *testing.T, host string, pid int) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.Symlink(fmt.Sprintf("%s-%d", host, pid), filepath.Join(folder, "SingletonLock")); err != nil {
		t.Fatal(err)
	}
	return folder
}

// answering makes the folder's SingletonSocket answer, as a live browser does.
func answering(t *testing.T, folder string) string {
	t.Helper()
	listener, err := net.Listen("unix", filepath.Join(folder, "SingletonSocket"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return folder
}

func TestLockHolder(t *testing.T) {
	t.Parallel()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	const noProcess = 1 << 30
	cases := []struct {
		name   string
		folder string
		wants  []string // nil: free
	}{
		{"no lock", t.TempDir(), nil},
		{"held", answering(t, lockedBy(t, host, os.Getpid())), []string{host, fmt.Sprint(os.Getpid())}},
		{"left by a dead browser", answering(t, lockedBy(t, host, noProcess)), nil},
		{"its pid is another process now", lockedBy(t, host, os.Getpid()), nil},
		{"another host", lockedBy(t, "far-away", 17), []string{"far-away", "17", "remove"}},
	}
	for _, c := range cases {
		holder, err := lockHolder(t.Context(), c.folder)
		if err != nil || (holder == "") != (c.wants == nil) {
			t.Errorf("%s: %q, %v", c.name, holder, err)
		}
		for _, want := range c.wants {
			if !strings.Contains(holder, want) {
				t.Errorf("%s: %q does not name %q", c.name, holder, want)
			}
		}
	}
}
