package e2e

import (
	"testing"

	"cdpsupervisor/messages"
)

// TestCrashes kills renderers.
func TestCrashes(t *testing.T) {
	crash := func(p *tab, where at) {
		p.t.Helper()
		_, err := p.call(messages.CallRequest{Method: "Page.crash", FrameID: where.frame})
		if err != nil {
			refused(p.t, err, messages.CodeTargetCrashed)
		}
	}
	play(t, []scenario{
		{name: "the page, back by a navigation", run: func(p *tab) {
			b := p.blank("b.test")
			p.open(p.embed("a.test", b))
			p.frame(b)
			crash(p, at{})
			if state := p.status(messages.StatusCrashed); len(state.WaysOut) == 0 {
				p.t.Errorf("no way out is named: %+v", state)
			}
			quick(p.t, "a call on a crashed page", func() {
				_, err := p.try(at{}, "1")
				if f := refused(p.t, err, messages.CodeTargetCrashed); len(f.WaysOut) == 0 {
					p.t.Errorf("no way out is named: %+v", f)
				}
			})
			p.open(p.blank("a.test"))
			p.status("")
			if n := len(p.frames().Children); n != 0 {
				p.t.Errorf("%d frames are left of the crashed page", n)
			}
			p.later(`confirm("m")`)
			p.accept(p.dialog())
			p.saw(true)
		}},
		{name: "the page, back by a reload", run: func(p *tab) {
			p.open(p.blank("a.test"))
			crash(p, at{})
			p.status(messages.StatusCrashed)
			if _, err := p.call(messages.CallRequest{Method: "Page.reload"}); err != nil {
				p.t.Fatal(err)
			}
			p.status("")
			p.poll("the page to answer", func() bool {
				v, err := p.try(at{}, "typeof later")
				return err == nil && v == "function"
			})
		}},
		{name: "the page with a call in flight", run: func(p *tab) {
			p.open(p.blank("a.test"))
			done := make(chan error, 1)
			ctx, cancel := p.context()
			defer cancel()
			go func() {
				_, err := p.task.Call(ctx, evaluation(at{}, `document.title = "waiting", new Promise(() => {})`))
				done <- err
			}()
			p.poll("the call to run", func() bool { return p.eval("document.title") == "waiting" })
			crash(p, at{})
			quick(p.t, "the call in flight", func() {
				if f := refused(p.t, <-done, messages.CodeTargetCrashed); !f.MayHaveRun {
					p.t.Error("it does not say that the call may have run")
				}
			})
		}},
		{name: "the page with a dialog open", run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`confirm("m")`)
			d := p.dialog()
			crash(p, at{})
			// Chromium closes the dialog first and tells of the crash a moment
			// later, so the reason depends on whether both came together.
			r := p.record(d.ID)
			if r.ClosedBy != messages.ClosedByRemote || r.Result {
				p.t.Errorf("the record is %+v", r)
			}
			p.t.Logf("the reason given is %s", r.Reason)
			p.status(messages.StatusCrashed)
			p.open(p.blank("a.test"))
			p.status("")
		}},
		{name: "a frame, back when its parent navigates it", run: func(p *tab) {
			b := p.blank("b.test")
			p.open(p.embed("a.test", b))
			f := p.frame(b)
			crash(p, in(f))
			p.wait("the frame to be shown as crashed", func(s *messages.Snapshot) bool {
				f, ok := entry(s.FrameTree, b)
				return ok && f.State == messages.FrameCrashed
			})
			quick(p.t, "a call on a crashed frame", func() {
				_, err := p.try(in(f), "1")
				refused(p.t, err, messages.CodeTargetCrashed)
			})
			if got := p.eval("1 + 1"); got != 2.0 {
				p.t.Errorf("the page answers %v", got)
			}
			next := p.blank("b.test")
			p.eval(`document.querySelector("iframe").src = "` + next + `"`)
			f = p.frame(next)
			p.evalIn(in(f), `seen.push("alive")`)
			p.sawIn(in(f), "alive")
		}},
	})
}

// TestConsole is about the ring of console errors.
func TestConsole(t *testing.T) {
	errors := func(p *tab, n int) []messages.ConsoleError {
		p.t.Helper()
		return p.wait("console errors", func(s *messages.Snapshot) bool { return len(s.ConsoleErrors) == n }).ConsoleErrors
	}
	play(t, []scenario{
		{name: "kinds", run: func(p *tab) {
			url := p.page("a.test", `<script>
				console.log("no error"); console.warn("none either");
				console.error("first", 2, {a: 1});
				console.assert(1 === 2, "second");
			</script><script>throw new TypeError("third")</script>
			<script>Promise.reject(new Error("fourth"))</script>`)
			p.open(url)
			all := errors(p, 4)
			for i, want := range []string{"error", "assert", "exception", "exception"} {
				if e := all[i]; e.Kind != want || e.URL != url || e.Line == 0 || e.At == 0 || e.FrameID != p.frames().Top.FrameID {
					p.t.Errorf("entry %d is %+v, want kind %s", i, e, want)
				}
			}
		}},
		{name: "of a frame", run: func(p *tab) {
			b := p.page("b.test", `<script>console.error("in the frame")</script>`)
			p.open(p.embed("a.test", b))
			f := p.frame(b)
			if e := errors(p, 1)[0]; e.Text != "in the frame" || e.FrameID != f.FrameID {
				p.t.Errorf("the entry is %+v", e)
			}
		}},
		{name: "more than are kept", run: func(p *tab) {
			p.open(p.page("a.test", `<script>for (let i = 1; i <= 200; i++) console.error("n" + i)</script>`))
			s := p.wait("the last error", func(s *messages.Snapshot) bool {
				n := len(s.ConsoleErrors)
				return n > 0 && s.ConsoleErrors[n-1].Text == "n200"
			})
			if n := len(s.ConsoleErrors); n != messages.MaxConsoleErrors || s.ConsoleErrors[0].Text != "n151" {
				p.t.Errorf("%d are kept, the first is %q", n, s.ConsoleErrors[0].Text)
			}
		}},
		{name: "longer than is kept", run: func(p *tab) {
			p.open(p.page("a.test", `<script>console.error("x".repeat(100000))</script>`))
			if e := errors(p, 1)[0]; !e.Truncated || len(e.Text) > messages.MaxConsoleTextBytes {
				p.t.Errorf("%d bytes, truncated %t", len(e.Text), e.Truncated)
			}
		}},
	})
}
