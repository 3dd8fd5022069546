package fakebrowser

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// msg is one message from the browser.
type msg struct {
	ID      *int64                     `json:"id"`
	Method  string                     `json:"method"`
	Session string                     `json:"sessionId"`
	Params  map[string]json.RawMessage `json:"params"`
	Result  map[string]json.RawMessage `json:"result"`
	Error   *cdpError                  `json:"error"`
	raw     string
}

// client is a raw CDP client over the in-memory transport. It reads what
// there is after each input, so a test sees everything in order.
type client struct {
	t    *testing.T
	b    *Browser
	tr   *Transport
	id   int64
	all  []msg
	auto func(session string, info map[string]any, waiting bool)
	seen int
	end  error
	sent map[int64]string
}

func newClient(t *testing.T, b *Browser) *client {
	t.Helper()
	return &client{t: t, b: b, tr: b.Transport(), sent: map[int64]string{}}
}

// pages serves a map from URL to HTML.
func pages(m map[string]string) Site {
	return func(u string) (Response, bool) {
		if h, ok := m[u]; ok {
			return Response{HTML: h}, true
		}
		base, _, _ := strings.Cut(u, "?")
		if h, ok := m[base]; ok {
			return Response{HTML: h}, true
		}
		if strings.HasSuffix(base, "/204") {
			return Response{Status: 204}, true
		}
		if strings.HasSuffix(base, "/plain") {
			return Response{HTML: "<!doctype html><title>plain</title><body>plain"}, true
		}
		return Response{Status: 404, HTML: "not found"}, strings.Contains(u, ".test")
	}
}

func start(t *testing.T, site map[string]string, change ...func(*Options)) (*Browser, *client) {
	t.Helper()
	opt := Options{Pages: pages(site), SiteIsolation: true}
	for _, f := range change {
		f(&opt)
	}
	b := New(opt)
	t.Cleanup(func() {
		if err := b.Err(); err != nil {
			t.Errorf("inside the fake: %v", err)
		}
		b.Close()
	})
	return b, newClient(t, b)
}

// pump reads everything that the browser has to say, reacting to attached
// targets, until nothing more comes.
func (c *client) pump() {
	for {
		c.b.do(func() {})
		c.b.mu.Lock()
		n := len(c.tr.c.out)
		closed := c.tr.c.closed
		c.b.mu.Unlock()
		if n == 0 {
			c.end = closed
			return
		}
		for range n {
			raw, err := c.tr.Read(nil)
			if err != nil {
				c.end = err
				return
			}
			m := msg{raw: string(raw)}
			if err := json.Unmarshal(raw, &m); err != nil {
				c.t.Fatalf("not JSON: %s", raw)
			}
			c.all = append(c.all, m)
			if m.Method == "Target.attachedToTarget" && c.auto != nil {
				var p struct {
					SessionID string         `json:"sessionId"`
					Info      map[string]any `json:"targetInfo"`
					Waiting   bool           `json:"waitingForDebugger"`
				}
				c.decode(m, &p)
				c.auto(p.SessionID, p.Info, p.Waiting)
			}
		}
	}
}

