package fakebrowser

import (
	"encoding/json"
	"fmt"
	"maps"
)

// scope says on which sessions a method exists.
type scope int

const (
	onBrowser scope = 1 << iota // the root of a browser connection
	onPage                      // a page's session
	onFrame                     // an iframe's session
	onAll     = onBrowser | onPage | onFrame
	onTargets = onPage | onFrame
)

// method is one CDP method.
type method struct {
	on scope
	// first runs in the browser process as the message arrives, before the
	// renderer sees it; false means that it has replied and the renderer is
	// not asked.
	first func(c *command) bool
	// browser answers in the browser process. Exactly one of browser and
	// renderer is set.
	browser func(c *command)
	// renderer answers on the renderer's main thread, behind what blocks it.
	renderer func(c *command)
	// topOnly: on an iframe's session the method exists and is refused.
	topOnly bool
	// ends: a cross-document commit answers the command with an error instead
	// of sending it to the new document.
	ends bool
}

// command is one command on its way.
type command struct {
	s      *session
	id     int64
	method string
	params json.RawMessage
	m      method
	turn   int  // counts how often it was given to a renderer
	sent   bool // it is in a renderer's queue, or runs there
	began  bool // a renderer has begun with it
	done   bool
	effect replyFault
}

// bind decodes the parameters into v. A command whose parameters do not fit
// is answered, and false returned. Required names fields that must be there.
func (c *command) bind(v any, required ...string) bool {
	raw := c.params
	if len(raw) == 0 || string(raw) == "null" || raw[0] != '{' {
		raw = json.RawMessage("{}")
	}
	if len(required) > 0 {
		var have map[string]json.RawMessage
		_ = json.Unmarshal(raw, &have) // the envelope was valid JSON
		for _, name := range required {
			if _, ok := have[name]; !ok {
				c.refuse(missing(name))
				return false
			}
		}
	}
	if err := json.Unmarshal(raw, v); err != nil {
		c.refuse(bindError(err))
		return false
	}
	return true
}

// reply answers the command, unless it has been answered.
func (c *command) reply(result any) {
	if result == nil {
		result = object{}
	}
	c.finish(object{"id", c.id, "result", result})
}

// fail answers with an error.
func (c *command) fail(code int, format string, args ...any) {
	c.refuse(&cdpError{Code: code, Message: fmt.Sprintf(format, args...)})
}

func (c *command) refuse(e *cdpError) { c.finish(object{"id", c.id, "error", e}) }

func (c *command) finish(msg object) {
	if c.done {
		return
	}
	c.done = true
	for i, p := range c.s.pending {
		if p == c {
			c.s.pending = append(c.s.pending[:i:i], c.s.pending[i+1:]...)
			break
		}
	}
	if c.s.closed {
		return // a command pending on a session that went away is never answered
	}
	if c.s.id != "" {
		msg = append(msg, "sessionId", c.s.id)
	}
	c.effect.send(c.s.conn, encode(msg))
}

// receive works on one message from a client.
func (c *conn) receive(raw []byte) {
	if c.root == nil || c.isHalfOpen() {
		return
	}
	e, bad := parseEnvelope(raw)
	if bad != nil {
		o := object{"error", bad}
		if e.hasID {
			o = object{"id", e.id, "error", bad}
		}
		c.send(encode(o))
		return
	}
	c.b.calls[e.method]++
	s := c.sessionOf(e.session)
	if s == nil {
		// Without a sessionId, although the command had one.
		c.send(encode(object{"id", e.id, "error", &cdpError{Code: codeNoSession, Message: "Session with given id not found."}}))
		return
	}
	cmd := &command{s: s, id: e.id, method: e.method, params: e.params}
	if c.b.interfere(cmd) {
		return
	}
	c.b.dispatch(cmd)
}

// dispatch gives a command to the browser process or to a renderer.
func (b *Browser) dispatch(c *command) {
	m, ok := b.methods[c.method]
	c.m = m
	where := onBrowser
	if t := c.s.target; t != nil {
		where = onPage
		if t.kind == "iframe" {
			where = onFrame
		}
	}
	switch {
	case where == onFrame && m.topOnly:
		c.fail(codeServer, "Command can only be executed on top-level targets")
		return
	case !ok || m.on&where == 0:
		c.unknown()
		return
	}
	if m.first != nil && !m.first(c) {
		return
	}
	if m.browser != nil {
		m.browser(c)
		return
	}
	c.s.toRenderer(c)
}

// unknown is the reply to a method that does not exist. The renderer is what
// does not know it on a target's session, so it hangs there with the rest.
func (c *command) unknown() {
	if c.s.target == nil {
		c.fail(codeNoMethod, "'%s' wasn't found", c.method)
		return
	}
	c.m = method{renderer: func(c *command) { c.fail(codeNoMethod, "'%s' wasn't found", c.method) }}
	c.s.toRenderer(c)
}

// toRenderer queues a command for the renderer of the session's target. While
// a navigation of the target's document is under way it is held back, and the
// new document gets it.
func (s *session) toRenderer(c *command) {
	s.pending = append(s.pending, c)
	s.sendIfOpen()
}

// sendIfOpen is sendPending unless something holds the commands back.
func (s *session) sendIfOpen() {
	if !s.target.crashed && s.target.suspended == 0 {
		s.sendPending()
	}
}

// sendPending gives every held command to the renderer. One that is slow gets
// there late: what a session is told comes in order, so an answer is never older
// than the events before it.
func (s *session) sendPending() {
	r := s.target.process()
	if r == nil {
		return
	}
	for _, c := range s.pending {
		if c.sent {
			continue
		}
		c.sent = true
		c.turn++
		turn := c.turn
		if late := c.effect.delay; late > 0 {
			c.effect.delay = 0
			s.conn.b.after(late, func() {
				if !c.done && c.turn == turn && !s.closed {
					c.sent = false
					s.sendIfOpen()
				}
			})
			continue
		}
		r.post(task{devtools: true, run: func() {
			if c.done || c.turn != turn || s.closed {
				return
			}
			c.began = true
			c.m.renderer(c)
		}})
	}
}

// methodTable is every method that the fake knows.
func methodTable() map[string]method {
	all := map[string]method{}
	for _, part := range []map[string]method{
		browserMethods(), targetMethods(), pageMethods(), navigationMethods(), runtimeMethods(),
		fetchMethods(), inputMethods(), silentMethods(), debuggerMethods(),
	} {
		maps.Copy(all, part)
	}
	return all
}

// inBrowser is a method of targets that the browser process answers.
func inBrowser(f func(c *command)) method { return method{on: onTargets, browser: f} }

// inRenderer is a method of targets that the renderer answers.
func inRenderer(f func(c *command)) method { return method{on: onTargets, renderer: f} }
