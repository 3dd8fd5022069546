package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// served is one "engine serve".
type served struct {
	t      *testing.T
	url    string
	cmd    *exec.Cmd
	stdout *safeBuffer
	stderr *safeBuffer
	exited chan error
}

// serve starts "engine serve" on a free port.
func (e *engineBinary) serve(t *testing.T, arguments ...string) *served {
	t.Helper()
	s := &served{t: t, stdout: &safeBuffer{}, stderr: &safeBuffer{}, exited: make(chan error, 1)}
	s.cmd = e.command(context.Background(), t, append([]string{"serve", "--http", "127.0.0.1:0"}, arguments...)...)
	s.cmd.Stdout = s.stdout
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	for s.url == "" {
		line, err := lines.ReadString('\n')
		_, _ = s.stderr.Write([]byte(line))
		if err != nil {
			_ = s.cmd.Wait()
			t.Fatalf("no address: %s", s.stderr)
		}
		if _, url, ok := strings.Cut(strings.TrimSpace(line), "MCP at "); ok {
			s.url = url
		}
	}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(s.stderr, lines)
	}()
	go func() {
		<-copied
		s.exited <- s.cmd.Wait()
	}()
	t.Cleanup(func() { s.stop() })
	return s
}

// stop ends it by SIGTERM and returns the exit code.
func (s *served) stop() int {
	s.t.Helper()
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.exited:
		s.exited <- nil
	case <-time.After(patience):
		s.t.Errorf("it does not end:\n%s", s.stderr)
		_ = s.cmd.Process.Kill()
		<-s.exited
		s.exited <- nil
	}
	if out := s.stdout.String(); out != "" {
		s.t.Errorf("stdout is not empty: %q", out)
	}
	return s.cmd.ProcessState.ExitCode()
}

// connect is a new session. token may be empty.
func (s *served) connect(t *testing.T, token string, o *mcp.ClientOptions) (*agent, error) {
	t.Helper()
	a := &agent{t: t, stderr: s.stderr, changed: make(chan struct{}, 16)}
	if o == nil {
		o = &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { a.changed <- struct{}{} }}
	}
	transport := &http.Transport{}
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "0"}, o)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var err error
	a.session, err = client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: s.url, HTTPClient: &http.Client{Transport: bearer{token, transport}}, MaxRetries: -1,
	}, nil)
	t.Cleanup(func() {
		if err == nil {
			_ = a.session.Close()
		}
		transport.CloseIdleConnections()
	})
	return a, err
}

type bearer struct {
	token string
	next  http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return b.next.RoundTrip(r)
}

func mcpHTTP(t *testing.T, e *engineBinary, b *browser) {
	t.Run("sessions are apart", func(t *testing.T) {
		b := launch(t) // whose pages only this test opens
		s := e.serve(t, "--cdp-url", b.address, "--own-tab")
		first, err := s.connect(t, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		second, err := s.connect(t, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		first.open(b.page("a.test", "<title>one</title>"), nil)
		second.open(b.page("a.test", "<title>two</title>"), nil)
		first.later(`confirm("in one")`, nil)
		first.pending(1, nil)
		if got := second.eval("document.title", nil); got != "two" {
			t.Errorf("the second session is at %v", got)
		}
		second.pending(0, nil)
		before := pages(t, b)
		if err := first.session.Close(); err != nil { // with its dialog open
			t.Errorf("%v", err)
		}
		eventually(t, "the tab of the session that is over is closed", func() bool { return pages(t, b) == before-1 })
		second.eval("1", nil)
		// A named task outlives the session that made it.
		named := args{"task_id": "shared"}
		second.open(b.page("a.test", "<title>shared</title>"), named)
		if err := second.session.Close(); err != nil {
			t.Errorf("%v", err)
		}
		third, err := s.connect(t, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := third.eval("document.title", named); got != "shared" {
			t.Errorf("the named task is at %v", got)
		}
		b.mustLive(t)
	})

	t.Run("the list changes", func(t *testing.T) {
		s := e.serve(t)
		a, err := s.connect(t, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		a.refused("no_cdp", "browser_cdp", args{"method": "Browser.getVersion"})
		a.do("browser_connect", args{"cdp_url": b.address})
		select {
		case <-a.changed:
		case <-time.After(patience):
			t.Fatal("no tools/list_changed")
		}
	})

	t.Run("token", func(t *testing.T) {
		const token = "0123456789abcdef0123456789abcdef"
		path := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := e.serve(t, "--cdp-url", b.address, "--own-tab", "--token-file", path)
		if _, err := s.connect(t, "", nil); err == nil {
			t.Error("a client without the token got in")
		}
		a, err := s.connect(t, token, nil)
		if err != nil {
			t.Fatal(err)
		}
		a.do("browser_cdp", args{"method": "Browser.getVersion"})
		if strings.Contains(s.stderr.String(), token) {
			t.Error("the log shows the token")
		}
		out, err := e.command(t.Context(), t, "serve", "--http", "0.0.0.0:0").CombinedOutput()
		if exit, _ := err.(*exec.ExitError); exit == nil || exit.ExitCode() != 2 || !strings.Contains(string(out), "--token-file") { //nolint:errorlint // from exec
			t.Errorf("off loopback without a token: %v\n%s", err, out)
		}
	})

	t.Run("stateless", func(t *testing.T) {
		s := e.serve(t, "--cdp-url", b.address, "--own-tab", "--stateless")
		a, err := s.connect(t, "", &mcp.ClientOptions{})
		if err != nil {
			t.Fatal(err)
		}
		task := args{"task_id": "stateless"}
		a.open(b.page("a.test", "<title>stateless</title>"), task)
		other, err := s.connect(t, "", &mcp.ClientOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := other.eval("document.title", task); got != "stateless" {
			t.Errorf("another client finds %v", got)
		}
	})

	t.Run("a stop answers what is under way", func(t *testing.T) {
		s := e.serve(t, "--cdp-url", b.address, "--own-tab")
		a, err := s.connect(t, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		a.open(b.page("a.test", fmt.Sprintf(`<iframe src=%q></iframe>`, b.page("b.test", ""))), nil)
		frame := a.do("browser_snapshot", nil).in("frame_tree", "children", 0, "frame_id")
		a.later(`confirm("open at the stop")`, args{"frame_id": frame}) // of a subframe: closing the tab over it would kill the browser
		a.pending(1, nil)
		if code := s.stop(); code != 143 {
			t.Errorf("exit code %d\n%s", code, s.stderr)
		}
		b.mustLive(t)
	})
}
