package scenarios

// danger opens a dialog in a frame of framesSite.
func (p *session) danger(frame string) {
	p.c.r.Helper()
	switch frame {
	case "same":
		p.want("setTimeout(()=>same.contentWindow.confirm('sub'),0);1", "1")
		p.await("javascriptDialogOpening sub confirm sub")
	default:
		p.asks(p.frame("?"+frame), "confirm('sub')", "sub confirm sub")
	}
}

// removed removes the frame whose dialog is open, of which the dialog's end
// is not told.
func (p *session) removed() {
	p.c.r.Helper()
	p.eval("other.remove()")
	p.saw("frameDetached sub remove")
	p.saw("detachedFromTarget sub")
	p.not("javascriptDialogClosed")
}

// outlivesEarlyHealing turns the Page domain on again before the reload that heals
// the page is through, and reports whether the browser lives when that is loaded.
func (p *session) outlivesEarlyHealing() bool {
	p.c.r.Helper()
	// What the document does first keeps the reload from being through.
	p.eval("addEventListener('beforeunload',()=>{const t=Date.now();while(Date.now()-t<3000);});1")
	p.ok("Page.disable", "")
	p.mark()
	p.post("Page.reload", "")
	p.post("Page.enable", "")
	return p.c.until(func() bool {
		return len(p.since(func(l string) bool { return fits(l, "frameStoppedLoading top") })) > 0
	}) == nil
}

// hazard is something to do while a subframe's dialog is open.
type hazard struct {
	id, name, frame string
	do              func(p *session)
}

func closeTarget(p *session) { p.root().post("Target.closeTarget", byTarget(p.target)) }

// after is a hazard that needs the frame to be removed first.
func after(do func(p *session)) func(p *session) {
	return func(p *session) {
		p.c.r.Helper()
		p.removed()
		do(p)
	}
}

func hazards() []hazard {
	return []hazard{
		{"crash.close-target", "the tab is closed", "other", closeTarget},
		{"crash.close-target-same-process", "the tab is closed, the frame is of its own site", "same", closeTarget},
		{"crash.close-frame-target", "the tab is closed by the id of the dialog's frame", "other", func(p *session) {
			p.root().post("Target.closeTarget", byTarget(p.frame("?other").target))
		}},
		{"crash.page-close", "the page is closed", "other", func(p *session) { p.post("Page.close", "") }},
		{"crash.browser-close", "the browser is closed", "other", func(p *session) { p.root().post("Browser.close", "") }},
		{"crash.sigterm", "the process gets SIGTERM", "other", func(p *session) {
			if err := p.c.r.lab.Terminate(); err != nil {
				p.c.r.Fatalf("terminate: %v", err)
			}
		}},
		{"crash.page-renderer-dies", "the page's renderer dies", "other", func(p *session) { p.post("Page.crash", "") }},
		{"crash.wedge-close", "the tab is closed with two dialogs", "third", func(p *session) {
			p.frame("?other").start("confirm('two')")
			p.expect("javascriptDialogOpening sub confirm two", "javascriptDialogClosed sub false")
			closeTarget(p)
		}},
		{"crash.removed-then-answer", "the frame is removed, the dialog is answered", "other", after(func(p *session) { p.post(handle, dismiss) })},
		{"crash.removed-then-navigate", "the frame is removed, the page navigates", "other", after(func(p *session) { p.post("Page.navigate", navigate(plain)) })},
		{"crash.removed-then-close", "the frame is removed, the tab is closed", "other", after(closeTarget)},
		{"crash.removed-then-dialog", "the frame is removed, another dialog opens", "other", after(func(p *session) { p.start("alert('new')") })},
		{"crash.second-client", "another client has the Page domain on", "other", func(p *session) {
			p.c.r.dial().attach(p.target).ok("Page.enable", "")
			p.ok("Page.disable", "")
			closeTarget(p)
		}},
		{"crash.heal-without-navigation", "the Page domain is only turned off and on", "other", after(func(p *session) {
			p.ok("Page.disable", "")
			p.ok("Page.enable", "")
			p.start("alert('new')")
		})},
		{"crash.heal-too-early", "the Page domain is on before the reload is through", "other", after(func(p *session) {
			// About one reload in twenty is through in time all the same, and has healed
			// the page: then once more.
			for tries := 1; p.outlivesEarlyHealing() && tries < 10; tries++ {
				p.danger("other")
				p.removed()
			}
		})},
	}
}

