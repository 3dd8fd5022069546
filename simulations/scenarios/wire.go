package scenarios

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gorilla/websocket"
)

// ask does one HTTP request to the DevTools server on a connection of its
// own. A header named Host is the request's host.
func (r *run) ask(method, path string, header map[string]string) (status int, body string) {
	r.Helper()
	request, err := http.NewRequestWithContext(r.ctx, method, "http://"+r.lab.Address()+path, nil)
	if err != nil {
		r.Fatalf("%s %s: %v", method, path, err)
	}
	for name, value := range header {
		if name == "Host" {
			request.Host = value
		}
		request.Header.Set(name, value)
	}
	request.Close = true
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		r.Fatalf("%s %s: %v", method, path, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode == http.StatusSwitchingProtocols {
		return response.StatusCode, ""
	}
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		r.Fatalf("%s %s: %v", method, path, err)
	}
	return response.StatusCode, string(raw)
}

// endpoint is the browser's WebSocket URL, as /json/version tells it.
func (r *run) endpoint() *url.URL {
	r.Helper()
	_, body := r.ask("GET", "/json/version", nil)
	var v struct {
		URL string `json:"webSocketDebuggerUrl"`
	}
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		r.Fatalf("/json/version: %v", err)
	}
	u, err := url.Parse(v.URL)
	if err != nil {
		r.Fatalf("/json/version: %v", err)
	}
	return u
}

// socket opens a WebSocket.
func (r *run) socket(u string) *websocket.Conn {
	r.Helper()
	ws, response, err := websocket.DefaultDialer.DialContext(r.ctx, u, nil)
	if err != nil {
		r.Fatalf("dial: %v", err)
	}
	_ = response.Body.Close()
	return ws
}

// exchange sends a text frame and returns the next one.
func (r *run) exchange(ws *websocket.Conn, text string) string {
	r.Helper()
	if err := ws.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		r.Fatalf("write: %v", err)
	}
	_, raw, err := ws.ReadMessage()
	if err != nil {
		r.Fatalf("read: %v", err)
	}
	return string(raw)
}

// dropped reads until the socket ends, and fails if that is by a close frame.
func (r *run) dropped(ws *websocket.Conn) {
	r.Helper()
	for {
		if _, _, err := ws.ReadMessage(); err != nil {
			var closed *websocket.CloseError
			if errors.As(err, &closed) && closed.Code != websocket.CloseAbnormalClosure {
				r.Errorf("the socket ended with %v", err)
			}
			return
		}
	}
}

const version = `{"id":1,"method":"Browser.getVersion"}`

