package scenarios

import (
	"strings"
)

// has fails unless a message contains all of the texts.
func (m message) has(r *run, texts ...string) {
	r.Helper()
	for _, text := range texts {
		if !strings.Contains(m.raw, text) {
			r.Errorf("%s lacks %s", m.raw, text)
		}
	}
}

func runtimeScenarios() []Scenario {
	return []Scenario{
		{Name: "what Runtime.enable tells", Covers: []string{"runtime.enable-reports"}, Site: pages(map[string]string{
			"http://a.test/top": `<iframe src="/plain"></iframe><script>console.error('early');throw new Error('x')</script>`}), run: func(r *run) {
			p := r.open("http://a.test/top")
			q := p.root().attach(p.target)
			all := []string{"executionContextCreated sub", "executionContextCreated top", "consoleAPICalled", "exceptionThrown", "reply Runtime.enable"}
			q.post("Runtime.enable", "")
			q.expect(all...)
			q.ok("Runtime.enable", "")
			for _, l := range all[:4] {
				q.not(l)
			}
			q.ok("Runtime.disable", "")
			q.mark()
			q.post("Runtime.enable", "")
			q.expect(all...)
			p.load(plain)
			q.ok("Runtime.disable", "")
			q.mark()
			q.ok("Runtime.enable", "")
			q.expect("executionContextCreated top", "reply Runtime.enable")
			q.not("consoleAPICalled")
		}},
		{Name: "console calls", Covers: []string{"runtime.console"}, Site: pages(map[string]string{
			"http://a.test/con": "<title>con</title>\n<script>\nconsole.error('bad %s', 'thing', 7);console.assert(1==2,'as');console.warn('w');console.log({a:1})\n</script>"}), run: func(r *run) {
			p := r.open("")
			p.ok("Page.navigate", navigate("http://a.test/con"))
			p.saw("loadEventFired")
			told := p.expect("consoleAPICalled", "consoleAPICalled", "consoleAPICalled", "consoleAPICalled")
			told[0].has(r, `"type":"error"`, `"args":[{"type":"string","value":"bad %s"},{"type":"string","value":"thing"},{"type":"number","value":7,"description":"7"}]`,
				`"url":"http://a.test/con","lineNumber":2,`, `"executionContextId":`, `"timestamp":`)
			told[1].has(r, `"type":"assert"`, `"args":[{"type":"string","value":"as"}]`)
			told[2].has(r, `"type":"warning"`)
			told[3].has(r, `"type":"log"`, `"className":"Object","description":"Object","objectId":`)
		}},
		{Name: "uncaught exceptions", Covers: []string{"runtime.exceptions"}, Site: pages(map[string]string{
			"http://a.test/ex": "<title>x</title>\n<script>\n  throw new TypeError('boom')\n</script><script>throw 'str'</script><script>syntax error here</script><script>Promise.reject(new Error('rej'))</script><script>setTimeout(function tick(){ nope() },0)</script>"}), run: func(r *run) {
			p := r.open("")
			p.ok("Page.navigate", navigate("http://a.test/ex"))
			told := p.expect("exceptionThrown", "exceptionThrown", "exceptionThrown", "exceptionThrown", "exceptionThrown")
			told[0].has(r, `"description":"TypeError: boom\n    at http://a.test/ex:3:9"`, `"text":"Uncaught","lineNumber":2,"columnNumber":8,`)
			told[1].has(r, `"exception":{"type":"string","value":"str"}`)
			told[2].has(r, `"className":"SyntaxError"`)
			told[3].has(r, `"text":"Uncaught (in promise)"`)
			told[4].has(r, `"description":"ReferenceError: nope is not defined\n    at tick (http://a.test/ex:4:`)
		}},
		{Name: "values", Covers: []string{"runtime.values"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			for _, x := range []struct{ expr, want string }{
				{"1", `{"type":"number","value":1,"description":"1"}`}, {"-0", `{"type":"number","unserializableValue":"-0","description":"-0"}`},
				{"1/0", `{"type":"number","unserializableValue":"Infinity","description":"Infinity"}`}, {"'s'", `{"type":"string","value":"s"}`},
				{"null", `{"type":"object","subtype":"null","value":null}`}, {"undefined", `{"type":"undefined"}`}, {"true", `{"type":"boolean","value":true}`},
				{"10n", `{"type":"bigint","unserializableValue":"10n","description":"10n"}`},
				{"[1,2]", `"subtype":"array","className":"Array","description":"Array(2)"`}, {"document", `"subtype":"node","className":"HTMLDocument","description":"#document"`},
				{"document.body", `"className":"HTMLBodyElement","description":"body"`}, {"window", `"className":"Window"`}, {"(class Foo{})", `"type":"function"`},
				{"new (class Foo{})", `"className":"Foo","description":"Foo"`}, {"Promise.resolve(1)", `"subtype":"promise","className":"Promise"`},
				{"new Error('e')", `"subtype":"error","className":"Error"`},
			} {
				p.ok("Runtime.evaluate", `{"expression":`+quote(x.expr)+`}`).has(r, x.want)
			}
			p.want("({a:1,b:[1,2]})", `{"a":1,"b":[1,2]}`)
			p.fails("Runtime.evaluate", `{"expression":"var o={};o.o=o;o","returnByValue":true}`, failed, "Object reference chain is too long")
			p.want("nope", "throws ReferenceError: nope is not defined\n    at <anonymous>:1:1")
			p.ok("Runtime.evaluate", `{"expression":"Promise.reject(new Error('pr'))","awaitPromise":true}`).has(r, `"text":"Uncaught (in promise) Error: pr"`)
			p.settles("(async()=>({z:1}))()", `{"z":1}`)
		}},
		{Name: "script contexts", Covers: []string{"runtime.contexts"}, Site: oneFrame("/plain"), run: func(r *run) {
			p := r.open("")
			p.ok("Page.navigate", navigate("http://a.test/top"))
			p.saw("loadEventFired")
			p.await("frameNavigated top")
			sub := p.await("executionContextCreated sub").told.Context
			where := func(params string) { p.c.r.Helper(); p.ok("Runtime.evaluate", params).has(r, "/plain") }
			where(params(`{"expression":"location.pathname","contextId":%d}`, sub.ID))
			where(params(`{"expression":"location.pathname","uniqueContextId":%q}`, sub.UniqueID))
			p.fails("Runtime.evaluate", `{"expression":"1","contextId":99999}`, failed, "Cannot find context with specified id")
			p.fails("Runtime.evaluate", `{"expression":"1","uniqueContextId":"99"}`, invalid, "invalid uniqueContextId")
			p.fails("Runtime.evaluate", params(`{"expression":"1","uniqueContextId":%q,"contextId":1}`, sub.UniqueID), invalid, "contextId and uniqueContextId are mutually exclusive")
			p.fails("Runtime.evaluate", `{}`, invalid, "Invalid parameters")
			p.ok("Runtime.callFunctionOn", params(`{"functionDeclaration":"function(a){return a+location.pathname}","executionContextId":%d,"arguments":[{"value":"x"}],"returnByValue":true}`, sub.ID)).has(r, "x/plain")
			var world struct {
				ID int `json:"executionContextId"`
			}
			p.ok("Page.createIsolatedWorld", params(`{"frameId":%q,"worldName":"w"}`, p.target)).decode(r, &world)
			p.eval("window.mine=1;document.title='shared'")
			p.ok("Runtime.evaluate", params(`{"expression":"typeof mine+document.title","contextId":%d}`, world.ID)).has(r, "undefinedshared")
		}},
		{Name: "objects by id", Covers: []string{"runtime.objects"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			var made struct {
				Result struct {
					ID string `json:"objectId"`
				} `json:"result"`
			}
			p.ok("Runtime.evaluate", `{"expression":"({a:1})"}`).decode(r, &made)
			id := made.Result.ID
			p.ok("Runtime.callFunctionOn", params(`{"functionDeclaration":"function(x){return [this.a,x===this]}","objectId":%q,"arguments":[{"objectId":%q}],"returnByValue":true}`, id, id)).has(r, "[1,true]")
			p.ok("Runtime.getProperties", params(`{"objectId":%q}`, id)).has(r, `"name":"a"`)
			p.ok("Runtime.releaseObject", params(`{"objectId":%q}`, id))
			p.fails("Runtime.callFunctionOn", params(`{"functionDeclaration":"()=>1","objectId":%q}`, id), failed, "Could not find object with given id")
		}},
		{Name: "an evaluation that a commit ends", Covers: []string{"runtime.ended-by-commit"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			id := p.post("Runtime.evaluate", `{"expression":"new Promise(()=>{})","awaitPromise":true}`)
			p.want("1", "1")
			p.load(plain + "?2")
			if m := p.c.reply(id); !m.failedWith(failed, "Inspected target navigated or closed") {
				r.Errorf("got %s", m.raw)
			}
		}},
		{Name: "commands during a navigation", Covers: []string{"runtime.held-during-navigation"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			nav := p.post("Page.navigate", navigate("http://a.test/slow"))
			id := p.start("location.pathname")
			p.gives(id, `"/slow"`)
			if p.c.reply(id).at < p.c.reply(nav).at {
				r.Errorf("the evaluation was answered before the navigation")
			}
		}},
	}
}

