package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"cdpsupervisor/backends"
	"cdpsupervisor/cmd/engine/internal/doctor"
)

// the way out names flags that the command has.
func TestHintsWithoutABrowser(t *testing.T) {
	t.Chdir(t.TempDir()) // no config.yaml
	t.Setenv(backends.EnvChromium, "/no/such/browser")
	for _, c := range []struct {
		args      []string
		says, not string
	}{
		{[]string{"doctor", "--launch", "--headless"}, "name a browser with --executable-path or " + backends.EnvChromium, "demo --sim"},
		{[]string{"demo"}, "name a browser with --executable or " + backends.EnvChromium, "--executable-path"},
	} {
		if code, _, stderr := engine(t, c.args...); code != exitNoBrowser || !strings.Contains(stderr, c.says) || strings.Contains(stderr, c.not) {
			t.Errorf("%q: %d %s", c.args, code, stderr)
		}
	}
}

func TestDoctorExitCodes(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		code int
	}{
		{"all works", nil, exitOK},
		{"something does not", doctor.ErrUnsupported, exitFailed},
		{"none found to start", fmt.Errorf("launch: %w", backends.ErrNoBrowser), exitNoBrowser},
		{"none runs", fmt.Errorf("%w: looked for one", backends.ErrNotRunning), exitNoBrowser},
		{"anything else", errors.New("broken"), exitFailed},
	} {
		if code := report(io.Discard, doctorExit(c.err)); code != c.code {
			t.Errorf("%s: exit code %d, want %d", c.name, code, c.code)
		}
	}
}

func TestDoctorWithoutABrowser(t *testing.T) {
	t.Chdir(t.TempDir()) // no config.yaml
	for _, name := range []string{"BROWSER_CDP_URL", "BROWSER_BACKEND", "BROWSERBASE_API_KEY", "BROWSERBASE_PROJECT_ID"} {
		t.Setenv(name, "")
	}
	t.Setenv(backends.EnvChromium, "/no/such/browser")
	for _, c := range []struct {
		name string
		args []string
		code int
		says string // on standard error, and in the object
	}{
		{"no endpoint", nil, exitNoBrowser, "engine doctor --launch"},
		{"camofox", []string{"--backend", "camofox"}, exitNoBrowser, "has no CDP endpoint"},
		{"somebody's page", []string{"--target-id", "T", "--cdp-url", "h:1"}, exitUsage, "leave --target-id out"},
		{"no endpoint that is one", []string{"--cdp-url", "ftp://h/hunter2"}, exitUsage, "CDP endpoint"},
		{"nothing to launch", []string{"--launch", "--headless"}, exitNoBrowser, "no browser found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			if code := run(t.Context(), append([]string{"doctor", "--json"}, c.args...), &out, &errs, func(int) {}); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			var object struct {
				OK    *bool
				Rows  []any
				Error string
			}
			if err := json.Unmarshal(out.Bytes(), &object); err != nil || object.OK == nil || *object.OK || object.Rows == nil {
				t.Errorf("%v: %s", err, out.String())
			}
			if !strings.Contains(errs.String(), c.says) || !strings.Contains(object.Error, c.says) || strings.Contains(out.String()+errs.String(), "hunter2") {
				t.Errorf("stdout %s, stderr %s", out.String(), errs.String())
			}
		})
	}
}
