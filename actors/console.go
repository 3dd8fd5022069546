package actors

import "cdpsupervisor/messages"

// console keeps the task's last errors. It survives connections.
type console struct {
	// all ends with the errors that are kept, oldest first. It is only ever
	// appended to, so that what was published stays as it is without a copy;
	// when it is full, the kept ones move to new memory.
	all []messages.ConsoleError
}

// consoleObjects is the group in which the browser keeps what was logged.
const consoleObjects = "console"

// consoleRoom is how many errors share one piece of memory.
const consoleRoom = 2 * messages.MaxConsoleErrors

func (c *console) add(e messages.ConsoleError) {
	if len(c.all) == consoleRoom {
		kept := c.last()
		c.all = make([]messages.ConsoleError, len(kept), consoleRoom)
		copy(c.all, kept)
	}
	c.all = append(c.all, e)
}

// last are the errors that are kept. They are never written again.
func (c *console) last() []messages.ConsoleError {
	if len(c.all) == 0 {
		return []messages.ConsoleError{}
	}
	last := c.all[max(0, len(c.all)-messages.MaxConsoleErrors):]
	return last[:len(last):len(last)]
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
	e := l.sessions.Get(session)
	return e != nil && (e.liveFrom == 0 || seq < e.liveFrom)
}
