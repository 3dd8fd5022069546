package scenarios

// command is a method with parameters.
type command struct{ method, params string }

// rendererCommands wait while a dialog blocks the renderer.
func rendererCommands() []command {
	return []command{
		{"Runtime.evaluate", `{"expression":"1"}`}, {"Runtime.enable", ""}, {"Runtime.disable", ""}, {"Page.enable", ""},
		{"Page.getFrameTree", ""}, {"Page.getLayoutMetrics", ""}, {"Page.captureScreenshot", ""}, {"Page.printToPDF", ""},
		{"Page.addScriptToEvaluateOnNewDocument", `{"source":"1"}`}, {"Page.setBypassCSP", `{"enabled":true}`},
		{"Page.setLifecycleEventsEnabled", `{"enabled":true}`}, {"DOM.getDocument", ""}, {"DOM.enable", ""}, {"CSS.enable", ""},
		{"Network.enable", ""}, {"Network.setExtraHTTPHeaders", `{"headers":{}}`}, {"Network.setUserAgentOverride", `{"userAgent":"x"}`},
		{"Log.enable", ""}, {"Debugger.enable", ""}, {"Performance.getMetrics", ""}, {"Accessibility.getFullAXTree", ""},
		{"Emulation.setTimezoneOverride", `{"timezoneId":"UTC"}`}, {"Input.insertText", `{"text":"x"}`},
		{"No.suchMethod", ""},
	}
}

// browserCommands do not.
func browserCommands() []command {
	return []command{
		{"Page.getNavigationHistory", ""}, {"Page.bringToFront", ""}, {"Page.stopLoading", ""}, {"Network.getCookies", ""},
		{"Fetch.enable", `{"patterns":[{"urlPattern":"x"}]}`}, {"Fetch.disable", ""}, {"Target.getTargets", ""}, {"Target.getTargetInfo", ""},
		{"Browser.getVersion", ""}, {"Storage.getCookies", ""}, {"Schema.getDomains", ""},
		{"Input.dispatchMouseEvent", `{"type":"mouseMoved","x":5,"y":5}`}, {"Input.dispatchKeyEvent", `{"type":"keyDown","key":"a"}`},
	}
}

func hangScenarios() []Scenario {
	return []Scenario{
		{Name: "what a dialog holds up and what not", Covers: []string{"hang.renderer-methods", "hang.browser-methods"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			other := p.root().attach(p.target)
			p.asks(p, "alert('q')", "top alert q")
			var ids []int64
			for _, on := range []*session{p, other} {
				for _, x := range rendererCommands() {
					if on == other && (x.method == "Page.captureScreenshot" || x.method == "Page.printToPDF") {
						continue // one at a time, or Chromium forgets the second
					}
					ids = append(ids, on.post(x.method, x.params))
				}
			}
			// Of several sessions that ask this, Chromium keeps the last waiting.
			ids = append(ids, p.post("Target.setAutoAttach", autoAttach(true)))
			for _, x := range browserCommands() {
				p.ok(x.method, x.params)
			}
			for _, x := range []command{{"Browser.getVersion", ""}, {"Target.getTargets", ""}, {"Target.createTarget", `{"url":"about:blank","background":true}`}} {
				p.root().ok(x.method, x.params)
			}
			r.unanswered(p, ids...)
			p.ok(handle, accept)
			r.afterwards(p, p.await("javascriptDialogClosed top true"), ids...)
		}},
		{Name: "what waited is answered in order", Covers: []string{"hang.answered-in-order"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			first := p.asks(p, "alert('q')", "top alert q")
			ids := []int64{first}
			for range 3 {
				ids = append(ids, p.post("Runtime.evaluate", `{"expression":"1"}`), p.post("Page.getFrameTree", ""))
			}
			p.ok(handle, accept)
			m := p.await("javascriptDialogClosed top true")
			for _, id := range ids {
				next := p.c.reply(id)
				if next.at < m.at {
					r.Errorf("%s was answered out of order", p.c.method(id))
				}
				m = next
			}
		}},
		{Name: "a dialog blocks its own renderer", Covers: []string{"hang.only-its-renderer"}, Site: pages(map[string]string{
			"http://a.test/top": `<iframe src="http://b.test/plain?b1"></iframe><iframe src="http://b.test/plain?b2"></iframe><iframe src="http://c.test/in"></iframe>`,
			"http://c.test/in":  `<iframe src="http://a.test/plain?deep"></iframe>`}), run: func(r *run) {
			p := r.open("http://a.test/top")
			b1, b2, in, deep := p.frame("?b1"), p.frame("?b2"), p.frame("/in"), p.frame("?deep")
			p.asks(b1, "alert('b')", "sub alert b")
			held := b2.start("1")
			for _, free := range []*session{p, in, deep} {
				free.want("1", "1")
			}
			p.ok("Page.captureScreenshot", "")
			r.unanswered(p, held)
			p.ok(handle, accept)
			r.afterwards(p, p.await("javascriptDialogClosed"), held)
			p.asks(p, "alert('a')", "top alert a")
			held = deep.start("1")
			for _, free := range []*session{b1, b2, in} {
				free.want("1", "1")
			}
			r.unanswered(p, held)
			p.ok(handle, accept)
			r.afterwards(p, p.await("javascriptDialogClosed"), held)
		}},
		{Name: "a click that opens a dialog", Covers: []string{"hang.input-withheld"}, Site: pages(map[string]string{
			"http://a.test/b": `<!doctype html><body><button onclick="window.r=confirm('go')" style="position:absolute;left:100px;top:200px;width:80px;height:30px">Go</button>`}), run: func(r *run) {
			p := r.open("http://a.test/b")
			mouse := func(kind string) int64 {
				return p.post("Input.dispatchMouseEvent", params(`{"type":%q,"x":110,"y":210,"button":"left","clickCount":1}`, kind))
			}
			p.c.reply(mouse("mousePressed"))
			id := mouse("mouseReleased")
			p.await("javascriptDialogOpening top confirm go")
			p.c.reply(mouse("mousePressed"))
			r.unanswered(p, id)
			p.ok(handle, accept)
			r.afterwards(p, p.await("javascriptDialogClosed top true"), id)
			p.want("[r,navigator.userActivation.hasBeenActive]", "[true,true]")
		}},
		{Name: "a script that does not end for a while", Covers: []string{"hang.script-busy"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			p.mark()
			busy := p.start("const t=Date.now();while(Date.now()-t<700);window.over='over';'done'")
			other := p.start("window.over")
			p.root().ok("Target.getTargets", "")
			p.gives(busy, `"done"`)
			p.gives(other, `"over"`)
		}},
	}
}
