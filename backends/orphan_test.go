package backends

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// victimEnv turns this test binary into a process that launches a browser,
// says where, and waits to be killed.
const victimEnv = "CDPSUPERVISOR_TEST_VICTIM"

func runVictim() {
	source := NewLocal(Options{Executable: os.Getenv(victimEnv), Headless: true, Isolated: true})
	lease, err := source.Open(context.Background())
	if err != nil {
		fmt.Println("error", err)
		return
	}
	b := source.leases[lease]
	fmt.Println(b.cmd.Process.Pid, b.profile.scratch)
	time.Sleep(time.Hour)
}

// TestBrowserDiesWhenWeAreKilled kills a process of ours with the one signal
// after which it can do nothing more.
func TestBrowserDiesWhenWeAreKilled(t *testing.T) {
	t.Parallel()
	t.Run("Chromium", func(t *testing.T) {
		t.Parallel()
		killVictim(t, chromium(t))
	})
	t.Run("one that ignores SIGTERM", func(t *testing.T) {
		t.Parallel()
		killVictim(t, script(t, `trap '' TERM
mkdir "${2#*=}"; printf '1\n/devtools/browser/x' > "${2#*=}/DevToolsActivePort"; sleep 300 & wait; sleep 300`))
	})
}

func killVictim(t *testing.T, executable string) {
	t.Helper()
	victim := exec.CommandContext(t.Context(), os.Args[0])
	victim.Env = append(os.Environ(), victimEnv+"="+executable)
	stdout, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	said, err := bufio.NewReader(stdout).ReadString('\n')
	pid, scratch, _ := strings.Cut(strings.TrimSpace(said), " ")
	if err != nil || scratch == "" || pid == "error" {
		t.Fatalf("the victim said %q, %v", said, err)
	}
	if members := mentioning(t, scratch); len(members) < 2 {
		t.Fatalf("only %q mention the profile of a running browser", members)
	}
	group := groupOf(t, pid)
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = victim.Wait()
	awaitNone(t, func() []string { return append(mentioning(t, scratch), members(t, group)...) })
	if _, err := os.Stat(scratch); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its temporary profile is still there: %v", err)
	}
}

// livingMembers lists the processes of a browser's group.
func livingMembers(t *testing.T, b *browser) []string {
	t.Helper()
	return members(t, groupOf(t, strconv.Itoa(b.cmd.Process.Pid)))
}

// awaitDead waits until nothing of a browser lives and its scratch is gone.
func awaitDead(t *testing.T, b *browser) {
	t.Helper()
	awaitNobodyMentions(t, b.profile.folder)
	if b.profile.scratch == "" {
		return
	}
	if _, err := os.Stat(b.profile.scratch); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its temporary profile is still there: %v", err)
	}
}

// awaitNobodyMentions waits until no process has text in its command line. The
// crash handlers are found this way, which leave the browser's group and end
// by themselves when it is dead.
func awaitNobodyMentions(t *testing.T, text string) {
	t.Helper()
	awaitNone(t, func() []string { return mentioning(t, text) })
}

func awaitNone(t *testing.T, alive func() []string) {
	t.Helper()
	var left []string
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if left = alive(); len(left) == 0 {
			return
		}
	}
	t.Errorf("still alive: %q", left)
}

// processes calls see with the directory in /proc of each process, its state,
// group and command line. Zombies are dead; they wait for their parent only.
func processes(t *testing.T, see func(pid, group, commandLine string)) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		stat, err := os.ReadFile(filepath.Join(folder, "stat"))
		commandLine, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // state, parent, group
		if err != nil || len(fields) < 3 || fields[0] == "Z" || fields[0] == "X" {
			continue // gone meanwhile, or dead
		}
		see(filepath.Base(folder), fields[2], string(bytes.ReplaceAll(commandLine, []byte{0}, []byte{' '})))
	}
}

func mentioning(t *testing.T, text string) (found []string) {
	t.Helper()
	processes(t, func(pid, _, commandLine string) {
		if strings.Contains(commandLine, text) {
			found = append(found, pid+" "+commandLine[:min(len(commandLine), 80)])
		}
	})
	return found
}

func members(t *testing.T, group string) (found []string) {
	t.Helper()
	processes(t, func(pid, of, commandLine string) {
		if of == group {
			found = append(found, pid+" "+commandLine[:min(len(commandLine), 80)])
		}
	})
	return found
}

func groupOf(t *testing.T, pid string) (group string) {
	t.Helper()
	processes(t, func(candidate, of, _ string) {
		if candidate == pid {
			group = of
		}
	})
	return group
}
