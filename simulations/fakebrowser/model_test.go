package fakebrowser

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cdpsupervisor/messages"

	"pgregory.net/rapid"
)

// Whatever a page and its client do, the trees of all sessions together are
// the true tree, and nothing goes wrong inside the fake.
func TestTreeIsAlwaysComplete(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := New(Options{Pages: pages(nestedPages()), SiteIsolation: true, AllowPopups: true})
		defer b.Close()
		c := newClient(t, b)
		c.setup(true)
		target, s := c.page("http://a.test/n1", true)
		urls := []string{"http://a.test/plain", "http://b.test/n2", "http://c.test/n3", "about:blank", "http://a.test/n1b", "data:text/html,x", "http://nope.invalid/"}
		url := rapid.SampledFrom(urls)
		pick := rapid.IntRange(0, 5)
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			i := pick.Draw(rt, "frame")
			switch op := rapid.IntRange(0, 8).Draw(rt, "op"); op {
			case 0:
				c.evalID(s, fmt.Sprintf("var f=document.createElement('iframe');f.src=%q;document.body.append(f)", url.Draw(rt, "url")))
			case 1:
				c.evalID(s, fmt.Sprintf("var all=document.querySelectorAll('iframe');all[%d]&&all[%d].remove()", i, i))
			case 2:
				c.evalID(s, fmt.Sprintf("var all=document.querySelectorAll('iframe');if(all[%d])all[%d].src=%q", i, i, url.Draw(rt, "url")))
			case 3:
				c.send(s, "Page.navigate", fmt.Sprintf(`{"url":%q}`, url.Draw(rt, "url")))
			case 4:
				c.send(s, "Page.reload", "")
			case 5:
				c.evalID(s, "history.back()")
			case 6:
				if all := c.attached(s); i < len(all) {
					c.evalID(all[i], "setTimeout(()=>confirm('x'),0)")
				}
			case 7:
				c.evalID(s, "history.forward()")
			case 8:
				c.evalID(s, "document.body.innerHTML='<iframe srcdoc=x></iframe><iframe sandbox=allow-scripts srcdoc=y></iframe>'")
			}
			if d := b.OpenDialogs(); len(d) > 0 {
				if d[0].Answerable && !d[0].Orphan {
					c.send(s, handle, dismiss)
				} else {
					c.send(s, "Page.disable", "")
					c.send(s, "Page.navigate", `{"url":"http://a.test/n1"}`)
					c.send(s, "Page.enable", "")
				}
			}
		}
		if !b.Alive() {
			rt.Fatalf("died: %v", b.Crashed())
		}
		if err := b.Err(); err != nil {
			rt.Fatal(err)
		}
		c.complete(target, s)
		if t.Failed() {
			rt.Fatal("the tree is not complete")
		}
	})
}

// Two runs with one history give the same bytes.
func TestDeterministic(t *testing.T) {
	run := func() string {
		b := New(Options{Pages: pages(nestedPages()), SiteIsolation: true, Seed: 7})
		defer b.Close()
		c := newClient(t, b)
		c.setup(true)
		_, s := c.page("http://a.test/n1", true)
		c.evalID(s, "setTimeout(()=>{console.log(Math.random(),Date.now());alert(1)},10)")
		b.Advance(20 * time.Millisecond)
		c.pump()
		c.send(s, handle, accept)
		c.send(s, "Page.reload", "")
		var out strings.Builder
		for _, m := range c.all {
			out.WriteString(m.raw + "\n")
		}
		return out.String()
	}
	first := run()
	for range 3 {
		if again := run(); again != first {
			t.Fatal("another run gave other bytes")
		}
	}
	if strings.Count(first, "\n") < 100 {
		t.Errorf("only %d messages", strings.Count(first, "\n"))
	}
}

// bubbleClock is the clock of a synctest bubble.
type bubbleClock struct{}

func (bubbleClock) Now() time.Time { return time.Now() }
func (bubbleClock) AfterFunc(d time.Duration, f func()) messages.Timer {
	return time.AfterFunc(d, f)
}

// A browser can live in a bubble: its goroutines block durably, its timers
// are the bubble's.
func TestInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Options{Pages: pages(nil), Clock: bubbleClock{}})
		defer b.Close()
		tr := b.Transport()
		got := make(chan string, 100)
		go func() {
			defer close(got)
			for {
				raw, err := tr.Read(nil)
				if err != nil {
					return
				}
				got <- string(raw)
			}
		}()
		send := func(s string) {
			if err := tr.Write([]byte(s)); err != nil {
				t.Fatal(err)
			}
		}
		send(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"` + b.PageIDs()[0] + `","flatten":true}}`)
		first := <-got
		session := first[strings.Index(first, `"sessionId":"`)+13:][:32]
		<-got
		send(`{"id":2,"method":"Page.enable","sessionId":"` + session + `"}`)
		<-got
		send(`{"id":3,"method":"Runtime.evaluate","params":{"expression":"setTimeout(()=>{confirm('q')},3600e3)"},"sessionId":"` + session + `"}`)
		<-got
		began := time.Now()
		if m := <-got; !strings.Contains(m, "javascriptDialogOpening") || time.Since(began) != time.Hour {
			t.Errorf("got %s after %v", m, time.Since(began))
		}
		synctest.Wait()
		if !b.Idle() {
			t.Error("busy with nothing")
		}
	})
}

