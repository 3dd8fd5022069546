package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cdpsupervisor/messages"
	"cdpsupervisor/tools"
)

func TestToolsAreDescribedWithAllHints(t *testing.T) {
	write, read, _ := onStdio(t, &fakeTools{}, false)
	session := client(t, write, read, nil)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Tools) != 6 {
		t.Fatalf("%d tools", len(list.Tools))
	}
	for _, tool := range list.Tools {
		a := tool.Annotations
		if a == nil || a.DestructiveHint == nil || a.OpenWorldHint == nil || a.Title == "" || tool.Description == "" {
			t.Errorf("%s: annotations %+v", tool.Name, a)
		}
		if readOnly := tool.Name == "browser_snapshot"; a.ReadOnlyHint != readOnly {
			t.Errorf("%s: read-only is %v", tool.Name, a.ReadOnlyHint)
		}
	}
	if init := session.InitializeResult(); init.ServerInfo.Name != "cdpsupervisor" || !strings.Contains(init.Instructions, "pending_dialogs") || !init.Capabilities.Tools.ListChanged {
		t.Errorf("initialize answered %+v", init)
	}
}

func TestCallsAndFailuresOfTools(t *testing.T) {
	f := &fakeTools{onCall: func(_ context.Context, name string) *tools.Result {
		if name == "browser_cdp" {
			return tools.Failed(messages.Fail(messages.CodeInvalidArgument, "timeout is out of range"))
		}
		return &tools.Result{Fields: map[string]any{"url": "https://a/?x=1&y=<b>"}}
	}}
	write, read, _ := onStdio(t, f, false)
	session := client(t, write, read, nil)
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "browser_snapshot", Arguments: map[string]any{"console": true}})
	if err != nil {
		t.Fatal(err)
	}
	if got := object(t, r); got["url"] != "https://a/?x=1&y=<b>" {
		t.Errorf("got %v", got)
	}
	r, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "browser_cdp", Arguments: map[string]any{"method": 7}})
	if err != nil {
		t.Fatal(err)
	}
	if got := object(t, r); got["code"] != "invalid_argument" {
		t.Errorf("got %v", got)
	}
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "browser_teleport"}); err == nil || !strings.Contains(err.Error(), "unknown tool") {
		t.Errorf("an unknown tool is an error of the protocol, got %v", err)
	}
	if f.args[0] != `{"console":true}` {
		t.Errorf("the arguments arrived as %s", f.args[0])
	}
}

func TestTheListChangesWithTheGate(t *testing.T) {
	changed := make(chan struct{}, 8)
	f := &fakeTools{gated: true}
	write, read, _ := onStdio(t, f, false)
	session := client(t, write, read, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	names := func() string {
		list, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, tool := range list.Tools {
			out = append(out, tool.Name)
		}
		return strings.Join(out, " ")
	}
	if got := names(); got != "browser_connect browser_disconnect browser_navigate browser_snapshot" {
		t.Errorf("before: %s", got)
	}
	// A tool that is not listed answers in our shape, not as an unknown one.
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "browser_cdp"}); err != nil {
		t.Errorf("%v", err)
	}
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "browser_connect"}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-changed:
	case <-time.After(20 * time.Second):
		t.Fatal("no tools/list_changed")
	}
	if got := names(); !strings.Contains(got, "browser_cdp browser_connect browser_dialog") {
		t.Errorf("after: %s", got)
	}
}

func TestOneStuckCallDelaysNoOther(t *testing.T) {
	f := &fakeTools{onCall: func(ctx context.Context, name string) *tools.Result {
		if name == "browser_navigate" {
			<-ctx.Done()
			return tools.Failed(context.Cause(ctx))
		}
		return &tools.Result{}
	}}
	write, read, _ := onStdio(t, f, false)
	session := client(t, write, read, nil)
	ctx, cancel := context.WithCancel(t.Context())
	stuck := make(chan error, 50)
	for range cap(stuck) {
		go func() {
			_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "browser_navigate"})
			stuck <- err
		}()
	}
	eventually(t, "all stuck calls are under way", func() bool { return len(f.seen(&f.callers)) == cap(stuck) })
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "browser_snapshot"}); err != nil {
		t.Error(err)
	}
	cancel() // and cancellation reaches them
	for range cap(stuck) {
		if err := <-stuck; err == nil {
			t.Error("a cancelled call returned a result")
		}
	}
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "browser_snapshot"}); err != nil {
		t.Error(err)
	}
}

