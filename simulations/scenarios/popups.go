package scenarios

import "strings"

// opener loads a page as an engine does, with popups attached paused.
func (r *run) opener(url string) *session {
	r.Helper()
	p := r.open(url)
	p.root().ok("Target.setAutoAttach", autoPages)
	p.root().mark()
	return p
}

// popup waits for a popup that was attached paused.
func (p *session) popup() *session {
	p.c.r.Helper()
	m := p.root().await("attachedToTarget top url= wait=true")
	if m.told.Info.OpenerID != p.target {
		p.c.r.Errorf("the opener is %s, not %s", m.told.Info.OpenerID, p.target)
	}
	return &session{p.c, m.told.SessionID, m.told.Info.TargetID}
}

func popupScenarios() []Scenario {
	return []Scenario{
		{Name: "a popup is attached paused", Covers: []string{"popup.paused"}, Site: pages(map[string]string{"http://a.test/pop": "<script>alert('first')</script>"}), run: func(r *run) {
			p := r.opener(plain)
			id := p.gesture("window.p=open('/pop');p.mark=3;String(p.location)")
			opened := p.await("windowOpen http://a.test/pop")
			q := p.popup()
			q.ok("Page.enable", "")
			q.ok("Runtime.enable", "")
			r.unanswered(p, id)
			q.post("Runtime.runIfWaitingForDebugger", "")
			told := q.expect("reply Runtime.runIfWaitingForDebugger", "frameStartedNavigating top", "frameNavigated top http://a.test/pop Navigation", "javascriptDialogOpening top alert first")
			if m := p.c.reply(id); m.at < told[0].at || m.at > told[3].at || opened.at > told[0].at {
				r.Errorf("window.open returned before the resume, or after the popup's first dialog")
			}
			p.gives(id, `"about:blank"`)
			q.ok(handle, accept)
			q.want("mark", "3")
		}},
		{Name: "the opener stands still", Covers: []string{"popup.opener-held"}, Site: pages(nil), run: func(r *run) {
			p := r.opener(plain)
			id := p.gesture("setTimeout(()=>{window.late=1},0);open('/plain?p');'after'")
			q := p.popup()
			p.want("typeof late", `"undefined"`)
			q.want("location.href+String(opener)", `"about:blank[object Window]"`)
			p.want("typeof late", `"undefined"`)
			r.unanswered(p, id)
			q.resume()
			p.gives(id, `"after"`)
			p.settles("new Promise(ok=>{const look=()=>window.late?ok(late):setTimeout(look,1);look()})", "1")
		}},
		{Name: "a popup that stays blank", Covers: []string{"popup.blank-at-once"}, Site: pages(nil), run: func(r *run) {
			p := r.opener(plain)
			id := p.gesture("window.q=open('about:blank');q.confirm('blank')")
			q := p.popup()
			q.ok("Page.enable", "")
			q.post("Runtime.runIfWaitingForDebugger", "")
			q.await("javascriptDialogOpening top confirm blank")
			q.ok(handle, accept)
			p.gives(id, "true")
			pushes := func(url string) string {
				return "(()=>{try{q.history.pushState(1,''," + url + ")}catch(e){return e.name}return q.location.href})()"
			}
			p.want(pushes("'?x'"), `"SecurityError"`) // the base is the opener's, and the document's URL is not
			p.want(pushes("'#x'"), `"SecurityError"`)
			p.want(pushes("'about:blank#x'"), `"about:blank#x"`)
			p.want(pushes("undefined"), `"about:blank#x"`)
		}},
		{Name: "a popup shares its opener's thread", Covers: []string{"popup.shares-thread"}, Site: pages(nil), run: func(r *run) {
			p := r.opener(plain)
			id := p.gesture("window.p=open('/plain?p');1")
			q := p.popup()
			q.ok("Page.enable", "")
			q.resume()
			p.gives(id, "1")
			q.await("frameNavigated top http://a.test/plain?p")
			q.await("loadEventFired")
			q.gives(q.start("setTimeout(()=>confirm('in popup'),0);1"), "1")
			q.await("javascriptDialogOpening top confirm in popup")
			held := p.start("setTimeout(()=>confirm('in opener'),0);1")
			r.unanswered(p, held)
			p.not("javascriptDialogOpening")
			p.fails(handle, accept, invalid, missing)
			q.ok(handle, accept)
			p.await("javascriptDialogOpening top confirm in opener")
			p.ok(handle, accept)
			p.gives(held, "1")
			id = p.start("p.confirm('by the opener')")
			q.await("javascriptDialogOpening top confirm by the opener")
			p.not("javascriptDialogOpening")
			q.ok(handle, accept)
			p.gives(id, "true")
		}},
		{Name: "a popup without an opener", Covers: []string{"popup.noopener"}, Site: pages(nil), run: func(r *run) {
			p := r.opener(plain)
			id := p.gesture("String(open('http://c.test/plain','_blank','noopener'))")
			p.gives(id, `"null"`)
			q := p.popup()
			held := q.post("Page.enable", "")
			r.unanswered(q, held)
			q.post("Runtime.runIfWaitingForDebugger", "")
			q.c.reply(held)
			q.await("frameNavigated top http://c.test/plain")
			q.want("location.href+opener", `"http://c.test/plainnull"`)
		}},
		{Name: "a popup without a gesture", Covers: []string{"popup.blocked"}, Site: pages(nil), run: func(r *run) {
			p := r.opener(plain)
			before := len(p.root().pages())
			p.want("String(open('/plain'))", `"null"`)
			p.await("windowOpen")
			if n := len(p.root().pages()); n != before {
				r.Errorf("%d pages more", n-before)
			}
		}},
		{Name: "a page session does not attach popups", Covers: []string{"popup.page-session-is-blind"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			before := len(p.root().pages())
			p.root().mark()
			p.gives(p.gesture("open('/plain?p');1"), "1")
			p.saw("windowOpen http://a.test/plain?p")
			r.barrier()
			if n := len(p.root().pages()); n != before+2 { // the barrier has one, too
				r.Errorf("%d pages more", n-before)
			}
			p.not("attachedToTarget")
			p.root().not("attachedToTarget")
		}},
		{Name: "a paused popup is detached", Covers: []string{"popup.detached-stays-paused"}, Site: pages(nil), run: func(r *run) {
			p := r.opener(plain)
			id := p.gesture("open('/plain?p');1")
			q := p.popup()
			p.root().ok("Target.detachFromTarget", params(`{"sessionId":%q}`, q.id))
			r.unanswered(p, id)
			p.root().attach(q.target).post("Runtime.runIfWaitingForDebugger", "")
			p.gives(id, "1")
		}},
		{Name: "a paused popup is closed", Covers: []string{"popup.closed-holds-its-opener"}, Site: pages(nil), run: func(r *run) {
			p := r.opener(plain)
			id := p.gesture("open('/plain?p');1")
			q := p.popup()
			p.root().ok("Target.closeTarget", params(`{"targetId":%q}`, q.target))
			r.unanswered(p, id)
			p.want("1+1", "2")
			p.ok("Page.navigate", `{"url":"http://a.test/plain?next"}`)
			p.await("frameNavigated top http://a.test/plain?next")
			p.c.reply(id)
			r.barrier()
			p.not("loadEventFired")
			p.ok("Page.navigate", `{"url":"http://b.test/plain"}`)
			p.await("loadEventFired")
			p.want("location.href", `"http://b.test/plain"`)
		}},
		{Name: "a popup's window is used again", Covers: []string{"popup.window-reused"}, Site: pages(nil), run: func(r *run) {
			p := r.opener(plain)
			id := p.gesture("window.p=open('/plain?p');p.mark=3")
			q := p.popup()
			q.ok("Page.enable", "")
			q.ok("Runtime.enable", "")
			q.ok("Page.addScriptToEvaluateOnNewDocument", `{"source":"window.runs=(window.runs||0)+1","runImmediately":true}`)
			q.ok("Runtime.runIfWaitingForDebugger", "")
			p.gives(id, "3")
			q.saw("loadEventFired")
			q.want("[location.search,mark,runs>0]", `["?p",3,true]`)
			q.not("executionContextsCleared")
			if n := q.count("executionContextCreated"); n != 1 {
				r.Errorf("%d contexts", n)
			}
			p.want("[p.location.search,p.closed,p.opener===window]", `["?p",false,true]`)
			p.eval("p.close()")
			p.want("p.closed", "true")
		}},
		{Name: "a popup's first document is replaced", Covers: []string{"popup.first-document"}, Site: pages(nil), run: func(r *run) {
			p := r.opener(plain)
			id := p.gesture("window.p=open('about:blank');p.mark=3")
			q := p.popup()
			q.enable(true)
			q.resume()
			p.gives(id, "3")
			p.want("for(const src of ['http://b.test/plain','about:blank']){const f=p.document.createElement('iframe');f.src=src;p.document.body.append(f)};1", "1")
			q.frame("b.test/plain")
			q.want("setTimeout(()=>confirm('q'),100);1", "1")
			q.mark()
			q.ok("Page.navigate", navigate(slow))
			q.await("javascriptDialogOpening top confirm q")
			q.not("frameNavigated top")
			q.ok(handle, accept)
			q.saw("detachedFromTarget sub")
			q.expect("frameDetached sub remove", "frameDetached sub remove", "executionContextsCleared", "frameNavigated top "+slow)
			q.want("[typeof mark,frames.length]", `["undefined",0]`)
		}},
		{Name: "windows of other origins", Covers: []string{"popup.cross-origin"}, Site: pages(nil), run: func(r *run) {
			p := r.opener(plain)
			id := p.gesture("window.p=open('http://b.test/plain');1")
			q := p.popup()
			q.ok("Page.enable", "")
			q.resume()
			p.gives(id, "1")
			q.await("frameNavigated top http://b.test/plain")
			// The opener's own renderer hears of it a little later.
			p.settles("new Promise(ok=>{const look=()=>{try{p.document;setTimeout(look,1)}catch(e){ok(1)}};look()})", "1")
			if v := p.eval("p.confirm('x')"); !strings.HasPrefix(v, "throws SecurityError: Failed to read a named property 'confirm' from 'Window'") {
				r.Errorf("got %s", v)
			}
			p.want("addEventListener('message',e=>{window.got=[e.data.a,e.origin]});1", "1")
			q.eval("opener.postMessage({a:1},'*')")
			p.settles("new Promise(ok=>{const look=()=>window.got?ok(got):setTimeout(look,1);look()})", `[1,"http://b.test"]`)
			p.want("[typeof p.close,typeof p.location.replace]", `["function","function"]`)
		}},
		{Name: "a popup on its way to a renderer that others leave", Covers: []string{"popup.keeps-its-renderer"}, Site: pages(nil), run: func(r *run) {
			p := r.opener(plain)
			id := p.gesture("window.p=open('http://b.test/plain');1")
			q := p.popup()
			q.ok("Page.enable", "")
			q.ok("Runtime.enable", "")
			q.resume()
			p.gives(id, "1")
			q.await("frameNavigated top http://b.test/plain")
			q.await("loadEventFired")
			p.mark()
			q.mark()
			p.start("confirm('q');confirm('q')")
			p.await("javascriptDialogOpening top confirm q")
			q.eval("setTimeout(()=>location.href='" + plain + "?in',0)")
			q.await("frameStartedNavigating top")
			r.barrier()
			q.not("frameNavigated top")
			p.ok("Page.navigate", navigate("data:text/html,x"))
			p.await("javascriptDialogClosed top false")
			p.await("frameNavigated top data:text/html,x")
			q.await("frameNavigated top " + plain + "?in")
			q.await("loadEventFired")
			q.want("[location.href,opener!==null]", `["`+plain+`?in",true]`)
		}},
	}
}
