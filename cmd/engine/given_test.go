package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// refused runs a command line that must be refused as one, at once, with one
// sentence that holds all parts.
func refused(t *testing.T, args []string, parts ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	var out, errs bytes.Buffer
	code := run(ctx, args, &out, &errs, func(int) {})
	if ctx.Err() != nil {
		t.Fatalf("%q: it was taken, and ran", args)
	}
	if code != exitUsage {
		t.Errorf("%q: exit code %d, want %d", args, code, exitUsage)
	}
	text := strings.TrimSpace(errs.String())
	if !strings.HasPrefix(text, "engine: ") || strings.Contains(text, "\n") {
		t.Errorf("%q: stderr is no single line: %q", args, text)
	}
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q: %q lacks %q", args, text, part)
		}
	}
}

// clean takes what the environment may say of browsers.
func clean(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, name := range []string{"BROWSER_CDP_URL", "BROWSER_BACKEND", "CDPSUPERVISOR_TOKEN"} {
		t.Setenv(name, "")
	}
}

func TestEmptyValuesAreRefused(t *testing.T) {
	clean(t)
	for _, empty := range []string{"", " ", "\t"} {
		for _, args := range [][]string{
			{"mcp", "--http"}, {"serve", "--http"}, {"serve", "--token-file"}, {"serve", "--allow-host"},
			{"config", "show", "--config"}, {"config", "show", "--target-id"}, {"config", "show", "--backend"}, {"config", "show", "--bridge"},
			{"config", "show", "--dialog-policy"}, {"config", "show", "--dialog-timeout"},
			{"config", "show", "--launch", "--user-data-dir"}, {"config", "show", "--launch", "--executable-path"},
			{"record", "--cdp-url", "h:1", "--out"}, {"record", "--cdp-url", "h:1", "--out", "x", "--listen"},
			{"record", "--cdp-url", "h:1", "--out", "x", "--max-size"}, {"record", "--cdp-url", "h:1", "--out", "x", "--max-time"},
			{"replay", "x", "--html"}, {"replay", "x", "--target"}, {"replay", "x", "--policy"}, {"replay", "x", "--dialog-timeout"}, {"replay", "x", "--format"},
			{"demo", "--sim", "--executable"},
		} {
			flag := args[len(args)-1]
			refused(t, append(args, empty), flag+" is empty", "leave "+flag+" out")
		}
		for name, args := range map[string][]string{
			"<file>": {"replay", empty}, "<from>": {"trace", "convert", empty, "x"}, "<to>": {"trace", "convert", "x", empty},
			"<trace>": {"bench", empty}, "<tool>": {"call", empty},
		} {
			refused(t, args, name+" is empty")
		}
	}
	refused(t, []string{"mcp", "--http="}, "--http is empty")
}

// An empty --cdp-url takes the endpoint of the file away, and no arguments are
// what a script may have for a tool.
func TestEmptyValuesWithAMeaning(t *testing.T) {
	clean(t)
	if err := os.WriteFile("config.yaml", []byte("browser: {cdp_url: \"h:1\"}"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"config", "show", "--cdp-url", ""}, &out, &errs, func(int) {}); code != exitOK || !strings.Contains(out.String(), `cdp_url: ""`) {
		t.Errorf("exit code %d: %s%s", code, out.String(), errs.String())
	}
	out.Reset()
	if run(t.Context(), []string{"call", "browser_snapshot", "", "--cdp-url", ""}, &out, &errs, func(int) {}); !strings.Contains(out.String(), "no_cdp") {
		t.Errorf("%s%s", out.String(), errs.String())
	}
}

func TestFlagsAreGivenOnce(t *testing.T) {
	clean(t)
	refused(t, []string{"config", "show", "--cdp-url", "a:1", "--cdp-url=b:1"}, "--cdp-url is given twice", "leave one out")
	refused(t, []string{"--log", "json", "config", "show", "--log", "text"}, "--log is given twice")
	refused(t, []string{"config", "show", "--own-tab", "--own-tab=false"}, "--own-tab is given twice")
	refused(t, []string{"replay", "x", "--target", "A", "--target-id", "B"}, "--target is given twice")
}

func TestContradictionsAreRefused(t *testing.T) {
	clean(t)
	for _, tc := range []struct {
		args []string
		says []string
	}{
		{[]string{"--target-id", "T", "--own-tab"}, []string{"--target-id and --own-tab exclude each other", "leave one out"}},
		{[]string{"--target-id", " T"}, []string{"--target-id", "white space"}},
		{[]string{"--launch", "--auto-connect"}, []string{"--launch and --auto-connect exclude each other"}},
		{[]string{"--launch", "--isolated", "--user-data-dir", "x"}, []string{"--isolated and --user-data-dir exclude each other", "leave one out"}},
		{[]string{"--isolated"}, []string{"--isolated goes with --launch only"}},
		{[]string{"--auto-connect", "--headless"}, []string{"--headless goes with --launch only"}},
	} {
		for _, command := range [][]string{{"config", "show"}, {"mcp"}, {"serve"}, {"call", "browser_snapshot"}, {"record", "--out", "x"}} {
			refused(t, append(command, tc.args...), tc.says...)
		}
	}
	refused(t, []string{"doctor", "--launch", "--isolated", "--user-data-dir", "x"}, "exclude each other")
	refused(t, []string{"serve", "--stateless", "--confirm-accept"}, "--confirm-accept and --stateless exclude each other", "leave one out")
	refused(t, []string{"demo", "--sim", "--executable", "x"}, "--sim and --executable exclude each other", "leave one out")
	refused(t, []string{"record", "--out", "x", "--once", "--cdp-url", "h:1"}, "--once goes with --listen only")
}