func TestCancellationReachesTheCall(t *testing.T) {
	ended := make(chan error, 1)
	f := &fakeTools{onCall: func(ctx context.Context, _ string) *tools.Result {
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return tools.Failed(context.Cause(ctx))
	}}
	write, read, _ := onStdio(t, f, false)
	session := client(t, write, read, nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = session.CallTool(ctx, &mcp.CallToolParams{Name: "browser_navigate"})
	}()
	eventually(t, "the call is under way", func() bool { return len(f.seen(&f.callers)) == 1 })
	cancel()
	<-done
	if err := <-ended; err == nil {
		t.Error("the call's context lives")
	}
}

func TestProgress(t *testing.T) {
	reported := make(chan *mcp.ProgressNotificationParams, 100)
	release := make(chan struct{})
	f := &fakeTools{onCall: func(ctx context.Context, name string) *tools.Result {
		if name == "browser_navigate" {
			<-release
		}
		return &tools.Result{}
	}}
	write, read, _ := onStdio(t, f, false)
	session := client(t, write, read, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { reported <- r.Params },
	})
	params := &mcp.CallToolParams{Name: "browser_navigate"}
	params.SetProgressToken("p-1")
	began := time.Now()
	done := make(chan error, 1)
	go func() {
		_, err := session.CallTool(t.Context(), params)
		done <- err
	}()
	first := <-reported
	if took := time.Since(began); took < progressAfter {
		t.Errorf("the first report came after %s", took)
	}
	if first.ProgressToken != "p-1" || first.Progress < 2 || !strings.Contains(first.Message, "browser_navigate") {
		t.Errorf("got %+v", first)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	// Without a token, and for a quick call, nothing is reported.
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "browser_snapshot"}); err != nil {
		t.Error(err)
	}
	for len(reported) > 0 {
		if p := <-reported; p.ProgressToken != "p-1" {
			t.Errorf("a report nobody asked for: %+v", p)
		}
	}
}

func TestAStopAnswersWhatIsUnderWay(t *testing.T) {
	f := &fakeTools{onCall: func(ctx context.Context, _ string) *tools.Result {
		<-ctx.Done()
		return tools.Failed(context.Cause(ctx))
	}}
	write, read, stop := onStdio(t, f, false)
	session := client(t, write, read, nil)
	type outcome struct {
		r   *mcp.CallToolResult
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: "browser_navigate"})
		done <- outcome{r, err}
	}()
	eventually(t, "the call is under way", func() bool { return len(f.seen(&f.callers)) == 1 })
	if err := stop(); err != nil {
		t.Errorf("serving ended with %v", err)
	}
	o := <-done
	if o.err != nil {
		t.Fatalf("the call got no answer: %v", o.err)
	}
	if got := object(t, o.r); got["code"] != "stopped" || !strings.Contains(got["error"].(string), "the server is stopping") {
		t.Errorf("got %v", got)
	}
}

// lines talks to the server without a client between.
type lines struct {
	t     *testing.T
	write io.Writer
	read  *bufio.Scanner
}

func raw(t *testing.T, f *fakeTools) (lines, func() error) {
	write, read, stop := onStdio(t, f, false)
	scanner := bufio.NewScanner(read)
	scanner.Buffer(nil, 64<<20)
	return lines{t, write, scanner}, stop
}

func (l lines) send(text string) {
	l.t.Helper()
	if _, err := io.WriteString(l.write, text); err != nil {
		l.t.Fatal(err)
	}
}

