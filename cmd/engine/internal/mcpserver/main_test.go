package mcpserver

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
	"cdpsupervisor/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeTools is a toolbox whose calls a test answers.
type fakeTools struct {
	mu       sync.Mutex
	gated    bool // browser_dialog and browser_cdp are not listed yet
	started  []messages.TaskID
	released []messages.TaskID
	callers  []messages.TaskID
	args     []string
	accept   [][]messages.DialogID // what each call may accept
	dialog   *messages.Dialog      // what browser_dialog would accept
	onCall   func(ctx context.Context, name string) *tools.Result
}

func (f *fakeTools) List() []tools.Tool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.DeleteFunc(tools.Catalog(), func(t tools.Tool) bool {
		return f.gated && (t.Name == "browser_dialog" || t.Name == "browser_cdp")
	})
}

func (f *fakeTools) Known(name string) bool {
	return slices.ContainsFunc(tools.Catalog(), func(t tools.Tool) bool { return t.Name == name })
}

func (f *fakeTools) Call(ctx context.Context, caller tools.Caller, name string, args json.RawMessage) *tools.Result {
	f.mu.Lock()
	f.callers = append(f.callers, caller.Task)
	f.args = append(f.args, string(args))
	f.accept = append(f.accept, caller.Accept)
	if name == "browser_connect" {
		f.gated = false
	}
	on := f.onCall
	f.mu.Unlock()
	if on == nil {
		return &tools.Result{Fields: map[string]any{"tool": name}}
	}
	return on(ctx, name)
}

func (f *fakeTools) Confirmation(_ tools.Caller, name string, _ json.RawMessage) (messages.Dialog, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dialog == nil || name != "browser_dialog" {
		return messages.Dialog{}, false
	}
	return *f.dialog, true
}

func (f *fakeTools) Confirmed(caller tools.Caller, _ json.RawMessage, asked messages.DialogID) tools.Caller {
	caller.Accept = []messages.DialogID{"alert", asked}
	return caller
}

func (f *fakeTools) Start(_ context.Context, caller tools.Caller) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.started = append(f.started, caller.Task)
	return nil
}

func (f *fakeTools) Release(_ context.Context, caller tools.Caller) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.released = append(f.released, caller.Task)
	return nil
}

func (f *fakeTools) seen(what *[]messages.TaskID) []messages.TaskID {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(*what)
}

// eventually waits for a state; the deadline is for a test that has failed.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(2 * time.Millisecond) // between two looks, not for the state
	}
}

// onStdio serves a toolbox on pipes. write goes to its stdin, read comes from
// its stdout; stop ends its context and returns what serving returned.
func onStdio(t *testing.T, f *fakeTools, confirm bool) (write *io.PipeWriter, read *io.PipeReader, stop func() error) {
	t.Helper()
	stdin, write := io.Pipe()
	read, stdout := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	server := New(Options{Tools: f, Version: "test", Log: zerolog.Nop(), Clock: cdpwire.WallClock{}, Confirm: confirm})
	ended := make(chan error, 1)
	go func() {
		err := server.ServeStdio(ctx, stdin, stdout)
		_ = stdout.Close()
		ended <- err
	}()
	var once sync.Once
	var result error
	stop = func() error {
		once.Do(func() {
			cancel()
			result = <-ended
		})
		return result
	}
	t.Cleanup(func() {
		_ = write.Close()
		go func() { _, _ = io.Copy(io.Discard, read) }()
		_ = stop()
	})
	return write, read, stop
}

// client connects an SDK client to pipes.
func client(t *testing.T, write *io.PipeWriter, read *io.PipeReader, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	return clientOf(t, write, read, o, "")
}

// clientOf is [client] for one version of the protocol; empty means the newest.
func clientOf(t *testing.T, write *io.PipeWriter, read *io.PipeReader, o *mcp.ClientOptions, version string) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, o)
	session, err := c.Connect(t.Context(), &mcp.IOTransport{Reader: read, Writer: write}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// object is a result's structured content, which must equal its text.
func object(t *testing.T, r *mcp.CallToolResult) map[string]any {
	t.Helper()
	text := r.Content[0].(*mcp.TextContent).Text
	var fromText map[string]any
	if err := json.Unmarshal([]byte(text), &fromText); err != nil {
		t.Fatalf("the text is no JSON object: %v: %s", err, text)
	}
	structured, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(fromText)
	if err != nil || string(structured) != string(again) {
		t.Fatalf("structured content %s differs from text %s", structured, text)
	}
	if fromText["success"] == r.IsError {
		t.Fatalf("isError is %v for %s", r.IsError, text)
	}
	return fromText
}
