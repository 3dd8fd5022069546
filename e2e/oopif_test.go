package e2e

import (
	"strings"
	"testing"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// TestEvaluateInFrames is about calls by frame id.
func TestEvaluateInFrames(t *testing.T) {
	play(t, []scenario{
		{name: "in another process", run: func(p *tab) {
			b := p.blank("b.test")
			p.open(p.embed("a.test", b))
			f := p.frame(b)
			result, err := p.call(evaluation(in(f), "location.href"))
			if err != nil {
				p.t.Fatal(err)
			}
			if got := value(p.t, "", result.Result); got != b {
				p.t.Errorf("the frame answers %v", got)
			}
			if result.FrameID != f.FrameID || result.SessionID == "" || result.SessionID != f.SessionID {
				p.t.Errorf("it ran in frame %s, session %s; want %s, %s", result.FrameID, result.SessionID, f.FrameID, f.SessionID)
			}
		}},
		{name: "nested three deep", run: func(p *tab) {
			d := p.blank("d.test")
			c := p.embed("c.test", d)
			b := p.embed("b.test", c)
			p.open(p.embed("a.test", b))
			for _, url := range []string{b, c, d} {
				f := p.frame(url)
				if !isOOPIF(f) || p.evalIn(in(f), "seen.push(location.href), location.href") != url {
					p.t.Errorf("%s is shown as %+v", url, f)
				}
				p.sawIn(in(f), url)
			}
		}},
		{name: "the top frame by its id", run: func(p *tab) {
			url := p.blank("a.test")
			p.open(url)
			if got := p.evalIn(at{frame: p.frames().Top.FrameID}, "location.href"); got != url {
				p.t.Errorf("the page answers %v", got)
			}
		}},
		{name: "in the page's process is refused", run: func(p *tab) {
			inner := p.blank("a.test")
			p.open(p.page("a.test", `<iframe id="f" src="`+inner+`"></iframe>`))
			f := p.frame(inner)
			_, err := p.try(at{frame: f.FrameID}, "location.href")
			failure := refused(p.t, err, messages.CodeNotOOPIF)
			if !strings.Contains(failure.Message, "contentWindow") && !strings.Contains(failure.Message, "contentDocument") {
				p.t.Errorf("%q does not tell the way", failure.Message)
			}
			if failure.OwnerFrame != p.frames().Top.FrameID {
				p.t.Errorf("the owner is %s", failure.OwnerFrame)
			}
			if got := p.eval(`document.getElementById("f").contentWindow.location.href`); got != inner {
				p.t.Errorf("the way that it tells leads to %v", got)
			}
		}},
		{name: "in the page's process when allowed", run: func(p *tab) {
			one, two := p.blank("a.test"), p.blank("a.test")
			p.open(p.page("a.test", `<iframe src="`+one+`"></iframe><iframe src="`+two+`"></iframe>`))
			for _, url := range []string{one, two} {
				f := p.frame(url)
				if got := p.evalIn(at{frame: f.FrameID, sameProcess: true}, "location.href"); got != url {
					p.t.Errorf("the frame %s answers %v", url, got)
				}
			}
			if got := p.eval("typeof seen + seen.length"); got != "object0" {
				p.t.Errorf("the page answers %v", got)
			}
		}},
		{name: "in a frame's process inside another frame", run: func(p *tab) {
			inner := p.blank("b.test")
			b := p.embed("b.test", inner)
			p.open(p.embed("a.test", b))
			outer, f := p.frame(b), p.frame(inner)
			_, err := p.try(at{frame: f.FrameID}, "1")
			if failure := refused(p.t, err, messages.CodeNotOOPIF); failure.OwnerFrame != outer.FrameID {
				p.t.Errorf("the owner is %s, want %s", failure.OwnerFrame, outer.FrameID)
			}
			if got := p.evalIn(at{frame: f.FrameID, sameProcess: true}, "location.href"); got != inner {
				p.t.Errorf("the frame answers %v", got)
			}
		}},
		{name: "that nobody knows", run: func(p *tab) {
			p.open(p.blank("a.test"))
			_, err := p.try(at{frame: "0123456789ABCDEF"}, "1")
			refused(p.t, err, messages.CodeUnknownFrame)
		}},
		{name: "that is gone", run: func(p *tab) {
			b := p.blank("b.test")
			p.open(p.embed("a.test", b))
			f := p.frame(b)
			p.eval(removeFrame)
			p.poll("the frame to be gone", func() bool { return len(p.frames().Children) == 0 })
			_, err := p.try(in(f), "1")
			refused(p.t, err, messages.CodeUnknownFrame)
		}},
		{name: "that goes while the call runs", run: func(p *tab) {
			b := p.blank("b.test")
			p.open(p.embed("a.test", b))
			f := p.frame(b)
			p.eval(`setTimeout(() => ` + removeFrame + `, 300), 0`)
			_, err := p.try(in(f), `new Promise(() => {})`)
			if failure := refused(p.t, err, messages.CodeSessionLost); !failure.MayHaveRun {
				p.t.Error("it does not say that the call may have run")
			}
		}},
		{name: "a frame and a target", run: func(p *tab) {
			_, err := p.try(at{frame: "F", target: "T"}, "1")
			refused(p.t, err, messages.CodeInvalidArgument)
		}},
	})
}

// TestCalls is about raw calls as such.
func TestCalls(t *testing.T) {
	play(t, []scenario{
		{name: "the browser's own error", run: func(p *tab) {
			p.open(p.blank("a.test"))
			_, err := p.call(messages.CallRequest{Method: "No.suchMethod"})
			if f := refused(p.t, err, messages.CodeCDPError); f.CDPCode != -32601 {
				p.t.Errorf("cdp_code %d", f.CDPCode)
			}
		}},
		{name: "too large a result", run: func(p *tab) {
			p.open(p.blank("a.test"))
			_, err := p.try(at{}, `"x".repeat(1 << 21)`)
			if f := refused(p.t, err, messages.CodeTooLarge); f.Size < 1<<21 {
				p.t.Errorf("size %d", f.Size)
			}
			req := evaluation(at{}, `"x".repeat(1 << 21)`)
			req.MaxBytes = 1 << 22
			if _, err := p.call(req); err != nil {
				p.t.Errorf("with a larger bound: %v", err)
			}
		}},
		{name: "a timeout of its own", run: func(p *tab) {
			p.open(p.blank("a.test"))
			req := evaluation(at{}, `new Promise(() => {})`)
			req.Timeout = messages.MinCallTimeout
			_, err := p.call(req)
			refused(p.t, err, messages.CodeTimeout)
			if got := p.eval("1 + 1"); got != 2.0 {
				p.t.Errorf("afterwards the page answers %v", got)
			}
		}},
		{name: "a timeout out of range", run: func(p *tab) {
			req := evaluation(at{}, "1")
			req.Timeout = messages.MaxCallTimeout + 1
			_, err := p.call(req)
			refused(p.t, err, messages.CodeInvalidArgument)
		}},
		{name: "parameters that are not an object", run: func(p *tab) {
			for _, bad := range []string{`[1]`, `{"a":`, `"x"`, `{} {}`} {
				_, err := p.call(messages.CallRequest{Method: "Runtime.evaluate", Params: []byte(bad)})
				refused(p.t, err, messages.CodeInvalidArgument)
			}
		}},
		{name: "a navigation that fails", run: func(p *tab) {
			ctx, cancel := p.context()
			defer cancel()
			_, err := p.task.Navigate(ctx, "http://127.0.0.1:1/")
			if f := refused(p.t, err, messages.CodeCDPError); !strings.HasPrefix(f.ErrorText, "net::ERR_") {
				p.t.Errorf("error_text %q", f.ErrorText)
			}
		}},
		{name: "a navigation to nowhere", run: func(p *tab) {
			ctx, cancel := p.context()
			defer cancel()
			for _, url := range []string{"not a url", "javascript:void(document.title='it ran')"} {
				_, err := p.task.Navigate(ctx, url)
				refused(p.t, err, messages.CodeInvalidArgument)
			}
			if got := p.eval("document.title"); got == "it ran" {
				p.t.Error("the script ran")
			}
		}},
		{name: "page level and browser level", run: func(p *tab) {
			result, err := p.call(messages.CallRequest{Method: "Target.getTargetInfo"})
			if err != nil {
				p.t.Fatal(err)
			}
			if strings.Contains(string(result.Result), string(p.task.Snapshot().PageTargetID)) {
				p.t.Errorf("a browser-level method ran on the page: %s", result.Result)
			}
		}},
	})
}

// TestGuard is about a host that denies pages.
func TestGuard(t *testing.T) {
	t.Parallel()
	b := launch(t)
	h := newHost(t, registry.WithGuard(denyBank))
	p := b.tab(t, h)
	bank := p.blank("bank.test")
	p.open(p.embed("a.test", bank))
	var f messages.FrameEntry
	p.poll("the bank's frame", func() bool {
		var ok bool
		f, ok = entry(p.frames(), bank)
		return ok && f.SessionID != ""
	})
	_, err := p.try(in(f), "1")
	refused(t, err, messages.CodeDenied)
	if got := p.eval("1 + 1"); got != 2.0 {
		t.Errorf("the page answers %v", got)
	}
	ctx, cancel := p.context()
	defer cancel()
	_, err = p.task.Navigate(ctx, bank)
	refused(t, err, messages.CodeDenied)
}

// denyBank is a host's guard.
func denyBank(url string) error {
	if strings.HasPrefix(url, "http://bank.test/") {
		return messages.Fail(messages.CodeDenied, "not the bank")
	}
	return nil
}
