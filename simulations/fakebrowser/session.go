package fakebrowser

import "slices"

// session is one CDP session: the root of a connection, or one attached to a
// target. The root of a browser connection has no target.
type session struct {
	conn     *conn
	id       string // "" for a root session
	seq      int    // order of attachment, over all connections
	target   *target
	parent   *session
	children []*session
	closed   bool

	pageOn    bool
	runtimeOn bool
	logOn     bool
	lifecycle bool
	discover  bool
	filter    targetFilter // of discover
	auto      *autoAttach  // nil while auto-attach is off
	byAuto    bool         // attached by the parent's auto-attach
	waiting   bool         // attached with waitingForDebugger, not resumed yet
	resume    func()       // what goes on when it is
	patterns  []fetchPattern
	fetching  bool
	scripts   []newDocScript
	scriptSeq int
	bypassCSP bool
	debugging bool
	blackbox  []string

	pending []*command // given to a renderer, without reply
	dialog  *dialog    // the dialog that this session may answer
}

type closeCause int

const (
	closeDetach closeCause = iota // Target.detachFromTarget or auto-attach off
	closeSocket                   // the connection ended
	closeTarget                   // the target or the parent session is gone
)

func (b *Browser) nextSession() int {
	b.sessSeq++
	return b.sessSeq
}

// event sends an event on the session.
func (s *session) event(method string, params any) {
	if s.closed {
		return
	}
	o := object{"method", method, "params", params}
	if s.id != "" {
		o = append(o, "sessionId", s.id)
	}
	s.conn.send(encode(o))
}

// close ends the session and all below it, without an event. A target that
// waited for it goes on when the client is gone or auto-attach was turned
// off; a popup that is detached by hand stays paused.
func (s *session) close(why closeCause) {
	if s.closed {
		return
	}
	s.closed = true
	for len(s.children) > 0 {
		s.children[len(s.children)-1].close(why)
	}
	s.pending = nil
	s.releaseFetches()
	s.unwatched()
	s.dialog = nil
	if s.parent != nil {
		s.parent.children = slices.DeleteFunc(s.parent.children, func(o *session) bool { return o == s })
	}
	s.conn.open = slices.DeleteFunc(s.conn.open, func(o *session) bool { return o == s })
	if s.target == nil {
		return
	}
	s.target.remove(s)
	s.target.resumed()
	if s.debugging {
		s.target.resumeDebugger()
	}
	if !s.waiting || s.resume == nil || why == closeTarget {
		return
	}
	if s.waiting = false; why == closeSocket || s.target.kind == "iframe" {
		s.conn.b.post(s.resume)
	} else {
		s.target.unresumed = s.resume
	}
}

// sessionOf finds the session of an incoming message.
func (c *conn) sessionOf(id string) *session {
	if id == "" {
		return c.root
	}
	for _, s := range c.open {
		if s.id == id {
			return s
		}
	}
	return nil
}
