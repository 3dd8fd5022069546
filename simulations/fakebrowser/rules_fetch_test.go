package fakebrowser

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

const (
	bridgeURL     = "https://bridge.invalid/q"
	bridgePattern = `{"patterns":[{"urlPattern":"*://bridge.invalid/*"}]}`
	ask           = `(()=>{try{const x=new XMLHttpRequest();x.open('POST','https://bridge.invalid/q',false);x.send('{"k":1}');return [x.status,x.responseText]}catch(e){return [e.name,e.message,e.code]}})()`
	failed        = `["NetworkError","Failed to execute 'send' on 'XMLHttpRequest': Failed to load 'https://bridge.invalid/q'.",19]`
)

// paused is the request that was paused last, and the session that holds it.
func (c *client) paused() (id, session string, m msg) {
	for i := len(c.all) - 1; i >= 0; i-- {
		if c.all[i].Method == "Fetch.requestPaused" {
			var p struct {
				RequestID string `json:"requestId"`
			}
			c.decode(c.all[i], &p)
			return p.RequestID, c.all[i].Session, c.all[i]
		}
	}
	return "", "", msg{}
}

// fulfil answers the paused request with text.
func (c *client) fulfil(body string, headers ...string) {
	c.t.Helper()
	id, s, _ := c.paused()
	if headers == nil {
		headers = []string{`{"name":"Access-Control-Allow-Origin","value":"*"}`}
	}
	c.ok(s, "Fetch.fulfillRequest", fmt.Sprintf(`{"requestId":%q,"responseCode":200,"responseHeaders":[%s],"body":%q}`, id, strings.Join(headers, ","),
		base64.StdEncoding.EncodeToString([]byte(body))))
}

// bridged opens a page whose session intercepts the bridge's URL.
func bridged(t *testing.T, url string, site map[string]string, change ...func(*Options)) (*Browser, *client, string, string) {
	t.Helper()
	b, c := start(t, site, change...)
	target, s := c.page("", true)
	c.ok(s, "Fetch.enable", bridgePattern)
	c.ok(s, "Page.navigate", fmt.Sprintf(`{"url":%q}`, url))
	return b, c, target, s
}

func withHeader(name, value string) func(*Options) {
	return func(o *Options) {
		in := o.Pages
		o.Pages = func(u string) (Response, bool) {
			r, ok := in(u)
			r.Header = map[string]string{name: value}
			return r, ok
		}
	}
}

