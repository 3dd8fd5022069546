package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// shape is what a tree looks like to a reader: one line per frame, sorted.
func shape(tree *messages.FrameTree) string {
	lines := []string{fmt.Sprintf("%s < %s", tree.Top.FrameID, tree.Top.URL)}
	for _, f := range tree.Children {
		lines = append(lines, fmt.Sprintf("%s in %s < %s", f.FrameID, f.ParentFrameID, f.URL))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// agrees waits until the engine's tree is what the browser says when a client
// asks each of its sessions anew.
func (p *tab) agrees(b *browser) {
	p.t.Helper()
	target := string(p.task.Snapshot().PageTargetID)
	var engine, browser string
	p.pollOr("engine and browser to agree", func() bool {
		browser = b.oracle(p.t, target)
		engine = shape(p.frames())
		return engine == browser
	}, func() string { return "engine:\n" + engine + "\nbrowser:\n" + browser })
}

// TestFrameTree follows frames through what can happen to them. After each
// step the tree must be the browser's.
func TestFrameTree(t *testing.T) {
	t.Parallel()
	b := launch(t)
	h := newHost(t)
	follow := func(name string, run func(p *tab, same func())) {
		t.Run(name, func(t *testing.T) {
			p := b.tab(t, h)
			run(p, func() { p.t.Helper(); p.agrees(b) })
		})
	}
	// point navigates the first frame of the page.
	point := func(p *tab, url string) { p.eval(`document.querySelector("iframe").src = "` + url + `"`) }

	follow("swaps both ways", func(p *tab, same func()) {
		near, far, further := p.blank("a.test"), p.embed("b.test", p.blank("c.test")), p.blank("c.test")
		p.open(p.embed("a.test", near))
		id := p.frame(near).FrameID
		for _, url := range []string{far, near, further, far, near} {
			point(p, url)
			f := p.frame(url)
			if f.FrameID != id || isOOPIF(f) != (url != near) || (f.SessionID != "") != (url != near) {
				p.t.Errorf("%s is shown as %+v", url, f)
			}
			same()
		}
	})
	follow("removal", func(p *tab, same func()) {
		inner := p.blank("c.test")
		p.open(p.embed("a.test", p.embed("b.test", inner)))
		p.frame(inner)
		same()
		p.eval(removeFrame)
		p.poll("an empty tree", func() bool { return len(p.frames().Children) == 0 })
		same()
	})
	follow("removal inside a frame", func(p *tab, same func()) {
		inner := p.blank("c.test")
		middle := p.embed("b.test", inner)
		p.open(p.embed("a.test", middle))
		p.frame(inner)
		p.evalIn(in(p.frame(middle)), removeFrame)
		p.poll("one frame", func() bool { return len(p.frames().Children) == 1 })
		same()
	})
	follow("navigation", func(p *tab, same func()) {
		inner := p.blank("c.test")
		p.open(p.embed("a.test", p.embed("b.test", inner)))
		p.frame(inner)
		for _, host := range []string{"a.test", "d.test"} { // same and other site
			next := p.blank("b.test")
			p.open(p.embed(host, next))
			p.frame(next)
			if n := len(p.frames().Children); n != 1 {
				p.t.Errorf("%d frames, want 1", n)
			}
			same()
		}
	})
	follow("back and forward", func(p *tab, same func()) {
		inner := p.blank("c.test")
		middle := p.embed("b.test", inner)
		near := p.blank("a.test")
		first := p.page("a.test", `<iframe src="`+middle+`"></iframe><iframe src="`+near+`"></iframe>`)
		p.open(first)
		p.frame(inner)
		p.frame(near)
		p.eval(`addEventListener("pageshow", e => seen.push(e.persisted)), 0`)
		p.open(p.embed("a.test", p.blank("d.test")))
		same()
		p.eval(`history.back(), 0`)
		p.wait("the first page", func(s *messages.Snapshot) bool { return s.Page.URL == first })
		for _, url := range []string{middle, inner, near} {
			p.frame(url)
		}
		if n := len(p.frames().Children); n != 3 {
			p.t.Errorf("%d frames, want 3", n)
		}
		if restored := p.eval("seen[0]"); restored != true {
			p.t.Logf("the page was loaded anew, not restored: %v", restored)
		}
		same()
		p.eval(`history.forward(), 0`)
		p.wait("the second page", func(s *messages.Snapshot) bool { return s.Page.URL != first })
		same()
	})
	follow("frames without a document", func(p *tab, same func()) {
		nothing := p.handle("b.test", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
		file := p.handle("b.test", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Disposition", "attachment")
			_, _ = w.Write([]byte("x"))
		})
		p.open(p.page("a.test", `<iframe src="`+nothing+`"></iframe><iframe src="`+file+`"></iframe><iframe src="javascript:void 0"></iframe>
			<script>const f = document.createElement("iframe"); f.src = URL.createObjectURL(new Blob(["x"], {type: "text/html"})); document.body.append(f)</script>`))
		p.poll("four frames", func() bool { return len(p.frames().Children) == 4 })
		same()
		for _, f := range p.frames().Children {
			if isOOPIF(f) || f.ParentFrameID != p.frames().Top.FrameID {
				p.t.Errorf("a frame is shown as %+v", f)
			}
		}
	})
	follow("changes of the address", func(p *tab, same func()) {
		b := p.blank("b.test")
		p.open(p.embed("a.test", b))
		f := p.frame(b)
		p.eval(`history.pushState(0, "", "/pushed"), location.hash = "top"`)
		p.evalIn(in(f), `location.hash = "frame"`)
		p.wait("the page's new address", func(s *messages.Snapshot) bool { return s.Page.URL == "http://a.test/pushed#top" })
		p.frame(b + "#frame")
		same()
	})
	follow("churn", func(p *tab, same func()) {
		urls := []string{
			p.blank("a.test"), p.blank("b.test"), p.blank("c.test"), p.embed("b.test", p.blank("c.test")),
			p.embed("c.test", p.embed("b.test", p.blank("a.test"))), "about:blank", "data:text/html,x",
		}
		p.open(p.page("a.test", `<script>
			const urls = ["`+strings.Join(urls, `","`)+`"];
			const any = list => list[Math.floor(Math.random() * list.length)];
			let n = 0;
			const timer = setInterval(() => {
				const frames = [...document.querySelectorAll("iframe")];
				const what = Math.random();
				if (what < 0.5 && frames.length < 12 || frames.length === 0) {
					const f = document.createElement("iframe");
					f.src = any(urls);
					document.body.append(f);
				} else if (what < 0.7) any(frames).remove();
				else any(frames).src = any(urls);
				if (++n === 80) { clearInterval(timer); seen.push("over"); }
			}, 20);
		</script><body>`))
		p.poll("the end of the churn", func() bool { return p.eval("seen[0]") == "over" })
		same()
		for _, f := range p.frames().Children {
			p.poll("frame "+string(f.FrameID)+" to be loaded", func() bool { // the last ones may be on their way
				v, err := p.try(in(f), "1")
				if err != nil && messages.CodeOf(err) != messages.CodeFrameNotLoaded && messages.CodeOf(err) != messages.CodeFrameSwapping {
					p.t.Fatal(err)
				}
				return err == nil && v == 1.0
			})
		}
	})
	t.Cleanup(func() { b.mustLive(t) })
}

// TestFrameKinds shows frames of every kind.
func TestFrameKinds(t *testing.T) {
	t.Parallel()
	b := launch(t)
	h := newHost(t)
	refusing := func(p *tab) string {
		return p.handle("b.test", denyFraming)
	}
	cases := []struct {
		name   string
		tag    func(*tab) string
		url    string // "" means the tag's own
		origin string
		oopif  bool
	}{
		{"srcdoc", func(*tab) string { return `<iframe srcdoc="<p>x"></iframe>` }, "about:srcdoc", "http://a.test", false},
		{"about:blank", func(*tab) string { return `<iframe src="about:blank"></iframe>` }, "about:blank", "http://a.test", false},
		{"no address", func(*tab) string { return `<iframe></iframe>` }, "about:blank", "http://a.test", false},
		{"data:", func(*tab) string { return `<iframe src="data:text/html,x"></iframe>` }, "data:text/html,x", "null", false},
		{"same site", func(p *tab) string { return `<iframe src="` + p.blank("sub.a.test") + `"></iframe>` }, "", "http://sub.a.test", false},
		{"other site", func(p *tab) string { return `<iframe src="` + p.blank("b.test") + `"></iframe>` }, "", "http://b.test", true},
		{"sandboxed", func(p *tab) string { return `<iframe sandbox src="` + p.blank("a.test") + `"></iframe>` }, "", "null", true},
		{"sandboxed srcdoc", func(*tab) string { return `<iframe sandbox="allow-scripts" srcdoc="<p>x"></iframe>` }, "about:srcdoc", "null", true},
		{"sandboxed with its origin", func(p *tab) string {
			return `<iframe sandbox="allow-scripts allow-same-origin" src="` + p.blank("a.test") + `"></iframe>`
		}, "", "http://a.test", false},
		{"object", func(p *tab) string { return `<object data="` + p.blank("b.test") + `" type="text/html"></object>` }, "", "http://b.test", true},
		{"refuses to be framed", func(p *tab) string { return `<iframe src="` + refusing(p) + `"></iframe>` }, "chrome-error://chromewebdata/", "null", true},
		{"nobody answers", func(*tab) string { return `<iframe src="http://127.0.0.1:1/"></iframe>` }, "chrome-error://chromewebdata/", "null", true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := b.tab(t, h)
			tag := c.tag(p)
			url := c.url
			if url == "" {
				_, rest, _ := strings.Cut(tag, `"http`)
				address, _, _ := strings.Cut(rest, `"`)
				url = "http" + address
			}
			p.open(p.page("a.test", tag))
			f := p.frame(url)
			if f.Origin != c.origin || isOOPIF(f) != c.oopif || (f.SessionID != "") != c.oopif || f.ParentFrameID != p.frames().Top.FrameID {
				t.Errorf("it is shown as %+v, want origin %s, is_oopif %t", f, c.origin, c.oopif)
			}
			p.agrees(b)
		})
	}
}

// TestSeededTree attaches to a page that was loaded before.
func TestSeededTree(t *testing.T) {
	t.Parallel()
	b := launch(t)
	h := newHost(t)
	inner := b.page("a.test", `<iframe srcdoc="<p>x"></iframe>`)
	middle := b.embed("c.test", inner)
	outer := b.embed("b.test", middle)
	near := b.embed("a.test", b.blank("d.test"))
	r := dialRaw(t, b.endpoint)
	target, session := r.page(b.page("a.test", `<iframe src="`+outer+`"></iframe><iframe src="`+near+`"></iframe>`))
	r.call(session, "Runtime.evaluate", params{"expression": loaded, "awaitPromise": true})
	p := b.tab(t, h, registry.WithTarget(messages.TargetID(target)))
	p.agrees(b)
	for _, url := range []string{outer, middle, inner, near} {
		if got := p.evalIn(in(p.frame(url)), "location.href"); got != url {
			t.Errorf("%s answers %v", url, got)
		}
	}
	if n := len(p.frames().Children); n != 6 {
		t.Errorf("%d frames, want 6", n)
	}
}

// TestFrameCaps is about pages with more frames than a snapshot lists.
func TestFrameCaps(t *testing.T) {
	play(t, []scenario{
		{name: "thirty", run: func(p *tab) {
			var tags strings.Builder
			urls := make([]string, 40)
			for i := range urls {
				urls[i] = p.blank([]string{"a.test", "b.test"}[i%2])
				fmt.Fprintf(&tags, `<iframe src=%q></iframe>`, urls[i])
			}
			p.open(p.page("a.test", tags.String()))
			for _, url := range urls {
				p.frame(url)
			}
			s := p.wait("the capped view", func(s *messages.Snapshot) bool { return s.FrameTree.Truncated && s.FrameTree.Omitted == 10 })
			if n := len(s.FrameTree.Children); n != messages.MaxViewFrames {
				p.t.Errorf("%d children are listed", n)
			}
			for _, url := range urls {
				if got := p.evalIn(in(p.frame(url)), "location.href"); got != url {
					p.t.Errorf("%s answers %v", url, got)
				}
			}
		}},
		{name: "two hops", run: func(p *tab) {
			e := p.blank("e.test")
			d := p.embed("d.test", e)
			near := p.blank("c.test")
			c := p.page("c.test", `<iframe src="`+near+`"></iframe><iframe src="`+d+`"></iframe>`)
			b := p.embed("b.test", c)
			p.open(p.embed("a.test", b))
			for _, url := range []string{e, near} {
				p.frame(url)
			}
			// near is no further hop: it is in its parent's process.
			s := p.wait("the capped view", func(s *messages.Snapshot) bool { return s.FrameTree.Omitted == 2 })
			for _, url := range []string{b, c, near} {
				if _, ok := entry(s.FrameTree, url); !ok {
					p.t.Errorf("%s is not listed", url)
				}
			}
			if !s.FrameTree.Truncated || len(s.FrameTree.Children) != 3 {
				p.t.Error(p.state())
			}
			if got := p.evalIn(in(p.frame(e)), "location.href"); got != e {
				p.t.Errorf("the deepest answers %v", got)
			}
		}},
	})
}
