package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
)

// focus is how far a session has come in behaving as the one that has the focus.
type focus uint8

const (
	focusNone focus = iota
	focusAsked
	focusGiven
)

// focusWait is how long input waits for a page that does not say that it has the
// focus.
const focusWait = time.Second

// focuses has a page and then a frame of it behave as those that have the focus,
// before the first input, and reports whether input has to wait for that. A tab in
// the background has no focus, and a frame of another process loses the one that a
// click gives it at once: what is typed next would go nowhere. The frame comes after
// its page has answered, because the focus takes its way through both.
func (s *supervisor) focuses(ctx actor.Context, to *sessionEntry) (waits bool) {
	for _, e := range []*sessionEntry{s.link.pageSession(to.page), to} {
		if e == nil {
			continue
		}
		if e.focus == focusNone && e.state == messages.SessionReady && s.blocking(e.id) == nil {
			s.askFocus(ctx, e)
		}
		if e.focus == focusAsked {
			return true
		}
	}
	return false
}

// focusOwn does so for the pages of a task that has a tab of its own, from the start. A
// tab that people may use keeps its own focus until an agent touches it.
func (s *supervisor) focusOwn(ctx actor.Context, e *sessionEntry) {
	if e.isPage && s.rec.made != "" && e.focus == focusNone {
		s.askFocus(ctx, e)
	}
}

func (s *supervisor) askFocus(ctx actor.Context, e *sessionEntry) {
	e.focus = focusAsked
	n := e.n
	s.sendOwn(ctx, e.id, messages.EmulateFocus{}, func(ctx actor.Context, _ *messages.Reply) { s.hasFocus(ctx, n) })
	s.after(ctx, messages.TimerFocus, uint64(n), focusWait)
}

// hasFocus sends on what waited for a session's focus: the session has it, or
// refuses it, or its renderer takes too long, and input goes there all the same.
func (s *supervisor) hasFocus(ctx actor.Context, n uint32) {
	if e := s.link.numbers.Get(n); e != nil && e.focus == focusAsked {
		e.focus = focusGiven
		s.routeWaiting(ctx)
	}
}
