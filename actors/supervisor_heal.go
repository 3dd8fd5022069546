package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
)

// healing is a poisoned tab on its way back. See [supervisor.heal].
type healing struct {
	gen   uint64
	timer messages.Timer // runs from the browser's answer on; nil before
	// reply is the answer to the navigation, then who waits for it, or nil.
	reply messages.Reply
	then  func(actor.Context, *messages.Reply)
	// before and shown are the documents that were left and that came.
	before, shown messages.LoaderID
}

// heal brings a poisoned tab back: with the Page domain disabled the browser
// forgets the dialog, and only a navigation that has been answered makes the
// tab safe again. then, if set, gets the reply of the navigation, when the
// domain is enabled again: a commit before that would go unseen.
func (s *supervisor) heal(ctx actor.Context, page messages.TargetID, url string, then func(actor.Context, *messages.Reply)) {
	e, p := s.link.pageSession(page), s.link.pages.Get(page)
	if e == nil || p == nil || p.healing != nil {
		return
	}
	s.link.heals++
	h := &healing{gen: s.link.heals, then: then}
	if f, ok := s.link.tree.MainFrame(page); ok {
		h.before = f.Loader
	}
	p.healing = h
	s.disablePage(ctx, page) // once more, for sessions that came since
	s.sendOwn(ctx, e.id, messages.Navigate{URL: url}, func(ctx actor.Context, r *messages.Reply) {
		h.reply = messages.Reply{Method: r.Method, Err: r.Err}
		if r.Err != nil { // nothing was navigated, and the domain must stay off
			s.healed(ctx, page, h)
			return
		}
		if body, ok := r.Body.(*messages.NavigateReply); ok {
			kept := *body // the batch takes its bodies back
			h.reply.Body = &kept
			h.shown = kept.LoaderID
			s.committedUnseen(ctx, e.id, page, url, kept.LoaderID)
		}
		if p := s.link.pages.Get(page); p != nil {
			p.unseen = false
		}
		s.sendOwn(ctx, e.id, messages.PageEnable{}, func(actor.Context, *messages.Reply) {})
		s.sendOwn(ctx, e.id, messages.GetFrameTree{}, func(ctx actor.Context, r *messages.Reply) {
			s.leftUnseen(ctx, e.id, page, h, r)
			s.healed(ctx, page, h)
			if e := s.link.sessions.Get(e.id); e != nil && (e.state == messages.SessionBlocked || e.state == messages.SessionPending) {
				s.becomes(ctx, e, messages.SessionReady) // it was given up, and answers after all
			}
		})
		h.timer = s.after(ctx, messages.TimerHeal, h.gen, messages.BlockedAfter)
	})
}

// healTimer gives up a page that does not answer: what the tab shows now has asked
// before the domain was enabled again, and nobody was told.
func (s *supervisor) healTimer(ctx actor.Context, gen uint64) {
	for page, p := range s.link.pages.All() {
		if h := p.healing; h != nil && h.gen == gen {
			if e := s.link.pageSession(page); e != nil {
				s.becomes(ctx, e, messages.SessionBlocked)
			}
			s.healed(ctx, page, h)
			return
		}
	}
}

// healed ends a healing, once.
func (s *supervisor) healed(ctx actor.Context, page messages.TargetID, h *healing) {
	p := s.link.pages.Get(page)
	if p == nil || p.healing != h {
		return
	}
	p.healing = nil
	if h.reply.Err == nil {
		h.timer.Stop()
		p.poisoned = ""
	} else {
		p.unseen = true // also where it was not turned off before
	}
	s.touched = true
	if h.then != nil {
		h.then(ctx, &h.reply)
	}
	s.routeWaiting(ctx)
}

// leftUnseen takes from the frame tree of a healed page that it has gone on to
// another document before its domain was on.
func (s *supervisor) leftUnseen(ctx actor.Context, session messages.SessionID, page messages.TargetID, h *healing, r *messages.Reply) {
	tree, ok := r.Body.(*messages.FrameTreeReply)
	f, known := s.link.tree.MainFrame(page)
	if !ok || !known || f.Loader != h.shown || tree.Root.Frame.LoaderID == h.shown || tree.Root.Frame.LoaderID == h.before {
		return // or the browser has told of it, or the reply is older
	}
	s.committedUnseen(ctx, session, page, tree.Root.Frame.URL, tree.Root.Frame.LoaderID)
	s.seed(ctx, session, tree)
}

// committedUnseen tells the tree of a commit that no event told of, because
// the Page domain was disabled.
func (s *supervisor) committedUnseen(ctx actor.Context, session messages.SessionID, page messages.TargetID, url string, loader messages.LoaderID) {
	if loader == "" {
		return
	}
	main := messages.FrameID(page) // also where the page has never said so
	if f, ok := s.link.tree.MainFrame(page); ok {
		main = f.Frame
	}
	url, _ = messages.Cut(url, messages.MaxURLBytes)
	ev := messages.Event{Epoch: s.link.epoch, At: s.env.Clock.Now(), Session: session, Body: &messages.FrameNavigated{
		Frame: messages.FrameInfo{ID: main, LoaderID: loader, URL: url}, Type: messages.NavigationPlain,
	}}
	s.treeEffects(ctx, ev.At, s.link.tree.Apply(&ev, nil))
}