func scriptScenarios() []Scenario {
	return []Scenario{
		{Name: "scripts for new documents", Covers: []string{"script.on-new-document"}, Site: pages(map[string]string{
			"http://a.test/top": `<!doctype html><body><script>window.saw=typeof mine</script><iframe id=f srcdoc="x"></iframe>`}), run: func(r *run) {
			p := r.open("")
			var added struct{ Identifier string }
			p.ok("Page.addScriptToEvaluateOnNewDocument", `{"source":"window.mine=(window.mine||0)+1"}`).decode(r, &added)
			p.load("http://a.test/top")
			p.want("[saw,mine,f.contentWindow.mine]", `["number",1,1]`)
			p.want("var n=document.createElement('iframe');document.body.append(n);n.contentWindow.mine", "1")
			remove := params(`{"identifier":%q}`, added.Identifier)
			p.ok("Page.removeScriptToEvaluateOnNewDocument", remove)
			p.fails("Page.removeScriptToEvaluateOnNewDocument", remove, failed, "Script not found")
			p.load("http://a.test/top")
			p.want("typeof mine", `"undefined"`)
			p.ok("Page.addScriptToEvaluateOnNewDocument", `{"source":"window.now=1","runImmediately":true}`)
			p.want("now", "1")
			q := p.root().attach(p.target)
			q.ok("Page.addScriptToEvaluateOnNewDocument", `{"source":"window.never=1"}`)
			p.load("http://a.test/top")
			p.want("typeof never", `"undefined"`)
		}},
		{Name: "a debugger statement", Covers: []string{"debugger.statement"}, Site: pages(map[string]string{
			"http://a.test/stops": `<!doctype html><script>debugger;window.passed=1</script>`}), run: func(r *run) {
			p := r.open(plain)
			p.ok("Debugger.enable", "")
			p.ok("Debugger.setBlackboxPatterns", `{"patterns":["^https?://"]}`)
			id := p.start("(()=>{let answer; const q='question'; debugger; return answer})()")
			var at struct {
				Frames []struct {
					ID string `json:"callFrameId"`
				} `json:"callFrames"`
			}
			p.await("paused").decode(r, &at)
			p.want("1+1", "2")
			p.ok("Page.captureScreenshot", "")
			on := func(expr string) message {
				return p.ok("Debugger.evaluateOnCallFrame", params(`{"callFrameId":%q,"expression":%q,"returnByValue":true}`, at.Frames[0].ID, expr))
			}
			on("q").has(r, "question")
			on("answer='mine'")
			r.unanswered(p, id)
			p.ok("Debugger.resume", "")
			p.gives(id, `"mine"`)
			p.load("http://a.test/stops")
			p.want("passed", "1") // the page's own statements are skipped
			p.not("paused")
			id = p.start("var e=document.createElement('script');e.textContent='debugger';document.head.append(e);'appended'")
			p.await("paused") // it has no URL
			p.ok("Debugger.resume", "")
			p.gives(id, `"appended"`)
		}},
		{Name: "a page is left while it stands at a debugger statement", Covers: []string{"debugger.left"}, Site: oneFrame("http://b.test/plain"), run: func(r *run) {
			for _, to := range []string{plain + "?2", "http://b.test/plain?2"} {
				p := r.stands("http://a.test/top", "debugger;1")
				id := p.start("1") // it is served meanwhile
				p.gives(id, "1")
				p.post("Page.navigate", navigate(to))
				p.await("frameNavigated top " + to)
				p.loaded()
				p.not("resumed")
			}
			p := r.open("http://a.test/top")
			f := p.frame("b.test/plain")
			f.ok("Debugger.enable", "")
			id := f.start("debugger;1")
			f.await("paused")
			p.want("f.src='http://b.test/plain?2';1", "1")
			f.await("frameNavigated sub http://b.test/plain?2")
			f.gives(id, "error Inspected target navigated or closed")
			f.not("resumed")
		}},
		{Name: "what a script does that a commit lets go", Covers: []string{"debugger.left", "dialog.holds-commit"}, Site: pages(nil), run: func(r *run) {
			p := r.stands(plain, "setTimeout(()=>{debugger;alert('after')},0);1")
			p.ok("Page.navigate", navigate(plain+"?2"))
			p.await("javascriptDialogOpening top alert after")
			p.fails(handle, accept, failed, "Not attached to an active page")
			p.ok("Page.navigate", navigate("x-nowhere:"))
			p.loaded()
			p.want("location.search", `"?2"`)
		}},
		{Name: "a script that leads its page away stops nowhere", Covers: []string{"debugger.leaving-skips"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			p.ok("Debugger.enable", "")
			p.start("location.href='/plain?2';debugger;1")
			p.await("frameNavigated top " + plain + "?2")
			p.loaded()
			p.not("paused")
			p.mark()
			p.start("location.href='/204'")
			p.await("frameStartedLoading top") // what stopped before was the document's
			p.await("frameStoppedLoading top")
			id := p.start("debugger;1") // it has come to nothing
			p.await("paused")
			p.start("location.href='/plain?3'")
			p.await("resumed")
			p.gives(id, "error Execution was terminated")
			p.await("frameNavigated top " + plain + "?3")
		}},
		{Name: "a frame goes on while its page stands at a debugger statement", Covers: []string{"debugger.frames-commit"}, Site: oneFrame("http://a.test/plain"), run: func(r *run) {
			p := r.stands("http://a.test/top", "debugger;1")
			p.want("f.src='/plain?2';1", "1")
			p.await("frameNavigated sub " + plain + "?2")
			r.barrier()
			p.not("frameStoppedLoading")
			p.ok("Debugger.resume", "")
			p.await("frameStoppedLoading sub")
		}},
		{Name: "the accessibility tree", Covers: []string{"ax.tree"}, Site: pages(map[string]string{
			"http://a.test/form": `<!doctype html><title>Form</title><h1>Head</h1><a href="/x">link</a><button>Press</button><label for=i>Name</label><input id=i value=v><div hidden>no</div>`}), run: func(r *run) {
			p := r.open("http://a.test/form")
			var tree struct {
				Nodes []struct {
					ID     string `json:"nodeId"`
					Parent string `json:"parentId"`
					Role   struct{ Value string }
					Name   struct{ Value string }
				} `json:"nodes"`
			}
			p.ok("Accessibility.getFullAXTree", "").decode(r, &tree)
			seen := map[string]bool{"": true}
			told := map[string]bool{}
			for _, n := range tree.Nodes {
				if !seen[n.Parent] {
					r.Errorf("%s %s comes before its parent", n.Role.Value, n.Name.Value)
				}
				seen[n.ID] = true
				told[n.Role.Value+" "+n.Name.Value] = true
			}
			for _, want := range []string{"RootWebArea Form", "heading Head", "link link", "button Press", "textbox Name"} {
				if !told[want] {
					r.Errorf("no %s among %v", want, told)
				}
			}
		}},
	}
}

// stands opens a page whose script comes to a debugger statement.
func (r *run) stands(url, expr string) *session {
	r.Helper()
	p := r.open(url)
	p.ok("Debugger.enable", "")
	p.start(expr)
	p.await("paused")
	return p
}