// hazardScenarios are the ways to kill a browser, which must all work: one
// that does not is a care that can go.
func hazardScenarios() []Scenario {
	var out []Scenario
	for _, h := range hazards() {
		out = append(out, Scenario{Name: "the browser dies: " + h.name, Covers: []string{h.id}, Site: slowly(framesSite(), "/top"), Own: true, Kills: true, run: func(r *run) {
			p := r.open("http://a.test/top")
			p.danger(h.frame)
			h.do(p)
			r.died(p)
		}})
	}
	out = append(out, Scenario{Name: "the browser dies: the frame of a dialog that nobody has seen is removed, the page navigates", Covers: []string{"crash.removed-unseen"}, Site: framesSite(), Own: true, Kills: true, run: func(r *run) {
		p := r.open("http://a.test/top")
		p.ok("Page.disable", "")
		f := p.frame("?other")
		f.start("confirm('unseen')")
		r.unanswered(f, f.start("1"))
		p.mark()
		p.ok("Page.enable", "")
		p.eval("other.remove()")
		p.saw("frameDetached sub remove")
		p.not("javascriptDialogOpening")
		p.post("Page.navigate", navigate(plain))
		r.died(p)
	}})
	return append(out, Scenario{Name: "the browser dies: its context is disposed of", Covers: []string{"crash.dispose-context"}, Site: framesSite(), Own: true, Kills: true, run: func(r *run) {
		root := r.dial()
		root.handleFrames(true)
		var made struct {
			ID string `json:"browserContextId"`
		}
		root.ok("Target.createBrowserContext", "").decode(r, &made)
		p := root.newTab(made.ID)
		p.enableNow(true)
		p.load("http://a.test/top")
		p.danger("same")
		root.post("Target.disposeBrowserContext", params(`{"browserContextId":%q}`, made.ID))
		r.died(p)
	}})
}

// survivalScenarios are the ways around: all of them need the browser alive.
func survivalScenarios() []Scenario {
	gone := func(p *session) { p.root().await("detachedFromTarget top") }
	safe := []hazard{
		{"crash.safe-answer-first", "an answer and a close right behind it", "other", func(p *session) {
			p.post(handle, dismiss)
			closeTarget(p)
			gone(p)
		}},
		{"crash.safe-page-disable", "Page.disable and a close right behind it", "other", func(p *session) {
			p.post("Page.disable", "")
			closeTarget(p)
			gone(p)
		}},
		{"crash.safe-navigation", "a navigation while the frame is there", "other", func(p *session) {
			p.load(plain)
			closeTarget(p)
			gone(p)
		}},
		{"crash.safe-disconnect", "the end of the only connection", "other", func(p *session) {
			p.c.hangUp()
			q := p.c.r.dial()
			q.ok("Target.setDiscoverTargets", `{"discover":true,"filter":[{"type":"page"}]}`)
			q.ok("Target.closeTarget", byTarget(p.target))
			q.await("targetDestroyed top")
		}},
		{"crash.safe-child-crash", "the frame's renderer dies", "other", func(p *session) {
			f := p.frame("?other")
			f.post("Page.crash", "")
			f.await("Inspector.targetCrashed")
			p.post(handle, dismiss)
			p.want("1", "1")
		}},
		{"crash.safe-idle", "nothing is done", "other", after(func(p *session) {
			p.want("1+1", "2")
			p.root().ok("Target.getTargets", "")
			p.want("new Array(3).join('x')", `"xx"`)
			p.c.hangUp()
		})},
		{"crash.heal", "the tab is healed", "other", after(func(p *session) {
			p.ok("Page.disable", "")
			p.ok("Page.navigate", navigate(plain))
			p.ok("Page.enable", "")
			p.loaded()
			p.asks(p, "window.r=confirm('works')", "top confirm works")
			p.ok(handle, accept)
			p.want("r", "true")
		})},
	}
	var out []Scenario
	for _, h := range safe {
		out = append(out, Scenario{Name: "the browser lives: " + h.name, Covers: []string{h.id}, Site: framesSite(), run: func(r *run) {
			p := r.open("http://a.test/top")
			p.danger(h.frame)
			h.do(p)
			r.lives()
		}})
	}
	return out
}