func TestSettle(t *testing.T) {
	b, c := start(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	c.post("", "Browser.getVersion", "")
	settled := make(chan error)
	go func() { settled <- b.Settle(ctx) }()
	c.pump() // reads the reply
	if err := <-settled; err != nil {
		t.Error(err)
	}
	c.post("", "Browser.getVersion", "")
	go func() { settled <- b.Settle(ctx) }()
	cancel() // nobody reads the second reply
	if err := <-settled; err == nil {
		t.Error("settled with an unread message")
	}
	c.pump()
}

func TestWithoutSiteIsolation(t *testing.T) {
	b, c := start(t, nestedPages(), func(o *Options) { o.SiteIsolation = false })
	c.setup(true)
	target, s := c.page("http://a.test/n1", true)
	for _, f := range b.Frames(target) {
		if f.OOPIF {
			t.Errorf("%s has a renderer of its own", f.URL)
		}
	}
	if n := len(c.attached(s)); n != 0 {
		t.Errorf("%d sessions", n)
	}
	c.complete(target, s)
}

// The table of methods that the engine goes by agrees with what hangs here.
func TestMethodClasses(t *testing.T) {
	for m := range rendererMethods() {
		if m != "No.suchMethod" && m != "Target.setAutoAttach" && !messages.Class(m).Blocked() {
			t.Errorf("%s hangs, its class says that it does not", m)
		}
	}
	for m := range browserSideMethods() {
		if messages.Class(m).Blocked() {
			t.Errorf("%s answers, its class says that it hangs", m)
		}
	}
	for name, m := range methodTable() {
		c := messages.Class(name)
		if m.on == onBrowser && !c.Root {
			t.Errorf("%s exists on the root alone, its class says otherwise", name)
		}
	}
}

func FuzzHTML(f *testing.F) {
	for _, s := range []string{"<p>x", "<a b='c' d=e f>", "<script>1</script", "</", "<!--", "<iframe srcdoc='<iframe srcdoc=x>'>", "<p a==b =c>", "&amp;&#0;", "<title>t"} {
		f.Add(s)
	}
	b := New(Options{Pages: func(string) (Response, bool) { return Response{}, false }})
	f.Cleanup(b.Close)
	f.Fuzz(func(t *testing.T, s string) {
		b.do(func() {
			p := b.newPage(pageSeed{kind: "page"})
			d := p.main.doc
			d.sandbox = sandbox{on: true} // scripts do not run
			d.response.HTML = s
			d.parse()
			d.root.walk(func(n *node) bool { return n.kind != elementNode || len(n.outerHTML()) >= 0 })
			p.close(nil)
		})
		if err := b.Err(); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzMessage(f *testing.F) {
	for _, s := range []string{`{"id":1,"method":"Page.enable"}`, `{"id":1,"method":"Target.attachToTarget","params":{"targetId":1}}`, `[]`, `{"id":1e9}`, "{", `{"id":1,"method":"Target.setAutoAttach","params":null}`} {
		f.Add([]byte(s))
	}
	b := New(Options{})
	f.Cleanup(b.Close)
	f.Fuzz(func(t *testing.T, raw []byte) {
		if strings.Contains(string(raw), "Browser.c") {
			return // close and crash do what they say
		}
		tr := b.Transport()
		if err := tr.Write(raw); err != nil {
			t.Fatal(err)
		}
		if _, err := tr.Read(nil); err != nil {
			t.Fatal(err) // everything has an answer
		}
		_ = tr.Close()
		if err := b.Err(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestGlob(t *testing.T) {
	for _, x := range []struct {
		pattern, s string
		want       bool
	}{
		{"*", "", true}, {"*://h/*", "https://h/x", true}, {"*://h/*", "https://hh/x", false}, {"a?c", "abc", true}, {"a?c", "ac", false},
		{`a\*`, "a*", true}, {`a\*`, "ab", false}, {"*a*a*a*a*a*a*b", strings.Repeat("a", 5_000), false}, {"", "x", false},
	} {
		if got := glob(x.pattern, x.s); got != x.want {
			t.Errorf("glob(%q, %.10q) = %v", x.pattern, x.s, got)
		}
	}
}

// rendererMethods hang while a dialog blocks the renderer, browserMethods do
// not.
func rendererMethods() map[string]string {
	return map[string]string{
		"Runtime.evaluate": `{"expression":"1"}`, "Runtime.enable": "", "Runtime.disable": "", "Page.enable": "",
		"Page.getFrameTree": "", "Page.getLayoutMetrics": "", "Page.captureScreenshot": "", "Page.printToPDF": "",
		"Page.addScriptToEvaluateOnNewDocument": `{"source":"1"}`, "Page.setBypassCSP": `{"enabled":true}`,
		"Page.setLifecycleEventsEnabled": `{"enabled":true}`, "DOM.getDocument": "", "DOM.enable": "", "CSS.enable": "",
		"Network.enable": "", "Network.setExtraHTTPHeaders": `{"headers":{}}`, "Network.setUserAgentOverride": `{"userAgent":"x"}`,
		"Log.enable": "", "Debugger.enable": "", "Performance.getMetrics": "", "Accessibility.getFullAXTree": "",
		"Emulation.setTimezoneOverride": `{"timezoneId":"UTC"}`, "Input.insertText": `{"text":"x"}`,
		"Target.setAutoAttach": `{"autoAttach":true,"flatten":true,"waitForDebuggerOnStart":true}`, "No.suchMethod": "",
	}
}

func browserSideMethods() map[string]string {
	return map[string]string{
		"Page.getNavigationHistory": "", "Page.bringToFront": "", "Page.stopLoading": "", "Network.getCookies": "",
		"Fetch.enable": `{"patterns":[{"urlPattern":"x"}]}`, "Fetch.disable": "", "Target.getTargets": "", "Target.getTargetInfo": "",
		"Browser.getVersion": "", "Storage.getCookies": "", "Schema.getDomains": "",
		"Input.dispatchMouseEvent": `{"type":"mouseMoved","x":5,"y":5}`, "Input.dispatchKeyEvent": `{"type":"keyDown","key":"a"}`,
	}
}
