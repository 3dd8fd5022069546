package scenarios

import (
	"encoding/base64"
	"strings"
)

const (
	bridgePattern = `{"patterns":[{"urlPattern":"*://bridge.invalid/*"}]}`
	askBridge     = `(()=>{try{const x=new XMLHttpRequest();x.open('POST','https://bridge.invalid/q',false);x.send('{"k":1}');return [x.status,x.responseText]}catch(e){return [e.name,e.message,e.code]}})()`
	networkError  = `["NetworkError","Failed to execute 'send' on 'XMLHttpRequest': Failed to load 'https://bridge.invalid/q'.",19]`
)

// bridged opens a page whose session intercepts the bridge's URL.
func (r *run) bridged(url string) *session {
	r.Helper()
	p := r.open("")
	p.ok("Fetch.enable", bridgePattern)
	p.load(url)
	return p
}

// asksBridge evaluates and waits for the request, and returns its id.
func (s *session) asksBridge(expr string) (eval int64, request message) {
	s.c.r.Helper()
	eval = s.start(expr)
	return eval, s.await("requestPaused")
}

// fulfil answers a request with text.
func (s *session) fulfil(m message, body string) {
	s.c.r.Helper()
	s.ok("Fetch.fulfillRequest", answerWith(m, body, "Access-Control-Allow-Origin", "*"))
}

func answerWith(m message, body, header, value string) string {
	return params(`{"requestId":%q,"responseCode":200,"responseHeaders":[{"name":%q,"value":%q},{"name":"Access-Control-Allow-Headers","value":"*"}],"body":%q}`,
		m.told.RequestID, header, value, base64.StdEncoding.EncodeToString([]byte(body)))
}

