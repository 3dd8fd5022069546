package scenarios

import (
	"slices"
	"strings"
)

// nestedSite: a.test embeds b.test and a.test, b.test embeds itself and
// c.test, c.test embeds d.test and itself.
func nestedSite() Site {
	return pages(map[string]string{
		"http://a.test/n1":  `<!doctype html><title>n1</title><iframe id=b src="http://b.test/n2"></iframe><iframe id=a src="/n1b"></iframe>`,
		"http://a.test/n1b": `<iframe src="http://b.test/plain?under"></iframe>`,
		"http://b.test/n2":  `<iframe src="/plain?local"></iframe><iframe src="http://c.test/n3"></iframe>`,
		"http://c.test/n3":  `<iframe src="http://d.test/plain?deep"></iframe><iframe src="/plain?c2"></iframe>`,
	})
}

const (
	nested     = "http://a.test/n1"
	nestedTree = "http://a.test/n1 [http://a.test/n1b [http://b.test/plain?under] " +
		"http://b.test/n2 [http://b.test/plain?local http://c.test/n3 [http://c.test/plain?c2 http://d.test/plain?deep]]]"
)

// oneFrame is a page with one frame, whose element is f.
func oneFrame(src string) Site {
	return pages(map[string]string{"http://a.test/top": `<!doctype html><title>top</title><iframe id=f src="` + src + `"></iframe>`})
}

// mustShow compares the whole frame tree.
func (p *session) mustShow(want string) {
	p.c.r.Helper()
	if got := p.tree(); got != want {
		p.c.r.Errorf("the frame tree is\n%s\nand should be\n%s", got, want)
	}
}

// paused waits for a frame that was attached and waits to be resumed.
func (p *session) paused() *session {
	p.c.r.Helper()
	m := p.await("attachedToTarget sub url= wait=true")
	return &session{p.c, m.told.SessionID, m.told.Info.TargetID}
}

func (p *session) resume() { p.ok("Runtime.runIfWaitingForDebugger", "") }

// unhandled opens a page whose frames nobody sets up, and navigates it.
func (r *run) unhandled(url string) *session {
	r.Helper()
	p := r.dial().tab("")
	p.post("Page.navigate", navigate(url))
	return p
}

