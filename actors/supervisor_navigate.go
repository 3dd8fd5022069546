package actors

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
	"cdpsupervisor/pageurl"
)

// CheckNavigate refuses a URL that no browser would show as a page, or returns
// nil. Some of them a browser takes all the same: it runs a script.
func CheckNavigate(url string) *messages.Failure {
	if len(url) > messages.MaxURLBytes {
		return invalid("the URL is %d bytes long; the limit is %d", len(url), messages.MaxURLBytes)
	}
	if problem := pageurl.Problem(url); problem != "" {
		return invalid("the URL %s", problem)
	}
	return nil
}

// navigate takes the task's page to a URL, and opens a tab of our own when
// the page is gone.
func (s *supervisor) navigate(ctx actor.Context, a *openAsk, q *messages.NavigateRequest) {
	a.class = messages.Class("Page.navigate")
	e, p := s.link.pageSession(s.page), s.link.pages.Get(s.page)
	if e == nil || p == nil {
		s.openTab(ctx, a, q.URL)
		return
	}
	a.target, a.session, a.actor, a.closing = s.page, e.id, e.n, p.closing
	if d := s.answerable(s.page); d != nil {
		s.answer(ctx, a, dialogOpen(d))
		return
	}
	if debugURL(q.URL) {
		if f := s.mayEnd(s.page, "", "the navigation"); f != nil {
			s.answer(ctx, a, f)
			return
		}
	}
	a.stage, a.sentAt = stageSent, s.env.Clock.Now()
	s.orderNavigation(s.page)
	if p.poisoned != "" {
		if p.healing != nil {
			a.stage = stageWaiting // until it is healed
			return
		}
		n := a.n
		s.heal(ctx, s.page, q.URL, func(ctx actor.Context, r *messages.Reply) {
			if a := s.rec.asks.open.Get(n); a != nil && a.stage == stageSent {
				s.navigateHealed(ctx, a, r)
			}
		})
		return
	}
	s.send(ctx, e.id, a.ref(), messages.Navigate{URL: q.URL})
}

// orderNavigation remembers that a navigation was asked for here: the browser
// cancels the page's dialog for it.
func (s *supervisor) orderNavigation(page messages.TargetID) {
	if p := s.link.pages.Get(page); p != nil {
		p.ordered = s.env.Clock.Now()
	}
}

// navigationOrdered reports whether a navigation that was asked for here is
// the likely end of a dialog that closes now.
func (s *supervisor) navigationOrdered(page messages.TargetID, now time.Time) bool {
	p := s.link.pages.Get(page)
	return p != nil && !p.ordered.IsZero() && now.Sub(p.ordered) < orderedNavigation
}

// ordersAnother reports whether a navigation of the page is on the wire that may not
// be the one to this document: that of one before can be committed behind the order.
func (s *supervisor) ordersAnother(page messages.TargetID, loader messages.LoaderID) bool {
	return slices.ContainsFunc(s.rec.asks.pending(), func(a *openAsk) bool {
		_, navigation := a.ask.(*messages.NavigateRequest)
		return a.target == page && a.onWire() && (navigation || a.class.Cancels) && a.loader != loader
	})
}

// orderedNavigation is how long a navigation may take to end the dialogs of
// the page that it leaves.
const orderedNavigation = 2 * time.Second

// answerable returns a dialog of the page that an agent can answer, or nil. A
// page that cannot be answered is left by navigating.
func (s *supervisor) answerable(page messages.TargetID) *messages.OpenDialog {
	i := slices.IndexFunc(s.open, func(d messages.OpenDialog) bool {
		return d.Dialog.TargetID == page && !d.Unanswerable && !answersItself(&d)
	})
	if i < 0 {
		return nil
	}
	return &s.open[i]
}

// openTab opens a background tab of our own in place of one that is gone.
func (s *supervisor) openTab(ctx actor.Context, a *openAsk, url string) {
	if !s.tabGone {
		s.answer(ctx, a, s.noPage())
		return
	}
	a.stage = stageOpening
	n := a.n
	s.link.creating++
	s.sendOwn(ctx, "", messages.CreateTarget{URL: "about:blank"}, func(ctx actor.Context, r *messages.Reply) {
		s.link.creating--
		made, ok := r.Body.(*messages.CreatedReply)
		if !ok || made.TargetID == "" {
			s.decideAll(ctx)
			text := "its reply has no targetId"
			if r.Err != nil {
				text = r.Err.Error()
			}
			s.answer(ctx, s.rec.asks.open.Get(n), messages.Fail(messages.CodeTabGone, "the task's tab is gone and the browser opens no other: %s", text))
			s.stopOpened(ctx)
			return
		}
		s.rec.made = made.TargetID
		s.own(ctx, made.TargetID, true)
		if s.stop != nil { // nobody navigates it any more
			s.decideAll(ctx)
			s.stopOpened(ctx)
			return
		}
		s.setPage(ctx, messages.TargetInfo{TargetID: made.TargetID, Type: messages.TargetPage, URL: "about:blank"})
		s.decideAll(ctx)
		if s.link.pages.Get(made.TargetID) == nil {
			s.link.expected.Set(made.TargetID, true)
			if s.link.lacks.Has("popups") || !s.link.root.AutoAttach() { // nobody else attaches it
				s.sendOwn(ctx, "", messages.AttachToTarget{TargetID: made.TargetID}, func(actor.Context, *messages.Reply) {})
			}
		}
		// The navigation goes on when the tab's session is set up.
		if a := s.rec.asks.open.Get(n); a != nil && a.stage == stageOpening {
			s.link.wasReady = false
			s.route(ctx, a)
		}
	})
}

