package fakebrowser

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// nestedPages: a.test embeds b.test and a.test, b.test embeds itself and
// c.test, c.test embeds d.test and itself.
func nestedPages() map[string]string {
	return map[string]string{
		"http://a.test/n1":  `<title>n1</title><iframe id=b src="http://b.test/n2"></iframe><iframe id=a src="/n1b"></iframe>`,
		"http://a.test/n1b": `<iframe src="http://b.test/plain?under"></iframe>`,
		"http://b.test/n2":  `<iframe src="/plain?localInB"></iframe><iframe src="http://c.test/n3"></iframe>`,
		"http://c.test/n3":  `<iframe src="http://d.test/plain?deep"></iframe><iframe src="/plain?c2"></iframe>`,
	}
}

// told is the frame tree that a client can put together from getFrameTree of
// every session: frame id to parent and URL.
func (c *client) told(page string, sessions ...string) map[string][2]string {
	out := map[string][2]string{}
	type tree struct {
		Frame struct {
			ID, ParentID, URL string
		} `json:"frame"`
		Kids []json.RawMessage `json:"childFrames"`
	}
	var walk func(raw json.RawMessage)
	walk = func(raw json.RawMessage) {
		var tr tree
		if err := json.Unmarshal(raw, &tr); err != nil {
			c.t.Fatal(err)
		}
		out[tr.Frame.ID] = [2]string{tr.Frame.ParentID, tr.Frame.URL}
		for _, k := range tr.Kids {
			walk(k)
		}
	}
	for _, s := range append([]string{page}, sessions...) {
		var r struct {
			Tree json.RawMessage `json:"frameTree"`
		}
		c.decode(c.ok(s, "Page.getFrameTree", ""), &r)
		walk(r.Tree)
	}
	return out
}

// attached are the live sessions below a page's, by what attached and
// detached.
func (c *client) attached(root string) []string {
	parent := map[string]string{}
	for _, m := range c.all {
		var p struct {
			SessionID string `json:"sessionId"`
		}
		switch m.Method {
		case "Target.attachedToTarget":
			c.decode(m, &p)
			parent[p.SessionID] = m.Session
		case "Target.detachedFromTarget":
			c.decode(m, &p)
			delete(parent, p.SessionID)
		}
	}
	var out []string
	for s := range parent {
		for up := s; ; up = parent[up] {
			if parent[up] == root {
				out = append(out, s)
				break
			}
			if _, ok := parent[up]; !ok {
				break
			}
		}
	}
	slices.Sort(out)
	return out
}

// complete compares what getFrameTree of all sessions tells with the truth.
func (c *client) complete(target, s string) {
	c.t.Helper()
	told := c.told(s, c.attached(s)...)
	real := c.b.Frames(target)
	if len(told) != len(real) {
		c.t.Errorf("%d frames told, %d there are", len(told), len(real))
	}
	for _, f := range real {
		at, _ := cutFragment(f.URL)
		if told[f.ID] != [2]string{f.ParentID, at} {
			c.t.Errorf("frame %s: told %v, is %s in %s", f.ID, told[f.ID], f.URL, f.ParentID)
		}
	}
}

