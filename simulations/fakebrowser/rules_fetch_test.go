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
	}
}
