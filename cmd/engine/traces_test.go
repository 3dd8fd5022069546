package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"cdpsupervisor/backends"
	"cdpsupervisor/bench/compare"
	"cdpsupervisor/bench/measure"
	"cdpsupervisor/simulations/importers"
)

// engine runs a command line and returns what it printed.
func engine(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, &out, &errs, func(int) {})
	return code, out.String(), errs.String()
}

// devtoolsLog is a log of another tool, with a line that is none.
const devtoolsLog = `[
{"method":"Page.frameNavigated","params":{"frame":{"id":"F","loaderId":"L","url":"http://a.test/","domainAndRegistry":"a.test","securityOrigin":"http://a.test","mimeType":"text/html"}},"sessionId":"S"},
nonsense,
{"method":"Network.requestWillBeSent","params":{"timestamp":7,"wallTime":1650000000},"sessionId":"S"},
{"method":"Page.javascriptDialogOpening","params":{"url":"http://a.test/","frameId":"F","message":"sure?","type":"confirm","hasBrowserHandler":true,"defaultPrompt":""},"sessionId":"S"},
{"method":"Network.x","params":{"timestamp":9.5},"sessionId":"S"}
]`

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReplayCommand(t *testing.T) {
	path := write(t, "log.json", devtoolsLog)
	code, stdout, stderr := engine(t, "replay", path, "--json")
	var result struct {
		Snapshot struct {
			Pending []struct {
				ID       string
				OpenedAt float64 `json:"opened_at"`
			} `json:"pending_dialogs"`
		}
		ConsoleErrors []any `json:"console_errors"`
		Stats         map[string]any
	}
	if err := json.Unmarshal([]byte(stdout), &result); err != nil || code != 0 {
		t.Fatalf("%d %v: %s %s", code, err, stdout, stderr)
	}
	if p := result.Snapshot.Pending; len(p) != 1 || p[0].ID != "d-1" || p[0].OpenedAt != 1650000000 || result.ConsoleErrors == nil {
		t.Errorf("%s", stdout)
	}
	if result.Stats["malformed"] != 1.0 || result.Stats["messages"] != 4.0 || !strings.Contains(stderr, "line 3: not a JSON object") {
		t.Errorf("%v, %s", result.Stats, stderr)
	}

	code, stdout, _ = engine(t, "replay", path, "--json", "--every", "--answer", "d-1=accept", "--answer", "d-2=dismiss", "--scope", "browser")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if code != 0 || len(lines) < 5 || !strings.Contains(lines[len(lines)-1], `"closed_by":"agent"`) || !strings.HasPrefix(lines[0], `{"pending_dialogs":[]`) {
		t.Errorf("%d: %s", code, stdout)
	}
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}

	report := filepath.Join(t.TempDir(), "report.html")
	code, stdout, _ = engine(t, "replay", path, "--policy", "auto_dismiss", "--html", report, "--full-tree")
	if code != 0 || !strings.Contains(stdout, "dismissed after 0.000 s by auto_policy") || !strings.Contains(stdout, "recorded from 2022-04-15") {
		t.Errorf("%d: %s", code, stdout)
	}
	if page, err := os.ReadFile(report); err != nil || !bytes.Contains(page, []byte(`"by":"auto_policy"`)) {
		t.Errorf("report: %v", err)
	}
}

func TestReplayCommandErrors(t *testing.T) {
	path := write(t, "log.json", devtoolsLog)
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"replay", "/does/not/exist"}, exitFailed, "no such file or directory; name a file that is there"},
		{[]string{"bench", "/does/not/exist"}, exitFailed, "no such file or directory; name a file that is there"},
		{[]string{"trace", "convert", "/does/not/exist", "x"}, exitFailed, "no such file or directory; name a file that is there"},
		{[]string{"replay", t.TempDir()}, exitFailed, "is a directory; name a trace"},
		{[]string{"replay", write(t, "x.txt", "prose")}, exitFailed, "looked in its first"},
		{[]string{"replay", path, "--format", "wireshark"}, exitUsage, "there are auto, trace"},
		{[]string{"replay", path, "--policy", "never"}, exitUsage, "must_respond"},
		{[]string{"replay", path, "--dialog-timeout", "soon"}, exitUsage, "--dialog-timeout"},
		{[]string{"replay", path, "--answer", "d-1"}, exitUsage, "d-1=accept:text"},
		{[]string{"replay", path, "--target", "T9"}, exitUsage, "no page"},
		{[]string{"replay", path, "--speed", "-1"}, exitUsage, "speed"},
		{[]string{"replay", path, "--html", "/does/not/exist/report.html"}, exitFailed, "write the report"},
		{[]string{"trace", "convert", path, path}, exitFailed, "file exists; name another file, or remove it"},
		{[]string{"trace", "convert", path, "/does/not/exist"}, exitFailed, "name a file in a folder that is there"},
		{[]string{"record", "--out", path, "--launch"}, exitFailed, "is there already"},
		{[]string{"record", "--out", path + "2", "--max-size", "much", "--launch"}, exitUsage, "--max-size"},
		{[]string{"record", "--out", path + "2", "--max-time", "0", "--launch"}, exitUsage, "--max-time"},
		{[]string{"record", "--out", path + "2", "--once", "--cdp-url", "127.0.0.1:1"}, exitUsage, "--listen"},
		{[]string{"record", "--out", path + "2", "--listen", ":0", "--cdp-url", "127.0.0.1:1"}, exitFailed, "127.0.0.1:1"},
	} {
		code, _, stderr := engine(t, c.args...)
		if code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("%q: %d %s", c.args, code, stderr)
		}
	}
}

