package scenarios

import (
	"strings"
)

const (
	handle  = "Page.handleJavaScriptDialog"
	accept  = `{"accept":true}`
	dismiss = `{"accept":false}`

	invalid = -32602
	failed  = -32000
	missing = "No dialog is showing"
)

// framesSite has a page with one frame of each kind, with ids to find them by.
func framesSite() Site {
	return pages(map[string]string{"http://a.test/top": `<!doctype html><title>top</title>
		<iframe id=same src="/plain?same"></iframe><iframe id=other src="http://b.test/plain?other"></iframe>
		<iframe id=third src="http://c.test/plain?third"></iframe>
		<iframe id=boxed sandbox="allow-scripts" src="/plain?boxed"></iframe>
		<iframe id=modal sandbox="allow-scripts allow-modals" src="/plain?modal"></iframe>
		<iframe id=doc srcdoc="hi"></iframe>`})
}

// asks evaluates what opens a dialog, and waits for that.
func (p *session) asks(on *session, expr, opening string) int64 {
	p.c.r.Helper()
	id := on.start(expr)
	p.await("javascriptDialogOpening " + opening)
	return id
}

func dialogScenarios() []Scenario {
	return []Scenario{
		{Name: "a dialog opens, is answered, closes", Covers: []string{"dialog.order"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			p.want("setTimeout(()=>{window.r=confirm('q')},0);1", "1")
			opened := p.await("javascriptDialogOpening top confirm q")
			p.ok(handle, accept)
			told := p.expect("javascriptDialogClosed top true", "reply "+handle)
			if a, b := opened.told.FrameID, told[0].told.FrameID; a != b || a != p.target {
				r.Errorf("opened in %s, closed in %s, the page is %s", a, b, p.target)
			}
			p.want("window.r", "true")
		}},
		{Name: "what answers give the page", Covers: []string{"dialog.answers"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			for _, x := range []struct{ script, answer, want string }{
				{"alert('a')", accept, `"undefined"`},
				{"alert('a')", dismiss, `"undefined"`},
				{"confirm('a')", accept, `true`},
				{"confirm('a')", dismiss, `false`},
				{"prompt('q','def')", `{"accept":true,"promptText":"mine"}`, `"mine"`},
				{"prompt('q','def')", accept, `""`},
				{"prompt('q','def')", `{"accept":true,"promptText":""}`, `""`},
				{"prompt('q','def')", `{"accept":false,"promptText":"mine"}`, `null`},
				{"prompt('q','def')", `{"accept":true,"promptText":"\ud800x"}`, `"\ufffdx"`},
			} {
				id := p.asks(p, "window.r=(v=>v===undefined?'undefined':v)("+x.script+")", "top")
				p.ok(handle, x.answer)
				if got := unescaped(p.value(id)); got != unescaped(x.want) {
					r.Errorf("%s answered with %s gave %s, not %s", x.script, x.answer, got, x.want)
				}
			}
		}},
		{Name: "an answer without a dialog", Covers: []string{"dialog.none-showing"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			p.fails(handle, accept, invalid, missing)
			p.asks(p, "alert(1)", "top alert 1")
			p.ok(handle, accept)
			p.fails(handle, accept, invalid, missing)
		}},
		{Name: "long and strange messages", Covers: []string{"dialog.message-cut"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			p.start("alert('x'.repeat(20000))")
			if n := len(p.await("javascriptDialogOpening").told.Message); n != 10240 {
				r.Errorf("a message of %d characters", n)
			}
			p.ok(handle, accept)
			p.start(`alert('a\r\nb\0c')`)
			if m := p.await("javascriptDialogOpening").told.Message; m != "a\nb\x00c" {
				r.Errorf("message %q", m)
			}
			p.ok(handle, accept)
		}},
		{Name: "dialogs of frames", Covers: []string{"dialog.page-session-only"}, Site: framesSite(), run: func(r *run) {
			p := r.open("http://a.test/top")
			for _, key := range []string{"?other", "?modal"} {
				f := p.frame(key)
				f.mark()
				id := f.start("confirm('from frame')")
				m := p.await("javascriptDialogOpening sub confirm from frame")
				if m.told.FrameID != f.target || !strings.HasSuffix(m.told.URL, key) {
					r.Errorf("told of frame %s at %s, not of %s", m.told.FrameID, m.told.URL, f.target)
				}
				f.fails(handle, accept, failed, "Command can only be executed on top-level targets")
				p.ok(handle, accept)
				f.gives(id, "true")
				f.not("javascriptDialogOpening")
				f.not("javascriptDialogClosed")
			}
			id := p.asks(p, "same.contentWindow.confirm('same')", "sub confirm same")
			p.ok(handle, accept)
			p.gives(id, "true")
			id = p.asks(p, "doc.contentWindow.eval(\"confirm('srcdoc')\")", "sub confirm srcdoc")
			p.ok(handle, dismiss)
			p.gives(id, "false")
		}},
		{Name: "a sandbox without modals", Covers: []string{"dialog.sandbox-silent"}, Site: framesSite(), run: func(r *run) {
			p := r.open("http://a.test/top")
			p.frame("?boxed").want("[typeof alert('a'),confirm('b'),prompt('c')]", `["undefined",false,null]`)
			id := p.start("alert('later')")
			p.expect("javascriptDialogOpening top alert later")
			p.ok(handle, accept)
			p.gives(id, "undefined")
		}},
		{Name: "dialogs while a page goes", Covers: []string{"dialog.unload-swallowed"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			p.ok("Log.enable", "")
			p.eval("addEventListener('beforeunload',()=>alert('bu'));addEventListener('pagehide',()=>alert('ph'));addEventListener('unload',()=>alert('ul'));addEventListener('visibilitychange',()=>alert('vc'));1")
			p.mark()
			p.ok("Page.navigate", navigate("http://b.test/plain"))
			p.saw("Log.entryAdded")
			p.saw("loadEventFired")
			p.not("javascriptDialogOpening")
			if n := p.count("Log.entryAdded"); n != 1 {
				r.Errorf("%d log entries", n)
			}
			p.want("location.host", `"b.test"`)
		}},
		{Name: "dialogs in a loop", Covers: []string{"dialog.storm"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			id := p.start("for(let i=0;i<3;i++)alert(i);'done'")
			for _, n := range []string{"0", "1", "2"} {
				p.expect("javascriptDialogOpening top alert " + n)
				p.post(handle, accept)
				p.expect("javascriptDialogClosed top true", "reply "+handle)
			}
			p.gives(id, `"done"`)
		}},
		{Name: "a dialog of an inline script", Covers: []string{"dialog.inline-after-commit"},
			Site: pages(map[string]string{"http://a.test/al": "<script>alert('in')</script>"}), run: func(r *run) {
				p := r.open("")
				p.post("Page.navigate", navigate("http://a.test/al"))
				p.expect("reply Page.navigate", "frameNavigated top http://a.test/al", "javascriptDialogOpening top alert in")
				r.barrier()
				p.not("loadEventFired")
				p.ok(handle, accept)
				p.expect("javascriptDialogClosed top true", "loadEventFired")
			}},
		{Name: "a flag that blocks dialogs of other origins", Covers: []string{"dialog.cross-origin-flag"}, Site: framesSite(), Own: true, BlockCrossOriginDialogs: true,
			run: func(r *run) {
				p := r.open("http://a.test/top")
				p.ok("Log.enable", "")
				p.frame("?other").want("confirm('q')", "false")
				if m := p.saw("javascriptDialogClosed sub false"); m.told.FrameID != p.frame("?other").target {
					r.Errorf("the end of another frame's dialog was told")
				}
				p.saw("Log.entryAdded")
				p.not("javascriptDialogOpening")
				p.fails(handle, accept, invalid, missing)
				p.asks(p, "alert(1)", "top alert 1")
				p.ok(handle, accept)
			}},
	}
}