func wireScenarios() []Scenario {
	return []Scenario{
		{Name: "messages that are no commands", Covers: []string{"wire.errors"}, Site: pages(nil), run: func(r *run) {
			ws := r.socket(r.endpoint().String())
			defer func() { _ = ws.Close() }()
			for _, x := range [][2]string{
				{`{"id":3000000000,"method":"Browser.getVersion"}`, `{"error":{"code":-32600,"message":"Message must have integer 'id' property"}}`},
				{`{"id":"a","method":"Browser.getVersion"}`, `{"error":{"code":-32600,"message":"Message must have integer 'id' property"}}`},
				{`{"id":5.5,"method":"Browser.getVersion"}`, `{"error":{"code":-32600,"message":"Message must have integer 'id' property"}}`},
				{`{"method":"Browser.getVersion"}`, `{"error":{"code":-32600,"message":"Message must have integer 'id' property"}}`},
				{`nope`, `{"error":{"code":-32700,"message":"JSON: invalid token at position 0"}}`},
				{`[1]`, `{"error":{"code":-32600,"message":"Message must be an object"}}`},
				{`{"id":77}`, `{"id":77,"error":{"code":-32600,"message":"Message must have string 'method' property"}}`},
				{`{"id":82,"method":"Browser.getVersion","params":{},"extra":1}`, `{"id":82,"error":{"code":-32600,"message":"Message has property other than 'id', 'method', 'sessionId', 'params'"}}`},
				{`{"id":83,"method":"Browser.getVersion","sessionId":5}`, `{"id":83,"error":{"code":-32600,"message":"Message may have string 'sessionId' property"}}`},
				{`{"id":79,"method":"Browser.getVersion","sessionId":"NOPE"}`, `{"id":79,"error":{"code":-32001,"message":"Session with given id not found."}}`},
				{`{"id":80,"method":"Foo.bar"}`, `{"id":80,"error":{"code":-32601,"message":"'Foo.bar' wasn't found"}}`},
				{`{"id":81,"method":"Page.enable"}`, `{"id":81,"error":{"code":-32601,"message":"'Page.enable' wasn't found"}}`},
				{`{"id":84,"method":"Target.attachToTarget","params":{}}`, `{"id":84,"error":{"code":-32602,"message":"Invalid parameters","data":"Failed to deserialize params.targetId - BINDINGS: mandatory field missing"}}`},
				{`{"id":85,"method":"Target.attachToTarget","params":{"targetId":5}}`, `{"id":85,"error":{"code":-32602,"message":"Invalid parameters","data":"Failed to deserialize params.targetId - BINDINGS: string value expected"}}`},
			} {
				// Where in its own encoding it missed something is nobody's business.
				if got := r.exchange(ws, x[0]); got != x[1] && !strings.HasPrefix(got, strings.TrimSuffix(x[1], `"}}`)+" at position ") {
					r.Errorf("%s\n got %s\nwant %s", x[0], got, x[1])
				}
			}
			if got := r.exchange(ws, `{"id":-5,"method":"Browser.getVersion"}`); !strings.HasPrefix(got, `{"id":-5,"result":`) {
				r.Errorf("got %s", got)
			}
		}},
		{Name: "a page's own endpoint", Covers: []string{"wire.page-endpoint"}, Site: oneFrame("http://b.test/plain"), run: func(r *run) {
			outside := r.open("")
			p := r.dialTarget(outside.target)
			p.handleFrames(true)
			p.enableNow(true)
			p.load("http://a.test/top")
			p.frame("b.test/plain").want("location.host", `"b.test"`)
			p.ok("Target.getTargets", "")
			id := p.asks(p, "confirm(1)", "top confirm 1")
			p.ok(handle, accept)
			p.gives(id, "true")
			outside.root().ok("Target.closeTarget", byTarget(p.target))
			p.c.mustEnd()
			p.c.look(func() {
				if last := p.c.all[len(p.c.all)-1]; !strings.Contains(last.raw, "target_closed") {
					r.Errorf("the last that was told is %s", last.raw)
				}
			})
		}},
		{Name: "the discovery over HTTP", Covers: []string{"wire.discovery"}, Site: pages(nil), run: func(r *run) {
			root := r.dial()
			if u := r.endpoint(); u.Host != r.lab.Address() || !strings.HasPrefix(u.Path, "/devtools/browser/") {
				r.Errorf("told %s at %s", u.Path, u.Host)
			}
			if _, body := r.ask("GET", "/json/version", map[string]string{"Host": "localhost:99"}); !strings.Contains(body, "ws://localhost:99/") {
				r.Errorf("got %s", body)
			}
			before := root.pages()
			if _, body := r.ask("GET", "/json/list", nil); strings.Count(body, `"type": "page"`) != len(before) {
				r.Errorf("%d pages, and got %s", len(before), body)
			}
			if status, _ := r.ask("GET", "/json/new?about:blank", nil); status != http.StatusMethodNotAllowed {
				r.Errorf("GET /json/new gave %d", status)
			}
			if status, _ := r.ask("PUT", "/json/new?about:blank", nil); status != http.StatusOK {
				r.Errorf("PUT /json/new gave %d", status)
			}
			after := root.pages()
			if len(after) != len(before)+1 {
				r.Fatalf("%d pages and then %d", len(before), len(after))
			}
			made := slices.IndexFunc(after, func(id string) bool { return !slices.Contains(before, id) })
			root.ok("Target.setDiscoverTargets", `{"discover":true,"filter":[{"type":"page"}]}`)
			if status, _ := r.ask("GET", "/json/close/"+after[made], nil); status != http.StatusOK {
				r.Errorf("/json/close gave %d", status)
			}
			root.await("targetDestroyed top")
		}},
		{Name: "frames of the socket", Covers: []string{"wire.socket"}, Site: pages(nil), run: func(r *run) {
			ws := r.socket(r.endpoint().String())
			defer func() { _ = ws.Close() }()
			if got := r.exchange(ws, version); !strings.Contains(got, "Chrome/") {
				r.Errorf("got %s", got)
			}
			if err := ws.WriteMessage(websocket.BinaryMessage, []byte(version)); err != nil {
				r.Fatalf("write: %v", err)
			}
			r.dropped(ws)
			r.lives()
		}},
		{Name: "connections that are refused", Covers: []string{"wire.refusals"}, Site: pages(nil), run: func(r *run) {
			path := r.endpoint().Path
			for _, x := range []struct {
				path, name, value string
				want              int
			}{
				{path, "", "", http.StatusSwitchingProtocols},
				{path, "Origin", "http://evil.test", http.StatusForbidden},
				{path, "Host", "evil.test", http.StatusInternalServerError},
				{"/devtools/browser/gone", "", "", http.StatusNotFound},
				{"/devtools/page/gone", "", "", http.StatusInternalServerError},
			} {
				header := map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
				if x.name != "" {
					header[x.name] = x.value
				}
				if status, _ := r.ask("GET", x.path, header); status != x.want {
					r.Errorf("%s with %s %q gave %d, not %d", x.path, x.name, x.value, status, x.want)
				}
			}
		}},
		{Name: "Browser.close", Covers: []string{"wire.browser-close", "wire.no-close-frame"}, Site: pages(nil), Own: true, run: func(r *run) {
			ws := r.socket(r.endpoint().String())
			defer func() { _ = ws.Close() }()
			p := r.open(plain)
			p.root().mark()
			reply := p.root().post("Browser.close", "")
			r.ended(p)
			p.c.look(func() {
				m, ok := p.c.find(reply)
				if told := p.since(func(l string) bool { return l == "Inspector.detached Render process gone." }); !ok || len(told) != 1 || told[0].at < m.at {
					r.Errorf("not the reply and then the page's end were told, but\n%s", m.raw)
				}
			})
			r.dropped(ws)
		}},
		{Name: "a connection that is cut", Covers: []string{"wire.cut"}, Site: pages(nil), run: func(r *run) {
			p := r.open("")
			root := p.root()
			root.ok("Target.detachFromTarget", params(`{"sessionId":%q}`, p.id))
			ws := r.socket(r.endpoint().String())
			if got := r.exchange(ws, params(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":%q,"flatten":true}}`, p.target)); !strings.Contains(got, "attachedToTarget") {
				r.Errorf("got %s", got)
			}
			root.ok("Target.setDiscoverTargets", `{"discover":true,"filter":[{"type":"page"}]}`)
			root.mark()
			// The head of a masked text frame, of which no more comes.
			if _, err := ws.NetConn().Write([]byte{0x81, 0xfe, 0x01}); err != nil {
				r.Fatalf("write: %v", err)
			}
			if err := ws.NetConn().Close(); err != nil {
				r.Fatalf("cut: %v", err)
			}
			m := root.await("targetInfoChanged top url=about:blank attached=false")
			if m.told.Info.TargetID != p.target {
				r.Errorf("got %s", m.raw)
			}
			root.attach(p.target).want("1", "1")
		}},
	}
}
