package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mcpCommandLine is about the commands for people and scripts.
func mcpCommandLine(t *testing.T, e *engineBinary, b *browser) {
	type output struct {
		stdout, stderr string
		code           int
	}
	in := func(t *testing.T, folder, stdin string, env []string, arguments ...string) output {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		cmd := e.command(ctx, t, arguments...)
		if folder != "" {
			cmd.Dir = folder
		}
		cmd.Env = append(cmd.Env, env...)
		cmd.Stdin = strings.NewReader(stdin)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		if _, exited := err.(*exec.ExitError); err != nil && !exited { //nolint:errorlint // from exec
			t.Fatal(err)
		}
		return output{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
	}
	object := func(t *testing.T, o output) result {
		t.Helper()
		var r result
		if err := json.Unmarshal([]byte(o.stdout), &r); err != nil || strings.Count(o.stdout, "\n") != 1 {
			t.Fatalf("not one line of JSON: %v: %q\n%s", err, o.stdout, o.stderr)
		}
		return r
	}

	t.Run("call", func(t *testing.T) {
		url := b.page("call.test", "<title>called</title><button>Go</button>")
		second := dialRaw(t, b.endpoint)
		target, _ := second.page(url)
		o := in(t, "", "", nil, "call", "browser_snapshot", "--cdp-url", b.address, "--target-id", target)
		if r := object(t, o); o.code != 0 || r["title"] != "called" || !strings.Contains(r["snapshot"].(string), `button "Go"`) {
			t.Errorf("%d %s", o.code, o.stdout)
		}
		o = in(t, "", `{"method":"Runtime.evaluate","params":{"expression":"6*7"}}`, nil, "call", "browser_cdp", "-", "--cdp-url", b.address, "--target-id", target)
		if r := object(t, o); o.code != 0 || r.in("result", "result", "value") != 42.0 {
			t.Errorf("%d %s", o.code, o.stdout)
		}
		o = in(t, "", "", []string{"BROWSER_CDP_URL=" + b.address}, "call", "browser_dialog", `{"action":"accept"}`, "--target-id", target)
		if r := object(t, o); o.code != 1 || r.code() != "no_dialog" {
			t.Errorf("%d %s", o.code, o.stdout)
		}
		for _, arguments := range [][]string{{"call", "browser_teleport"}, {"call", "browser_navigate", "{"}} {
			if o := in(t, "", "", nil, arguments...); o.code != 1 || object(t, o).code() != "invalid_argument" {
				t.Errorf("%v: %d %s", arguments, o.code, o.stdout)
			}
		}
		if o := in(t, "", "", nil, "call", "browser_snapshot"); o.code != 1 || object(t, o).code() != "no_cdp" {
			t.Errorf("without an endpoint: %d %s", o.code, o.stdout)
		}
		o = in(t, "", "", nil, "call", "browser_snapshot", "--cdp-url", "ws://127.0.0.1:1/?token=hunter2")
		if r := object(t, o); o.code != 1 || r.code() != "no_cdp" || !strings.Contains(o.stdout, "nothing listens there") || strings.Contains(o.stdout+o.stderr, "hunter2") {
			t.Errorf("a dead endpoint: %d %s\n%s", o.code, o.stdout, o.stderr)
		}
	})

	t.Run("config", func(t *testing.T) {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "config.yaml"), []byte("browser:\n  cdp_url: ws://h:1/?token=hunter2\n  bridge: on\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		o := in(t, folder, "", []string{"BROWSER_DIALOG_POLICY=auto_accept"}, "config", "show", "--origin", "--dialog-timeout", "5m")
		for _, part := range []string{`cdp_url: "ws://h:1"`, "# file config.yaml:2:12", "# env BROWSER_DIALOG_POLICY", "dialog_timeout_s: 300            # flag --dialog-timeout", "bridge: on "} {
			if o.code != 0 || !strings.Contains(o.stdout, part) {
				t.Errorf("lacks %q: %d\n%s%s", part, o.code, o.stdout, o.stderr)
			}
		}
		if strings.Contains(o.stdout, "hunter2") {
			t.Errorf("a secret is shown:\n%s", o.stdout)
		}
		bad := filepath.Join(folder, "bad.yaml")
		if err := os.WriteFile(bad, []byte("browser:\n  dialog_policy: auto-dismiss\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, arguments := range [][]string{{"config", "show"}, {"mcp"}, {"serve"}, {"call", "browser_snapshot"}} {
			o := in(t, folder, "", nil, append(arguments, "--config", bad)...)
			if o.code != 2 || !strings.Contains(o.stderr, bad+":2:18: browser.dialog_policy: found \"auto-dismiss\"; allowed: must_respond") ||
				!strings.Contains(o.stderr, "  2 |   dialog_policy: auto-dismiss\n    |                  ^") || o.stdout != "" {
				t.Errorf("%v: %d\n%s%s", arguments, o.code, o.stdout, o.stderr)
			}
		}
	})

	t.Run("wrong command lines", func(t *testing.T) {
		for _, arguments := range [][]string{
			{"mcp", "--launch", "--cdp-url", "ws://h:1"}, {"mcp", "--launch", "--auto-connect"}, {"mcp", "--headless"}, {"mcp", "--launch", "--headless", "--headed"},
			{"mcp", "--stateless"}, {"mcp", "--tools", "never"}, {"mcp", "--dialog-timeout", "soon"}, {"mcp", "--cdp-url", "ftp://h"}, {"mcp", "--backend", "selenium"},
			{"mcp", "--launch", "--backend", "browserbase"}, {"serve", "--http", "nonsense"}, {"call"}, {"nonsense"}, {"mcp", "--config", "/nowhere/config.yaml"},
		} {
			if o := in(t, "", "", nil, arguments...); o.code != 2 || o.stderr == "" {
				t.Errorf("%v: exit code %d\n%s%s", arguments, o.code, o.stdout, o.stderr)
			}
		}
	})

	t.Run("messages through a pipe", func(t *testing.T) {
		// The whole conversation is there at once, then standard input ends.
		o := in(t, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"browser_cdp","arguments":{"method":"Browser.getVersion"}}}
`, nil, "mcp", "--cdp-url", b.address, "--own-tab")
		lines := strings.Split(strings.TrimSpace(o.stdout), "\n")
		if o.code != 0 || len(lines) != 2 || !strings.Contains(lines[1], `"id":2`) || !strings.Contains(lines[1], "protocolVersion") {
			t.Errorf("%d %q\n%s", o.code, o.stdout, o.stderr)
		}
	})
}
