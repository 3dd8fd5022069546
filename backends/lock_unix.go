//go:build unix

package backends

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// lockHolder says who has the profile open, or returns "" when nobody has.
// Chromium's lock is a link named SingletonLock to "host-pid"; it stays behind
// when a browser dies.
func lockHolder(ctx context.Context, folder string) (string, error) {
	target, err := os.Readlink(filepath.Join(folder, "SingletonLock"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	dash := strings.LastIndex(target, "-")
	pid, err := strconv.Atoi(target[dash+1:])
	if dash < 0 || err != nil {
		return "", fmt.Errorf("SingletonLock points to %q instead of host-pid; remove it if no browser uses the profile", target)
	}
	host := target[:dash]
	if ours, err := os.Hostname(); err != nil || host != ours {
		return fmt.Sprintf("a browser on another host (host %q, pid %d; if that is gone, remove %s)",
			host, pid, filepath.Join(folder, "SingletonLock")), nil
	}
	if !processLives(pid) || !singletonAnswers(ctx, folder) {
		return "", nil // left behind; Chromium replaces it
	}
	return fmt.Sprintf("another browser (host %q, pid %d)", host, pid), nil
}

// processLives also when it is somebody else's: then we may not signal it.
func processLives(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// singletonAnswers tells the browser from another process that got its pid
// after it died, as happens in containers, where pids are few.
func singletonAnswers(ctx context.Context, folder string) bool {
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "unix", filepath.Join(folder, "SingletonSocket"))
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}
