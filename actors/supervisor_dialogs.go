package actors

import (
	"cmp"
	"time"
	"unicode/utf8"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/actors/frametree"
	"cdpsupervisor/messages"
	"cdpsupervisor/policy"
)

// dialogsOpen takes the list of open dialogs: calls that a new one holds back
// return at once.
func (s *supervisor) dialogsOpen(ctx actor.Context, open []messages.OpenDialog) {
	known := make(map[messages.DialogID]bool, len(s.open)) // and whether it was stranded
	for _, d := range s.open {
		known[d.Dialog.ID] = d.Stranded
	}
	over := s.open
	s.open = open
	s.touched = true // an unanswerable one shows in the status
	s.stopFreed(ctx)
	if s.link == nil {
		return
	}
	s.bridgeOver(ctx, over)
	for i := range open {
		was, is := known[open[i].Dialog.ID]
		if !is {
			s.dialogOpened(ctx, &open[i])
			s.watchCommit(ctx, &open[i])
		}
		if open[i].Stranded && !was {
			s.free(ctx, open[i].Dialog.TargetID)
		}
	}
}

// dialogOpening tells the dialogs actor of a native dialog, with what the tree
// knows of its frame.
func (s *supervisor) dialogOpening(ctx actor.Context, ev *messages.Event, body *messages.DialogOpening) {
	page := s.pageOf(ev.Session)
	s.answersAgain(s.link.sessions.Get(ev.Session)) // it is this dialog that blocks it now
	in := policy.Opened{
		At: ev.At, Session: ev.Session, Target: page, Frame: body.FrameID, Type: body.Type,
		Message: body.Message, DefaultPrompt: body.DefaultPrompt, URL: body.URL, Truncated: body.Truncated,
		Via: messages.NativeVia{Session: ev.Session}, NavigationInFlight: s.link.navigating(page, ev.At),
	}
	if f, ok := s.link.tree.Lookup(body.FrameID); ok {
		in.Origin, in.TopFrame = f.Origin, f.Main
	} else {
		in.TopFrame = body.FrameID == ""
		in.Origin = messages.OriginOf(body.URL)
	}
	in.Trial = s.bridgeNative(ctx, ev.Session, body)
	s.tell(in, ctx)
}

func (s *supervisor) dialogOpened(ctx actor.Context, d *messages.OpenDialog) {
	auto := answersItself(d)
	for _, a := range s.rec.asks.pending() {
		if !a.onWire() || a.actor == 0 && a.session == "" && a.class.Root {
			continue
		}
		if d.Dialog.Type == messages.DialogBeforeUnload && a.target == d.Dialog.TargetID {
			a.unloaded = true
		}
		switch {
		case !auto && s.holds(d, a):
			s.answer(ctx, a, dialogOpened(d, a))
		default:
			// Judged free, or about to be freed by an automatic answer.
			s.armAsk(ctx, a, messages.TimerJudged, messages.JudgedFreeTimeout)
		}
	}
}

// answersItself reports whether an automatic answer is on the wire, so that
// whoever is held back will be freed in a moment.
func answersItself(d *messages.OpenDialog) bool {
	return !d.Unanswerable && d.SentBy != "" && d.SentBy != messages.ClosedByAgent
}

// holds reports whether a call in flight stays without answer until the
// dialog is over.
func (s *supervisor) holds(d *messages.OpenDialog, a *openAsk) bool {
	if _, ok := a.ask.(*messages.NavigateRequest); ok {
		return a.target == d.Dialog.TargetID && d.Dialog.Type == messages.DialogBeforeUnload
	}
	return a.class.HeldBy(d.Dialog.Type) && s.blocks(d, a.session)
}

// blocking returns a dialog that keeps the session's renderer from answering,
// or nil.
func (s *supervisor) blocking(session messages.SessionID) *messages.OpenDialog {
	for i := range s.open {
		if !answersItself(&s.open[i]) && s.blocks(&s.open[i], session) {
			return &s.open[i]
		}
	}
	return nil
}

// blocks reports whether a dialog blocks the renderer of a session: the one
// that hosts the dialog's frame, and every local root of the same site within
// reach. While the debugger holds a dialog, its renderer still answers.
func (s *supervisor) blocks(d *messages.OpenDialog, session messages.SessionID) bool {
	if d.Via != nil && d.Via.Kind() == messages.ViaDebugger {
		return false
	}
	owner := d.Session
	if f, ok := s.link.tree.Lookup(d.Dialog.FrameID); ok {
		owner = f.OwnerSession
	}
	return owner == session || s.link.tree.SameRenderer(owner, session)
}