func fetchScenarios() []Scenario {
	return []Scenario{
		{Name: "a synchronous request is paused", Covers: []string{"fetch.before-network"}, Site: pages(nil), run: func(r *run) {
			for _, page := range []string{plain, "https://a.test/plain"} {
				p := r.bridged(page)
				id, m := p.asksBridge(askBridge)
				other := p.start("1")
				r.unanswered(p, id, other)
				m.has(r, `"method":"POST"`, `"postData":"{\"k\":1}"`, `"bytes":"eyJrIjoxfQ=="`, `"resourceType":"XHR"`, `"Origin":"`+page[:strings.Index(page, "/plain")]+`"`)
				p.fulfil(m, "answer")
				p.gives(id, `[200,"answer"]`)
				p.gives(other, "1")
			}
		}},
		{Name: "a host that does not exist", Covers: []string{"fetch.without-interception"}, Site: pages(nil), run: func(r *run) {
			r.open(plain).want(askBridge, networkError)
		}},
		{Name: "ways to fail a request", Covers: []string{"fetch.ways-to-fail"}, Site: pages(nil), run: func(r *run) {
			p := r.bridged(plain)
			for name, act := range map[string]func(m message){
				"fail": func(m message) {
					p.ok("Fetch.failRequest", params(`{"requestId":%q,"errorReason":"Failed"}`, m.told.RequestID))
				},
				"continue": func(m message) { p.ok("Fetch.continueRequest", params(`{"requestId":%q}`, m.told.RequestID)) },
				"no CORS":  func(m message) { p.ok("Fetch.fulfillRequest", answerWith(m, "x", "X", "y")) },
				"disable": func(message) {
					p.ok("Fetch.disable", "")
					p.ok("Fetch.enable", bridgePattern)
				},
			} {
				id, m := p.asksBridge(askBridge)
				act(m)
				if v := p.value(id); v != networkError {
					r.Errorf("%s: got %s", name, v)
				}
			}
			p.fails("Fetch.fulfillRequest", `{"requestId":"x","responseCode":200}`, invalid, "Invalid InterceptionId.")
		}},
		{Name: "the client of a paused request goes", Covers: []string{"fetch.disconnect-releases"}, Site: pages(nil), run: func(r *run) {
			p := r.bridged(plain)
			p.asksBridge("window.r=" + askBridge)
			p.c.hangUp()
			r.dial().attach(p.target).want("r", networkError)
		}},
		{Name: "interception of one session", Covers: []string{"fetch.per-session"}, Site: oneFrame("http://b.test/plain"), run: func(r *run) {
			p := r.bridged("http://a.test/top")
			f := p.frame("b.test/plain")
			f.want(askBridge, networkError)
			p.not("requestPaused")
			f.ok("Fetch.enable", bridgePattern)
			id, m := f.asksBridge(askBridge)
			p.not("requestPaused")
			f.fulfil(m, "x")
			f.gives(id, `[200,"x"]`)
		}},
		{Name: "two sessions intercept", Covers: []string{"fetch.last-attached-first"}, Site: pages(nil), run: func(r *run) {
			p := r.bridged(plain)
			late := p.root().attach(p.target)
			late.ok("Fetch.enable", bridgePattern)
			p.ok("Fetch.enable", bridgePattern) // the order of enabling does not count
			id := p.start(askBridge)
			m := late.await("requestPaused")
			p.not("requestPaused")
			late.ok("Fetch.continueRequest", params(`{"requestId":%q}`, m.told.RequestID))
			p.fulfil(p.await("requestPaused"), "x")
			p.gives(id, `[200,"x"]`)
		}},
		{Name: "a request of a frame that has loaded nothing", Covers: []string{"fetch.creators-frame"}, Site: pages(nil), run: func(r *run) {
			p := r.bridged(plain)
			id, m := p.asksBridge("var f=document.createElement('iframe');document.body.append(f);f.contentWindow.eval(" + quote(askBridge) + ")")
			if m.told.FrameID != p.target {
				r.Errorf("paused in frame %s, not in the creator's", m.told.FrameID)
			}
			p.fulfil(m, "x")
			p.gives(id, `[200,"x"]`)
		}},
		{Name: "an http request of an https page", Covers: []string{"fetch.mixed-content"}, Site: pages(nil), run: func(r *run) {
			p := r.bridged("https://a.test/plain")
			if v := p.eval(strings.Replace(askBridge, "https:", "http:", 1)); !strings.HasPrefix(v, `["NetworkError"`) {
				r.Errorf("got %s", v)
			}
			p.not("requestPaused")
		}},
		{Name: "a policy that forbids the request", Covers: []string{"fetch.csp"}, Site: withHeader(pages(nil), "Content-Security-Policy", "connect-src 'self'"), run: func(r *run) {
			p := r.bridged(plain)
			p.want(askBridge, networkError)
			p.not("requestPaused")
			p.ok("Page.setBypassCSP", `{"enabled":true}`)
			p.load(plain)
			id, m := p.asksBridge(askBridge)
			p.fulfil(m, "x")
			p.gives(id, `[200,"x"]`)
		}},
		{Name: "a policy against synchronous requests", Covers: []string{"fetch.sync-xhr-policy"}, Site: withHeader(pages(nil), "Permissions-Policy", "sync-xhr=()"), run: func(r *run) {
			p := r.bridged(plain)
			p.want(askBridge, networkError)
			p.not("requestPaused")
		}},
		{Name: "a preflight", Covers: []string{"fetch.preflight"}, Site: pages(nil), run: func(r *run) {
			p := r.bridged(plain)
			id, m := p.asksBridge(strings.Replace(askBridge, "x.send", "x.setRequestHeader('X-A','b');x.send", 1))
			m.has(r, `"method":"OPTIONS"`)
			p.fulfil(m, "")
			m = p.await("requestPaused")
			m.has(r, `"method":"POST"`)
			p.fulfil(m, "x")
			p.gives(id, `[200,"x"]`)
		}},
		{Name: "an asynchronous request", Covers: []string{"fetch.asynchronous"}, Site: pages(nil), run: func(r *run) {
			p := r.bridged(plain)
			_, m := p.asksBridge("fetch('https://bridge.invalid/q').then(r=>r.json()).then(j=>{window.got=j.a});1")
			p.want("1", "1")
			p.fulfil(m, `{"a":5}`)
			p.settles("new Promise(ok=>{const look=()=>window.got?ok(got):setTimeout(look,1);look()})", "5")
		}},
		{Name: "a document is paused", Covers: []string{"fetch.navigation"}, Site: pages(nil), run: func(r *run) {
			p := r.open("")
			p.ok("Fetch.enable", "")
			nav := p.post("Page.navigate", navigate(plain))
			m := p.await("requestPaused")
			m.has(r, `"resourceType":"Document"`)
			r.unanswered(p, nav)
			p.ok("Fetch.continueRequest", params(`{"requestId":%q}`, m.told.RequestID))
			p.c.reply(nav)
			p.await("frameNavigated top " + plain)
			p.loaded()
			p.want("document.title", `"plain"`)
		}},
	}
}

