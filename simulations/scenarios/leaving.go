package scenarios

import "strings"

// objects makes the document object to being left. It takes a user's gesture
// to be heard.
const objects = "addEventListener('beforeunload',e=>e.preventDefault());1"

func dialogNavigations() []Scenario {
	return []Scenario{
		{Name: "a document objects to being left", Covers: []string{"dialog.beforeunload"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			p.gives(p.gesture(objects), "1")
			nav := p.post("Page.navigate", navigate(plain+"?2"))
			p.await("javascriptDialogOpening top beforeunload")
			r.unanswered(p, nav)
			p.ok(handle, dismiss)
			p.expect("reply Page.navigate", "javascriptDialogClosed top false", "reply "+handle)
			if m := p.c.reply(nav); !strings.Contains(m.raw, "net::ERR_ABORTED") {
				r.Errorf("got %s", m.raw)
			}
			p.want("location.href", `"http://a.test/plain"`)
			p.post("Page.navigate", navigate(plain+"?3"))
			p.await("javascriptDialogOpening top beforeunload")
			p.post(handle, accept)
			p.expect("javascriptDialogClosed top true", "reply "+handle, "reply Page.navigate", "frameNavigated top http://a.test/plain?3", "loadEventFired")
			p.gives(p.gesture("onbeforeunload=()=>'x';1"), "1")
			p.mark()
			id := p.start("location.href='/plain?4';location.search")
			p.await("javascriptDialogOpening top beforeunload")
			r.unanswered(p, id)
			p.post(handle, dismiss)
			p.expect("javascriptDialogClosed top false", "reply Runtime.evaluate")
			p.gives(id, `"?3"`)
		}},
		{Name: "a way back is given up for another place", Covers: []string{"dialog.beforeunload-superseded"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			p.load(plain + "?2")
			p.gives(p.gesture(objects), "1")
			p.mark()
			p.start("history.back();location.href='http://b.test/plain'")
			p.await("javascriptDialogOpening top beforeunload")
			p.ok(handle, accept)
			p.saw("frameNavigated top http://b.test/plain")
			p.saw("loadEventFired")
			p.not("javascriptDialogOpening") // the way back would have asked, too
		}},
		{Name: "a dialog while a page goes to its own site", Covers: []string{"dialog.leaving", "dialog.holds-commit"}, Site: oneFrame("http://a.test/plain"), run: func(r *run) {
			for _, prepare := range []string{
				"onpagehide=()=>alert('going');1", "addEventListener('visibilitychange',()=>alert('going'));1",
				"f.contentWindow.eval(`onpagehide=()=>alert('going')`);1",
			} {
				p := r.open("http://a.test/top")
				p.want(prepare, "1")
				p.mark()
				p.post("Page.navigate", navigate(plain+"?2"))
				p.expect("reply Page.navigate", "javascriptDialogOpening")
				p.fails(handle, dismiss, failed, notActive)
				nav := p.post("Page.navigate", navigate("x-nowhere:"))
				p.await("javascriptDialogClosed")
				p.c.reply(nav).has(r, "net::ERR_ABORTED")
				p.loaded()
				p.want("location.search", `"?2"`)
			}
		}},
		{Name: "a dialog while a script takes a page to its own site", Covers: []string{"dialog.script-commit-held"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			p.start("setTimeout(()=>alert('meanwhile'),50);location.href='/slow'")
			p.await("javascriptDialogOpening top alert meanwhile")
			r.barrier()
			p.ok(handle, accept)
			p.await("javascriptDialogClosed top true")
			p.await("loadEventFired")
			p.want("location.pathname", `"/slow"`)
		}},
		{Name: "an unload handler while a page goes to its own site", Covers: []string{"dialog.unload-swallowed"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			p.want("onunload=()=>alert('going');1", "1")
			p.load(plain + "?2")
			p.want("location.search", `"?2"`)
			p.not("javascriptDialogOpening")
		}},
		{Name: "an objection without a user", Covers: []string{"dialog.beforeunload-activation"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			p.want(objects, "1")
			p.load(plain + "?2")
			p.want("location.search", `"?2"`)
			p.not("javascriptDialogOpening")
		}},
		{Name: "Page.close asks", Covers: []string{"dialog.page-close-asks"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			p.gives(p.gesture(objects), "1")
			p.mark()
			p.post("Page.close", "")
			p.expect("reply Page.close", "javascriptDialogOpening top beforeunload")
			p.ok(handle, dismiss)
			p.want("1", "1")
			p.mark()
			p.post("Page.close", "")
			p.expect("reply Page.close", "javascriptDialogOpening top beforeunload")
			p.post(handle, accept)
			p.root().await("detachedFromTarget top")
		}},
		{Name: "Target.closeTarget does not ask", Covers: []string{"dialog.close-target-does-not-ask"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			p.gives(p.gesture(objects), "1")
			p.root().ok("Target.closeTarget", byTarget(p.target))
			p.root().await("detachedFromTarget top")
			p.not("javascriptDialogOpening")
		}},
		{Name: "navigations end a dialog", Covers: []string{"dialog.navigation-cancels"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			for _, x := range []struct{ url, then string }{
				{plain + "?2", "loadEventFired"}, {"http://b.test/plain", "loadEventFired"}, {"http://b.test/plain#h", "navigatedWithinDocument"},
				{"http://b.test/204", "reply Page.navigate"}, {"about:blank", "loadEventFired"},
			} {
				p.asks(p, "confirm('q')", "top confirm q")
				id := p.post("Page.navigate", navigate(x.url))
				p.saw(x.then)
				p.expect("javascriptDialogClosed top false", "reply Page.navigate")
				if m := p.c.reply(id); m.Error != nil {
					r.Errorf("%s: %s", x.url, m.raw)
				}
			}
			p.load(plain)
			id := p.asks(p, "confirm('q')", "top confirm q")
			p.fails("Page.navigate", navigate("garbage"), failed, "Cannot navigate to invalid URL")
			p.ok("Page.stopLoading", "")
			r.unanswered(p, id)
			p.not("javascriptDialogClosed")
			p.ok(handle, accept)
			p.gives(id, "true")
		}},
		{Name: "a reload ends a dialog", Covers: []string{"dialog.reload-order"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			p.asks(p, "alert('q');localStorage.setItem('went on',location.href)", "top alert q")
			p.post("Page.reload", "")
			p.expect("reply Page.reload", "javascriptDialogClosed top false", "loadEventFired")
			p.want("localStorage.getItem('went on')", `"http://a.test/plain"`)
			p.eval("localStorage.clear()")
		}},
		{Name: "a tab closes with its dialog", Covers: []string{"dialog.close-order", "crash.safe-top-dialog"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			p.asks(p, "alert('q')", "top alert q")
			root := p.root()
			root.mark()
			root.post("Target.closeTarget", byTarget(p.target))
			told := p.expect("javascriptDialogClosed top false", "Inspector.detached Render process gone.")
			last := root.expect("detachedFromTarget top", "reply Target.closeTarget")
			if told[1].at > last[0].at {
				r.Errorf("the session ended before its renderer")
			}
			r.lives()
		}},
	}
}

