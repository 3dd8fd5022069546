package backends

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"unsafe"
)

// processGroup is a browser and everything it starts, on Windows a job object
// that kills its members when its last handle closes. We hold the only one,
// and the system closes it when we die. A temporary profile stays behind then.
type processGroup struct {
	job  syscall.Handle
	once sync.Once
}

// jobLimits is JOBOBJECT_EXTENDED_LIMIT_INFORMATION; only flags is set.
type jobLimits struct {
	perProcessUserTime, perJobUserTime int64
	flags                              uint32
	minWorkingSet, maxWorkingSet       uintptr
	activeProcesses                    uint32
	affinity                           uintptr
	priorityClass, schedulingClass     uint32
	ioCounters                         [6]uint64
	processMemory, jobMemory           uintptr
	peakProcessMemory, peakJobMemory   uintptr
}

func kernel32(name string, args ...uintptr) (uintptr, error) {
	result, _, err := syscall.NewLazyDLL("kernel32.dll").NewProc(name).Call(args...)
	if result == 0 {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return result, nil
}

func newProcessGroup(string) (*processGroup, error) {
	const extendedLimitInformation, killOnJobClose = 9, 0x2000
	job, err := kernel32("CreateJobObjectW", 0, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLaunch, err)
	}
	limits := jobLimits{flags: killOnJobClose}
	_, err = kernel32("SetInformationJobObject", job, extendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), unsafe.Sizeof(limits))
	if err != nil {
		_ = syscall.CloseHandle(syscall.Handle(job))
		return nil, fmt.Errorf("%w: %w", ErrLaunch, err)
	}
	return &processGroup{job: syscall.Handle(job)}, nil
}

// enlist keeps a Ctrl-C at the console from reaching the browser before us.
func (g *processGroup) enlist(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// started puts the browser into the job. Its children are born into the job;
// it has none yet, a moment after its start.
func (g *processGroup) started(browser *os.Process) error {
	const setQuotaAndTerminate = 0x0100 | 0x0001
	process, err := syscall.OpenProcess(setQuotaAndTerminate, false, uint32(browser.Pid))
	if err != nil {
		return fmt.Errorf("OpenProcess: %w", err)
	}
	defer func() { _ = syscall.CloseHandle(process) }()
	_, err = kernel32("AssignProcessToJobObject", uintptr(g.job), uintptr(process))
	return err
}

// ask closes the browser's windows, which saves the profile. A headless one has
// none and ends with the job.
func (g *processGroup) ask(browser *os.Process) {
	_ = exec.CommandContext(context.Background(), "taskkill", "/PID", strconv.Itoa(browser.Pid)).Run()
}

func (g *processGroup) kill() {
	g.once.Do(func() {
		_, _ = kernel32("TerminateJobObject", uintptr(g.job), 1)
		_ = syscall.CloseHandle(g.job)
	})
}
