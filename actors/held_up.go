package actors

import (
	"time"

	"cdpsupervisor/messages"
)

// The calls that lead out of a page that is held up.
const (
	wayStop      = "browser_cdp Page.stopLoading"
	wayTerminate = "browser_cdp Runtime.terminateExecution"
	wayElsewhere = "browser_navigate to another site"
)

// heldUp adds to a call that had no answer in its time what holds its page up, as
// far as that is seen, and what leads out.
func (s *supervisor) heldUp(a *openAsk, f *messages.Failure) *messages.Failure {
	if s.link == nil || !a.onWire() {
		return f
	}
	e := s.link.sessions.Get(a.session)
	_, navigation := a.ask.(*messages.NavigateRequest)
	if e == nil || !navigation && !a.class.Blocked() && !a.class.Opens {
		return f
	}
	what := "frame"
	if e.isPage {
		what = "page"
	}
	switch page := s.link.pages.Get(e.page); {
	case page != nil && page.unseen:
		f.Message += "; " + page.poisoned + ", and until the page is left, what it asks is not seen"
		return f.Ways(wayNavigate, messages.WayCloseTab)
	case s.hangsAtCommit(e):
		f.Message += "; the next document has come, and the renderer that it goes to is busy with a script: close the page and navigate again"
		return f.Ways(messages.WayCloseTab)
	case s.link.leaving(e):
		f.Message += "; the " + what + " is on its way to another document that has not come: wait, or stop that with Page.stopLoading"
		return f.Because(messages.ErrLeaving).Ways(wayStop, messages.WayCloseTab)
	default:
		f.Message += "; if a script keeps the " + what + " busy, end that with Runtime.terminateExecution, or leave it"
		return f.Ways(wayTerminate, wayElsewhere, messages.WayCloseTab)
	}
}

// hangsAtCommit reports whether a document that was asked for has come, and the
// renderer of the page does not take it. The browser neither stops that nor begins
// another navigation.
func (s *supervisor) hangsAtCommit(e *sessionEntry) bool {
	p := s.link.pages.Get(e.page)
	return e.isPage && p != nil && p.committing != ""
}

// leaving reports whether the frame of a session has begun a navigation that is not
// committed: until it is, the browser holds back what is sent to its renderer. One
// since which the renderer has answered was stopped, or came to nothing as a
// download does.
func (l *link) leaving(e *sessionEntry) bool {
	frame := messages.FrameID(e.target)
	if main, known := l.tree.MainFrame(e.page); e.isPage && known {
		frame = main.Frame
	}
	since, begun := l.navigation[e.page][frame]
	return begun && since.After(e.answered)
}

// hear notes that the renderer of a session has answered a call.
func (e *sessionEntry) hear(r *messages.Reply, now time.Time) {
	if r.Err == nil && messages.Class(r.Method).Blocked() {
		e.answered = now
	}
}