// TestConvertCommand: a converted log is replayed as the log itself.
func TestConvertCommand(t *testing.T) {
	for name, text := range map[string]string{
		"dated": devtoolsLog, "undated": strings.ReplaceAll(devtoolsLog, `,"wallTime":1650000000`, ""),
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "log.json", strings.Replace(text, "nonsense,\n", "", 1))
			to := filepath.Join(t.TempDir(), "trace.jsonl.gz")
			if code, _, stderr := engine(t, "trace", "convert", path, to); code != 0 || !strings.Contains(stderr, "4 messages, from devtoolslog") {
				t.Fatalf("%d %s", code, stderr)
			}
			_, direct, _ := engine(t, "replay", path, "--json")
			_, converted, _ := engine(t, "replay", to, "--json")
			if direct != converted || direct == "" {
				t.Errorf("the log: %s\nthe trace: %s", direct, converted)
			}
			if _, stdout, _ := engine(t, "trace", "convert", path, "-"); strings.Count(stdout, "\n") != 5 || !strings.HasPrefix(stdout, `{"trace":1,`) {
				t.Errorf("to standard output: %s", stdout)
			}
		})
	}
	noise := write(t, "log.txt", strings.Repeat("prose\n", 100)+`-> {"id":1,"method":"A.b"}`)
	_, stdout, stderr := engine(t, "trace", "convert", noise, "-")
	if strings.Count(stderr, "\n") != shownWarnings+2 || !strings.Contains(stderr, "and 80 more lines") || strings.Count(stdout, "\n") != 2 {
		t.Errorf("%s%s", stdout, stderr)
	}
}

// TestRecordOfNothing: what could not be recorded leaves no file, so that the same
// command can be tried again.
func TestRecordOfNothing(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a.jsonl", "a.jsonl.zst"} {
		out := filepath.Join(folder, name)
		for range 2 {
			code, _, stderr := engine(t, "record", "--out", out, "--cdp-url", "127.0.0.1:1")
			if code != exitFailed || !strings.Contains(stderr, "nothing listens there") {
				t.Errorf("%s: %d %s", name, code, stderr)
			}
		}
		if _, err := os.Stat(out); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", name, err)
		}
	}
}

// TestBenchRepeatsTheTrace: as often as it takes, and no more.
func TestBenchRepeatsTheTrace(t *testing.T) {
	path := write(t, "log.json", strings.Replace(devtoolsLog, "nonsense,\n", "", 1))
	each := 0
	for _, events := range []int{1, 7, 8, 1000, 100_000} {
		stream, err := (&benchCommand{Trace: path, Events: events}).stream(maxBenchBytes)
		if err != nil {
			t.Fatal(err)
		}
		if each == 0 {
			each = len(stream.Messages) // once
		}
		if n := len(stream.Messages); n < events || n >= events+each {
			t.Errorf("%d events for --events %d", n, events)
		}
	}
	page := `{"t":0,"dir":"recv","msg":{"method":"Target.attachedToTarget","params":{"sessionId":"S","targetInfo":{"targetId":"T","type":"page","title":"","url":"about:blank","attached":true,"canAccessOpener":false},"waitingForDebugger":false}}}`
	if _, err := (&benchCommand{Trace: write(t, "empty.jsonl", page), Events: 10}).stream(maxBenchBytes); err == nil || !strings.Contains(err.Error(), "nothing can be repeated") {
		t.Errorf("a trace without events: %v", err)
	}
}

// TestReadTwice: a pipe is refused by what reads its trace twice, instead of shown
// as a trace without messages.
func TestReadTwice(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	path := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("this system has no names for pipes: %v", err)
	}
	for _, command := range []string{"replay", "bench"} {
		if code, _, stderr := engine(t, command, path); code != exitFailed || !strings.Contains(stderr, "write it into a file first") {
			t.Errorf("%s: %d %s", command, code, stderr)
		}
	}
}

// TestBenchIsBounded: a trace with large messages is repeated no further than fits
// into memory, and one that is larger than that runs once.
func TestBenchIsBounded(t *testing.T) {
	path := write(t, "log.json", strings.Replace(devtoolsLog, "nonsense,\n", "", 1))
	once, err := (&benchCommand{Trace: path, Events: 1}).stream(maxBenchBytes)
	if err != nil {
		t.Fatal(err)
	}
	for _, most := range []int{1, once.Bytes - 1, once.Bytes, 100_000} {
		stream, err := (&benchCommand{Trace: path, Events: 100_000}).stream(most)
		if err != nil {
			t.Fatal(err)
		}
		if stream.Bytes > max(most, once.Bytes) || stream.Bytes < most-once.Bytes {
			t.Errorf("%d bytes where %d are allowed and %d are once", stream.Bytes, most, once.Bytes)
		}
	}
}

