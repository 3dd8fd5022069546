// Package measure counts what a stretch of a process cost: CPU of all its
// threads, wall time, allocations, and the largest resident set.
package measure

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"
)

// Result is what a stretch cost.
type Result struct {
	CPU    float64        `json:"cpu_s"`  // user and system, all threads
	Wall   float64        `json:"wall_s"` // seconds
	Allocs uint64         `json:"allocs"` // heap objects
	Bytes  uint64         `json:"alloc_bytes"`
	RSS    int64          `json:"rss_kb"` // largest resident set of the process so far
	Notes  map[string]any `json:"notes,omitempty"`
}

// Meter measures one stretch. It is not for use by several goroutines.
type Meter struct {
	// Profile, when set, is a file that takes a CPU profile of the stretch.
	Profile string
	// Allocations, when set, is a file that takes a profile of what the process
	// allocated up to the end of the stretch.
	Allocations string

	profile *os.File
	cpu     time.Duration
	wall    time.Time
	mem     runtime.MemStats
	result  Result
}

// Start begins the stretch.
func (m *Meter) Start() {
	runtime.GC()
	runtime.ReadMemStats(&m.mem)
	if f, err := os.Create(m.Profile); err == nil {
		m.profile = f
		_ = pprof.StartCPUProfile(f) // fails when one is running
	}
	m.wall, m.cpu = time.Now(), cpu()
}

// Stop ends the stretch.
func (m *Meter) Stop() {
	m.result.CPU = (cpu() - m.cpu).Seconds()
	m.result.Wall = time.Since(m.wall).Seconds()
	if m.profile != nil {
		pprof.StopCPUProfile()
		_ = m.profile.Close()
	}
	if m.Allocations != "" {
		m.writeAllocations()
	}
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	m.result.Allocs, m.result.Bytes = after.Mallocs-m.mem.Mallocs, after.TotalAlloc-m.mem.TotalAlloc
	m.result.RSS = peakRSS()
}

func (m *Meter) writeAllocations() {
	f, err := os.Create(m.Allocations)
	if err != nil {
		return // there is no profile then
	}
	_ = pprof.Lookup("allocs").WriteTo(f, 0)
	_ = f.Close()
}

// Note adds a remark to the result.
func (m *Meter) Note(name string, value any) {
	if m.result.Notes == nil {
		m.result.Notes = make(map[string]any)
	}
	m.result.Notes[name] = value
}

// Result is what the stretch cost.
func (m *Meter) Result() Result { return m.result }

// RSS is the resident set now, in KiB, after what is garbage was given back to
// the system; pools let go of what they hold in the second collection. It is 0
// where the system does not tell.
func RSS() int64 {
	runtime.GC()
	runtime.GC()
	debug.FreeOSMemory()
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize()) / 1024
}