// navigateReply takes the reply to Page.navigate: the commit may come before
// or after it.
func (s *supervisor) navigateReply(ctx actor.Context, a *openAsk, r *messages.Reply) {
	body, ok := r.Body.(*messages.NavigateReply)
	switch {
	case r.Err != nil:
		s.failNavigation(ctx, a, protocolFailure(r.Err, s.nameOf(a)))
	case !ok:
		s.fail(ctx, a, messages.CodeCDPError, "the browser's reply to the navigation has an odd shape")
	case body.ErrorText != "":
		s.failNavigation(ctx, a, navigationFailed(body, s.aborted(a)))
	case body.LoaderID == "":
		s.navigated(ctx, a) // within the document: it is there already
	default:
		a.loader = body.LoaderID
		a.stage = stageCommit
		if f, ok := s.link.tree.MainFrame(a.target); ok && f.Loader == body.LoaderID {
			s.navigated(ctx, a)
		} else if p := s.link.pages.Get(a.target); p != nil {
			p.committing = body.LoaderID
		}
	}
}

// commitsSeen ends navigations whose commit the tree shows although no event
// told of it: a page that was blocked enables its Page domain only afterwards.
func (s *supervisor) commitsSeen(ctx actor.Context, page messages.TargetID) {
	f, ok := s.link.tree.MainFrame(page)
	if !ok {
		return
	}
	for _, a := range s.rec.asks.pending() {
		if a.stage == stageCommit && a.target == page && a.loader == f.Loader {
			s.navigated(ctx, a)
		}
	}
}

// commitGrace is how long a document may still take to be committed when a renderer
// of its page has crashed: it may have been that of the document before.
const commitGrace = 2 * time.Second

// boundCommits bounds what is being committed in a page whose renderer has crashed.
// If that renderer was to do it, it never comes, and nothing tells.
func (s *supervisor) boundCommits(ctx actor.Context, page messages.TargetID) {
	for _, a := range s.rec.asks.pending() {
		if a.stage == stageCommit && a.target == page {
			s.armAsk(ctx, a, messages.TimerCommit, commitGrace)
		}
	}
}

func (s *supervisor) commitTimer(ctx actor.Context, gen uint64) {
	a := s.rec.asks.open.Get(gen)
	switch {
	case a == nil || a.stage != stageCommit:
	case a.failed != nil:
		s.answer(ctx, a, a.failed)
	default:
		f := messages.Fail(messages.CodeTargetCrashed, "the page's renderer crashed while the navigation was on its way into it; navigate again").Ways("browser_navigate")
		f.MayHaveRun = true
		s.answer(ctx, a, f)
	}
}

// closeAnswered remembers which page the browser says that it closes. It is there for
// a moment yet, and gives up what is asked of it.
func (s *supervisor) closeAnswered(a *openAsk) {
	if _, done := a.result.(*messages.CallResult); !done || a.class.Rewrite != messages.RewriteClose || s.link == nil {
		return
	}
	if p := s.link.pages.Get(a.target); p != nil {
		p.closing = true
	}
}

// failNavigation ends a navigation that came to nothing. If its page was being
// closed, that is the reason, and it goes on in another one.
func (s *supervisor) failNavigation(ctx actor.Context, a *openAsk, f *messages.Failure) {
	if !a.closing {
		s.answer(ctx, a, f)
		return
	}
	a.stage, a.failed = stageCommit, f
	s.armAsk(ctx, a, messages.TimerCommit, commitGrace)
}

// navigateElsewhere has navigations wait for another page that began while the
// browser closed this one. Older ones end with it.
func (s *supervisor) navigateElsewhere(page messages.TargetID) {
	for _, a := range s.rec.asks.pending() {
		if _, ok := a.ask.(*messages.NavigateRequest); ok && a.onWire() && a.target == page && a.closing {
			a.stage, a.closing, a.session, a.actor, a.loader, a.unloaded, a.failed = stageWaiting, false, "", 0, "", false, nil
		}
	}
}

