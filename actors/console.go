package actors

import (
	"slices"

	"cdpsupervisor/messages"
)

// console is the ring of the task's last errors. It survives connections.
type console struct {
	ring  []messages.ConsoleError // oldest first
	fresh bool                    // changed since it was frozen
	froze []messages.ConsoleError
}

func (c *console) add(e messages.ConsoleError) {
	if len(c.ring) >= messages.MaxConsoleErrors {
		c.ring = slices.Delete(c.ring, 0, len(c.ring)-messages.MaxConsoleErrors+1)
	}
	c.ring = append(c.ring, e)
	c.fresh = true
}

// frozen returns a copy that is never written again; the same one as before
// when nothing changed.
func (c *console) frozen() []messages.ConsoleError {
	if c.fresh || c.froze == nil {
		c.froze = slices.Clone(c.ring)
		if c.froze == nil {
			c.froze = []messages.ConsoleError{}
		}
		c.fresh = false
	}
	return c.froze
}

// applyBulk takes a console event. What was logged before we attached is
// replayed by the browser and is not new.
func (s *supervisor) applyBulk(ev *messages.Event) {
	e := messages.ConsoleError{TargetID: s.pageOf(ev.Session)}
	at := ev.At
	switch body := ev.Body.(type) {
	case *messages.ConsoleMessage:
		e.Kind, e.Text, e.Truncated, e.URL, e.Line = body.Type, body.Text, body.Truncated, body.URL, body.Line
		if !body.At.IsZero() {
			at = body.At
		}
	case *messages.ExceptionThrown:
		e.Kind, e.Text, e.Truncated, e.URL, e.Line = "exception", body.Text, body.Truncated, body.URL, body.Line
		if !body.At.IsZero() {
			at = body.At
		}
	default:
		return
	}
	if s.link.replayed(ev.Session, ev.Seq) {
		return
	}
	if f, ok := s.link.tree.RootFrame(ev.Session); ok {
		e.FrameID = f.Frame
	}
	e.At = messages.EpochSeconds(at)
	s.console.add(e)
	s.touched = true
}

// replayed reports whether a console event was logged before we attached: the
// browser sends those again before it answers Runtime.enable, and its clock is
// not ours, so only the order tells.
func (l *link) replayed(session messages.SessionID, seq uint64) bool {
	e := l.sessions[session]
	return e != nil && (e.liveFrom == 0 || seq < e.liveFrom)
}
