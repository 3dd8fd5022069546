//go:build unix

package measure

import (
	"os"
	"runtime"
	"strconv"
	"strings"
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

// peakRSS is in KiB. Linux gives a child the largest set of its parent to begin
// with, but for the count in /proc.
func peakRSS() int64 {
	if data, err := os.ReadFile("/proc/self/status"); err == nil {
		if _, rest, ok := strings.Cut(string(data), "VmHWM:"); ok {
			if n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64); err == nil {
				return n
			}
		}
	}
	if runtime.GOOS == "darwin" { // counts bytes
		return usage().Maxrss / 1024
	}
	return usage().Maxrss
}
