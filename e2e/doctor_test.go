package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"cdpsupervisor/simulations/dismissproxy"
)

// doctorReport is what "engine doctor --json" promises.
type doctorReport struct {
	OK       bool   `json:"ok"`
	Endpoint string `json:"endpoint"`
	Browser  string `json:"browser"`
	Rows     []struct {
		Name   string  `json:"name"`
		OK     *bool   `json:"ok"` // null: not tried
		Detail string  `json:"detail"`
		MS     float64 `json:"ms"`
	} `json:"rows"`
	Error string `json:"error"`
}

// doctor runs the command; watch, if given, reads its output.
func (e *engineBinary) doctor(t *testing.T, watch func(*exec.Cmd, io.Reader), arguments ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*patience)
	defer cancel()
	cmd := e.command(ctx, t, append([]string{"doctor"}, arguments...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if watch != nil {
		cmd.Stdout = nil
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		watch(cmd, io.TeeReader(pipe, &out))
	} else if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func (e *engineBinary) doctorJSON(t *testing.T, arguments ...string) (doctorReport, int) {
	t.Helper()
	stdout, stderr, code := e.doctor(t, nil, append(arguments, "--json")...)
	var report doctorReport
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || strings.Count(stdout, "\n") != 1 {
		t.Fatalf("not one object: %v: %q\n%s", err, stdout, stderr)
	}
	return report, code
}

// TestDoctor runs "engine doctor" as a person does, beside somebody who has a
// dialog open.
func TestDoctor(t *testing.T) {
	t.Parallel()
	b := launch(t)
	e := &engineBinary{path: buildEngine(t)}
	r := dialRaw(t, b.endpoint)
	_, session := r.page(b.blank("a.test"))
	r.send(session, "Runtime.evaluate", params{"expression": `later(() => confirm("somebody's"))`})
	r.event(session, "Page.javascriptDialogOpening")
	pages := func() []string {
		var reply struct {
			TargetInfos []struct{ TargetID, Type, URL string }
		}
		if err := json.Unmarshal(r.call("", "Target.getTargets", params{}), &reply); err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, target := range reply.TargetInfos {
			if target.Type == "page" {
				all = append(all, target.TargetID+" "+target.URL)
			}
		}
		slices.Sort(all)
		return all
	}
	before := pages()
	unchanged := func(t *testing.T) {
		t.Helper()
		b.mustLive(t)
		// A tab that was closed is listed until its renderer has let it go.
		after := pages()
		for late := time.Now().Add(patience); !slices.Equal(after, before); after = pages() {
			if time.Now().After(late) {
				t.Fatalf("the pages are %q, and were %q", after, before)
			}
		}
	}

	t.Run("everything is supported", func(t *testing.T) {
		report, code := e.doctorJSON(t, "--cdp-url", "http://"+b.address)
		if code != 0 || !report.OK || report.Error != "" || report.Endpoint != "http://"+b.address || !strings.HasPrefix(report.Browser, "Chrome/") {
			t.Errorf("exit code %d: %+v", code, report)
		}
		for _, row := range report.Rows {
			if row.OK == nil || !*row.OK || row.Detail == "" {
				t.Errorf("%s: %s", row.Name, row.Detail)
			}
		}
		if len(report.Rows) != 14 {
			t.Errorf("%d rows", len(report.Rows))
		}
		unchanged(t)
	})
	t.Run("behind a backend that closes dialogs", func(t *testing.T) {
		behind, _ := b.behind(t, dismissproxy.Options{Delay: soon})
		report, code := e.doctorJSON(t, "--cdp-url", behind.endpoint.Reveal())
		if code != 0 || !report.OK {
			t.Errorf("the bridge makes up for it, and yet: exit code %d: %+v", code, report)
		}
		for _, row := range report.Rows {
			want := row.Name != "dialog response"
			if row.OK == nil || *row.OK != want || !want && !strings.Contains(row.Detail, "closed by remote (auto_dismissed) after ") {
				t.Errorf("%s: %s", row.Name, row.Detail)
			}
		}
		unchanged(t)
	})
	t.Run("stopped while its dialog is open", func(t *testing.T) {
		stdout, stderr, code := e.doctor(t, func(cmd *exec.Cmd, out io.Reader) {
			seen, buffer := "", make([]byte, 1<<10)
			for {
				n, err := out.Read(buffer)
				seen += string(buffer[:n])
				if strings.Contains(seen, "dialog detection") {
					if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
						t.Error(err)
					}
					_, _ = io.Copy(io.Discard, out)
					return
				}
				if err != nil {
					return
				}
			}
		}, "--cdp-url", b.endpoint.Reveal())
		if code != 143 || !strings.Contains(stdout, "✓ dialog detection") || strings.Contains(stdout, "messages from") {
			t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
		}
		unchanged(t)
	})
	t.Run("nobody there", func(t *testing.T) {
		stdout, stderr, code := e.doctor(t, nil, "--cdp-url", "ws://u:hunter2@127.0.0.1:1/hunter2?token=hunter2")
		if code != 1 || !strings.Contains(stdout, "nothing listens there") || strings.Contains(stdout+stderr, "hunter2") {
			t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
		}
	})

	// Somebody's dialog is still his.
	r.call(session, "Page.handleJavaScriptDialog", params{"accept": true})
	if got := r.eval(session, `seen[0]`); got != true {
		t.Errorf("somebody's page saw %v", got)
	}
}
