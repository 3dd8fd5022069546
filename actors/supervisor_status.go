package actors

import (
	"maps"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
)

// condition is the state of the connection as a whole, when it is not well.
type condition struct {
	status messages.Status
	reason string
	since  time.Time
}

func (c *condition) set(status messages.Status, reason string, now time.Time) {
	if c.status != status {
		c.since = now
	}
	c.status, c.reason = status, clipText(reason, 512)
}

func (c *condition) clear() { *c = condition{} }

// flush publishes what the message changed, once, and then the answers: the
// snapshot actor stores before it lets them go.
func (s *supervisor) flush(ctx actor.Context) {
	s.tellSessions(ctx)
	if s.link != nil && s.link.tree.Dirty(s.page) {
		s.touched = true
	}
	if s.touched {
		s.touched = false
		s.publish(ctx)
	} else if len(s.answers) > 0 {
		s.toSnapshot(ctx, &messages.Answered{Answers: s.answers})
	}
	s.answers = nil
	if s.tellReady {
		s.tellReady = false
		s.answers = append(s.answers, messages.Answer{Ref: messages.Ref{Owner: messages.OwnerSupervisor, N: echoReady}})
		s.toSnapshot(ctx, &messages.Answered{Answers: s.answers})
		s.answers = nil
	}
}

func (s *supervisor) publish(ctx actor.Context) {
	now := s.env.Clock.Now()
	part := messages.TaskPart{
		PageTargetID: s.page, Policy: s.policy, Console: s.console.last(), Tree: s.lastTree,
		Page: messages.PageState{URL: s.pageInfo.URL, Title: s.pageInfo.Title}, Epoch: s.part.Epoch,
		Answers: s.answers,
	}
	if s.link != nil {
		part.Epoch = s.link.epoch
		if tree := s.link.shown(s.page); tree != nil && (s.lastTree == nil || s.link.wasReady) {
			part.Tree = tree
			part.Page.LoaderID = tree.Top.LoaderID
			if tree.Top.URL != "" {
				part.Page.URL = tree.Top.URL
			}
		}
		if e := s.link.pageSession(s.page); e != nil {
			part.Ready = e.state == messages.SessionReady
		}
	}
	state := s.state(now)
	if old := s.part.State; state != nil && old != nil && old.Status == state.Status && old.Reason == state.Reason {
		state.Since = old.Since
	}
	if sameState(state, s.part.State) {
		state = s.part.State
	}
	if status(state) != status(s.part.State) {
		ev := &messages.TaskStatusEvent{Task: s.rec.ID, Status: status(state)}
		if state != nil {
			ev.Reason = state.Reason
		}
		s.note(ctx, ev)
	}
	if s.lastWord != nil {
		s.note(ctx, s.lastWord)
		s.lastWord = nil
	}
	part.State = state
	s.part = part
	s.part.Answers = nil
	s.toSnapshot(ctx, &part)
}

// shown is the view of the page, the same one as before if nothing changed.
func (l *link) shown(page messages.TargetID) *messages.FrameTree {
	if l.view == nil || l.viewOf != page || l.tree.Dirty(page) {
		l.view, l.viewOf = l.tree.View(page, true), page
	}
	return l.view
}

func status(s *messages.SupervisorState) messages.Status {
	if s == nil {
		return ""
	}
	return s.Status
}

// state says what is wrong, the worst first, or nil.
func (s *supervisor) state(now time.Time) *messages.SupervisorState {
	st := messages.SupervisorState{Since: messages.EpochSeconds(now)} // mostly nothing is wrong
	switch {
	case s.condition.status != "":
		st.Status, st.Reason, st.Since = s.condition.status, s.condition.reason, messages.EpochSeconds(s.condition.since)
	case s.tabGone:
		st.Status, st.Reason, st.WaysOut = messages.StatusTabGone, "the task's tab was closed", []string{"browser_navigate"}
	case s.link != nil:
		s.linkState(&st)
	}
	if s.link != nil {
		if s.link.lacks.Len() > 0 {
			st.Capabilities = make(map[string]string, s.link.lacks.Len())
			for k, v := range s.link.lacks.All() {
				st.Capabilities[k] = v
			}
			degrade(&st, "the browser refuses a part of the supervision, see capabilities")
		}
		if trouble := s.bridgeTrouble(); trouble != "" {
			degrade(&st, trouble)
		}
		if d := s.dropped(); len(d) > 0 {
			st.Dropped = d
			degrade(&st, "events were dropped, see dropped")
		}
	}
	if st.Status == "" {
		return nil
	}
	shown := st
	shown.Bridge = s.bridgeShown()
	return &shown
}

