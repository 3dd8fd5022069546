package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// scripted is an endpoint that is no browser: it answers each command as the
// test says, and otherwise as a browser with one page does.
type scripted struct {
	t        *testing.T
	endpoint messages.Endpoint

	mu       sync.Mutex
	conn     *websocket.Conn // the newest
	answers  map[string]func(scriptedCommand)
	commands []scriptedCommand
	closing  bool
}

// scriptedCommand is one command as it came.
type scriptedCommand struct {
	s         *scripted
	ID        int             `json:"id"`
	Method    string          `json:"method"`
	Params    json.RawMessage `json:"params"`
	SessionID string          `json:"sessionId"`
}

// The page of a scripted endpoint.
const (
	scriptedTarget  = `{"targetId":"T1","type":"page","title":"Scripted","url":"http://scripted.test/","attached":true,"browserContextId":"C1"}`
	scriptedAttach  = `{"method":"Target.attachedToTarget","params":{"sessionId":"S1","targetInfo":` + scriptedTarget + `,"waitingForDebugger":false}}`
	scriptedFrame   = `{"id":"T1","loaderId":"L1","url":"http://scripted.test/","domainAndRegistry":"scripted.test","securityOrigin":"http://scripted.test","mimeType":"text/html"}`
	scriptedTree    = `{"frameTree":{"frame":` + scriptedFrame + `}}`
	scriptedOpening = `{"method":"Page.javascriptDialogOpening","params":{"url":"http://scripted.test/","frameId":"T1","message":"m","type":"confirm","hasBrowserHandler":true,"defaultPrompt":""},"sessionId":"S1"}`
	scriptedClosed  = `{"method":"Page.javascriptDialogClosed","params":{"frameId":"T1","result":%t,"userInput":""},"sessionId":"S1"}`
)

// newScripted starts an endpoint; it ends with the test.
func newScripted(t *testing.T) *scripted {
	t.Helper()
	s := &scripted{t: t}
	s.answers = map[string]func(scriptedCommand){
		"Browser.getVersion":    func(c scriptedCommand) { c.reply(`{"product":"Scripted/1","protocolVersion":"1.3"}`) },
		"Target.getTargets":     func(c scriptedCommand) { c.reply(`{"targetInfos":[` + scriptedTarget + `]}`) },
		"Target.getTargetInfo":  func(c scriptedCommand) { c.reply(`{"targetInfo":` + scriptedTarget + `}`) },
		"Page.getFrameTree":     func(c scriptedCommand) { c.reply(scriptedTree) },
		"Runtime.evaluate":      func(c scriptedCommand) { c.reply(`{"result":{"type":"number","value":2}}`) },
		"Target.attachToTarget": func(c scriptedCommand) { s.say(scriptedAttach); c.reply(`{"sessionId":"S1"}`) },
		"Target.setAutoAttach":  func(c scriptedCommand) { c.attachPage(); c.reply(`{}`) },
		"Target.setDiscoverTargets": func(c scriptedCommand) {
			s.say(`{"method":"Target.targetCreated","params":{"targetInfo":` + scriptedTarget + `}}`)
			c.reply(`{}`)
		},
	}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		s.mu.Lock()
		s.closing = true
		conn := s.conn
		s.mu.Unlock()
		if conn != nil {
			_ = conn.Close()
		}
		server.Close()
	})
	s.endpoint = messages.Endpoint("ws" + strings.TrimPrefix(server.URL, "http") + "/devtools/browser/scripted")
	return s
}

func (s *scripted) serve(w http.ResponseWriter, r *http.Request) {
	conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	s.mu.Lock()
	s.conn = conn
	s.mu.Unlock()
	for {
		c := scriptedCommand{s: s}
		if err := conn.ReadJSON(&c); err != nil {
			return
		}
		s.mu.Lock()
		s.commands = append(s.commands, c)
		answer := s.answers[c.Method]
		s.mu.Unlock()
		if answer == nil {
			answer = func(c scriptedCommand) { c.reply(`{}`) }
		}
		answer(c)
	}
}

// hangUp cuts the newest connection.
func (s *scripted) hangUp() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn.Close()
}

// on says how a method is answered.
func (s *scripted) on(method string, answer func(scriptedCommand)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[method] = answer
}

// say sends messages as they are.
func (s *scripted) say(texts ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range texts {
		if s.conn == nil {
			return
		}
		if err := s.conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil && !s.closing {
			s.t.Logf("the scripted endpoint cannot write: %v", err)
			return
		}
	}
}

// heard returns the commands of a method so far.
func (s *scripted) heard(method string) []scriptedCommand {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []scriptedCommand
	for _, c := range s.commands {
		if c.Method == method {
			found = append(found, c)
		}
	}
	return found
}

// tab starts a task on the endpoint.
func (s *scripted) tab(opts ...registry.Option) *tab {
	s.t.Helper()
	b := &browser{site: &site{}, endpoint: s.endpoint}
	h := newHost(s.t, opts...)
	return b.join(s.t, h, h.newID())
}

// attachPage tells of the page, where it is the browser's session that asks.
func (c scriptedCommand) attachPage() {
	if c.SessionID == "" {
		c.s.say(scriptedAttach)
	}
}

// reply answers with a result.
func (c scriptedCommand) reply(result string) {
	c.s.say(fmt.Sprintf(`{"id":%d,"result":%s%s}`, c.ID, result, c.session()))
}

// refuse answers with an error.
func (c scriptedCommand) refuse(code int, message string) {
	c.s.say(fmt.Sprintf(`{"id":%d,"error":{"code":%d,"message":%q}%s}`, c.ID, code, message, c.session()))
}

func (c scriptedCommand) session() string {
	if c.SessionID == "" {
		return ""
	}
	return fmt.Sprintf(`,"sessionId":%q`, c.SessionID)
}

// silence is the answer that never comes.
func silence(scriptedCommand) {}