func frameRules() map[string]func(*testing.T) {
	return map[string]func(*testing.T){
		"oopif.waiting": func(t *testing.T) {
			_, c := start(t, map[string]string{"http://a.test/top": `<iframe src="http://b.test/plain"></iframe>`})
			c.setup(true)
			_, s := c.page("", true)
			c.mark()
			c.send(s, "Page.navigate", `{"url":"http://a.test/top"}`)
			c.expect(`
				S1 frameStartedNavigating F1
				S1 frameStartedLoading F1
				S1 reply Page.navigate
				S1 executionContextsCleared
				S1 executionContextsCleared
				S1 frameNavigated F1 http://a.test/top Navigation
				S1 executionContextCreated 2 F1
				S1 frameAttached F2
				S1 frameRequestedNavigation F2 initialFrameNavigation
				S1 frameStartedNavigating F2
				S1 frameStartedLoading F2
				S1 domContentEventFired
				S1 attachedToTarget S2 F2 url= wait=true
				S2 reply Page.enable
				S2 reply Runtime.enable
				S2 reply Target.setAutoAttach
				S2 executionContextsCleared
				S2 frameNavigated F2 http://b.test/plain Navigation
				S1 targetInfoChanged F2 url=http://b.test/plain attached=true
				S2 executionContextCreated 1 F2
				S1 frameDetached F2 swap
				S2 reply Runtime.runIfWaitingForDebugger
				S2 domContentEventFired
				S2 loadEventFired
				S2 frameStoppedLoading F2
				S1 loadEventFired
				S1 frameStoppedLoading F1`)
		},
		"oopif.kinds": func(t *testing.T) {
			b, c := start(t, nil, func(o *Options) {
				in := o.Pages
				o.Pages = func(u string) (Response, bool) {
					if strings.Contains(u, "/oac") {
						return Response{Header: map[string]string{"Origin-Agent-Cluster": "?1"}}, true
					}
					return in(u)
				}
			})
			c.setup(true)
			target, s := c.page("https://a.test/plain", true)
			for html, remote := range map[string]bool{
				`<iframe src="https://b.test/plain">`:                             true,
				`<iframe sandbox="allow-scripts" src="/plain">`:                   true,
				`<iframe sandbox="allow-scripts" srcdoc="x">`:                     true,
				`<iframe src="https://oac.a.test/oac">`:                           true,
				`<iframe src="http://nope.invalid/">`:                             true,
				`<object data="https://b.test/plain">`:                            true,
				`<embed src="https://c.test/plain">`:                              true,
				`<iframe src="http://a.test/plain">`:                              true,
				`<iframe src="https://sub.a.test/plain">`:                         false,
				`<iframe src="about:blank">`:                                      false,
				`<iframe>`:                                                        false,
				`<iframe srcdoc="x">`:                                             false,
				`<iframe src="data:text/html,x">`:                                 false,
				`<iframe src="javascript:1">`:                                     false,
				`<iframe sandbox>`:                                                false,
				`<iframe sandbox="allow-scripts allow-same-origin" src="/plain">`: false,
			} {
				c.eval(s, "document.body.innerHTML="+quote(html))
				if f := b.Frames(target); len(f) != 2 || f[1].OOPIF != remote {
					t.Errorf("%s: %+v", html, f[1:])
				}
			}
		},
		"oopif.nested-attach": func(t *testing.T) {
			b, c := start(t, nestedPages())
			c.setup(true)
			target, s := c.page("http://a.test/n1", true)
			on := map[string]string{}
			for _, m := range c.all {
				if m.Method == "Target.attachedToTarget" && m.Session != "" {
					var p struct {
						Info struct {
							TargetID string `json:"targetId"`
						} `json:"targetInfo"`
						SessionID string `json:"sessionId"`
					}
					c.decode(m, &p)
					on[p.Info.TargetID] = m.Session
					if m.Session == "" {
						t.Error("an iframe was attached on the browser's session")
					}
				}
			}
			byID := map[string]Frame{}
			for _, f := range b.Frames(target) {
				byID[f.ID] = f
				if !f.OOPIF {
					continue
				}
				want := s
				for up := byID[f.ParentID]; up.ID != ""; up = byID[up.ParentID] {
					if up.OOPIF {
						want = c.session(`"targetId":"` + up.ID)
						break
					}
				}
				if on[f.ID] != want {
					t.Errorf("%s attached on another session than its parent's", f.URL)
				}
			}
			c.complete(target, s)
			if n := len(c.attached(s)); n != 4 {
				t.Errorf("%d sessions", n)
			}
		},
		"frame-tree.late-attach": func(t *testing.T) {
			b, c := start(t, nestedPages())
			target, _ := c.page("http://a.test/n1", false)
			c2 := newClient(t, b)
			c2.ok("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, target))
			s := c2.session(target)
			c2.ok(s, "Page.enable", "")
			c2.setup(true)
			c2.mark()
			c2.send(s, "Target.setAutoAttach", `{"autoAttach":true,"flatten":true,"waitForDebuggerOnStart":true}`)
			got := c2.since()
			if len(got) < 3 || !strings.Contains(got[0], "attachedToTarget") || !strings.Contains(got[0], "b.test/n2 wait=false") ||
				!strings.Contains(got[1], "attachedToTarget") || got[2] != "S1 reply Target.setAutoAttach" {
				t.Errorf("got %v", got)
			}
			c2.complete(target, s)
		},
		"frame-tree.in-order": func(t *testing.T) {
			b, c := start(t, map[string]string{"http://a.test/top": `<iframe id=f src="/plain"></iframe>`})
			_, s := c.page("http://a.test/top", true)
			b.Inject(Fault{Method: "Page.getFrameTree", Delay: time.Second, Times: 1})
			list := c.send(s, "Page.getFrameTree", "")
			c.want(s, "f.remove();1", "1")
			if m, ok := c.reply(list); ok || c.count(s, "Page.frameDetached") != 1 {
				t.Fatalf("not slow: %s", m.raw)
			}
			b.Advance(time.Second)
			c.pump()
			if m, ok := c.reply(list); !ok || strings.Contains(m.raw, "childFrames") {
				t.Errorf("behind the frame's end it is listed: %s", m.raw)
			}
		},
	}
}
