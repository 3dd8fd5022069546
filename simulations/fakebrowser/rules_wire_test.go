package fakebrowser

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// served serves a browser and returns its http URL.
func served(t *testing.T) (*Browser, string) {
	t.Helper()
	b, _ := start(t, nil)
	l := listen(t)
	t.Cleanup(b.Serve(l))
	return b, "http://" + l.Addr().String()
}

// ask does one HTTP request without keeping the connection.
func httpDo(t *testing.T, method, url string, header map[string]string) (int, string) {
	t.Helper()
	rq, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		if k == "Host" {
			rq.Host = v
		} else {
			rq.Header.Set(k, v)
		}
	}
	rq.Close = true
	r, err := http.DefaultClient.Do(rq)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = r.Body.Close() }()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(body)
}

// socket is a WebSocket that is closed with the test.
type socket struct {
	t  *testing.T
	ws *websocket.Conn
	id int
}

func dialSocket(t *testing.T, url string) *socket {
	t.Helper()
	ws, r, err := websocket.DefaultDialer.DialContext(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err, r)
	}
	t.Cleanup(func() { _ = ws.Close() })
	return &socket{t: t, ws: ws}
}

// call sends a command and reads until its reply.
func (s *socket) call(session, method, params string) msg {
	s.t.Helper()
	s.id++
	on := ""
	if session != "" {
		on = fmt.Sprintf(`,"sessionId":%q`, session)
	}
	if err := s.ws.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"id":%d,"method":%q,"params":%s%s}`, s.id, method, params, on)); err != nil {
		s.t.Fatal(err)
	}
	for {
		_, raw, err := s.ws.ReadMessage()
		if err != nil {
			s.t.Fatal(err)
		}
		m := msg{raw: string(raw)}
		if err := json.Unmarshal(raw, &m); err != nil {
			s.t.Fatal(err)
		}
		if m.ID != nil && *m.ID == int64(s.id) {
			return m
		}
	}
}

func wireRules() map[string]func(*testing.T) {
	return map[string]func(*testing.T){
		"wire.page-endpoint": func(t *testing.T) {
			b, _ := start(t, map[string]string{"http://a.test/top": `<iframe src="http://b.test/plain"></iframe>`})
			c := newClient(t, b)
			id := b.PageIDs()[0]
			c.tr = b.PageTransport(id)
			c.setup(true)
			c.ok("", "Page.enable", "")
			c.ok("", "Runtime.enable", "")
			c.ok("", "Target.setAutoAttach", `{"autoAttach":true,"flatten":true,"waitForDebuggerOnStart":true}`)
			c.ok("", "Page.navigate", `{"url":"http://a.test/top"}`)
			c.want(c.session("iframe"), "location.host", `"b.test"`)
			c.ok("", "Target.getTargets", "")
			c.evalID("", "alert(1)")
			c.ok("", handle, accept)
			c2 := newClient(t, b)
			c2.ok("", "Target.closeTarget", targetID(id))
			c.pump()
			if !errors.Is(c.end, ErrDropped) || !strings.Contains(c.all[len(c.all)-1].raw, "target_closed") {
				t.Errorf("ended with %v after %s", c.end, c.all[len(c.all)-1].raw)
			}
			if _, err := b.PageTransport("nope").Read(nil); !errors.Is(err, ErrDropped) {
				t.Errorf("got %v", err)
			}
		},
		"wire.discovery": func(t *testing.T) {
			b, at := served(t)
			var v map[string]string
			code, body := httpDo(t, "GET", at+"/json/version", nil)
			if err := json.Unmarshal([]byte(body), &v); err != nil || code != 200 {
				t.Fatal(code, body)
			}
			if v["webSocketDebuggerUrl"] != b.Endpoint().Reveal() {
				t.Errorf("told %s, serves %s", v["webSocketDebuggerUrl"], b.Endpoint().Reveal())
			}
			if _, body := httpDo(t, "GET", at+"/json/list", nil); strings.Count(body, `"type": "page"`) != 1 {
				t.Errorf("got %s", body)
			}
			if code, _ := httpDo(t, "GET", at+"/json/new?about:blank", nil); code != 405 {
				t.Errorf("GET /json/new gave %d", code)
			}
			if code, _ := httpDo(t, "PUT", at+"/json/new?about:blank", nil); code != 200 || len(b.PageIDs()) != 2 {
				t.Errorf("PUT /json/new gave %d", code)
			}
			if code, _ := httpDo(t, "GET", at+"/json/close/"+b.PageIDs()[1], nil); code != 200 || len(b.PageIDs()) != 1 {
				t.Errorf("/json/close gave %d", code)
			}
			if _, body := httpDo(t, "GET", at+"/json/version", map[string]string{"Host": "localhost:99"}); !strings.Contains(body, "ws://localhost:99/") {
				t.Errorf("got %s", body)
			}
		},
		"wire.socket": func(t *testing.T) {
			b, _ := served(t)
			s := dialSocket(t, b.Endpoint().Reveal())
			if m := s.call("", "Browser.getVersion", `{}`); !strings.Contains(m.raw, "Chrome/156") {
				t.Errorf("got %s", m.raw)
			}
			p := dialSocket(t, strings.Replace(b.Endpoint().Reveal(), "/browser/", "/page/", 1)[:len(strings.Split(b.Endpoint().Reveal(), "/devtools/")[0])]+"/devtools/page/"+b.PageIDs()[0])
			if m := p.call("", "Runtime.evaluate", `{"expression":"1+1"}`); !strings.Contains(m.raw, `"value":2`) || m.Session != "" {
				t.Errorf("got %s", m.raw)
			}
			if err := s.ws.WriteMessage(websocket.BinaryMessage, []byte("{}")); err != nil {
				t.Fatal(err)
			}
			if _, _, err := s.ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseAbnormalClosure) && !isReset(err) {
				t.Errorf("a binary frame gave %v", err)
			}
		},
		"wire.no-close-frame": func(t *testing.T) {
			b, _ := served(t)
			for name, end := range map[string]func(){"drop": b.DropSockets, "kill": b.Kill} {
				s := dialSocket(t, b.Endpoint().Reveal())
				s.call("", "Browser.getVersion", `{}`)
				end()
				if _, _, err := s.ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseAbnormalClosure) && !isReset(err) {
					t.Errorf("%s gave %v", name, err)
				}
				b.Restart()
			}
		},
		"wire.browser-close": func(t *testing.T) {
			b, c := start(t, nil)
			target, _ := c.page("http://a.test/plain", true)
			_ = target
			c.mark()
			c.send("", "Browser.close", "")
			c.expect("B reply Browser.close\nS1 Inspector.detached Render process gone.\nB detachedFromTarget S1 F1")
			if b.Alive() || b.Crashed() != nil || !errors.Is(c.end, ErrDropped) {
				t.Errorf("alive %v, crashed %v, socket %v", b.Alive(), b.Crashed(), c.end)
			}
		},
		"wire.restart": func(t *testing.T) {
			b, at := served(t)
			old, page := b.Endpoint(), b.PageIDs()[0]
			b.Kill()
			if code, body := httpDo(t, "GET", at+"/json/version", nil); code != 0 {
				t.Errorf("a dead browser answered %d %s", code, body)
			}
			b.Restart()
			if b.Endpoint() == old || b.PageIDs()[0] == page {
				t.Error("ids were used again")
			}
			if _, r, err := websocket.DefaultDialer.DialContext(t.Context(), old.Reveal(), nil); err == nil || r.StatusCode != 404 {
				t.Errorf("the old URL gave %v", err)
			}
			s := dialSocket(t, b.Endpoint().Reveal())
			if m := s.call("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, page)); m.Error == nil {
				t.Errorf("got %s", m.raw)
			}
		},
		"wire.cut": func(t *testing.T) {
			b, c := start(t, nil)
			target, s := c.page("http://a.test/plain", true)
			b.CutNextMessage()
			c.evalID(s, "1")
			if !errors.Is(c.end, ErrDropped) {
				t.Errorf("ended with %v", c.end)
			}
			c2 := newClient(t, b)
			if m := c2.ok("", "Target.getTargetInfo", targetID(target)); !strings.Contains(m.raw, `"attached":false`) {
				t.Errorf("got %s", m.raw)
			}
			b2, _ := served(t)
			ws := dialSocket(t, b2.Endpoint().Reveal())
			ws.call("", "Browser.getVersion", `{}`)
			b2.CutNextMessage()
			if err := ws.ws.WriteMessage(websocket.TextMessage, []byte(`{"id":9,"method":"Browser.getVersion"}`)); err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(bufio.NewReader(ws.ws.NetConn()))
			if len(got) < 50 || got[0] != 0x81 || err != nil && !isReset(err) {
				t.Errorf("got %d bytes, %v", len(got), err)
			}
		},
	}
}

func isReset(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) || errors.Is(err, io.ErrUnexpectedEOF)
}

func TestFaults(t *testing.T) {
	b, c := start(t, nil)
	_, s := c.page("http://a.test/plain", true)
	remove := b.Inject(Fault{Method: "Page.getFrameTree", Message: "Not allowed"})
	if m := c.call(s, "Page.getFrameTree", ""); m.Error == nil || m.Error.Code != -32000 || m.Error.Message != "Not allowed" {
		t.Errorf("refuse: %s", m.raw)
	}
	remove()
	c.ok(s, "Page.getFrameTree", "")
	b.Inject(Fault{Method: "Runtime.evaluate", Swallow: true, Times: 1})
	if v := c.eval(s, "window.x=1"); v != "" {
		t.Errorf("swallow: %s", v)
	}
	c.want(s, "typeof x", `"undefined"`)
	b.Inject(Fault{Method: "Runtime.evaluate", DropReply: true, Times: 1})
	if v := c.eval(s, "window.x=1"); v != "" {
		t.Errorf("drop: %s", v)
	}
	c.want(s, "x", "1")
	b.Inject(Fault{Method: "Runtime.evaluate", Twice: true, Times: 1})
	n := len(c.all)
	c.eval(s, "2")
	if len(c.all) != n+2 {
		t.Errorf("twice: %d messages", len(c.all)-n)
	}
	b.Inject(Fault{Delay: time.Second, Times: 1})
	id := c.evalID(s, "3")
	if c.value(id) != "" {
		t.Error("delay: none")
	}
	b.Advance(time.Second)
	c.pump()
	if c.value(id) != "3" {
		t.Error("delay: for ever")
	}
	b.Inject(Fault{Method: "Page.enable", Target: "other", Swallow: true})
	c.ok(s, "Page.enable", "")
	b.HalfOpen(true)
	if v := c.eval(s, "4"); v != "" {
		t.Errorf("half open: %s", v)
	}
	b.HalfOpen(false)
	b.Send("not JSON")
	raw, err := c.tr.Read(nil)
	if string(raw) != "not JSON" || err != nil {
		t.Errorf("send: %q %v", raw, err)
	}
	if b.Calls("Page.getFrameTree") != 2 {
		t.Errorf("%d calls", b.Calls("Page.getFrameTree"))
	}
}