func fetchRules() map[string]func(*testing.T) {
	return map[string]func(*testing.T){
		"fetch.before-network": func(t *testing.T) {
			for _, page := range []string{"http://a.test/plain", "https://a.test/plain"} {
				b, c, _, s := bridged(t, page, nil)
				id := c.evalID(s, ask)
				other := c.evalID(s, "1")
				if b.HeldRequests() != 1 || c.value(id) != "" || c.value(other) != "" {
					t.Fatal("the request is not held, or does not block the renderer")
				}
				_, _, m := c.paused()
				for _, want := range []string{`"method":"POST"`, `"postData":"{\"k\":1}"`, `"bytes":"eyJrIjoxfQ=="`, `"resourceType":"XHR"`, `"Origin":"` + page[:strings.Index(page, "/plain")] + `"`} {
					if !strings.Contains(m.raw, want) {
						t.Errorf("%s lacks %s", m.raw, want)
					}
				}
				c.fulfil("answer")
				if v := c.value(id); v != `[200,"answer"]` || c.value(other) != "1" {
					t.Errorf("got %s", v)
				}
			}
		},
		"fetch.without-interception": func(t *testing.T) {
			_, c := start(t, nil)
			_, s := c.page("http://a.test/plain", true)
			c.want(s, ask, failed)
		},
		"fetch.ways-to-fail": func(t *testing.T) {
			_, c, _, s := bridged(t, "http://a.test/plain", nil)
			for name, act := range map[string]func(id string){
				"fail": func(id string) {
					c.ok(s, "Fetch.failRequest", fmt.Sprintf(`{"requestId":%q,"errorReason":"Failed"}`, id))
				},
				"continue": func(id string) { c.ok(s, "Fetch.continueRequest", fmt.Sprintf(`{"requestId":%q}`, id)) },
				"no cors":  func(string) { c.fulfil("x", `{"name":"X","value":"y"}`) },
				"disable": func(string) {
					c.ok(s, "Fetch.disable", "")
					c.ok(s, "Fetch.enable", bridgePattern)
				},
			} {
				ev := c.evalID(s, ask)
				id, _, _ := c.paused()
				act(id)
				if v := c.value(ev); v != failed {
					t.Errorf("%s: got %s", name, v)
				}
			}
			if m := c.call(s, "Fetch.fulfillRequest", `{"requestId":"x","responseCode":200}`); m.Error == nil || m.Error.Message != "Invalid InterceptionId." {
				t.Errorf("got %s", m.raw)
			}
		},
		"fetch.disconnect-releases": func(t *testing.T) {
			b, c, target, s := bridged(t, "http://a.test/plain", nil)
			c.evalID(s, "window.r="+ask)
			_ = c.tr.Close()
			c2 := newClient(t, b)
			c2.ok("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, target))
			c2.want(c2.session(target), "r", failed)
			if b.HeldRequests() != 0 {
				t.Error("a request is still held")
			}
		},
		"fetch.per-session": func(t *testing.T) {
			_, c, _, s := bridged(t, "http://a.test/top", map[string]string{"http://a.test/top": `<iframe src="http://b.test/plain"></iframe>`})
			f := c.session("iframe")
			c.ok(f, "Runtime.runIfWaitingForDebugger", "")
			c.want(f, ask, failed)
			c.ok(f, "Fetch.enable", bridgePattern)
			c.evalID(f, ask)
			if _, on, _ := c.paused(); on != f || f == s {
				t.Error("the frame's request was paused on another session")
			}
			c.fulfil("x")
		},
		"fetch.last-attached-first": func(t *testing.T) {
			b, c, target, s := bridged(t, "http://a.test/plain", nil)
			c.ok("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, target))
			late := c.session(target)
			c.ok(late, "Fetch.enable", bridgePattern)
			c.ok(s, "Fetch.enable", bridgePattern) // the order of enabling does not count
			ev := c.evalID(s, ask)
			id, on, _ := c.paused()
			if on != late {
				t.Error("paused on the session that attached first")
			}
			c.ok(late, "Fetch.continueRequest", fmt.Sprintf(`{"requestId":%q}`, id))
			if _, on, _ = c.paused(); on != s || b.HeldRequests() != 1 {
				t.Error("not passed on to the other session")
			}
			c.fulfil("x")
			if v := c.value(ev); v != `[200,"x"]` {
				t.Errorf("got %s", v)
			}
		},
		"fetch.creators-frame": func(t *testing.T) {
			b, c, target, s := bridged(t, "http://a.test/plain", nil)
			c.evalID(s, "var f=document.createElement('iframe');document.body.append(f);f.contentWindow.eval("+quote(ask)+")")
			if _, _, m := c.paused(); !strings.Contains(m.raw, `"frameId":"`+target) {
				t.Errorf("paused in another frame than the creator's: %s", m.raw)
			}
			if len(b.Frames(target)) != 2 {
				t.Error("no frame")
			}
			c.fulfil("x")
		},
		"fetch.mixed-content": func(t *testing.T) {
			b, c, _, s := bridged(t, "https://a.test/plain", nil)
			if v := c.eval(s, strings.Replace(ask, "https:", "http:", 1)); !strings.HasPrefix(v, `["NetworkError"`) || b.HeldRequests() != 0 {
				t.Errorf("got %s", v)
			}
		},
		"fetch.csp": func(t *testing.T) {
			for _, bypass := range []bool{false, true} {
				b, c := start(t, nil, withHeader("Content-Security-Policy", "connect-src 'self'"))
				_, s := c.page("", true)
				c.ok(s, "Fetch.enable", bridgePattern)
				c.ok(s, "Page.setBypassCSP", fmt.Sprintf(`{"enabled":%v}`, bypass))
				c.ok(s, "Page.navigate", `{"url":"http://a.test/plain"}`)
				c.evalID(s, ask)
				if held := b.HeldRequests() == 1; held != bypass {
					t.Errorf("bypass %v: held %v", bypass, held)
				}
			}
			b, c, _, s := bridged(t, "http://a.test/meta", map[string]string{"http://a.test/meta": `<meta http-equiv=Content-Security-Policy content="default-src 'none'">`})
			c.want(s, ask, failed)
			if b.HeldRequests() != 0 {
				t.Error("the meta element was overlooked")
			}
		},
		"fetch.sync-xhr-policy": func(t *testing.T) {
			b, c, _, s := bridged(t, "http://a.test/plain", nil, withHeader("Permissions-Policy", "sync-xhr=()"))
			c.want(s, ask, failed)
			if b.HeldRequests() != 0 {
				t.Error("held")
			}
		},
		"fetch.in-unload": func(t *testing.T) {
			_, c, _, s := bridged(t, "http://a.test/plain", nil)
			c.eval(s, "localStorage.clear();for(const t of ['beforeunload','unload'])addEventListener(t,()=>localStorage.setItem(t,"+ask+"[0]))")
			c.ok(s, "Page.navigate", `{"url":"http://a.test/plain?2"}`)
			c.want(s, "[localStorage.getItem('beforeunload'),localStorage.getItem('unload')]", `["NetworkError","NetworkError"]`)
		},
		"fetch.in-pagehide": func(t *testing.T) {
			b, c, _, s := bridged(t, "http://a.test/plain", nil)
			c.eval(s, "addEventListener('pagehide',()=>localStorage.setItem('ph',"+ask+"[1]))")
			c.send(s, "Page.navigate", `{"url":"http://a.test/plain?2"}`)
			if b.HeldRequests() != 1 {
				t.Fatal("not held")
			}
			c.fulfil("kept")
			c.want(s, "[location.search,localStorage.getItem('ph')]", `["?2","kept"]`)
		},
		"fetch.chrome-scheme": func(t *testing.T) {
			_, c, _, s := bridged(t, "chrome://version", nil)
			id := c.evalID(s, ask)
			if c.count(s, "Inspector.targetCrashed") != 1 || c.value(id) != "" {
				t.Error("the renderer lives")
			}
		},
		"fetch.holds-same-site-commit": func(t *testing.T) {
			_, c, _, s := bridged(t, "http://a.test/plain", nil)
			id := c.evalID(s, ask)
			c.mark()
			c.ok(s, "Page.navigate", `{"url":"http://a.test/plain?2"}`)
			if c.count(s, "Page.frameNavigated") != 1 || !strings.HasPrefix(c.value(id), "error Inspected target navigated") {
				t.Errorf("committed under the script's feet, or %s", c.value(id))
			}
			c.fulfil("x")
			c.want(s, "location.search", `"?2"`)
		},
		"fetch.cross-site-commit": func(t *testing.T) {
			_, c, _, s := bridged(t, "http://a.test/plain", nil)
			c.evalID(s, ask)
			c.ok(s, "Page.navigate", `{"url":"http://b.test/plain"}`)
			c.want(s, "location.href", `"http://b.test/plain"`)
			c.fulfil("x") // answered, without effect
		},
		"fetch.target-goes": func(t *testing.T) {
			b, c, _, s := bridged(t, "http://a.test/top", map[string]string{"http://a.test/top": `<iframe id=f src="http://b.test/plain"></iframe>`})
			f := c.session("iframe")
			c.ok(f, "Fetch.enable", bridgePattern)
			c.ok(f, "Runtime.runIfWaitingForDebugger", "")
			c.evalID(f, ask)
			id, _, _ := c.paused()
			c.eval(s, "f.remove()")
			if m := c.call(f, "Fetch.fulfillRequest", fmt.Sprintf(`{"requestId":%q,"responseCode":200}`, id)); m.Error == nil || m.Error.Code != -32001 {
				t.Errorf("got %s", m.raw)
			}
			if !b.Alive() {
				t.Error("the browser died")
			}
		},
		"fetch.preflight": func(t *testing.T) {
			_, c, _, s := bridged(t, "http://a.test/plain", nil)
			id := c.evalID(s, strings.Replace(ask, "x.send", "x.setRequestHeader('X-A','b');x.send", 1))
			if _, _, m := c.paused(); !strings.Contains(m.raw, `"method":"OPTIONS"`) {
				t.Errorf("got %s", m.raw)
			}
			c.fulfil("")
			c.fulfil("x")
			if v := c.value(id); v != `[200,"x"]` {
				t.Errorf("got %s", v)
			}
		},
		"fetch.asynchronous": func(t *testing.T) {
			b, c, _, s := bridged(t, "http://a.test/plain", nil)
			c.eval(s, "fetch('https://bridge.invalid/q').then(r=>r.json()).then(j=>{window.got=j.a})")
			if c.eval(s, "1") != "1" || b.HeldRequests() != 1 {
				t.Error("not held, or it blocks")
			}
			c.fulfil(`{"a":5}`)
			c.want(s, "got", "5")
		},
		"fetch.navigation": func(t *testing.T) {
			_, c := start(t, nil)
			_, s := c.page("", true)
			c.ok(s, "Fetch.enable", "")
			nav := c.send(s, "Page.navigate", `{"url":"http://a.test/plain"}`)
			id, _, m := c.paused()
			if _, ok := c.reply(nav); ok || !strings.Contains(m.raw, `"resourceType":"Document"`) {
				t.Errorf("got %s", m.raw)
			}
			c.ok(s, "Fetch.continueRequest", fmt.Sprintf(`{"requestId":%q}`, id))
			c.want(s, "document.title", `"plain"`)
		},
		"script.order": func(t *testing.T) {
			override := `{"source":"window.confirm=function(m){const x=new XMLHttpRequest();x.open('POST','https://bridge.invalid/q',false);x.send(m);return x.responseText}"}`
			for _, before := range []bool{true, false} {
				b, c := start(t, map[string]string{"http://a.test/top": `<iframe src="http://b.test/asks"></iframe>`, "http://b.test/asks": `<script>window.r=confirm('q')</script>`})
				c.auto = func(f string, _ map[string]any, _ bool) {
					steps := []func(){
						func() { c.post(f, "Page.enable", "") },
						func() { c.post(f, "Fetch.enable", bridgePattern) },
						func() { c.post(f, "Page.addScriptToEvaluateOnNewDocument", override) },
					}
					if before {
						for _, s := range steps {
							s()
						}
					}
					c.post(f, "Runtime.runIfWaitingForDebugger", "")
				}
				c.page("http://a.test/top", true)
				if held, native := b.HeldRequests() == 1, len(b.OpenDialogs()) == 1; held != before || native == before {
					t.Errorf("set up before the resume %v: held %v, native %v", before, held, native)
				}
			}
		},
	}
}