func (c *client) decode(m msg, into any) {
	c.t.Helper()
	var env struct {
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal([]byte(m.raw), &env); err != nil {
		c.t.Fatal(err)
	}
	body := env.Params
	if len(env.Result) > 0 {
		body = env.Result
	}
	if err := json.Unmarshal(body, into); err != nil {
		c.t.Fatalf("%s: %v", m.raw, err)
	}
}

// post sends a command without reading.
func (c *client) post(session, method, params string) int64 {
	c.id++
	c.sent[c.id] = method
	if params == "" {
		params = "{}"
	}
	s := ""
	if session != "" {
		s = fmt.Sprintf(`,"sessionId":%q`, session)
	}
	if err := c.tr.Write(fmt.Appendf(nil, `{"id":%d,"method":%q,"params":%s%s}`, c.id, method, params, s)); err != nil && c.b.Alive() {
		c.t.Fatalf("%s: %v", method, err)
	}
	return c.id
}

// send sends a command and reads what comes of it.
func (c *client) send(session, method, params string) int64 {
	id := c.post(session, method, params)
	c.pump()
	return id
}

// reply finds the reply to a command.
func (c *client) reply(id int64) (msg, bool) {
	for _, m := range c.all {
		if m.ID != nil && *m.ID == id {
			return m, true
		}
	}
	return msg{}, false
}

// call sends a command and returns its reply, which must be there.
func (c *client) call(session, method, params string) msg {
	c.t.Helper()
	m, ok := c.reply(c.send(session, method, params))
	if !ok {
		c.t.Fatalf("%s was not answered", method)
	}
	return m
}

// ok is call for a command that must not fail.
func (c *client) ok(session, method, params string) msg {
	c.t.Helper()
	m := c.call(session, method, params)
	if m.Error != nil {
		c.t.Fatalf("%s: %d %s", method, m.Error.Code, m.Error.Message)
	}
	return m
}

func targetID(id string) string { return fmt.Sprintf(`{"targetId":%q}`, id) }

func quote(s string) string { return string(encode(s)) }

// evalID sends Runtime.evaluate and does not ask for its reply.
func (c *client) evalID(session, expr string) int64 {
	return c.send(session, "Runtime.evaluate", `{"returnByValue":true,"expression":`+quote(expr)+`}`)
}

// value is the JSON of what an evaluation came to, "" while it has no reply.
func (c *client) value(id int64) string {
	m, ok := c.reply(id)
	switch {
	case !ok:
		return ""
	case m.Error != nil:
		return "error " + m.Error.Message
	}
	var r struct {
		Result struct {
			Type  string          `json:"type"`
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	c.decode(m, &r)
	if r.Exception != nil {
		return "throws " + r.Exception.Exception.Description
	}
	if len(r.Result.Value) == 0 {
		return r.Result.Type
	}
	return string(r.Result.Value)
}

// eval evaluates and returns the JSON of the value.
func (c *client) eval(session, expr string) string { return c.value(c.evalID(session, expr)) }

// want evaluates and compares.
func (c *client) want(session, expr, want string) {
	c.t.Helper()
	if got := c.eval(session, expr); got != want {
		c.t.Errorf("%s = %s, want %s", expr, got, want)
	}
}

// setup attaches to what comes as a supervisor does.
func (c *client) setup(wait bool) {
	c.auto = func(s string, _ map[string]any, waiting bool) {
		c.post(s, "Page.enable", "")
		c.post(s, "Runtime.enable", "")
		c.post(s, "Target.setAutoAttach", fmt.Sprintf(`{"autoAttach":true,"flatten":true,"waitForDebuggerOnStart":%v}`, wait))
		if waiting {
			c.post(s, "Runtime.runIfWaitingForDebugger", "")
		}
	}
}

// page makes a page, attaches to it, and navigates it.
func (c *client) page(url string, wait bool) (target, session string) {
	c.t.Helper()
	var made struct {
		TargetID  string `json:"targetId"`
		SessionID string `json:"sessionId"`
	}
	c.decode(c.ok("", "Target.createTarget", `{"url":"about:blank"}`), &made)
	auto := c.auto
	c.auto = nil
	c.decode(c.ok("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, made.TargetID)), &made)
	c.auto = auto
	s := made.SessionID
	c.ok(s, "Page.enable", "")
	c.ok(s, "Runtime.enable", "")
	c.ok(s, "Target.setAutoAttach", fmt.Sprintf(`{"autoAttach":true,"flatten":true,"waitForDebuggerOnStart":%v}`, wait))
	if url != "" {
		c.ok(s, "Page.navigate", fmt.Sprintf(`{"url":%q}`, url))
	}
	return made.TargetID, s
}

// mark makes since start here.
func (c *client) mark() { c.seen = len(c.all) }

// since are the messages after the mark, as lines: the session's name, the
// method or the reply, and what identifies it. Ids are replaced by names.
func (c *client) since() []string {
	n := newNames(c.sent)
	for _, m := range c.all[:c.seen] {
		n.line(m)
	}
	var out []string
	for _, m := range c.all[c.seen:] {
		out = append(out, n.line(m))
	}
	return out
}

// expect compares the lines after the mark with the wanted ones, one a line,
// and marks anew. Lines of the wanted text may be shorter than the real ones.
func (c *client) expect(want string) {
	c.t.Helper()
	got := c.since()
	c.mark()
	var lines []string
	for _, l := range strings.Split(want, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	same := len(got) == len(lines)
	for i := range lines {
		same = same && strings.HasPrefix(got[i]+" ", lines[i]+" ")
	}
	if !same {
		c.t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(lines, "\n\t"))
	}
}

// session finds the session attached last to a target whose info contains sub.
func (c *client) session(sub string) string {
	for _, m := range slices.Backward(c.all) {
		if m.Method == "Target.attachedToTarget" && strings.Contains(m.raw, sub) {
			var p struct {
				SessionID string `json:"sessionId"`
			}
			c.decode(m, &p)
			return p.SessionID
		}
	}
	c.t.Fatalf("nobody attached to %s", sub)
	return ""
}

// count is how many events of a method came, on one session or on all.
func (c *client) count(session, method string) int {
	n := 0
	for _, m := range c.all {
		if m.Method == method && (session == "*" || m.Session == session) {
			n++
		}
	}
	return n
}