func oopifScenarios() []Scenario {
	return []Scenario{
		{Name: "a cross-site frame is attached paused", Covers: []string{"oopif.waiting"}, Site: oneFrame("http://b.test/plain"), run: func(r *run) {
			p := r.open("")
			p.post("Page.navigate", navigate("http://a.test/top"))
			f := p.paused()
			f.expect("reply Page.enable", "reply Runtime.enable", "reply Target.setAutoAttach",
				"frameNavigated sub http://b.test/plain Navigation", "reply Runtime.runIfWaitingForDebugger", "loadEventFired")
			p.await("targetInfoChanged sub url=http://b.test/plain attached=true")
			p.await("frameDetached sub swap")
			p.await("loadEventFired")
			p.mustShow("http://a.test/top [http://b.test/plain]")
		}},
		{Name: "a cross-site frame is attached without a pause", Covers: []string{"oopif.not-waiting"}, Site: oneFrame("http://b.test/plain"), run: func(r *run) {
			root := r.dial()
			root.handleFrames(false)
			p := root.newTab("")
			p.enableNow(false)
			p.post("Page.navigate", navigate("http://a.test/top"))
			p.saw("attachedToTarget sub")
			p.saw("targetInfoChanged sub url=http://b.test/plain")
			p.saw("frameDetached sub swap")
			p.await("loadEventFired")
			f := p.frame("b.test/plain")
			f.loaded()
			f.not("frameNavigated")
		}},
		{Name: "what is told of a frame's target", Covers: []string{"oopif.target-info"}, Site: nestedSite(), run: func(r *run) {
			p := r.open(nested)
			under := p.frame("?under")
			parent, urls := p.frames()
			var told struct {
				Info targetInfo `json:"targetInfo"`
			}
			p.root().ok("Target.getTargetInfo", byTarget(under.target)).decode(r, &told)
			i := told.Info
			if i.Type != "iframe" || i.ParentFrameID != parent[under.target] || i.ParentID != p.target || i.URL != urls[under.target] || urls[i.ParentFrameID] != "http://a.test/n1b" {
				r.Errorf("told %+v", i)
			}
		}},
		{Name: "a frame waits", Covers: []string{"oopif.while-waiting"}, Site: oneFrame("http://b.test/plain"), run: func(r *run) {
			p := r.unhandled("http://a.test/top")
			f := p.paused()
			for _, m := range []string{"Page.enable", "Runtime.enable", "Fetch.enable"} {
				f.ok(m, `{"patterns":[{"urlPattern":"x"}]}`)
			}
			f.ok("Page.addScriptToEvaluateOnNewDocument", `{"source":"window.early=1"}`)
			if own := f.ownFrames(); len(own) != 1 || own[f.target].URL != "" {
				r.Errorf("told %+v", own)
			}
			f.fails("Runtime.evaluate", `{"expression":"1"}`, failed, "Cannot find default execution context")
			p.settles("new Promise(done=>{const look=()=>document.readyState==='loading'?setTimeout(look,1):done(document.readyState);look()})", `"interactive"`)
			f.resume()
			f.await("frameNavigated sub http://b.test/plain")
			f.want("early", "1")
			p.loaded()
		}},
		{Name: "a frame waits for two clients", Covers: []string{"oopif.two-waiters"}, Site: oneFrame("http://b.test/plain"), run: func(r *run) {
			p := r.dial().tab("")
			q := r.dial().attach(p.target)
			q.ok("Target.setAutoAttach", autoAttach(true))
			p.ok("Page.navigate", navigate("http://a.test/top"))
			f := p.paused()
			f.ok("Page.enable", "")
			r.barrier()
			q.not("attachedToTarget")
			f.post("Runtime.runIfWaitingForDebugger", "")
			g := q.paused()
			r.barrier()
			f.not("frameNavigated")
			g.post("Runtime.runIfWaitingForDebugger", "")
			f.await("frameNavigated sub http://b.test/plain")
			p.loaded()
		}},
		{Name: "a frame's client goes", Covers: []string{"oopif.resumed-without-client"}, Site: oneFrame("http://b.test/plain"), run: func(r *run) {
			for _, way := range []string{"the connection ends", "auto-attach is turned off"} {
				p := r.unhandled("http://a.test/top")
				p.paused()
				if way == "the connection ends" {
					p.c.hangUp()
				} else {
					p.ok("Target.setAutoAttach", `{"autoAttach":false,"flatten":true,"waitForDebuggerOnStart":false}`)
				}
				q := r.dial().attach(p.target)
				q.loaded()
				q.want("f.contentDocument", "null")
			}
		}},
		{Name: "frames that never wait", Covers: []string{"oopif.never-waits"}, Site: pages(map[string]string{
			"http://a.test/top": `<iframe sandbox="allow-scripts" srcdoc="hi"></iframe><iframe src="http://b.test/unframed"></iframe>`}), run: func(r *run) {
			p := r.open("")
			p.ok("Page.navigate", navigate("http://a.test/top"))
			p.saw("loadEventFired")
			told := p.expect("attachedToTarget sub", "attachedToTarget sub")
			for _, m := range told {
				if m.told.Waiting || m.told.Info.URL == "" {
					r.Errorf("got %s", m.raw)
				}
				f := &session{p.c, m.told.SessionID, m.told.Info.TargetID}
				f.saw("reply Target.setAutoAttach")
				f.not("frameNavigated")
			}
		}},
		{Name: "frames that have a target of their own", Covers: []string{"oopif.kinds"}, Site: pages(nil), run: func(r *run) {
			p := r.open("https://a.test/plain")
			for _, x := range []struct {
				html   string
				remote bool
			}{
				{`<iframe onload=done() src="https://b.test/plain">`, true},
				{`<iframe onload=done() sandbox="allow-scripts" src="/plain">`, true},
				{`<iframe onload=done() sandbox="allow-scripts" srcdoc="x">`, true},
				{`<iframe onload=done() src="https://own.a.test/agent">`, true},
				{`<iframe onload=done() src="https://nope.invalid/">`, true},
				{`<object onload=done() data="https://b.test/plain">`, true},
				{`<embed onload=done() src="https://c.test/plain">`, true},
				{`<iframe onload=done() src="https://sub.a.test/plain">`, false},
				{`<iframe onload=done() src="about:blank">`, false},
				{`<iframe onload=done()>`, false},
				{`<iframe onload=done() srcdoc="x">`, false},
				{`<iframe onload=done() src="data:text/html,x">`, false},
				{`<iframe onload=done() src="javascript:1">`, false},
				{`<iframe onload=done() sandbox>`, false},
				{`<iframe onload=done() sandbox="allow-scripts allow-same-origin" src="/plain">`, false},
			} {
				p.settles("new Promise(ok=>{window.done=()=>ok(1);document.body.innerHTML="+quote(x.html)+"})", "1")
				if own := len(p.ownFrames()); (own == 1) != x.remote {
					r.Errorf("%s: the page's session lists %d frames", x.html, own)
				}
			}
		}},
	}
}