func blockedRequests() []Scenario {
	asks := pages(map[string]string{"http://a.test/top": `<iframe src="http://b.test/asks"></iframe>`, "http://b.test/asks": `<script>window.r=confirm('q')</script>`})
	override := `{"source":"window.confirm=function(m){const x=new XMLHttpRequest();x.open('POST','https://bridge.invalid/q',false);x.send(m);return x.responseText}"}`
	return []Scenario{
		{Name: "set up before the resume", Covers: []string{"script.order"}, Site: asks, run: func(r *run) {
			p := r.unhandled("http://a.test/top")
			f := p.paused()
			f.post("Page.enable", "")
			f.post("Fetch.enable", bridgePattern)
			f.post("Page.addScriptToEvaluateOnNewDocument", override)
			f.post("Runtime.runIfWaitingForDebugger", "")
			f.fulfil(f.await("requestPaused"), "bridged")
			f.want("r", `"bridged"`)
			p.not("javascriptDialogOpening")
		}},
		{Name: "set up after the resume", Covers: []string{"script.order"}, Site: asks, run: func(r *run) {
			p := r.unhandled("http://a.test/top")
			f := p.paused()
			f.resume()
			p.await("javascriptDialogOpening sub confirm q")
			f.post("Page.enable", "")
			f.ok("Fetch.enable", bridgePattern)
			f.post("Page.addScriptToEvaluateOnNewDocument", override)
			p.ok(handle, accept)
			f.want("r", "true")
			f.not("requestPaused")
		}},
		{Name: "requests while a page goes", Covers: []string{"fetch.in-unload", "fetch.in-pagehide"}, Site: pages(nil), run: func(r *run) {
			p := r.bridged(plain)
			p.eval("localStorage.clear();for(const t of ['beforeunload','unload'])addEventListener(t,()=>localStorage.setItem(t," + askBridge + "[0]));1")
			p.load(plain + "?2")
			p.want("[localStorage.getItem('beforeunload'),localStorage.getItem('unload')]", `["NetworkError","NetworkError"]`)
			p.not("requestPaused")
			p.eval("addEventListener('pagehide',()=>localStorage.setItem('ph'," + askBridge + "[1]));1")
			p.mark()
			p.post("Page.navigate", navigate(plain+"?3"))
			m := p.saw("requestPaused")
			r.barrier()
			p.not("frameNavigated")
			p.fulfil(m, "kept")
			p.await("frameNavigated top " + plain + "?3")
			p.want("[location.search,localStorage.getItem('ph')]", `["?3","kept"]`)
			p.eval("localStorage.clear()")
		}},
		{Name: "a synchronous request of a chrome: page", Covers: []string{"fetch.chrome-scheme"}, Site: pages(nil), run: func(r *run) {
			p := r.bridged("chrome://version")
			id := p.start(askBridge)
			p.await("Inspector.targetCrashed")
			r.unanswered(p, id)
		}},
		{Name: "a same-site navigation behind a request", Covers: []string{"fetch.holds-same-site-commit"}, Site: pages(nil), run: func(r *run) {
			p := r.bridged(plain)
			id, m := p.asksBridge(askBridge)
			p.ok("Page.navigate", navigate(plain+"?2"))
			r.barrier()
			p.not("frameNavigated")
			if v := p.value(id); !strings.HasPrefix(v, "error Inspected target navigated") {
				r.Errorf("the evaluation came to %s", v)
			}
			p.fulfil(m, "x")
			p.await("frameNavigated top " + plain + "?2")
			p.want("location.search", `"?2"`)
		}},
		{Name: "a cross-site navigation past a request", Covers: []string{"fetch.cross-site-commit"}, Site: pages(nil), run: func(r *run) {
			p := r.bridged(plain)
			_, m := p.asksBridge(askBridge)
			p.ok("Page.navigate", navigate("http://b.test/plain"))
			p.await("frameNavigated top http://b.test/plain")
			p.want("location.href", `"http://b.test/plain"`)
			p.fulfil(m, "x") // answered, without effect
			p.want("location.href", `"http://b.test/plain"`)
		}},
		{Name: "a blocked frame is removed", Covers: []string{"fetch.target-goes"}, Site: oneFrame("http://b.test/plain"), run: func(r *run) {
			p := r.bridged("http://a.test/top")
			f := p.frame("b.test/plain")
			f.ok("Fetch.enable", bridgePattern)
			_, m := f.asksBridge(askBridge)
			p.eval("f.remove()")
			p.await("detachedFromTarget sub")
			if re := f.call("Fetch.fulfillRequest", answerWith(m, "x", "X", "y")); re.Error == nil || re.Error.Code != -32001 {
				r.Errorf("got %s", re.raw)
			}
			r.lives()
		}},
	}
}