// navigateHealed ends a navigation during which the Page domain was off: its
// commit tells nothing, the reply is all there is.
func (s *supervisor) navigateHealed(ctx actor.Context, a *openAsk, r *messages.Reply) {
	s.navigateReply(ctx, a, r)
	if a.stage == stageCommit {
		s.navigated(ctx, a)
	}
}

// navigated ends a navigation that was committed.
func (s *supervisor) navigated(ctx actor.Context, a *openAsk) {
	if p := s.link.pages.Get(a.target); p != nil {
		p.committing, p.closing = "", false
	}
	s.answersAgain(s.link.pageSession(a.target))
	url := s.urlOf(a.target)
	title := ""
	if info := s.link.infos.Get(a.target); info != nil && info.URL == url {
		title = info.Title
	}
	s.answer(ctx, a, &messages.NavigateResult{URL: url, Title: title, PageTargetID: a.target})
}

// navigateRaw sends a raw navigation. Out of a poisoned tab only Page.navigate
// leads, and only with the Page domain off; all else kills the browser.
func (s *supervisor) navigateRaw(ctx actor.Context, a *openAsk, q *messages.CallRequest, p place) {
	if url, err := cdpwire.URLParam(q.Params); err == nil && debugURL(url) {
		if f := s.mayEnd(p.entry.page, "", q.Method); f != nil {
			s.answer(ctx, a, f)
			return
		}
	}
	if s.bridgeHolds(p.entry.page) {
		s.releaseThen(ctx, a, p.entry.page)
		return
	}
	page := s.link.pages.Get(p.entry.page)
	if page == nil || page.poisoned == "" || !p.entry.isPage {
		s.orderNavigation(p.entry.page)
		s.sendCall(ctx, a, q, p)
		return
	}
	url, err := cdpwire.URLParam(q.Params)
	if q.Method != (messages.Navigate{}).Method() || err != nil || page.healing != nil {
		s.answer(ctx, a, messages.Fail(messages.CodeDenied,
			"%s is refused: %s, and this would kill the whole browser; Page.navigate leads out", q.Method, page.poisoned).Ways(wayNavigate))
		return
	}
	a.stage, a.sentAt = stageSent, s.env.Clock.Now()
	a.session, a.actor, a.target = p.entry.id, p.entry.n, p.entry.page
	n := a.n
	s.heal(ctx, p.entry.page, url, func(ctx actor.Context, r *messages.Reply) {
		a := s.rec.asks.open.Get(n)
		if a == nil || a.stage != stageSent {
			return
		}
		if r.Err != nil {
			s.answer(ctx, a, protocolFailure(r.Err, a.method))
			return
		}
		body, _ := r.Body.(*messages.NavigateReply)
		s.answer(ctx, a, &messages.CallResult{Result: cdpwire.NavigateJSON(body)})
	})
}

// focus makes another page the task's page.
func (s *supervisor) focus(ctx actor.Context, a *openAsk, q *messages.FocusRequest) {
	target := q.TargetID
	if target == "" {
		s.answer(ctx, a, invalid("target_id is empty; take one from Target.getTargets"))
		return
	}
	if e := s.link.pageSession(target); e != nil {
		s.focused(ctx, a, target)
		return
	}
	n := a.n
	s.claimFor(ctx, a, func(a *openAsk, taken []messages.TargetID) {
		if slices.Contains(taken, target) {
			s.claimed(ctx, "")
			s.fail(ctx, a, messages.CodeDenied, "page %s belongs to another task", clipText(string(target), 64))
			return
		}
		a.stage = stageOpening
		s.link.expected.Set(target, true)
		s.sendOwn(ctx, "", messages.AttachToTarget{TargetID: target}, func(ctx actor.Context, r *messages.Reply) {
			s.link.expected.Delete(target)
			if r.Err != nil || s.link.pageSession(target) == nil {
				s.claimed(ctx, "")
				text := "it was not attached"
				if r.Err != nil {
					text = r.Err.Error()
				}
				s.answer(ctx, s.rec.asks.open.Get(n), messages.Fail(messages.CodeTabGone, "the browser has no page %s to focus: %s; Target.getTargets lists those that there are", clipText(string(target), 64), text))
				return
			}
			s.claimed(ctx, target)
			s.focused(ctx, s.rec.asks.open.Get(n), target)
		})
	})
}

func (s *supervisor) focused(ctx actor.Context, a *openAsk, target messages.TargetID) {
	info := messages.TargetInfo{TargetID: target, Type: messages.TargetPage}
	if known := s.link.infos.Get(target); known != nil {
		info = *known
	}
	s.setPage(ctx, info)
	if e := s.link.pageSession(target); e != nil {
		s.pageChanged(ctx, e)
	}
	s.answer(ctx, a, &messages.FocusResult{PageTargetID: target})
}
