package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMCP starts the built binary and speaks MCP with it, as agents do, with a
// real browser behind.
func TestMCP(t *testing.T) {
	b := launch(t)
	e := &engineBinary{path: buildEngine(t)}
	for _, group := range []struct {
		name string
		run  func(t *testing.T, e *engineBinary, b *browser)
	}{
		{"stdio", mcpStdio},
		{"codes", mcpCodes},
		{"connect", mcpConnect},
		{"concurrency", mcpConcurrency},
		{"http", mcpHTTP},
		{"flood", mcpFlood},
		{"command line", mcpCommandLine},
		{"backends", mcpBackends},
	} {
		t.Run(group.name, func(t *testing.T) {
			t.Parallel() // they wait most of the time
			group.run(t, e, b)
		})
	}
}

// engineBinary is the program under test.
type engineBinary struct {
	path string
	env  []string // added to the environment
}

func buildEngine(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "engine")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, "cdpsupervisor/cmd/engine")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the engine: %v\n%s", err, out)
	}
	return path
}

// command is the engine with arguments, in a folder without a config.yaml and
// with nothing of ours in its environment.
func (e *engineBinary) command(ctx context.Context, t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(ctx, e.path, args...)
	cmd.Dir = t.TempDir()
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "BROWSER") && !strings.HasPrefix(entry, "CDPSUPERVISOR_TOKEN") {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	cmd.Env = append(cmd.Env, e.env...)
	return cmd
}

// agent is one MCP client of one engine process on stdio.
type agent struct {
	t       *testing.T
	session *mcp.ClientSession
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	stdout  *checkedLines
	stderr  *safeBuffer
	exited  chan error

	changed  chan struct{}                        // tools/list_changed
	progress chan *mcp.ProgressNotificationParams // of all calls
}

// agent starts "engine mcp" and connects to it.
func (e *engineBinary) agent(t *testing.T, args ...string) *agent {
	t.Helper()
	return e.agentWith(t, func(*agent, *mcp.ClientOptions) {}, args...)
}

func (e *engineBinary) agentWith(t *testing.T, setUp func(*agent, *mcp.ClientOptions), args ...string) *agent {
	t.Helper()
	a := &agent{
		t: t, stderr: &safeBuffer{}, exited: make(chan error, 1),
		changed: make(chan struct{}, 16), progress: make(chan *mcp.ProgressNotificationParams, 256),
	}
	a.cmd = e.command(context.Background(), t, append([]string{"mcp"}, args...)...)
	a.cmd.Stderr = a.stderr
	var err error
	if a.stdin, err = a.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := a.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	a.stdout = &checkedLines{t: t, in: bufio.NewReader(stdout)}
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.end() })
	options := &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { a.changed <- struct{}{} },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			a.progress <- r.Params
		},
	}
	setUp(a, options)
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "0"}, options)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	a.session, err = client.Connect(ctx, &mcp.IOTransport{Reader: a.stdout, Writer: a.stdin}, nil)
	if err != nil {
		t.Fatalf("connect: %v\n%s", err, a.stderr)
	}
	return a
}

// end closes the session, which ends the process, and waits for it.
func (a *agent) end() {
	a.t.Helper()
	if a.session != nil {
		_ = a.session.Close()
	}
	_ = a.stdin.Close()
	if err := a.wait(); err != nil {
		a.t.Errorf("the engine ended with %v\n%s", err, a.stderr)
	}
}

// wait waits for the process; the second time for nothing.
func (a *agent) wait() error {
	if a.cmd == nil {
		return nil
	}
	cmd := a.cmd
	a.cmd = nil
	go func() { a.exited <- cmd.Wait() }()
	select {
	case err := <-a.exited:
		return err
	case <-time.After(patience):
		_ = cmd.Process.Kill()
		return fmt.Errorf("it had to be killed: %w", <-a.exited)
	}
}

// signal ends the process by a signal and returns its exit code.
func (a *agent) signal(s syscall.Signal) int {
	a.t.Helper()
	cmd := a.cmd
	if err := cmd.Process.Signal(s); err != nil {
		a.t.Fatal(err)
	}
	_ = a.wait()
	return cmd.ProcessState.ExitCode()
}

// result is a tool's result as an agent sees it.
type result map[string]any

func (r result) code() string { s, _ := r["code"].(string); return s }

