package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/goleak"

	"cdpsupervisor/backends"
	"cdpsupervisor/cdpwire"
	"cdpsupervisor/registry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func config(out io.Writer) Config {
	return Config{Out: out, JSON: true, Clock: cdpwire.WallClock{}, NewRegistry: func() (*registry.Registry, error) {
		return registry.New(actor.NewActorSystem(
			actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }),
			actor.WithDeadLetterThrottleInterval(time.Nanosecond)))
	}}
}

// lastLine is what --json promises.
func lastLine(t *testing.T, out *bytes.Buffer) report {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var last report
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatalf("the last line %q: %v", lines[len(lines)-1], err)
	}
	return last
}

func TestEveryStepHoldsOnTheFakeBrowser(t *testing.T) {
	var out bytes.Buffer
	cfg := config(&out)
	cfg.Sim = true
	if err := Run(t.Context(), cfg); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	last := lastLine(t, &out)
	if !last.OK || !strings.HasPrefix(last.Browser, "Chrome/") || len(last.Steps) != len(steps()) {
		t.Errorf("the last line is %+v", last)
	}
	for i, s := range steps() {
		if r := last.Steps[i]; r.Name != s.name || !r.OK || r.MS <= 0 {
			t.Errorf("step %d is %+v", i, r)
		}
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("colour without a terminal")
	}
}

func TestNoBrowser(t *testing.T) {
	var out bytes.Buffer
	cfg := config(&out)
	cfg.Executable = "/no/such/browser"
	if err := Run(t.Context(), cfg); !errors.Is(err, backends.ErrNoBrowser) {
		t.Errorf("%v, want ErrNoBrowser", err)
	}
	if last := lastLine(t, &out); last.OK || last.Error == "" || last.Steps == nil {
		t.Errorf("the last line is %+v", last)
	}
}

func TestSignalEndsTheDemo(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("a signal")
	cfg := config(&endsAfterFirstStep{cancel: func() { cancel(cause) }})
	cfg.Sim = true
	if err := Run(ctx, cfg); !errors.Is(err, cause) {
		t.Errorf("%v, want the cause", err)
	}
}

// endsAfterFirstStep calls cancel when a step is printed.
type endsAfterFirstStep struct{ cancel func() }

func (e *endsAfterFirstStep) Write(p []byte) (int, error) {
	if bytes.HasPrefix(p, []byte("ok")) {
		e.cancel()
	}
	return len(p), nil
}

func TestPrinter(t *testing.T) {
	s := step{name: "a step", says: "it holds"}
	for _, c := range []struct {
		name     string
		terminal bool
		result   result
		want     string
	}{
		{"held", false, result{OK: true, MS: 1.26}, "ok   a step: it holds (1.3 ms)\n     {\"k\":1}\n"},
		{"failed", false, result{MS: 2, Error: "one\ntwo"}, "FAIL a step: it holds (2.0 ms)\n     one\n     two\n     {\"k\":1}\n"},
		{"on a terminal", true, result{OK: true, MS: 1}, erase + green + "ok  " + plain + " a step: it holds " + grey + "(1.0 ms)" + plain + "\n     " + grey + "{\"k\":1}" + plain + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			printer{out: &out, terminal: c.terminal}.step(s, c.result, map[string]any{"k": 1})
			if out.String() != c.want {
				t.Errorf("%q, want %q", out.String(), c.want)
			}
		})
	}
}

func TestChecksSayWhatWasExpected(t *testing.T) {
	var c checks
	c.equal("same", 1.0, 1)
	if c.err() != nil {
		t.Errorf("equal values: %v", c.err())
	}
	c.equal("answer", nil, "x")
	c.that(false, "no %s", "luck")
	c.failed(nil)
	if got, want := c.err().Error(), "answer: expected \"x\", found null\nno luck"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestPages(t *testing.T) {
	for _, url := range []string{shopPage, checkoutPage, formPage, brokenPage, offerPage, payFrame, bankFrame, robotFrame, "http://shop.test/basket#x"} {
		if html, ok := pageAt(url); !ok || !strings.HasPrefix(html, "<!doctype html>") {
			t.Errorf("%s: %t, %.20q", url, ok, html)
		}
	}
	for _, url := range []string{"http://other.test/", "http://shop.test/none", "http://shop.test/../pay.test/index", "http://../x", "%"} {
		if _, ok := pageAt(url); ok {
			t.Errorf("%s is there", url)
		}
	}
}

func TestProxyCutAndMend(t *testing.T) {
	echo, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = echo.Close() }()
	go func() {
		for {
			c, err := echo.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c); _ = c.Close() }()
		}
	}()
	p, err := newProxy(t.Context(), echo.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	dial := func() net.Conn {
		t.Helper()
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", p.address)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	said := func(c net.Conn) bool {
		_, _ = c.Write([]byte("x"))
		n, _ := c.Read(make([]byte, 1))
		return n == 1
	}
	first := dial()
	if !said(first) || p.connections() != 1 {
		t.Error("nothing comes through")
	}
	p.cut()
	if said(first) {
		t.Error("a cut connection lives")
	}
	if second := dial(); said(second) {
		t.Error("a broken proxy lets through")
	}
	p.mend()
	if third := dial(); !said(third) {
		t.Error("nothing comes through after mending")
	}
}
