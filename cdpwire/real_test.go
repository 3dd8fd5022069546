package cdpwire

import (
	"bufio"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"cdpsupervisor/messages"
)

// chromium starts a real browser and returns its profile folder and where it
// listens. Without a browser the test is skipped, in CI it fails.
func chromium(t *testing.T) (profile, address string) {
	t.Helper()
	path := os.Getenv("CDPSUPERVISOR_CHROMIUM")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); path == "" && err == nil {
			path = found
		}
	}
	if path == "" {
		const text = "no Chromium in PATH; name one in CDPSUPERVISOR_CHROMIUM"
		if os.Getenv("CI") != "" {
			t.Fatal(text)
		}
		t.Skip(text)
	}
	profile, err := os.MkdirTemp("", "cdpwire")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, path, "--headless=new", "--no-sandbox", "--remote-debugging-port=0", "--no-first-run",
		"--disable-gpu", "--user-data-dir="+profile, "about:blank")
	cmd.Env = append(os.Environ(), "HTTP_PROXY=", "HTTPS_PROXY=")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	listening := make(chan string, 1)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if _, at, ok := strings.Cut(lines.Text(), "DevTools listening on "); ok {
				listening <- at
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-drained
		_ = cmd.Wait()
		_ = os.RemoveAll(profile)
	})
	select {
	case address = <-listening:
	case <-drained:
		t.Fatal("Chromium ended before it listened")
	case <-time.After(time.Minute):
		t.Fatal("Chromium does not listen after a minute")
	}
	return profile, address
}

// live is a connection to a real browser.
type live struct {
	*Conn
	t      *testing.T
	events chan messages.Event // bodies are whole: batches are not given back
	ended  chan *messages.Cause
	calls  uint64
}

func connect(t *testing.T, endpoint string) *live {
	t.Helper()
	dialed, err := new(Dialer).Dial(t.Context(), &messages.Lease{Endpoint: messages.Endpoint(endpoint)})
	if err != nil {
		t.Fatal(err)
	}
	l := &live{t: t, events: make(chan messages.Event, 10_000), ended: make(chan *messages.Cause, 1)}
	l.Conn = Open(dialed.Transport, Options{
		Epoch: 1, Clock: WallClock{},
		Deliver: func(b *messages.Batch) {
			for _, e := range b.State {
				l.events <- e
			}
			l.out.free.Add(1)
		},
		Ended: func(c *messages.Cause) { l.ended <- c },
	})
	t.Cleanup(func() { l.Kill(nil) })
	return l
}

// event waits for an event of a type that is as asked for.
func event[T messages.EventBody](l *live, ok func(T) bool) T {
	l.t.Helper()
	timeout := time.After(time.Minute)
	for {
		select {
		case e := <-l.events:
			if body, is := e.Body.(T); is && ok(body) {
				return body
			}
		case <-timeout:
			var none T
			l.t.Fatalf("no %T in a minute", none)
		}
	}
}

func (l *live) call(session messages.SessionID, cmd messages.Command) *messages.Reply {
	l.t.Helper()
	l.calls++
	ref := messages.Ref{Owner: messages.OwnerAsk, N: l.calls}
	if err := l.Send(session, ref, cmd); err != nil {
		l.t.Fatal(err)
	}
	r := event(l, func(r *messages.Reply) bool { return r.Ref == ref })
	if r.Err != nil {
		l.t.Fatalf("%s: %v", cmd.Method(), r.Err)
	}
	return r
}

func (l *live) attach(target messages.TargetID) messages.SessionID {
	l.t.Helper()
	return l.call("", messages.AttachToTarget{TargetID: target}).Body.(*messages.AttachedReply).SessionID
}

// TestRealChromium takes every way to a real browser, sees a dialog whose text
// hides behind half a surrogate pair, and lets the last will dismiss it.
func TestRealChromium(t *testing.T) {
	profile, address := chromium(t)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	for _, endpoint := range []string{address, u.Host, "http://" + u.Host + "/", profile, "ws://" + u.Host + "/devtools/browser/gone"} {
		l := connect(t, endpoint)
		version := l.call("", messages.GetVersion{}).Body.(*messages.VersionReply)
		if !strings.Contains(version.Product, "Chrome") || version.Protocol == "" {
			t.Errorf("version %+v", version)
		}
		before := l.LastRead()
		if err := l.Ping(); err != nil {
			t.Error(err)
		}
		await(t, "the pong", func() bool { return l.LastRead().After(before) })
		l.Close(nil)
		if cause := take(t, "end", l.ended); cause.Kind != messages.DisconnectClosed {
			t.Errorf("ended with %+v", cause)
		}
	}

	l := connect(t, profile)
	target := l.call("", messages.CreateTarget{URL: "about:blank"}).Body.(*messages.CreatedReply).TargetID
	page := l.attach(target)
	for _, cmd := range []messages.Command{messages.PageEnable{}, messages.RuntimeEnable{}, messages.SetAutoAttach{}} {
		l.call(page, cmd)
	}
	l.call("", messages.SetDiscoverTargets{})
	l.call("", messages.SetAutoAttach{Pages: true})
	tree := l.call(page, messages.GetFrameTree{}).Body.(*messages.FrameTreeReply)
	if tree.Root.Frame.URL != "about:blank" {
		t.Errorf("frame tree %+v", tree)
	}
	big := l.call(page, messages.Raw{Name: "Runtime.evaluate", Params: []byte(`{"expression":"'x'.repeat(5e6)","returnByValue":true}`)})
	if len(big.Result) < 5e6 {
		t.Errorf("a result of %d bytes", len(big.Result))
	}
	if v := l.call(page, messages.Evaluate{Expression: `"é" + 1`}).Body.(*messages.EvaluateReply); v.Value != "é1" || v.Exception {
		t.Errorf("evaluated %+v", v)
	}
	l.call(page, messages.Evaluate{Expression: `setTimeout(() => { globalThis.said = confirm("a\ud800b") })`})
	opening := event(l, func(d *messages.DialogOpening) bool { return true })
	if opening.Message != "a\ufffdb" || opening.Type != messages.DialogConfirm || opening.FrameID != tree.Root.Frame.ID {
		t.Errorf("dialog %+v", opening)
	}
	if err := l.SetWill("d-1", page, messages.HandleDialog{}); err != nil {
		t.Fatal(err)
	}
	l.Close(nil)
	take(t, "end", l.ended)

	again := connect(t, fmt.Sprintf("http://%s", u.Host))
	page = again.attach(target)
	if v := again.call(page, messages.Evaluate{Expression: `String(globalThis.said)`}).Body.(*messages.EvaluateReply); v.Value != "false" {
		t.Errorf("after the will the page had the answer %q", v.Value)
	}
	if err := again.Send("", messages.Ref{}, messages.CloseBrowser{}); err != nil {
		t.Fatal(err)
	}
	if cause := take(t, "end", again.ended); cause.Kind != messages.DisconnectLost {
		t.Errorf("the browser quit: %+v", cause)
	}
}