func (r result) String() string {
	text, err := json.Marshal(map[string]any(r))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// in walks into the result: in("dialog", "id").
func (r result) in(path ...any) any {
	var at any = map[string]any(r)
	for _, step := range path {
		switch s := step.(type) {
		case string:
			m, _ := at.(map[string]any)
			at = m[s]
		case int:
			list, _ := at.([]any)
			if s >= len(list) {
				return nil
			}
			at = list[s]
		}
	}
	return at
}

// args are a tool's arguments.
type args map[string]any

// callOf calls a tool in any session and checks the result's shape.
func callOf(ctx context.Context, t *testing.T, session *mcp.ClientSession, params *mcp.CallToolParams) (result, error) {
	t.Helper()
	r, err := session.CallTool(ctx, params)
	if err != nil {
		return nil, err
	}
	var fromText result
	if err := json.Unmarshal([]byte(r.Content[0].(*mcp.TextContent).Text), &fromText); err != nil {
		t.Fatalf("%s: the text is no JSON object: %v", params.Name, err)
	}
	structured, err := json.Marshal(r.StructuredContent)
	if err != nil || string(structured) != fromText.String() {
		t.Errorf("%s: the structured content %s is not the text %s", params.Name, structured, fromText)
	}
	if fromText["success"] == r.IsError || (fromText.code() == "") == r.IsError {
		t.Errorf("%s: isError is %v for %s", params.Name, r.IsError, fromText)
	}
	return fromText, nil
}

func (a *agent) try(name string, arguments args) result {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), patience)
	defer cancel()
	r, err := callOf(ctx, a.t, a.session, &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		a.t.Fatalf("%s: %v\n%s", name, err, a.stderr)
	}
	return r
}

// do calls a tool that must succeed.
func (a *agent) do(name string, arguments args) result {
	a.t.Helper()
	r := a.try(name, arguments)
	if r["success"] != true {
		a.t.Fatalf("%s %v: %s\n%s", name, arguments, r, a.stderr)
	}
	return r
}

// refused calls a tool that must fail with a code.
func (a *agent) refused(code, name string, arguments args) result {
	a.t.Helper()
	r := a.try(name, arguments)
	if r.code() != code || r["error"] == "" {
		a.t.Errorf("%s %v: got %s, want code %s", name, arguments, r, code)
	}
	return r
}

// eval evaluates in the page, or in a frame of its own process.
func (a *agent) eval(expression string, more args) any {
	a.t.Helper()
	return a.do("browser_cdp", evaluate(expression, more)).in("result", "result", "value")
}

func evaluate(expression string, more args) args {
	arguments := args{"method": "Runtime.evaluate", "params": map[string]any{
		"expression": expression, "returnByValue": true, "userGesture": true, "awaitPromise": true,
	}}
	for name, value := range more {
		arguments[name] = value
	}
	return arguments
}

// later has the page run what will block it.
func (a *agent) later(expression string, more args) {
	a.t.Helper()
	a.eval("later(() => "+expression+")", more)
}

// open navigates and waits until the page has loaded.
func (a *agent) open(url string, more args) result {
	a.t.Helper()
	arguments := args{"url": url}
	for name, value := range more {
		arguments[name] = value
	}
	r := a.do("browser_navigate", arguments)
	a.eval(loaded, more)
	return r
}

// pending waits until so many dialogs are open, as any result tells.
func (a *agent) pending(n int, more args) result {
	a.t.Helper()
	arguments := args{"method": "Browser.getVersion"}
	for name, value := range more {
		arguments[name] = value
	}
	for end := time.Now().Add(patience); ; {
		r := a.do("browser_cdp", arguments)
		if list, _ := r["pending_dialogs"].([]any); len(list) == n {
			return r
		}
		if time.Now().After(end) {
			a.t.Fatalf("never %d open dialogs: %s", n, r)
		}
		time.Sleep(10 * time.Millisecond) // between two looks
	}
}

// checkedLines passes a process's stdout on and fails the test for any line
// that is not JSON-RPC.
type checkedLines struct {
	t    *testing.T
	in   *bufio.Reader
	rest []byte

	mu    sync.Mutex
	count int
}

func (c *checkedLines) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		line, err := c.in.ReadBytes('\n')
		if len(line) > 0 {
			c.check(line)
		}
		if err != nil && len(line) == 0 {
			return 0, err
		}
		c.rest = line
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

func (c *checkedLines) check(line []byte) {
	c.mu.Lock()
	c.count++
	c.mu.Unlock()
	var m struct {
		JSONRPC string `json:"jsonrpc"`
	}
	if err := json.Unmarshal(line, &m); err != nil || m.JSONRPC != "2.0" {
		c.t.Errorf("a line on stdout is not JSON-RPC: %.300q", line)
	}
}

func (c *checkedLines) lines() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count
}

// Close does nothing: the process's end closes the pipe.
func (*checkedLines) Close() error { return nil }

// safeBuffer is a buffer for several goroutines.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
