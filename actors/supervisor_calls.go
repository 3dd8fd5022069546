package actors

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
	"cdpsupervisor/pageurl"
	"cdpsupervisor/policy"
)

// call sends an agent's method where it belongs, refuses it with the reason,
// or does instead what it means.
func (s *supervisor) call(ctx actor.Context, a *openAsk, q *messages.CallRequest) {
	class := messages.Class(q.Method)
	a.method, a.class, a.max = q.Method, class, q.MaxBytes
	if a.max == 0 {
		a.max = messages.MaxResultBytes
	}
	if class.Refused != "" {
		s.fail(ctx, a, messages.CodeDenied, "%s is refused: %s", q.Method, class.Refused)
		return
	}
	if class.Root {
		if _, f := s.find(q.FrameID, q.TargetID, q.Session, q.Method, true); f != nil && f.Code == messages.CodeUnknownFrame {
			s.answer(ctx, a, f) // it goes to the browser, but not for a frame that is none
			return
		}
		s.rootCall(ctx, a, q)
		return
	}
	p, f := s.find(q.FrameID, q.TargetID, q.Session, q.Method, q.SameProcess)
	if f == nil {
		f = s.mayRun(p, class, q)
	}
	if f == nil && q.Method == "Page.crash" {
		f = s.mayEnd(p.entry.page, p.entry.target, q.Method)
	}
	if f != nil {
		s.answer(ctx, a, f)
		return
	}
	a.target, a.frame, a.shown = p.entry.page, p.frame, p.shown
	switch class.Rewrite {
	case messages.RewriteAnswer:
		s.answerRaw(ctx, a, q, p.entry.page)
	case messages.RewriteClose:
		if !p.entry.isPage {
			s.answer(ctx, a, partOfPage(a, string(p.frame)))
			return
		}
		s.closePage(ctx, a, p.entry.page)
	case messages.RewriteNavigate:
		s.navigateRaw(ctx, a, q, p)
	case messages.RewriteNone, messages.RewriteCloseBrowser:
		s.sendCall(ctx, a, q, p)
	}
}

func (s *supervisor) rootCall(ctx actor.Context, a *openAsk, q *messages.CallRequest) {
	switch a.class.Rewrite {
	case messages.RewriteClose:
		target, err := cdpwire.TargetParam(q.Params)
		if err != nil {
			s.answer(ctx, a, invalid("Target.closeTarget: %v", err))
			return
		}
		s.closePage(ctx, a, target)
	case messages.RewriteCloseBrowser:
		s.dismissThen(ctx, a, "")
	case messages.RewriteNone, messages.RewriteAnswer, messages.RewriteNavigate:
		a.stage, a.sentAt = stageSent, s.env.Clock.Now()
		s.send(ctx, "", a.ref(), messages.Raw{Name: q.Method, Params: q.Params})
	}
}

// mayRun says why a call must not be sent right now, or nil.
func (s *supervisor) mayRun(p place, class messages.MethodClass, q *messages.CallRequest) *messages.Failure {
	if q.ExpectLoader != "" && p.loader != q.ExpectLoader ||
		q.ExpectURL != "" && (p.loader != "" || p.url != "" && p.url != q.ExpectURL) {
		return messages.Fail(messages.CodeDenied, "the frame shows another document than the one that was checked; try again")
	}
	page := s.link.pages.Get(p.entry.page)
	needs := class.Blocked() || class.Opens
	switch {
	case p.entry.state == messages.SessionCrashed && !class.Cancels && class.Rewrite == messages.RewriteNone,
		page != nil && page.crashed && needs:
		return targetCrashed()
	case p.entry.state == messages.SessionBlocked && needs:
		return pageBlocked()
	}
	if class.Blocked() {
		if d := s.blocking(p.entry.id); d != nil {
			return dialogOpen(d)
		}
	}
	return nil
}

// mayEnd says why a renderer of a page must not be ended, or nil: with it goes
// the whole browser, where a dialog is open that another frame has opened, or
// where one hangs in the air. of is the session's target, or "" for any.
func (s *supervisor) mayEnd(page, of messages.TargetID, what string) *messages.Failure {
	if d := s.subframeDialog(page); d != nil && of != messages.TargetID(d.Dialog.FrameID) {
		return dialogOpen(d)
	}
	if p := s.link.pages.Get(page); p != nil && p.poisoned != "" {
		return messages.Fail(messages.CodeDenied,
			"%s is refused: %s, and this would kill the whole browser; a navigation to another URL leads out", what, p.poisoned).Ways(wayNavigate)
	}
	return nil
}

// subframeDialog returns the native dialog that a subframe of the page has open,
// or nil.
func (s *supervisor) subframeDialog(page messages.TargetID) *messages.OpenDialog {
	main, _ := s.link.tree.MainFrame(page)
	for i := range s.open {
		d := &s.open[i].Dialog
		if d.TargetID == page && d.Via == messages.ViaNative && d.FrameID != "" && d.FrameID != main.Frame {
			return &s.open[i]
		}
	}
	return nil
}