// next is the next line, which must be JSON-RPC.
func (l lines) next() map[string]any {
	l.t.Helper()
	if !l.read.Scan() {
		l.t.Fatalf("no more lines: %v", l.read.Err())
	}
	var m map[string]any
	if err := json.Unmarshal(l.read.Bytes(), &m); err != nil || m["jsonrpc"] != "2.0" {
		l.t.Fatalf("not JSON-RPC: %q", l.read.Text())
	}
	return m
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

func TestBadLinesAreSkippedAndTheSessionLives(t *testing.T) {
	l, _ := raw(t, &fakeTools{})
	l.send(hello)
	l.next()
	for i, line := range []string{
		"this is not JSON", `{"jsonrpc":"2.0","id":2,`, `[{"jsonrpc":"2.0","id":2,"method":"ping"}]`, `7`, "\x00\xff", `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`,
		`{"jsonrpc":"2.0","id":null,"result":{}}`, `{}`, `"` + strings.Repeat("x", maxLineBytes+100) + `"`, "", "  ",
	} {
		l.send(line + "\n")
		l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\r\n", 100+i))
		if m := l.next(); m["id"] != float64(100+i) || m["error"] != nil {
			t.Errorf("after %.60q: %v", line, m)
		}
	}
	for _, line := range []string{`{"jsonrpc":"1.0","id":2,"method":"ping"}`, `{"id":"a","method":"ping"}`, `{"jsonrpc":"2.0","id":3,"method":7}`} {
		l.send(line + "\n")
		m := l.next()
		if e, _ := m["error"].(map[string]any); e["code"] != -32600.0 || m["id"] == nil {
			t.Errorf("%s has an id and was answered %v", line, m)
		}
	}
}

func TestArgumentsOfAnyShapeReachTheToolbox(t *testing.T) {
	f := &fakeTools{onCall: func(context.Context, string) *tools.Result {
		return tools.Failed(messages.Fail(messages.CodeInvalidArgument, "x"))
	}}
	l, _ := raw(t, f)
	l.send(hello)
	l.next()
	for i, args := range []string{`"text"`, `[1]`, `7`, `null`, `{"a":{"b":[1e999]}}`} {
		l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"browser_cdp","arguments":%s}}`+"\n", 10+i, args))
		m := l.next()
		result, _ := m["result"].(map[string]any)
		if content, _ := result["structuredContent"].(map[string]any); content["code"] != "invalid_argument" || result["isError"] != true {
			t.Errorf("%s answered %v", args, m)
		}
	}
}

func TestTheEndOfStdinWaitsForAnswers(t *testing.T) {
	release := make(chan struct{})
	f := &fakeTools{onCall: func(context.Context, string) *tools.Result {
		<-release
		return &tools.Result{Fields: map[string]any{"done": true}}
	}}
	write, read, stop := onStdio(t, f, false)
	if _, err := io.WriteString(write, hello+`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"browser_snapshot"}}`+"\n"); err == nil {
		err = write.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	scanner := bufio.NewScanner(read)
	scanner.Scan() // initialize
	eventually(t, "the call is under way", func() bool { return len(f.seen(&f.callers)) == 1 })
	close(release)
	if !scanner.Scan() || !strings.Contains(scanner.Text(), `"done":true`) {
		t.Errorf("the answer is %q", scanner.Text())
	}
	if scanner.Scan() {
		t.Errorf("a line after the last: %q", scanner.Text())
	}
	if err := stop(); err != nil {
		t.Errorf("serving ended with %v", err)
	}
}

func TestTheDefaultTaskIsStartedAhead(t *testing.T) {
	f := &fakeTools{}
	write, read, _ := onStdio(t, f, false)
	_, _ = write, read
	eventually(t, "the default task is started", func() bool { return len(f.seen(&f.started)) == 1 })
}

func TestAPanickingToolIsAResult(t *testing.T) {
	f := &fakeTools{onCall: func(context.Context, string) *tools.Result { panic("boom") }}
	write, read, _ := onStdio(t, f, false)
	session := client(t, write, read, nil)
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "browser_snapshot"})
	if err != nil {
		t.Fatal(err)
	}
	if got := object(t, r); got["code"] != "stopped" || strings.Contains(fmt.Sprint(got), "boom") {
		t.Errorf("got %v", got)
	}
}