// anyDialog returns a dialog that is open in the task, or nil.
func (s *supervisor) anyDialog() *messages.OpenDialog {
	if len(s.open) == 0 {
		return nil
	}
	return &s.open[0]
}

// poisoned: the frame of an open dialog was removed. The browser would die of
// an answer, a close, a navigation or another dialog in that tab.
func (s *supervisor) poisoned(ctx actor.Context, m *messages.TargetPoisoned) {
	if s.link == nil {
		return
	}
	p := s.link.pages.Get(m.TargetID)
	if p == nil {
		return
	}
	s.poison(ctx, m.TargetID, m.FrameID, m.Reason)
	// A URL that may have been cut leads to another page: then the agent heals.
	if url := s.urlOf(m.TargetID); m.TargetID == s.rec.made && !s.remoteClose && len(url) <= messages.MaxURLBytes-utf8.UTFMax {
		s.heal(ctx, m.TargetID, url, nil)
	}
}

// poison marks a page in which a dialog without its frame may dangle. With the Page
// domain on, the page's next dialog, reload or end would be the browser's: it is
// turned off at once, and what the page asks is not seen until it is left. Where
// another client has the domain on as well, that helps nobody.
func (s *supervisor) poison(ctx actor.Context, page messages.TargetID, frame messages.FrameID, reason string) {
	p := s.link.pages.Get(page)
	p.poisoned, p.poisoner = reason, frame
	s.touched = true
	if !s.remoteClose {
		p.unseen = true
		s.disablePage(ctx, page)
	}
}

// seenAgain turns the Page domain of a page on again, in which nothing dangles any
// more, and reads what was missed.
func (s *supervisor) seenAgain(ctx actor.Context, page messages.TargetID, p *pageEntry) {
	if !p.unseen {
		return
	}
	p.unseen = false
	for _, id := range s.link.tree.Sessions(page, nil) {
		s.sendOwn(ctx, id, messages.PageEnable{}, func(actor.Context, *messages.Reply) {})
		s.reseed(ctx, id)
	}
}

// silentAfter is how long the session of a frame that was there before us may take
// to its first word without anything being wrong.
const silentAfter = 2 * time.Second

func (l *link) expectWord(frame messages.FrameID, now time.Time) {
	if l.silent == nil {
		l.silent = make(map[messages.FrameID]time.Time)
	}
	l.silent[frame] = now
}

// removedSilent: if what held such a frame was a dialog, it dangles in the browser
// now as one does that we have seen. It may have been a busy script as well, so
// that the tab is not healed before somebody leaves it.
func (s *supervisor) removedSilent(ctx actor.Context, e *frametree.FramesRemoved, now time.Time) {
	p := s.link.pages.Get(e.Page)
	if len(s.link.silent) == 0 || p == nil || p.poisoned != "" {
		return
	}
	for _, frame := range e.Frames {
		if since, silent := s.link.silent[frame]; silent && now.Sub(since) >= silentAfter {
			s.poison(ctx, e.Page, frame, "a frame was removed that had not answered since we attached; it may have had a dialog open")
			return
		}
	}
}

// dialogOver: the browser says that a frame's dialog is closed. If it is the
// one that poisoned its tab, nothing dangles in the browser any more.
func (s *supervisor) dialogOver(ctx actor.Context, page messages.TargetID, frame messages.FrameID) {
	if p := s.link.pages.Get(page); p != nil && p.poisoned != "" && p.poisoner == frame && p.healing == nil {
		p.poisoned, p.poisoner = "", ""
		s.touched = true
		s.seenAgain(ctx, page, p)
	}
}

func (s *supervisor) urlOf(page messages.TargetID) string {
	if f, ok := s.link.tree.MainFrame(page); ok && f.URL != "" {
		return f.URL
	}
	return cmp.Or(s.infoURL(page), "about:blank")
}

// infoURL is what the browser said of a page's URL before its frames were known,
// or "".
func (s *supervisor) infoURL(page messages.TargetID) string {
	if info := s.link.infos.Get(page); info != nil {
		return info.URL
	}
	return ""
}

// routeWaiting sends on what waited for the page.
func (s *supervisor) routeWaiting(ctx actor.Context) {
	for _, a := range s.rec.asks.pending() {
		if a.stage == stageWaiting {
			s.route(ctx, a)
		}
	}
}