// debugURL reports whether a URL may be an order to the page's renderer, such as
// chrome://crash, and lead nowhere.
func debugURL(url string) bool {
	read, err := pageurl.Canonical(url)
	scheme, _, _ := pageurl.CutScheme(read)
	return err == nil && scheme == "chrome"
}

func targetCrashed() *messages.Failure {
	return messages.Fail(messages.CodeTargetCrashed, "the page's renderer has crashed; reload or navigate it").Ways(wayReload, wayNavigate)
}

func pageBlocked() *messages.Failure {
	return messages.Fail(messages.CodePageBlocked,
		"the page does not answer: a dialog that opened before we could see it cannot be answered, or its script is busy; reload, navigate or close it").
		Ways(wayReload, wayNavigate, wayClose)
}

// sendCall puts a call on the wire, through the sessions actor.
func (s *supervisor) sendCall(ctx actor.Context, a *openAsk, q *messages.CallRequest, p place) {
	if a.class.Input && s.focuses(ctx, p.entry) {
		a.stage = stageWaiting
		return
	}
	a.stage, a.sentAt = stageSent, s.env.Clock.Now()
	a.session, a.actor, a.target = p.entry.id, p.entry.n, p.entry.page
	s.input(messages.SessionInput{Session: p.entry.n, Kind: messages.SessionCalled, Call: &messages.CallOn{
		Ref: a.ref(), Method: q.Method, Params: q.Params, ContextFrame: p.context,
	}})
	if s.anyDialog() != nil {
		// It was judged free, or an automatic answer is on its way: a guess.
		s.armAsk(ctx, a, messages.TimerJudged, messages.JudgedFreeTimeout)
	}
}

// askReply ends a call with the browser's reply.
func (s *supervisor) askReply(ctx actor.Context, r *messages.Reply) {
	a := s.rec.asks.open.Get(r.Ref.N)
	if a == nil || a.stage == stageAnswered {
		return // it was answered before: with dialog_opened, or a timeout
	}
	if _, ok := a.ask.(*messages.NavigateRequest); ok {
		s.navigateReply(ctx, a, r)
		return
	}
	switch {
	case r.Err != nil:
		s.answer(ctx, a, protocolFailure(r.Err, s.nameOf(a)))
	case len(r.Result) > a.max:
		f := messages.Fail(messages.CodeTooLarge, "the result of %s has %d bytes, more than %d; ask for less, or raise max_bytes", a.method, len(r.Result), a.max)
		f.Size = len(r.Result)
		s.answer(ctx, a, f)
	default:
		s.answer(ctx, a, &messages.CallResult{Result: r.Result, FrameID: a.frame, SessionID: a.shown})
	}
}

// codeSessionGone is the protocol's code for a session that is no more.
const codeSessionGone = -32001

// documentLeft reports whether a command was begun, and its end is not known
// because its document went away meanwhile.
func documentLeft(err *messages.ProtocolError) bool {
	return err.Message == "Inspected target navigated or closed" || err.Message == "Execution context was destroyed."
}

func protocolFailure(err *messages.ProtocolError, what string) *messages.Failure {
	switch {
	case err.Code == codeSessionGone:
		f := messages.Fail(messages.CodeSessionLost, "the session of %s is gone: its frame was removed, replaced or closed", what)
		f.MayHaveRun = true
		return f
	case err.Message == "Target crashed":
		return targetCrashed()
	}
	f := messages.Fail(messages.CodeCDPError, "the browser refuses %s: %s", what, clipText(err.Error(), 1024))
	if documentLeft(err) {
		f = messages.Fail(messages.CodeCDPError, "the document was left while %s ran, which may have had its effect: %s", what, clipText(err.Error(), 1024))
		f.MayHaveRun = true
	}
	f.CDPCode = err.Code
	return f
}

// answerRaw takes a raw Page.handleJavaScriptDialog for what it is.
func (s *supervisor) answerRaw(ctx actor.Context, a *openAsk, q *messages.CallRequest, page messages.TargetID) {
	accept, text, err := cdpwire.AnswerParams(q.Params)
	if err != nil {
		s.answer(ctx, a, invalid("Page.handleJavaScriptDialog: %v", err))
		return
	}
	in := policy.Ask{At: s.env.Clock.Now(), Ref: a.ref(), Action: messages.ActionDismiss, Accept: q.Accept}
	if accept {
		in.Action, in.Text = messages.ActionAccept, text
	}
	for _, d := range s.open {
		if d.Dialog.TargetID == page {
			in.Dialog = d.Dialog.ID
			break
		}
	}
	if in.Dialog == "" {
		s.fail(ctx, a, messages.CodeNoDialog, "no dialog is open in this page")
		return
	}
	a.stage = stageDialogs
	s.tell(in, ctx)
}

