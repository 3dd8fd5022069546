package fakebrowser

import (
	"fmt"
	"strings"
	"testing"
)

func runtimeRules() map[string]func(*testing.T) {
	return map[string]func(*testing.T){
		"runtime.enable-reports": func(t *testing.T) {
			_, c := start(t, map[string]string{"http://a.test/top": `<iframe src="/plain"></iframe><script>console.error('early');throw new Error('x')</script>`})
			target, s := c.page("http://a.test/top", true)
			c.ok("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, target))
			late := c.session(target)
			_ = s
			c.mark()
			c.ok(late, "Runtime.enable", "")
			c.expect(`
				S2 executionContextCreated 3 F2
				S2 executionContextCreated 2 F1
				S2 consoleAPICalled
				S2 exceptionThrown
				S2 reply Runtime.enable`)
			c.ok(late, "Runtime.enable", "")
			c.expect("S2 reply Runtime.enable")
			c.ok(late, "Runtime.disable", "")
			c.ok(late, "Runtime.enable", "")
			c.expect(`
				S2 reply Runtime.disable
				S2 executionContextCreated 3 F2
				S2 executionContextCreated 2 F1
				S2 consoleAPICalled
				S2 exceptionThrown
				S2 reply Runtime.enable`)
			c.ok(s, "Page.navigate", `{"url":"http://a.test/plain"}`)
			c.ok(late, "Runtime.disable", "")
			c.mark()
			c.ok(late, "Runtime.enable", "")
			c.expect("S2 executionContextCreated 4 F1\nS2 reply Runtime.enable")
		},
		"runtime.console": func(t *testing.T) {
			_, c := start(t, map[string]string{"http://a.test/con": "<title>con</title>\n<script>\nconsole.error('bad %s', 'thing', 7);console.assert(1==2,'as');console.warn('w');console.log({a:1})\n</script>"})
			_, s := c.page("http://a.test/con", true)
			var got []string
			for _, m := range c.all {
				if m.Method == "Runtime.consoleAPICalled" {
					got = append(got, m.raw)
				}
			}
			if len(got) != 4 {
				t.Fatalf("%d calls", len(got))
			}
			for i, want := range []string{
				`"type":"error","args":[{"type":"string","value":"bad %s"},{"type":"string","value":"thing"},{"type":"number","value":7,"description":"7"}],"executionContextId":2`,
				`"type":"assert","args":[{"type":"string","value":"as"}]`, `"type":"warning"`, `"className":"Object","description":"Object","objectId":`,
			} {
				if !strings.Contains(got[i], want) {
					t.Errorf("%s lacks %s", got[i], want)
				}
			}
			if !strings.Contains(got[0], `"url":"http://a.test/con","lineNumber":2,`) {
				t.Errorf("no place: %s", got[0])
			}
			_ = s
		},
		"runtime.exceptions": func(t *testing.T) {
			_, c := start(t, map[string]string{"http://a.test/ex": "<title>x</title>\n<script>\n  throw new TypeError('boom')\n</script><script>throw 'str'</script><script>syntax error here</script><script>Promise.reject(new Error('rej'))</script><script>setTimeout(function tick(){ nope() },0)</script>"})
			c.page("http://a.test/ex", true)
			var got []string
			for _, m := range c.all {
				if m.Method == "Runtime.exceptionThrown" {
					got = append(got, m.raw)
				}
			}
			wants := []string{`"description":"TypeError: boom\n    at http://a.test/ex:3:9"`, `"exception":{"type":"string","value":"str"}`, `"className":"SyntaxError"`,
				`"text":"Uncaught (in promise)"`, `"description":"ReferenceError: nope is not defined\n    at tick (http://a.test/ex:4:`}
			if len(got) != len(wants) {
				t.Fatalf("%d exceptions: %s", len(got), strings.Join(got, "\n"))
			}
			for i, w := range wants {
				if !strings.Contains(got[i], w) {
					t.Errorf("%s lacks %s", got[i], w)
				}
			}
			if !strings.Contains(got[0], `"text":"Uncaught","lineNumber":2,"columnNumber":8,`) {
				t.Errorf("no place: %s", got[0])
			}
		},
		"runtime.values": func(t *testing.T) {
			_, c := start(t, nil)
			_, s := c.page("http://a.test/plain", true)
			for expr, want := range map[string]string{
				"1": `{"type":"number","value":1,"description":"1"}`, "-0": `{"type":"number","unserializableValue":"-0","description":"-0"}`,
				"1/0": `{"type":"number","unserializableValue":"Infinity","description":"Infinity"}`, "'s'": `{"type":"string","value":"s"}`,
				"null": `{"type":"object","subtype":"null","value":null}`, "undefined": `{"type":"undefined"}`, "true": `{"type":"boolean","value":true}`,
				"'\\ud800'": `{"type":"string","value":"\ud800"}`, "10n": `{"type":"bigint","unserializableValue":"10n","description":"10n"}`,
			} {
				if m := c.ok(s, "Runtime.evaluate", `{"expression":`+quote(expr)+`}`); !strings.Contains(m.raw, `"result":{"result":`+want) {
					t.Errorf("%s: %s", expr, m.raw)
				}
			}
			for expr, want := range map[string]string{
				"[1,2]": `"subtype":"array","className":"Array","description":"Array(2)"`, "document": `"subtype":"node","className":"Document","description":"#document"`,
				"document.body": `"className":"HTMLBodyElement","description":"body"`, "window": `"className":"Window"`, "(class Foo{})": `"type":"function"`,
				"new (class Foo{})": `"className":"Foo","description":"Foo"`, "Promise.resolve(1)": `"subtype":"promise","className":"Promise"`,
				"new Error('e')": `"subtype":"error","className":"Error"`,
			} {
				if m := c.ok(s, "Runtime.evaluate", `{"expression":`+quote(expr)+`}`); !strings.Contains(m.raw, want) {
					t.Errorf("%s: %s", expr, m.raw)
				}
			}
			c.want(s, "({a:1,b:[1,2]})", `{"a":1,"b":[1,2]}`)
			if m := c.call(s, "Runtime.evaluate", `{"expression":"var o={};o.o=o;o","returnByValue":true}`); m.Error == nil || m.Error.Message != "Object reference chain is too long" {
				t.Errorf("got %s", m.raw)
			}
			c.want(s, "nope", `throws ReferenceError: nope is not defined`+"\n    at <anonymous>:1:1")
			if m := c.ok(s, "Runtime.evaluate", `{"expression":"Promise.reject(new Error('pr'))","awaitPromise":true}`); !strings.Contains(m.raw, `"text":"Uncaught (in promise) Error: pr"`) {
				t.Errorf("got %s", m.raw)
			}
			if m := c.ok(s, "Runtime.evaluate", `{"expression":"(async()=>({z:1}))()","awaitPromise":true,"returnByValue":true}`); !strings.Contains(m.raw, `"value":{"z":1}`) {
				t.Errorf("got %s", m.raw)
			}
		},
		"runtime.contexts": func(t *testing.T) {
			_, c := start(t, map[string]string{"http://a.test/top": `<iframe id=f src="/plain"></iframe>`})
			_, s := c.page("http://a.test/top", true)
			if m := c.ok(s, "Runtime.evaluate", `{"expression":"location.pathname","contextId":3,"returnByValue":true}`); !strings.Contains(m.raw, "/plain") {
				t.Errorf("got %s", m.raw)
			}
			for params, want := range map[string]string{
				`{"expression":"1","contextId":99}`: "Cannot find context with specified id", `{"expression":"1","uniqueContextId":"99"}`: "invalid uniqueContextId",
				`{"expression":"1","uniqueContextId":"9","contextId":1}`: "contextId and uniqueContextId are mutually exclusive", `{}`: "Invalid parameters",
			} {
				if m := c.call(s, "Runtime.evaluate", params); m.Error == nil || m.Error.Message != want {
					t.Errorf("%s: %s", params, m.raw)
				}
			}
			if m := c.ok(s, "Runtime.callFunctionOn", `{"functionDeclaration":"function(a){return a+this.location.pathname}","executionContextId":3,"arguments":[{"value":"x"}],"returnByValue":true}`); !strings.Contains(m.raw, "xundefined") && !strings.Contains(m.raw, "x/plain") {
				t.Errorf("got %s", m.raw)
			}
			var w struct {
				ID int `json:"executionContextId"`
			}
			tree := c.told(s)
			for id, f := range tree {
				if f[0] == "" {
					c.decode(c.ok(s, "Page.createIsolatedWorld", fmt.Sprintf(`{"frameId":%q,"worldName":"w"}`, id)), &w)
				}
			}
			c.eval(s, "window.mine=1;document.title='shared'")
			if m := c.ok(s, "Runtime.evaluate", fmt.Sprintf(`{"expression":"typeof mine+document.title","contextId":%d}`, w.ID)); !strings.Contains(m.raw, "undefinedshared") {
				t.Errorf("got %s", m.raw)
			}
		},
		"runtime.objects": func(t *testing.T) {
			_, c := start(t, nil)
			_, s := c.page("http://a.test/plain", true)
			var r struct {
				Result struct {
					ID string `json:"objectId"`
				} `json:"result"`
			}
			c.decode(c.ok(s, "Runtime.evaluate", `{"expression":"({a:1})"}`), &r)
			id := r.Result.ID
			if m := c.ok(s, "Runtime.callFunctionOn", fmt.Sprintf(`{"functionDeclaration":"function(x){return [this.a,x===this]}","objectId":%q,"arguments":[{"objectId":%q}],"returnByValue":true}`, id, id)); !strings.Contains(m.raw, "[1,true]") {
				t.Errorf("got %s", m.raw)
			}
			if m := c.ok(s, "Runtime.getProperties", fmt.Sprintf(`{"objectId":%q}`, id)); !strings.Contains(m.raw, `"name":"a"`) {
				t.Errorf("got %s", m.raw)
			}
			c.ok(s, "Runtime.releaseObject", fmt.Sprintf(`{"objectId":%q}`, id))
			if m := c.call(s, "Runtime.callFunctionOn", fmt.Sprintf(`{"functionDeclaration":"()=>1","objectId":%q}`, id)); m.Error == nil || m.Error.Message != "Could not find object with given id" {
				t.Errorf("got %s", m.raw)
			}
		},
		"runtime.ended-by-commit": func(t *testing.T) {
			_, c := start(t, nil)
			_, s := c.page("http://a.test/plain", true)
			await := c.send(s, "Runtime.evaluate", `{"expression":"new Promise(()=>{})","awaitPromise":true}`)
			c.ok(s, "Page.navigate", `{"url":"http://a.test/plain?2"}`)
			if m, ok := c.reply(await); !ok || m.Error == nil || m.Error.Message != "Inspected target navigated or closed" {
				t.Errorf("got %s", m.raw)
			}
		},
		"runtime.held-during-navigation": func(t *testing.T) {
			b, c := start(t, nil, slowly("slow"))
			_, s := c.page("http://a.test/plain", true)
			nav := c.send(s, "Page.navigate", `{"url":"http://a.test/plain?slow"}`)
			id := c.evalID(s, "location.search")
			if _, ok := c.reply(id); ok {
				t.Error("answered by the old document")
			}
			b.Advance(1_000_000_000)
			c.pump()
			if _, ok := c.reply(nav); !ok || c.value(id) != `"?slow"` {
				t.Errorf("got %q", c.value(id))
			}
		},
		"script.on-new-document": func(t *testing.T) {
			_, c := start(t, map[string]string{"http://a.test/top": `<script>window.saw=typeof mine</script><iframe id=f srcdoc="x"></iframe>`})
			target, s := c.page("", true)
			id := c.ok(s, "Page.addScriptToEvaluateOnNewDocument", `{"source":"window.mine=(window.mine||0)+1"}`)
			if !strings.Contains(id.raw, `"identifier":"1"`) {
				t.Errorf("got %s", id.raw)
			}
			c.ok(s, "Page.navigate", `{"url":"http://a.test/top"}`)
			c.want(s, "[saw,mine,f.contentWindow.mine]", `["number",1,1]`)
			c.want(s, "var n=document.createElement('iframe');document.body.append(n);n.contentWindow.mine", "1")
			c.ok(s, "Page.removeScriptToEvaluateOnNewDocument", `{"identifier":"1"}`)
			if m := c.call(s, "Page.removeScriptToEvaluateOnNewDocument", `{"identifier":"1"}`); m.Error == nil || m.Error.Message != "Script not found" {
				t.Errorf("got %s", m.raw)
			}
			c.ok(s, "Page.reload", "")
			c.want(s, "typeof mine", `"undefined"`)
			c.ok(s, "Page.addScriptToEvaluateOnNewDocument", `{"source":"window.now=1","runImmediately":true}`)
			c.want(s, "now", "1")
			c.ok("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, target))
			other := c.session(target)
			c.ok(other, "Page.addScriptToEvaluateOnNewDocument", `{"source":"window.never=1"}`)
			c.ok(s, "Page.reload", "")
			c.want(s, "typeof never", `"undefined"`)
		},
		"debugger.statement": func(t *testing.T) {
			_, c := start(t, nil)
			_, s := c.page("http://a.test/plain", true)
			c.ok(s, "Debugger.enable", "")
			c.ok(s, "Debugger.setBlackboxPatterns", `{"patterns":["^https?://"]}`)
			id := c.evalID(s, "(()=>{let answer; const q='question'; debugger; return answer})()")
			if c.value(id) != "" || c.count(s, "Debugger.paused") != 1 {
				t.Fatal("the statement did not stop the script")
			}
			c.want(s, "1+1", "2")
			c.ok(s, "Page.captureScreenshot", "")
			var p struct {
				Frames []struct {
					ID string `json:"callFrameId"`
				} `json:"callFrames"`
			}
			for _, m := range c.all {
				if m.Method == "Debugger.paused" {
					c.decode(m, &p)
				}
			}
			eval := func(expr string) string {
				return c.ok(s, "Debugger.evaluateOnCallFrame", fmt.Sprintf(`{"callFrameId":%q,"expression":%q,"returnByValue":true}`, p.Frames[0].ID, expr)).raw
			}
			if got := eval("q"); !strings.Contains(got, "question") {
				t.Errorf("got %s", got)
			}
			eval("answer='mine'")
			c.ok(s, "Debugger.resume", "")
			if v := c.value(id); v != `"mine"` {
				t.Errorf("got %s", v)
			}
			c.eval(s, "var e=document.createElement('script');e.textContent='debugger;window.passed=1';document.body.append(e)")
			c.want(s, "passed", "1") // the page's own statements are skipped
		},
		"ax.tree": func(t *testing.T) {
			_, c := start(t, map[string]string{"http://a.test/form": `<title>Form</title><h1>Head</h1><p>Some <b>bold</b></p><a href="/x">link</a><button>Press</button>
				<label for=i>Name</label><input id=i value=v><input type=checkbox checked><div hidden>no</div><img alt=pic><iframe title=fr></iframe>`})
			_, s := c.page("http://a.test/form", true)
			var r struct {
				Nodes []struct {
					Role struct{ Value string } `json:"role"`
					Name struct{ Value string } `json:"name"`
				} `json:"nodes"`
			}
			c.decode(c.ok(s, "Accessibility.getFullAXTree", ""), &r)
			var got []string
			for _, n := range r.Nodes {
				got = append(got, n.Role.Value+" "+n.Name.Value)
			}
			want := "RootWebArea Form, heading Head, StaticText Head, paragraph , StaticText Some, StaticText bold, link link, StaticText link, button Press, StaticText Press, LabelText , StaticText Name, textbox Name, checkbox , image pic, Iframe fr"
			if strings.Join(got, ", ") != want {
				t.Errorf("got %s", strings.Join(got, ", "))
			}
		},
	}
}

// slowly delays every URL that contains the word by a second.
func slowly(word string) func(*Options) {
	return func(o *Options) {
		in := o.Pages
		o.Pages = func(u string) (Response, bool) {
			r, ok := in(u)
			if strings.Contains(u, word) {
				r.Delay = 1_000_000_000
			}
			return r, ok
		}
	}
}