// sameState reports whether two states say the same.
func sameState(a, b *messages.SupervisorState) bool {
	if a == nil || b == nil {
		return a == b
	}
	bridges := a.Bridge == b.Bridge || a.Bridge != nil && b.Bridge != nil && *a.Bridge == *b.Bridge
	return bridges && a.Status == b.Status && a.Reason == b.Reason && a.Since == b.Since &&
		slices.Equal(a.WaysOut, b.WaysOut) && maps.Equal(a.Capabilities, b.Capabilities) && maps.Equal(a.Dropped, b.Dropped)
}

func degrade(st *messages.SupervisorState, reason string) {
	if st.Status == "" {
		st.Status, st.Reason = messages.StatusDegraded, reason
	}
}

// linkState looks at the page, and then at the popups.
func (s *supervisor) linkState(st *messages.SupervisorState) {
	s.pages = append(s.pages[:0], s.page)
	s.pages = s.link.tree.Pages(s.pages)
	for i, id := range s.pages {
		if i > 0 && id == s.page {
			continue
		}
		p, e := s.link.pages.Get(id), s.link.pageSession(id)
		if p == nil || e == nil {
			continue
		}
		what := "the page"
		if id != s.page {
			what = "popup " + string(id)
		}
		switch {
		case p.crashed:
			st.Status, st.Reason, st.WaysOut = messages.StatusCrashed, "the renderer of "+what+" has crashed", []string{wayReload, wayNavigate}
		case p.poisoned != "":
			st.Status, st.Reason, st.WaysOut = messages.StatusPoisoned, what+": "+p.poisoned, []string{wayNavigate, wayClose}
			if p.unseen {
				st.Reason += "; until it is left, what it asks is not seen"
			}
		case e.state == messages.SessionBlocked:
			st.Status, st.WaysOut = messages.StatusBlocked, []string{wayReload, wayNavigate, wayClose}
			st.Reason = what + " does not answer: a dialog opened before we could see it, or its script is busy"
		default:
			continue
		}
		return
	}
	if i := slices.IndexFunc(s.open, func(d messages.OpenDialog) bool { return d.Unanswerable }); i >= 0 {
		st.Status, st.WaysOut = messages.StatusBlocked, []string{wayReload, wayNavigate}
		st.Reason = "dialog " + string(s.open[i].Dialog.ID) + " opened while another was open; the browser takes no answer to it"
		if s.open[i].Stranded {
			st.WaysOut = []string{wayNavigate}
			st.Reason = "dialog " + string(s.open[i].Dialog.ID) + " stands in the way of a navigation of its page; the browser takes no answer to it"
		}
	}
}

// dropsShown is how long after a console flood the snapshot says that events
// were dropped. Those that are kept are the last ones: what was lost is older, and
// before long nobody's concern. It is less than a silence before [messages.SocketQuiet].
const dropsShown = 20 * time.Second

// count takes the totals of the connection.
func (s *supervisor) count(totals messages.WireCounts) {
	l := s.link
	switch {
	case totals.Dropped != l.counts.Dropped:
		l.droppedAt = s.env.Clock.Now()
		s.touched = true
	case !l.droppedAt.IsZero():
		s.dropsOver()
	}
	l.counts = totals
}

// dropsOver ends the word of a console flood when that is long ago.
func (s *supervisor) dropsOver() {
	if l := s.link; s.env.Clock.Now().Sub(l.droppedAt) >= dropsShown {
		l.droppedAt = time.Time{}
		s.touched = true
	}
}

// dropped counts what was lost on the way, by its kind.
func (s *supervisor) dropped() map[string]uint64 {
	var out map[string]uint64
	add := func(name string, n uint64) {
		if n > 0 {
			if out == nil {
				out = make(map[string]uint64)
			}
			out[name] = n
		}
	}
	c := s.link.tree.Dropped()
	if !s.link.droppedAt.IsZero() {
		add("console", s.link.counts.Dropped)
	}
	add("malformed", s.link.counts.Malformed)
	add("frames", c.Frames)
	add("sessions", c.Sessions)
	add("early", c.Early)
	return out
}
