package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"cdpsupervisor/messages"
)

// params are the parameters of a CDP command.
type params map[string]any

// raw is a second client of a browser, with none of the engine's care and
// none of its code.
type raw struct {
	t *testing.T
	*rawConn
}

// rawConn is its connection.
type rawConn struct {
	conn *websocket.Conn

	mu      sync.Mutex
	changed chan struct{} // closed when something below changes
	next    int
	replies map[int]rawMessage
	events  []rawMessage // not yet taken
	ended   bool
}

type rawMessage struct {
	ID        int             `json:"id"`
	Method    string          `json:"method"`
	Params    json.RawMessage `json:"params"`
	SessionID string          `json:"sessionId"`
	Result    json.RawMessage `json:"result"`
	Error     *rawError       `json:"error"`
}

type rawError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rawError) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// dialRaw connects to the browser; the connection ends with the test.
func dialRaw(t *testing.T, endpoint messages.Endpoint) *raw {
	t.Helper()
	conn, response, err := websocket.DefaultDialer.DialContext(t.Context(), endpoint.Reveal(), nil)
	if err != nil {
		t.Fatalf("dial %s: %v", endpoint, err)
	}
	_ = response.Body.Close()
	r := &raw{t, &rawConn{conn: conn, changed: make(chan struct{}), replies: map[int]rawMessage{}}}
	done := make(chan struct{})
	go r.read(done)
	t.Cleanup(func() {
		_ = conn.Close()
		<-done
	})
	return r
}

func (r *raw) read(done chan<- struct{}) {
	defer close(done)
	for {
		var m rawMessage
		err := r.conn.ReadJSON(&m)
		r.mu.Lock()
		switch {
		case err != nil:
			r.ended = true
		case m.ID != 0:
			r.replies[m.ID] = m
		default:
			r.events = append(r.events, m)
		}
		close(r.changed)
		r.changed = make(chan struct{})
		r.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// in is the client in a subtest.
func (r *raw) in(t *testing.T) *raw { return &raw{t, r.rawConn} }

// close drops the connection, as a client does that dies.
func (r *raw) close() { _ = r.conn.Close() }

// until waits until f, called under the lock, is true; false means too late.
func (r *raw) until(limit time.Duration, f func() bool) bool {
	late := time.NewTimer(limit)
	defer late.Stop()
	for {
		r.mu.Lock()
		ok, changed := f(), r.changed
		r.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-changed:
		case <-late.C:
			return false
		}
	}
}

// send writes a command and returns its id without waiting for the reply.
func (r *raw) send(session, method string, p params) int {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next++
	command := map[string]any{"id": r.next, "method": method}
	if p != nil {
		command["params"] = p
	}
	if session != "" {
		command["sessionId"] = session
	}
	if err := r.conn.WriteJSON(command); err != nil && !r.ended {
		r.t.Fatalf("write %s: %v", method, err)
	}
	return r.next
}

// try sends a command and waits for its reply.
func (r *raw) try(session, method string, p params) (json.RawMessage, error) {
	r.t.Helper()
	id := r.send(session, method, p)
	var m rawMessage
	if !r.until(patience, func() bool {
		var ok bool
		m, ok = r.replies[id]
		return ok || r.ended
	}) {
		return nil, fmt.Errorf("%s: no reply in %s", method, patience)
	}
	switch {
	case m.Error != nil:
		return nil, m.Error
	case m.ID == 0:
		return nil, fmt.Errorf("%s: the connection ended", method)
	}
	return m.Result, nil
}

// call is try for commands that must succeed.
func (r *raw) call(session, method string, p params) json.RawMessage {
	r.t.Helper()
	result, err := r.try(session, method, p)
	if err != nil {
		r.t.Fatalf("%s: %v", method, err)
	}
	return result
}

// silent reports whether a command has no reply within a limit.
func (r *raw) silent(session, method string, p params, limit time.Duration) bool {
	r.t.Helper()
	id := r.send(session, method, p)
	return !r.until(limit, func() bool {
		_, ok := r.replies[id]
		return ok
	})
}

// event waits for the next event of a method on a session and takes it.
func (r *raw) event(session, method string) rawMessage {
	r.t.Helper()
	var found rawMessage
	if !r.until(patience, func() bool {
		i := slices.IndexFunc(r.events, func(m rawMessage) bool { return m.Method == method && m.SessionID == session })
		if i >= 0 {
			found = r.events[i]
			r.events = slices.Delete(r.events, i, i+1)
		}
		return i >= 0 || r.ended
	}) {
		r.t.Fatalf("no %s came in %s", method, patience)
	}
	if found.Method == "" {
		r.t.Fatalf("the connection ended before %s came", method)
	}
	return found
}

// dies reports whether the browser drops the connection.
func (r *raw) dies() bool {
	return r.until(patience, func() bool { return r.ended })
}

// page opens a tab and attaches to it, Page and Runtime enabled.
func (r *raw) page(url string) (target, session string) {
	r.t.Helper()
	target = field(r.t, r.call("", "Target.createTarget", params{"url": url, "background": true}), "targetId")
	return target, r.attach(target)
}

// attach attaches to a page, Page and Runtime enabled, and to its frames.
func (r *raw) attach(target string) (session string) {
	r.t.Helper()
	session = field(r.t, r.call("", "Target.attachToTarget", params{"targetId": target, "flatten": true}), "sessionId")
	for _, method := range []string{"Page.enable", "Runtime.enable"} {
		r.call(session, method, nil)
	}
	r.call(session, "Target.setAutoAttach", params{"autoAttach": true, "flatten": true, "waitForDebuggerOnStart": false})
	return session
}

// eval evaluates on a session and returns the value.
func (r *raw) eval(session, expression string) any {
	r.t.Helper()
	result := r.call(session, "Runtime.evaluate", params{"expression": expression, "returnByValue": true, "userGesture": true})
	return value(r.t, expression, result)
}

// child waits for the session of a frame that was attached below a session.
func (r *raw) child(parent string) (session string) {
	r.t.Helper()
	return field(r.t, r.event(parent, "Target.attachedToTarget").Params, "sessionId")
}

// field reads one string of a JSON object.
func field(t *testing.T, object json.RawMessage, name string) string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(object, &fields); err != nil {
		t.Fatalf("%s: %v", object, err)
	}
	text, ok := fields[name].(string)
	if !ok {
		t.Fatalf("%s has no string %q", object, name)
	}
	return text
}

// value is the value of a Runtime.evaluate result.
func value(t *testing.T, expression string, result json.RawMessage) any {
	t.Helper()
	var reply struct {
		Result struct {
			Value any `json:"value"`
		} `json:"result"`
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	if err := json.Unmarshal(result, &reply); err != nil {
		t.Fatalf("%s: %v", result, err)
	}
	if reply.Exception != nil {
		t.Fatalf("%s threw: %s", expression, reply.Exception)
	}
	return reply.Result.Value
}

// targetInfo is what Target.getTargets tells of a target.
type targetInfo struct {
	TargetID string `json:"targetId"`
	Type     string `json:"type"`
	URL      string `json:"url"`
	OpenerID string `json:"openerId"`
	Attached bool   `json:"attached"`
}

// targets reads the result of Target.getTargets.
func targets(t *testing.T, result json.RawMessage) []targetInfo {
	t.Helper()
	var reply struct {
		TargetInfos []targetInfo `json:"targetInfos"`
	}
	if err := json.Unmarshal(result, &reply); err != nil {
		t.Fatalf("%s: %v", result, err)
	}
	return reply.TargetInfos
}
