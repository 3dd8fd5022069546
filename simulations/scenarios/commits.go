package scenarios

const (
	slow      = "http://a.test/slow"
	notActive = "Not attached to an active page"
)

// strands begins a navigation of the page within its renderer, and has the page
// ask a question before the document comes. It returns when that has come: the
// navigation is answered.
func (p *session) strands(expr, opening string) {
	p.c.r.Helper()
	p.want("setTimeout(()=>"+expr+",100);1", "1")
	p.mark()
	p.ok("Page.navigate", navigate(slow))
	p.await("javascriptDialogOpening " + opening)
	p.not("frameNavigated top")
}

// commitScenarios are about a document that waits for the renderer that a
// dialog blocks.
func commitScenarios() []Scenario {
	out := []Scenario{
		{Name: "a document waits for a dialog's end", Covers: []string{"dialog.holds-commit"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			p.strands("confirm('q')", "top confirm q")
			p.fails(handle, accept, failed, notActive)
			for _, method := range []string{"Page.reload", "Page.close", "Page.stopLoading", "Page.getNavigationHistory"} {
				p.fails(method, "", failed, notActive)
			}
			q := p.root().attach(p.target)
			q.fails(handle, accept, failed, notActive)
			r.unanswered(p, p.start("1"))
			p.not("javascriptDialogClosed")
			p.ok("Page.navigate", navigate(plain+"?out"))
			p.await("javascriptDialogClosed top false")
			p.await("frameNavigated top " + slow)
			p.await("frameNavigated top " + plain + "?out")
			p.loaded()
			p.want("location.href", `"`+plain+`?out"`)
		}},
	}
	for _, h := range []hazard{
		{"crash.holds-commit-disable", "the Page domain is turned off", "", func(p *session) { p.post("Page.disable", "") }},
		{"crash.holds-commit-detach", "the session is detached", "", func(p *session) {
			p.root().post("Target.detachFromTarget", params(`{"sessionId":%q}`, p.id))
		}},
		{"crash.holds-commit-hang-up", "the client goes", "", func(p *session) { p.c.hangUp() }},
	} {
		out = append(out, Scenario{Name: "the browser dies: a document waits for a dialog, " + h.name, Covers: []string{h.id}, Site: pages(nil), Own: true, Kills: true, run: func(r *run) {
			watch := r.dial()
			p := r.open(plain)
			p.strands("confirm('q')", "top confirm q")
			h.do(p)
			r.ended(watch)
		}})
	}
	for _, h := range []hazard{
		{"crash.safe-holds-commit", "the top frame asks", "confirm('q')", nil},
		{"crash.safe-holds-commit", "a frame asks", "same.contentWindow.confirm('q')", nil},
	} {
		out = append(out, Scenario{Name: "the browser lives: the tab is closed while a document waits for a dialog, " + h.name, Covers: []string{h.id}, Site: framesSite(), run: func(r *run) {
			p := r.open("http://a.test/top")
			p.want("setTimeout(()=>"+h.frame+",100);1", "1")
			p.ok("Page.navigate", navigate(slow))
			p.await("javascriptDialogOpening")
			closeTarget(p)
			p.root().await("detachedFromTarget top")
			r.lives()
		}})
	}
	return out
}
