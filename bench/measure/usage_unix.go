//go:build unix

package measure

import (
	"runtime"
	"syscall"
	"time"
)

func usage() syscall.Rusage {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // fails for a wrong constant only
	return u
}

// cpu is the user and system time of all threads so far.
func cpu() time.Duration {
	u := usage()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakRSS is in KiB.
func peakRSS() int64 {
	if runtime.GOOS == "darwin" { // counts bytes
		return usage().Maxrss / 1024
	}
	return usage().Maxrss
}