// unescaped writes U+FFFD in one way.
func unescaped(s string) string { return strings.ReplaceAll(s, `\ufffd`, "\ufffd") }

func concurrentDialogs() []Scenario {
	return []Scenario{
		{Name: "two dialogs in a tab, then a third", Covers: []string{"dialog.two-in-a-tab", "dialog.third-frees-second"}, Site: framesSite(), run: func(r *run) {
			p := r.open("http://a.test/top")
			third, other := p.frame("?third"), p.frame("?other")
			first := p.asks(third, "confirm('one')", "sub confirm one")
			second := other.start("confirm('two')")
			told := p.expect("javascriptDialogOpening sub confirm two", "javascriptDialogClosed sub false")
			if told[1].told.FrameID != third.target {
				r.Errorf("the end of another dialog than the first was told")
			}
			third.gives(first, "false")
			p.fails(handle, accept, invalid, missing)
			r.unanswered(other, second)
			p.start("confirm('three')")
			told = p.expect("javascriptDialogOpening top confirm three", "javascriptDialogClosed sub false")
			if told[1].told.FrameID != other.target {
				r.Errorf("the end of another dialog than the second was told")
			}
			other.gives(second, "false")
			p.fails(handle, accept, invalid, missing)
		}},
		{Name: "a navigation ends a dialog that nobody can answer", Covers: []string{"dialog.wedge-ends-by-navigation"}, Site: framesSite(), run: func(r *run) {
			for _, way := range []string{"Page.reload", "Page.navigate"} {
				p := r.open("http://a.test/top")
				other := p.frame("?other")
				p.asks(p.frame("?third"), "confirm('one')", "sub confirm one")
				other.start("confirm('two')")
				p.expect("javascriptDialogOpening sub confirm two", "javascriptDialogClosed sub false")
				params := "{}"
				if way == "Page.navigate" {
					params = navigate(plain)
				}
				p.ok(way, params)
				if m := p.saw("javascriptDialogClosed sub false"); m.told.FrameID != other.target {
					r.Errorf("%s: the end of another dialog was told", way)
				}
				p.await("loadEventFired")
				p.want("1+1", "2")
			}
		}},
		{Name: "dialogs in two tabs", Covers: []string{"dialog.tabs-are-independent"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			q := p.root().tab("http://b.test/plain")
			one, two := p.asks(p, "confirm(1)", "top confirm 1"), q.asks(q, "confirm(2)", "top confirm 2")
			q.ok(handle, accept)
			q.gives(two, "true")
			r.unanswered(p, one)
			p.ok(handle, dismiss)
			p.gives(one, "false")
		}},
		{Name: "two clients hear of a dialog", Covers: []string{"dialog.two-clients"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			q := r.dial().attach(p.target)
			q.ok("Page.enable", "")
			id := p.asks(p, "confirm('q')", "top confirm q")
			q.await("javascriptDialogOpening top confirm q")
			q.ok(handle, accept)
			q.await("javascriptDialogClosed top true")
			p.await("javascriptDialogClosed top true")
			p.gives(id, "true")
			p.fails(handle, accept, invalid, missing)
			id = p.asks(p, "confirm('again')", "top confirm again")
			q.await("javascriptDialogOpening top confirm again")
			q.c.hangUp()
			r.unanswered(p, id)
			p.ok(handle, accept)
			p.gives(id, "true")
		}},
		{Name: "another client answers everything", Covers: []string{"dialog.backend-closes"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			q := r.dial().attach(p.target)
			q.ok("Page.enable", "")
			id := p.asks(p, "confirm('q')", "top confirm q")
			q.await("javascriptDialogOpening top confirm q")
			q.post(handle, dismiss)
			p.await("javascriptDialogClosed top false")
			p.gives(id, "false")
			p.fails(handle, accept, invalid, missing)
		}},
		{Name: "a session without the Page domain", Covers: []string{"dialog.needs-page-enable"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			q := p.root().attach(p.target)
			id := p.asks(p, "confirm('q')", "top confirm q")
			q.fails(handle, accept, invalid, missing)
			p.ok(handle, accept)
			p.gives(id, "true")
		}},
		{Name: "subframes load while a dialog is open", Covers: []string{"dialog.holds-subframe-commits"}, Site: framesSite(), run: func(r *run) {
			p := r.open("http://a.test/top")
			third := p.frame("?third")
			id := p.asks(p.frame("?other"), "alert('q')", "sub alert q")
			third.mark()
			p.eval("third.src='http://d.test/plain?new';var n=document.createElement('iframe');n.src='http://e.test/plain?born';document.body.append(n);1")
			born := p.await("attachedToTarget sub url= wait=true").told
			e := &session{p.c, born.SessionID, born.Info.TargetID}
			e.saw("reply Target.setAutoAttach")
			r.barrier()
			third.not("frameNavigated")
			e.not("frameNavigated")
			p.ok(handle, accept)
			closed := p.await("javascriptDialogClosed")
			for _, m := range []message{third.await("frameNavigated sub http://d.test/plain?new"), e.await("frameNavigated sub http://e.test/plain?born")} {
				if m.at < closed.at {
					r.Errorf("%s was committed before the dialog's end", m.told.Frame.URL)
				}
			}
			p.frame("?other").gives(id, "undefined")
		}},
	}
}