// closePage closes a page for an agent: what is open in it is dismissed first,
// because Chromium dies as a whole when a page closes under the dialog of a
// subframe.
func (s *supervisor) closePage(ctx actor.Context, a *openAsk, target messages.TargetID) {
	a.target = target
	if s.link.pages.Get(target) == nil {
		if _, ok := s.link.tree.Lookup(messages.FrameID(target)); ok {
			s.answer(ctx, a, partOfPage(a, string(target)))
			return
		}
		s.closeForeign(ctx, a, target)
		return
	}
	a.dialogs = slices.ContainsFunc(s.open, func(d messages.OpenDialog) bool { return d.Dialog.TargetID == target })
	s.dismissThen(ctx, a, target)
}

// partOfPage refuses to close an iframe: the browser would close the whole page,
// under whatever dialog is open in it.
func partOfPage(a *openAsk, id string) *messages.Failure {
	return invalid("%s closes a whole page, and %s is a frame in one; close the page by its own id, or remove the frame's element", a.method, clipText(id, 64))
}

// closeForeign closes a page that this task does not supervise, unless another
// task does: only that one knows of its dialogs, and the browser would die of
// the close under one.
func (s *supervisor) closeForeign(ctx actor.Context, a *openAsk, target messages.TargetID) {
	s.claimFor(ctx, a, func(a *openAsk, taken []messages.TargetID) {
		s.claimed(ctx, "")
		if slices.Contains(taken, target) {
			s.fail(ctx, a, messages.CodeDenied, "page %s belongs to another task; close it from there", clipText(string(target), 64))
			return
		}
		a.stage, a.sentAt = stageSent, s.env.Clock.Now()
		if s.link.infos.Get(target) != nil {
			s.send(ctx, "", a.ref(), messages.Raw{Name: closeTarget, Params: cdpwire.TargetParams(target)})
			return
		}
		// No page that is known: it may be a frame of one.
		n := a.n
		s.sendOwn(ctx, "", messages.GetTargetInfo{TargetID: target}, func(ctx actor.Context, r *messages.Reply) {
			a := s.rec.asks.open.Get(n)
			if a == nil || a.stage != stageSent {
				return
			}
			if body, ok := r.Body.(*messages.TargetInfoReply); ok && body.Info.Type == messages.TargetIframe {
				s.answer(ctx, a, partOfPage(a, string(target)))
				return
			}
			s.send(ctx, "", a.ref(), messages.Raw{Name: closeTarget, Params: cdpwire.TargetParams(target)})
		})
	})
}

// dismissThen dismisses the dialogs of a page, or of all, and goes on in
// settled.
func (s *supervisor) dismissThen(ctx actor.Context, a *openAsk, target messages.TargetID) {
	a.stage, a.target = stageSettling, target
	now := s.env.Clock.Now()
	s.tell(policy.DismissAll{
		At: now, Ref: a.ref(), Target: target, By: messages.ClosedByAgent, Reason: messages.ReasonTargetClosed,
		Until: now.Add(messages.SettleTimeout),
	}, ctx)
}

// settled goes on with what waited for dialogs to be dismissed.
func (s *supervisor) settled(ctx actor.Context, m *messages.DialogsSettled) {
	if m.Ref.Owner != messages.OwnerAsk {
		s.stopSettled(ctx, m.Left)
		return
	}
	a := s.rec.asks.open.Get(m.Ref.N)
	if a == nil || a.stage != stageSettling {
		return
	}
	if s.link == nil {
		s.fail(ctx, a, messages.CodeConnectionLost, "the connection was lost before the page could be closed")
		return
	}
	if a.class.Rewrite == messages.RewriteNavigate {
		s.navigateReleased(ctx, a)
		return
	}
	a.stage, a.sentAt = stageSent, s.env.Clock.Now()
	page := s.link.pages.Get(a.target)
	switch {
	case a.target == "":
		for id := range s.link.pages.All() {
			s.disablePage(ctx, id)
		}
		s.send(ctx, "", a.ref(), messages.Raw{Name: a.method})
	case a.method == (messages.ClosePage{}).Method() && !a.dialogs && (page == nil || page.poisoned == ""):
		// It may ask before it is left, and must then be seen to.
		e := s.link.pageSession(a.target)
		if e == nil {
			s.answer(ctx, a, s.noPage())
			return
		}
		a.session, a.actor = "", 0 // the page goes with its session: its reply may not come
		s.send(ctx, e.id, a.ref(), messages.Raw{Name: a.method})
	default:
		// A page that opens dialogs in a row opens the next one before it is
		// closed, and a poisoned one has one that nobody can answer.
		if page != nil && page.poisoned != "" || !s.leaving(a.target) {
			s.disablePage(ctx, a.target)
		}
		s.send(ctx, "", a.ref(), messages.Raw{Name: closeTarget, Params: cdpwire.TargetParams(a.target)})
	}
}

const closeTarget = "Target.closeTarget"

// disablePage takes the Page domain back on every session of a page: what
// makes it safe to close a page under a dialog.
func (s *supervisor) disablePage(ctx actor.Context, page messages.TargetID) {
	if s.stranded(page) {
		return // the browser would die of it, and a close of the page is safe
	}
	for _, id := range s.link.tree.Sessions(page, nil) {
		s.send(ctx, id, messages.Ref{}, messages.PageDisable{})
	}
}
