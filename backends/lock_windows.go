package backends

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// lockHolder says who has the profile open, or returns "" when nobody has. On
// Windows the lock is a file that its browser holds open and shares with
// nobody; the system does not say whose it is.
func lockHolder(_ context.Context, folder string) (string, error) {
	const sharingViolation = syscall.Errno(32)
	file, err := os.OpenFile(filepath.Join(folder, "lockfile"), os.O_RDWR, 0)
	switch {
	case err == nil:
		return "", file.Close()
	case errors.Is(err, sharingViolation):
		return "another browser on this machine", nil
	default:
		return "", nil // not there, or not readable: the browser will say
	}
}
