package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestDemo runs "engine demo" as a person does.
func TestDemo(t *testing.T) {
	t.Parallel()
	needChromium(t)
	engine := buildEngine(t)
	run := func(t *testing.T, signal func(*exec.Cmd)) (out string, code int) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 6*patience)
		defer cancel()
		var stdout, stderr bytes.Buffer
		cmd := exec.CommandContext(ctx, engine, "demo", "--json")
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if signal != nil {
			signal(cmd)
		}
		err := cmd.Wait()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			t.Logf("%s", stderr.String())
			return stdout.String(), exit.ExitCode()
		}
		if err != nil {
			t.Fatal(err)
		}
		return stdout.String(), 0
	}
	t.Run("every step holds", func(t *testing.T) {
		out, code := run(t, nil)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		var last struct {
			OK      bool
			Browser string
			Steps   []struct {
				Name string
				OK   bool
				MS   float64
			}
		}
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
			t.Fatalf("the last line %q: %v", lines[len(lines)-1], err)
		}
		if code != 0 || !last.OK || !strings.HasPrefix(last.Browser, "Chrome/") || len(last.Steps) != 22 {
			t.Errorf("exit code %d\n%s", code, out)
		}
	})
	t.Run("ended by a signal", func(t *testing.T) {
		out, code := run(t, func(cmd *exec.Cmd) {
			time.AfterFunc(2*time.Second, func() { _ = cmd.Process.Signal(syscall.SIGTERM) }) // in the middle of it
		})
		if code != 128+int(syscall.SIGTERM) || !strings.Contains(out, `"ok":false`) {
			t.Errorf("exit code %d\n%s", code, out)
		}
	})
}