// onlyChild is the id of the one frame in a page that its session lists.
func (p *session) onlyChild() string {
	p.c.r.Helper()
	for id, f := range p.ownFrames() {
		if f.ParentID != "" {
			return id
		}
	}
	p.c.r.Fatalf("the page has no frame")
	return ""
}

func frameScenarios() []Scenario {
	return []Scenario{
		{Name: "frames are removed", Covers: []string{"frame.removal"}, Site: nestedSite(), run: func(r *run) {
			p := r.open(nested)
			outer, middle, deep := p.frame("/n2"), p.frame("/n3"), p.frame("?deep")
			p.eval("a.remove()")
			p.saw("detachedFromTarget sub")
			told := p.expect("frameDetached sub remove", "frameDetached sub remove")
			if told[1].told.FrameID == p.frameOf("?under") {
				r.Errorf("the outer frame was told first")
			}
			p.eval("b.remove()")
			last := 0
			for _, x := range []struct{ on, gone *session }{{middle, deep}, {outer, middle}, {p, outer}} {
				m := x.on.removal(x.gone)
				if m.at < last {
					r.Errorf("the frame around was told first")
				}
				last = m.at
			}
			p.mustShow(nested)
		}},
		{Name: "a page with frames navigates", Covers: []string{"frame.navigation-drops-children"}, Site: nestedSite(), run: func(r *run) {
			p := r.open(nested)
			kids := p.children()
			p.mark()
			p.post("Page.navigate", navigate(plain))
			p.expect("detachedFromTarget sub", "detachedFromTarget sub", "frameNavigated top http://a.test/plain Navigation", "loadEventFired")
			for _, f := range kids {
				f.goneNow()
			}
			p.mustShow(plain)
		}},
		{Name: "a page with frames is reloaded", Covers: []string{"frame.reload-removes-children"}, Site: pages(map[string]string{
			"http://a.test/top": `<iframe src="http://b.test/plain"></iframe><iframe src="/plain"></iframe>`}), run: func(r *run) {
			p := r.open("http://a.test/top")
			p.frame("b.test/plain")
			p.mark()
			p.post("Page.reload", "")
			p.expect("executionContextsCleared", "frameDetached sub remove", "executionContextsCleared", "frameNavigated top http://a.test/top")
			p.await("loadEventFired")
			p.mustShow("http://a.test/top [http://a.test/plain http://b.test/plain]")
		}},
		{Name: "a frame without a URL", Covers: []string{"frame.blank-at-once"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			p.gives(p.start("var f=document.createElement('iframe');document.body.append(f);f.contentWindow.x=1;f.contentDocument.URL"), `"about:blank"`)
			p.expect("frameAttached sub", "frameNavigated sub about:blank Navigation", "executionContextCreated sub", "reply Runtime.evaluate")
			p.want("f.contentWindow.x", "1")
		}},
		{Name: "frames without a document", Covers: []string{"frame.without-document"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			for _, x := range []struct{ src, url, last string }{
				{"http://b.test/204", "", "frameStoppedLoading sub"}, {"http://b.test/download", "", "frameStoppedLoading sub"}, {"javascript:1", "", "executionContextCreated sub"}, {"javascript:'text'", "about:blank", "executionContextCreated sub"},
			} {
				p.mark()
				p.eval("document.body.innerHTML=" + quote(`<iframe src="`+x.src+`">`))
				id := p.saw("frameAttached sub").told.FrameID
				p.saw(x.last)
				p.not("frameNavigated")
				if got := p.ownFrames()[id]; got.URL != x.url {
					r.Errorf("%s: the frame is told as %q", x.src, got.URL)
				}
			}
			for url, want := range map[string]string{"http://b.test/204": "net::ERR_ABORTED", "http://b.test/download": `"isDownload":true`} {
				if m := p.ok("Page.navigate", navigate(url)); !strings.Contains(m.raw, want) {
					r.Errorf("got %s", m.raw)
				}
			}
			p.want("location.href", `"http://a.test/plain"`)
		}},
		{Name: "navigations within a document", Covers: []string{"frame.same-document"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			step := func(url string) {
				p.c.r.Helper()
				p.expect("frameStartedLoading top", "navigatedWithinDocument top "+url, "frameStoppedLoading top")
			}
			p.eval("location.hash='x'")
			step("http://a.test/plain#x")
			p.eval("history.pushState({},'','/pushed')")
			step("http://a.test/pushed")
			p.ok("Page.navigate", navigate("http://a.test/pushed#z"))
			step("http://a.test/pushed#z")
			p.eval("history.back()")
			step("http://a.test/pushed")
		}},
		{Name: "a page that cannot be loaded", Covers: []string{"frame.error-page"}, Site: pages(nil), run: func(r *run) {
			p := r.open("")
			if m := p.ok("Page.navigate", navigate("http://nope.invalid/x")); !strings.Contains(m.raw, "net::ERR_NAME_NOT_RESOLVED") {
				r.Errorf("got %s", m.raw)
			}
			p.await("frameNavigated top chrome-error://chromewebdata/")
			if f := p.ownFrames()[p.target]; f.URL != "chrome-error://chromewebdata/" || f.UnreachableURL != "http://nope.invalid/x" {
				r.Errorf("told %+v", f)
			}
		}},
		{Name: "origins of frames", Covers: []string{"frame.origins"}, Site: pages(map[string]string{
			"http://a.test/top": `<iframe srcdoc=x></iframe><iframe></iframe><iframe src="data:text/html,x"></iframe><iframe sandbox></iframe>`}), run: func(r *run) {
			p := r.open("http://a.test/top")
			own := p.ownFrames()
			if len(own) != 5 {
				r.Errorf("%d frames", len(own))
			}
			for id, f := range own {
				if id != p.target && f.SecurityOrigin != "://" {
					r.Errorf("%s has the origin %s", f.URL, f.SecurityOrigin)
				}
			}
			var reach []string
			for i := range 4 {
				reach = append(reach, p.eval("(()=>{try{return !!frames["+string(rune('0'+i))+"].document}catch(e){return false}})()"))
			}
			if !slices.Equal(reach, []string{"true", "true", "false", "false"}) {
				r.Errorf("the page reaches %v", reach)
			}
		}},
	}
}

// removal waits until the session tells that a frame was removed, and
// detached.
func (s *session) removal(f *session) (m message) {
	s.c.r.Helper()
	s.c.wait("a removal", func() bool {
		detached := false
		for _, x := range s.c.all {
			if x.Session != s.id {
				continue
			}
			if x.Method == "Page.frameDetached" && x.told.FrameID == f.target && x.told.Reason == "remove" {
				m = x
			}
			detached = detached || x.Method == "Target.detachedFromTarget" && x.told.SessionID == f.id
		}
		return detached && m.Method != ""
	})
	return m
}

// frameOf is the id of the target with a URL, alive or not.
func (p *session) frameOf(suffix string) (id string) {
	p.c.look(func() {
		for target, url := range p.c.urls {
			if strings.HasSuffix(url, suffix) {
				id = target
			}
		}
	})
	return id
}

// goneNow fails unless the session is gone.
func (p *session) goneNow() {
	p.c.r.Helper()
	if m := p.call("Page.getFrameTree", ""); m.Error == nil || m.Error.Code != -32001 || m.Session != "" {
		p.c.r.Errorf("a session that is gone answered %s", m.raw)
	}
}