// TestBenchFails: a run that failed is a failure, also where others went well.
func TestBenchFails(t *testing.T) {
	well := compare.Outcome{Client: "a", Runs: make([]measure.Result, 2)}
	if err := failedRuns(&compare.ShapeReport{Outcomes: []compare.Outcome{well}}); err != nil {
		t.Error(err)
	}
	bad := compare.Outcome{Client: "b", Runs: make([]measure.Result, 1), Errors: []string{"b: killed"}}
	if err := failedRuns(&compare.ShapeReport{Outcomes: []compare.Outcome{well, bad}}); err == nil || !strings.Contains(err.Error(), "b: killed") {
		t.Errorf("a failed run: %v", err)
	}
}

// TestFormsInHelp: the help lists the forms that there are.
func TestFormsInHelp(t *testing.T) {
	for _, command := range []any{replayCommand{}, convertCommand{}} {
		field, _ := reflect.TypeOf(command).FieldByName("Format")
		help := field.Tag.Get("help")
		if want := len(importers.Formats()); strings.Count(help, ", ") != want+1 {
			t.Errorf("%d forms, and the help says: %s", want, help)
		}
		for _, f := range importers.Formats() {
			if !strings.Contains(help, string(f)) {
				t.Errorf("%s is not in: %s", f, help)
			}
		}
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{"500": 500, "2kb": 2000, "3 MB": 3e6, "1GiB": 1 << 30, "0": 0, "-1": 0, "x": 0, "9999999999GB": 0, "": 0, "MB": 0} {
		if got, err := bytesOf(text); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for path, want := range map[string]string{"a.jsonl": "a-2.jsonl", "/x.y/a": "/x.y/a-2", "a.jsonl.zst": "a-2.jsonl.zst", "a.gz": "a-2.gz"} {
		if got := numbered(path, 2); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	for n, want := range map[int64]string{7: "7 B", 1500: "1.5 KB", 2_500_000: "2.5 MB", 3e9: "3.00 GB"} {
		if got := size(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// watched is a writer whose text can be read while it is written.
type watched struct {
	mu   sync.Mutex
	text strings.Builder
	more chan struct{}
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case w.more <- struct{}{}:
	default:
	}
	return w.text.Write(p)
}

// after waits for a text and returns what follows it, up to the end of the line.
func (w *watched) after(ctx context.Context, t *testing.T, text string) string {
	t.Helper()
	for {
		w.mu.Lock()
		_, rest, found := strings.Cut(w.text.String(), text)
		w.mu.Unlock()
		if line, _, whole := strings.Cut(rest, "\n"); found && whole {
			return line
		}
		select {
		case <-w.more:
		case <-ctx.Done():
			t.Fatalf("never said %q: %s", text, w.text.String())
		}
	}
}

// TestRecordCommand records a client through the proxy, and then the engine's own
// connection, on real browsers.
func TestRecordCommand(t *testing.T) {
	if _, err := backends.FindChromium(""); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	folder := t.TempDir()
	said := &watched{more: make(chan struct{}, 1)}
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"record", "--launch", "--headless", "--isolated", "--listen", ":0", "--once", "--out", filepath.Join(folder, "a.jsonl")}, io.Discard, said, func(int) {})
	}()
	address := strings.Split(said.after(ctx, t, "clients can connect to http://"), ";")[0]
	client, response, err := websocket.DefaultDialer.DialContext(ctx, "ws://"+address+"/devtools/browser", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	for id, message := range []string{"Browser.getVersion", `Network.setExtraHTTPHeaders","params":{"headers":{"Cookie":"a=secret"}},"x":"`} {
		if err := client.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"id":%d,"method":"%s"}`, id+1, message)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := client.ReadMessage(); err != nil {
			t.Fatal(err)
		}
	}
	_ = client.Close()
	if got := <-code; got != 0 {
		t.Fatalf("ended with %d: %s", got, said.text.String())
	}
	text, err := os.ReadFile(filepath.Join(folder, "a.jsonl"))
	if err != nil || bytes.Count(text, []byte("\n")) != 5 || bytes.Contains(text, []byte("secret")) || !bytes.Contains(text, []byte("[redacted]")) {
		t.Errorf("%v: %s", err, text)
	}

	own := filepath.Join(folder, "own.jsonl.zst")
	got, _, stderr := engine(t, "record", "--launch", "--headless", "--isolated", "--max-time", "2s", "--out", own)
	if got != 0 || !strings.Contains(stderr, "the time for the recording is over") {
		t.Fatalf("%d %s", got, stderr)
	}
	got, stdout, stderr := engine(t, "replay", own)
	if got != 0 || !strings.Contains(stdout, "status    well") || !strings.Contains(stdout, "page      about:blank") {
		t.Errorf("%d %s %s", got, stdout, stderr)
	}
}
