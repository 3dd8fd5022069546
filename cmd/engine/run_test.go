package main

import (
	"bytes"
	"errors"
	"strings"
	"syscall"
	"testing"

	"cdpsupervisor/backends"
)

func TestExitCodes(t *testing.T) {
	t.Setenv(backends.EnvChromium, "/no/such/browser")
	for _, c := range []struct {
		name string
		args []string
		code int
		out  string // in standard output
		err  string // in standard error
	}{
		{"version", []string{"version"}, exitOK, "cdpsupervisor ", ""},
		{"no command", nil, exitUsage, "", "no command is given; give mcp, serve, bench, call, config, demo, doctor, record, replay, trace or version; engine --help"},
		{"no such command", []string{"no-such"}, exitUsage, "", "unexpected argument no-such; give mcp, serve, bench, call, config, demo, doctor, record, replay, trace or version; engine --help"},
		{"nearly a command", []string{"demoo"}, exitUsage, "", `did you mean "demo"?; give`},
		{"no such command of a command", []string{"trace", "no-such"}, exitUsage, "", "unexpected argument no-such; give convert; engine trace --help"},
		{"no command of a command", []string{"config"}, exitUsage, "", "no command is given; give show; engine config --help"},
		{"an argument too many", []string{"demo", "x"}, exitUsage, "", "unexpected argument x; engine demo --help"},
		{"an argument too few", []string{"replay"}, exitUsage, "", `expected "<file>"; engine replay --help`},
		{"no such flag", []string{"demo", "--no-such"}, exitUsage, "", "unknown flag --no-such; engine demo --help"},
		{"a bad value", []string{"--log", "xml", "version"}, exitUsage, "", "--log"},
		{"no browser", []string{"demo"}, exitNoBrowser, "", "apt-get install chromium"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := run(t.Context(), c.args, &out, &errs, func(int) {})
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if !bytes.Contains(out.Bytes(), []byte(c.out)) || !bytes.Contains(errs.Bytes(), []byte(c.err)) {
				t.Errorf("stdout %q, stderr %q", out.String(), errs.String())
			}
		})
	}
}

func TestMisspeltVariablesAreNamed(t *testing.T) {
	clean(t)
	t.Setenv("BROWSER_DIALOG_TIMEOUT", "10")
	t.Setenv("BROWSER", "firefox")
	const remark = "engine: the environment variable BROWSER_DIALOG_TIMEOUT is not read; did you mean BROWSER_DIALOG_TIMEOUT_S?\n"
	for command, want := range map[string]string{"config show": remark, "version": ""} {
		if code, _, stderr := engine(t, strings.Fields(command)...); code != exitOK || stderr != want {
			t.Errorf("%s: %d, %q", command, code, stderr)
		}
	}
}

func TestReport(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
		says string
	}{
		{nil, exitOK, ""},
		{errors.New("broken"), exitFailed, "engine: broken\n"},
		{&exitError{code: exitFailed}, exitFailed, ""},
		{&exitError{exitNoBrowser, backends.ErrNoBrowser}, exitNoBrowser, "engine: no browser found\n"},
		{&signalError{syscall.SIGINT}, 130, "engine: stopped by interrupt\n"},
		{&signalError{syscall.SIGTERM}, 143, "engine: stopped by terminated\n"},
	} {
		var out bytes.Buffer
		if code := report(&out, c.err); code != c.code || out.String() != c.says {
			t.Errorf("%v: exit code %d, %q; want %d, %q", c.err, code, out.String(), c.code, c.says)
		}
	}
}
