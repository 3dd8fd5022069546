package scenarios

func tabScenarios() []Scenario {
	return []Scenario{
		{Name: "a blank tab becomes another", Covers: []string{"tab.blank-is-replaced"}, Site: pages(nil), run: func(r *run) {
			p := r.open("")
			p.want("mark=1;add=(host,then)=>{const f=document.createElement('iframe');f.src='http://'+host+'/plain';f.onload=then;document.body.append(f)};"+
				"add('b.test',()=>add('c.test'));1", "1") // the first may stay in the tab's renderer
			f := p.frame("c.test/plain")
			p.start("location.href='about:blank'")
			p.saw("frameNavigated top about:blank")
			p.loaded()
			f.goneNow()
			p.saw("detachedFromTarget sub")
			p.want("typeof mark", `"undefined"`)
			p.mustShow("about:blank")
		}},
		{Name: "a page's renderer dies", Covers: []string{"tab.crash"}, Site: pages(map[string]string{
			"http://a.test/top": `<!doctype html><title>top</title><iframe src="http://b.test/plain"></iframe><iframe src="/plain"></iframe>`}), run: func(r *run) {
			root := r.dial()
			root.handleFrames(true)
			root.ok("Target.setDiscoverTargets", `{"discover":true,"filter":[{"type":"page"}]}`)
			p := root.tab("http://a.test/top")
			remote := p.frame("b.test/plain").target
			crash := p.post("Page.crash", "")
			if m := p.expect("frameDetached sub remove", "Inspector.targetCrashed"); m[0].told.FrameID != remote {
				r.Errorf("another frame was removed")
			}
			root.await("targetCrashed top")
			pending := []int64{crash, p.post("Runtime.evaluate", `{"expression":"1"}`), p.post("Page.enable", ""), p.post("Page.getFrameTree", "")}
			p.ok("Page.getNavigationHistory", "")
			p.ok("Target.getTargetInfo", "")
			r.unanswered(p, pending...)
			p.post("Page.reload", "")
			for _, id := range pending {
				if m := p.c.reply(id); !m.failedWith(failed, "Target crashed") {
					r.Errorf("%s: %s", p.c.method(id), m.raw)
				}
			}
			p.await("Inspector.targetReloadedAfterCrash")
			p.await("frameNavigated top http://a.test/top")
			p.await("loadEventFired")
			p.want("document.title", `"top"`)
			p.mustShow("http://a.test/top [http://a.test/plain http://b.test/plain]")
		}},
		{Name: "a page whose renderer died gets a document of one that stands still", Covers: []string{"tab.crash-then-held"}, Site: pages(nil), run: func(r *run) {
			p := r.opener(plain)
			id := p.gesture("open('http://b.test/plain');1")
			q := p.popup()
			q.ok("Page.enable", "")
			q.resume()
			p.gives(id, "1")
			q.await("loadEventFired")
			q.want("location.host", `"b.test"`) // its own renderer is the one to die
			q.post("Page.crash", "")
			q.await("Inspector.targetCrashed")
			p.want("1", "1")
			p.start("alert('held')")
			p.await("javascriptDialogOpening top alert held")
			q.ok("Page.navigate", navigate(plain+"?q"))
			r.unanswered(q, q.post("Page.getFrameTree", ""))
			q.not("frameNavigated")
			p.ok(handle, accept)
			q.await("frameNavigated top http://a.test/plain?q")
		}},
		{Name: "chrome://crash", Covers: []string{"tab.crash-by-url"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			p.ok("Page.navigate", navigate("chrome://crash")).has(r, "net::ERR_ABORTED")
			p.await("Inspector.targetCrashed")
			p.ok("Page.navigate", navigate("http://b.test/plain"))
			p.await("frameNavigated top http://b.test/plain")
			p.want("location.host", `"b.test"`)
		}},
		{Name: "a frame's renderer dies", Covers: []string{"tab.frame-crash"}, Site: oneFrame("http://b.test/plain"), run: func(r *run) {
			p := r.open("http://a.test/top")
			f := p.frame("b.test/plain")
			p.mark()
			f.post("Page.crash", "")
			f.await("Inspector.targetCrashed")
			pending := f.start("1")
			p.want("1", "1")
			r.unanswered(f, pending)
			p.eval("f.src='http://b.test/plain?2'")
			f.await("Inspector.targetReloadedAfterCrash")
			f.gives(pending, "error Target crashed")
			f.await("frameNavigated sub http://b.test/plain?2")
			f.want("location.search", `"?2"`)
			p.not("detachedFromTarget")
			p.not("frameDetached")
		}},
		{Name: "a tab is closed", Covers: []string{"tab.closed"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			root := p.root()
			root.mark()
			root.post("Target.closeTarget", byTarget(p.target))
			told := root.expect("reply Target.closeTarget", "detachedFromTarget top")
			m := p.await("Inspector.detached Render process gone.")
			if m.at < told[0].at || m.at > told[1].at {
				r.Errorf("the renderer's end was not told between reply and detach")
			}
		}},
		{Name: "the other tabs go on", Covers: []string{"tab.other-pages-live-on"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			q := p.root().tab("http://b.test/plain")
			p.post("Page.crash", "")
			p.await("Inspector.targetCrashed")
			q.want("1", "1")
			q.root().ok("Target.closeTarget", byTarget(q.target))
			q.root().await("detachedFromTarget top")
			r.lives()
		}},
	}
}