func orphanScenarios() []Scenario {
	ways := map[string]func(p *session){
		"Page.disable":            func(p *session) { p.post("Page.disable", "") },
		"the session is detached": func(p *session) { p.root().ok("Target.detachFromTarget", `{"sessionId":`+quote(p.id)+`}`) },
		"the connection ends":     func(p *session) { p.c.hangUp() },
	}
	var out []Scenario
	for _, name := range []string{"Page.disable", "the session is detached", "the connection ends"} {
		out = append(out, Scenario{Name: "nobody is left with a dialog: " + name, Covers: []string{"dialog.orphan"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			p.asks(p, "confirm('q')", "top confirm q")
			ways[name](p)
			q := r.dial().attach(p.target)
			var ids []int64
			for _, m := range []string{"Page.enable", "Runtime.enable", "Page.getFrameTree"} {
				ids = append(ids, q.post(m, ""))
			}
			q.ok("Fetch.enable", `{"patterns":[{"urlPattern":"x"}]}`)
			q.fails(handle, accept, invalid, missing)
			r.unanswered(q, ids...)
			q.not("javascriptDialogOpening")
			q.ok("Page.navigate", navigate(plain+"?2"))
			q.await("javascriptDialogClosed top false")
			for _, id := range ids {
				if m := q.c.reply(id); m.Error != nil {
					r.Errorf("%s: %s", q.c.method(id), m.raw)
				}
			}
			q.want("location.search", `"?2"`)
		}})
	}
	return out
}
