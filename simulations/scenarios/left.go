package scenarios

// leftScenarios are about what is told when a document is left, or is not after
// all.
func leftScenarios() []Scenario {
	return []Scenario{
		{Name: "a frame goes nowhere after all", Covers: []string{"oopif.prevented"}, Site: pages(map[string]string{
			"http://a.test/top": `<iframe id=f src="/in"></iframe>`, "http://a.test/in": `<iframe src="/plain"></iframe>`}), run: func(r *run) {
			p := r.dial().tab("http://a.test/top")
			p.want("f.src='http://b.test/plain';1", "1")
			q := p.paused()
			q.ok("Page.enable", "")
			for _, f := range q.ownFrames() {
				if f.URL != "" {
					r.Errorf("the target shows %s already", f.URL)
				}
			}
			p.mark()
			p.want("f.src='http://a.test/204';1", "1")
			p.saw("detachedFromTarget sub")
			p.saw("frameStoppedLoading sub")
			p.not("frameDetached sub")
			p.not("frameNavigated sub")
			p.mustShow("http://a.test/top [http://a.test/in [http://a.test/plain]]")
		}},
		{Name: "a page that is not kept is left", Covers: []string{"frame.uncached-removes-children"}, Site: pages(map[string]string{
			"http://a.test/top": `<iframe src="http://b.test/plain"></iframe>`}), run: func(r *run) {
			p := r.open("http://a.test/top")
			p.frame("b.test/plain")
			p.want("addEventListener('unload',()=>{});1", "1")
			p.mark()
			p.post("Page.navigate", navigate(plain))
			p.expect("executionContextsCleared", "frameDetached sub remove", "executionContextsCleared", "frameNavigated top "+plain)
			p.load("http://a.test/top")
			p.frame("b.test/plain")
			p.want("addEventListener('unload',()=>{});1", "1")
			p.mark()
			p.post("Page.navigate", navigate("http://c.test/plain"))
			p.saw("frameNavigated top http://c.test/plain")
			p.saw("frameDetached sub remove") // most often behind the commit
		}},
		{Name: "a blank tab is reloaded", Covers: []string{"frame.blank-tab"}, Site: pages(nil), run: func(r *run) {
			p := r.open("")
			// The first site shares the tab's renderer, the second one does not.
			for _, src := range []string{"http://a.test/plain", "http://b.test/plain"} {
				p.settles("new Promise(ok=>{const f=document.createElement('iframe');f.src='"+src+"';f.onload=()=>ok(window.mark=1);document.body.append(f)})", "1")
			}
			p.frame("b.test/plain")
			p.mark()
			p.want("location.href='about:blank#x';mark", "1")
			p.saw("navigatedWithinDocument top")
			p.not("executionContextsCleared")
			p.mark()
			p.start("location.reload()")
			p.saw("detachedFromTarget sub")
			p.saw("frameDetached sub remove")
			p.saw("frameNavigated top about:blank")
			if n := p.count("executionContextsCleared"); n != 2 {
				r.Errorf("the contexts were cleared %d times", n)
			}
			p.want("[typeof mark,frames.length]", `["undefined",0]`)
		}},
	}
}