func TestAddressesToListenOn(t *testing.T) {
	clean(t)
	for _, address := range []string{"8932", "localhost", "127.0.0.1:99999", "127.0.0.1:-1", "127.0.0.1:abc", "127.0.0.1:", " 127.0.0.1:1", "127.0.0.1: 1", "http://127.0.0.1:1", "::1:80"} {
		refused(t, []string{"mcp", "--http=" + address}, fmt.Sprintf("%q", address), "127.0.0.1:8932")
		refused(t, []string{"record", "--cdp-url", "h:1", "--out", "x", "--listen=" + address}, "--listen", fmt.Sprintf("%q", address), "127.0.0.1:9333")
	}
	if err := checkAddress(":9333"); err != nil {
		t.Errorf("record takes a port alone: %v", err)
	}
}

func TestAPortInUse(t *testing.T) {
	clean(t)
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"serve", "--http", taken.Addr().String()}, &out, &errs, func(int) {})
	if code != exitFailed || !strings.Contains(errs.String(), "another engine may run there, choose another address with --http") {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}

func TestHostNamesOfTheServer(t *testing.T) {
	clean(t)
	for _, name := range []string{"http://x", "x:8932", "x/mcp", "*", "a b", " x", "*.example.com"} {
		refused(t, []string{"serve", "--allow-host", name}, "--allow-host", fmt.Sprintf("%q", name), "such as browser.example.com")
	}
}

func TestTokens(t *testing.T) {
	clean(t)
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, says := range map[string]string{
		folder:                        "is a directory",
		filepath.Join(folder, "none"): "no such file",
		file("large", strings.Repeat("x", 100_000)):         "larger than",
		file("words", "0123456789abcdef 0123456789abcdef"):  "white space",
		file("lines", "0123456789abcdef\n0123456789abcdef"): "white space",
		file("empty", "\n"): "is empty",
		file("binary", "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11"): "control character",
	} {
		refused(t, []string{"serve", "--token-file", path}, path, says, "openssl rand -hex 32 > ")
	}
	const token = "0123456789abcdef"
	flags := mcpFlags{TokenFile: file("good", " "+token+"\r\n")}
	if got, err := flags.token(); err != nil || got != token {
		t.Errorf("got %q, %v", got, err)
	}
	// No client could send what stands around it.
	t.Setenv("CDPSUPERVISOR_TOKEN", token+"\n")
	if got, err := (&mcpFlags{}).token(); err != nil || got != token {
		t.Errorf("got %q, %v", got, err)
	}
	t.Setenv("CDPSUPERVISOR_TOKEN", token+" "+token)
	refused(t, []string{"serve"}, "CDPSUPERVISOR_TOKEN", "white space")
}

func TestFilesThatRecordWouldWrite(t *testing.T) {
	clean(t)
	if err := os.WriteFile("file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, []string{"record", "--cdp-url", "h:1", "--out", "-"}, "--out", "./-")
	refused(t, []string{"record", "--cdp-url", "h:1", "--out", "none/x.jsonl"}, "--out", `"none"`, "make that folder")
	refused(t, []string{"record", "--cdp-url", "h:1", "--out", "file/x.jsonl"}, "--out", `"file"`, "is no folder")
}

func TestReplayKeepsItsTrace(t *testing.T) {
	clean(t)
	const trace = `{"t":0,"dir":"send","msg":{"id":1,"method":"Browser.getVersion"}}` + "\n"
	if err := os.WriteFile("x.jsonl", []byte(trace), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("x.jsonl", "link"); err != nil {
		t.Fatal(err)
	}
	for _, report := range []string{"x.jsonl", "./x.jsonl", "link"} {
		refused(t, []string{"replay", "x.jsonl", "--html", report}, "--html", "is the trace itself", "another file")
	}
	if text, err := os.ReadFile("x.jsonl"); err != nil || string(text) != trace {
		t.Errorf("the trace is %q, %v", text, err)
	}
	for _, timeout := range []string{"0", "-5s", "0s"} {
		refused(t, []string{"replay", "x.jsonl", "--dialog-timeout=" + timeout}, "--dialog-timeout", "more than 0")
	}
}

func TestNumbersThatMakeNoSense(t *testing.T) {
	clean(t)
	for _, speed := range []string{"1e-300", "0.0009", "-1", "NaN", "+Inf"} {
		refused(t, []string{"replay", "x.jsonl", "--speed=" + speed}, "--speed", "0.001")
	}
	for _, flag := range []string{"--events=0", "--events=2000000001", "--rounds=0", "--rounds=-1", "--rounds=1001"} {
		refused(t, []string{"bench", "x.jsonl", flag}, "--rounds is 1 to 1000", "--events 1 to 10000000")
	}
}

func TestTildeInPaths(t *testing.T) {
	clean(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	if err := os.WriteFile(filepath.Join(home, "c.yaml"), []byte("browser: {scope: browser}"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"config", "show", "--config=~/c.yaml"}, &out, &errs, func(int) {}); code != exitOK || !strings.Contains(out.String(), "scope: browser") {
		t.Errorf("exit code %d: %s%s", code, out.String(), errs.String())
	}
	refused(t, []string{"serve", "--token-file=~/none"}, filepath.Join(home, "none"))
}
