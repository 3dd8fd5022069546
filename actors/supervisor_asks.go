package actors

import (
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
	"cdpsupervisor/policy"
)

// The calls that lead out of a page that does not answer.
const (
	wayNavigate = "browser_navigate to another URL, or browser_cdp Page.navigate"
	wayReload   = "browser_cdp Page.reload"
	wayClose    = "browser_cdp Target.closeTarget"
	wayAnswer   = "browser_dialog"
)

// asked takes a question from outside.
func (s *supervisor) asked(ctx actor.Context, q messages.Ask) {
	a := s.rec.asks.add(ctx.Sender(), q)
	if s.stop != nil || s.closing {
		s.answer(ctx, a, messages.Fail(messages.CodeStopped, "the task is stopping").Because(messages.ErrTaskStopped))
		return
	}
	if s.rec.asks.open.Len() > messages.MaxCalls {
		s.fail(ctx, a, messages.CodeDenied, "%d calls are in flight in this task already; wait for some to end", messages.MaxCalls)
		return
	}
	now := s.env.Clock.Now()
	switch q := q.(type) {
	case *messages.CallRequest:
		if f := checkCall(q); f != nil {
			s.answer(ctx, a, f)
			return
		}
		s.armAsk(ctx, a, messages.TimerAsk, orDefault(q.Timeout, messages.DefaultCallTimeout))
		s.route(ctx, a)
	case *messages.ResolveRequest:
		s.armAsk(ctx, a, messages.TimerAsk, orDefault(q.Timeout, messages.DefaultCallTimeout))
		s.route(ctx, a)
	case *messages.NavigateRequest:
		if f := CheckNavigate(q.URL); f != nil {
			s.answer(ctx, a, f)
			return
		}
		s.armAsk(ctx, a, messages.TimerAsk, orDefault(q.Timeout, messages.NavigateTimeout))
		s.route(ctx, a)
	case *messages.FocusRequest:
		s.armAsk(ctx, a, messages.TimerAsk, messages.StartTimeout)
		s.route(ctx, a)
	case *messages.DialogRequest:
		a.stage = stageDialogs
		s.armAsk(ctx, a, messages.TimerAsk, messages.AnswerTimeout+messages.SettleTimeout)
		s.tell(policy.Ask{At: now, Ref: a.ref(), Action: q.Action, Text: q.PromptText, Dialog: q.DialogID, Accept: q.Accept}, ctx)
	case *messages.PolicyRequest:
		s.setPolicy(ctx, a, q)
	case *messages.FramesRequest:
		s.frames(ctx, a, q)
	}
}

// orDefault is a timeout, where zero means the default.
func orDefault(timeout, otherwise time.Duration) time.Duration {
	if timeout <= 0 {
		return otherwise
	}
	return timeout
}

// checkCall is what a call must be before anything is looked up.
func checkCall(q *messages.CallRequest) *messages.Failure {
	domain, name, ok := strings.Cut(q.Method, ".")
	picked := 0
	for _, set := range []bool{q.FrameID != "", q.TargetID != "", q.Session != ""} {
		if set {
			picked++
		}
	}
	switch {
	case !ok || domain == "" || name == "" || len(q.Method) > messages.MaxIDBytes:
		return invalid("method %q is no CDP method; it looks like Domain.name, such as Runtime.evaluate", clipText(q.Method, 64))
	case picked > 1:
		return invalid("frame_id, target_id and a session exclude each other; give one")
	case q.MaxBytes < 0:
		return invalid("max_bytes %d is negative", q.MaxBytes)
	}
	return nil
}

func invalid(format string, args ...any) *messages.Failure {
	return messages.Fail(messages.CodeInvalidArgument, format, args...).Because(messages.ErrInvalid)
}

// route finds where a question goes, and sends it, or has it wait for the
// connection.
func (s *supervisor) route(ctx actor.Context, a *openAsk) {
	if s.link == nil || !s.link.open || !s.link.wasReady && !s.tabGone {
		if a.stage != stageWaiting {
			a.stage = stageWaiting
			s.armAsk(ctx, a, messages.TimerReady, messages.ReadyWait)
		}
		return
	}
	a.stage = stageNew
	switch q := a.ask.(type) {
	case *messages.CallRequest:
		s.call(ctx, a, q)
	case *messages.NavigateRequest:
		s.navigate(ctx, a, q)
	case *messages.FocusRequest:
		s.focus(ctx, a, q)
	case *messages.ResolveRequest:
		s.resolve(ctx, a, q)
	}
}

// place is where a call runs.
type place struct {
	entry   *sessionEntry // nil: the root session
	context messages.FrameID
	frame   messages.FrameID
	shown   messages.SessionID
	url     string
	origin  string
	loader  messages.LoaderID
}

// find is the one place where a session is chosen.
func (s *supervisor) find(frame messages.FrameID, target messages.TargetID, session messages.SessionID, method string, sameProcess bool) (place, *messages.Failure) {
	l := s.link
	if frame == "" && target != "" {
		if e := l.pageSession(target); e != nil {
			return s.placeOf(e), nil
		}
		frame = messages.FrameID(target) // an iframe target's id is its frame's
	}
	if session != "" {
		e := l.sessions.Get(session)
		if e == nil {
			return place{}, messages.Fail(messages.CodeUnknownFrame, "no session %s in this task; look at frame_tree again", clipText(string(session), 64))
		}
		return s.placeOf(e), nil
	}
	if frame == "" {
		e := l.pageSession(s.page)
		if e == nil {
			return place{}, s.noPage()
		}
		return s.placeOf(e), nil
	}
	return s.placeOfFrame(frame, method, sameProcess)
}

func (s *supervisor) noPage() *messages.Failure {
	if s.tabGone {
		return messages.Fail(messages.CodeTabGone, "the task's tab is gone; browser_navigate opens a new one").Ways("browser_navigate")
	}
	return messages.Fail(messages.CodePageBlocked, "the task's page is not attached yet; try again in a moment")
}

func (s *supervisor) placeOf(e *sessionEntry) place {
	p := place{entry: e}
	if f, ok := s.link.tree.RootFrame(e.id); ok {
		p.url, p.origin, p.loader = f.URL, f.Origin, f.Loader
	}
	return p
}

func (s *supervisor) placeOfFrame(frame messages.FrameID, method string, sameProcess bool) (place, *messages.Failure) {
	f, ok := s.link.tree.Lookup(frame)
	if !ok {
		if s.link.pageSession(s.page) == nil {
			return place{}, s.noPage()
		}
		return place{}, messages.Fail(messages.CodeUnknownFrame, "no frame %s in this task; frames come and go, look at frame_tree again", clipText(string(frame), 64))
	}
	if f.State == messages.FrameSwapping {
		return place{}, messages.Fail(messages.CodeFrameSwapping, "frame %s is moving to another process; try again in a moment", frame)
	}
	p := place{frame: frame, url: f.URL, origin: f.Origin, loader: f.Loader, entry: s.link.sessions.Get(f.OwnerSession)}
	if p.entry == nil {
		return place{}, messages.Fail(messages.CodeFrameNotLoaded, "frame %s has no session yet; try again in a moment", frame)
	}
	if f.HasSession {
		if !f.Main {
			p.shown = f.Session
		}
		return p, nil
	}
	if sameProcess && (method == "Runtime.evaluate" || method == "Runtime.callFunctionOn") {
		p.context = frame
		return p, nil
	}
	fail := messages.Fail(messages.CodeNotOOPIF,
		"frame %s is a same-process frame and has no session of its own; reach it from the frame that owns it (%s) through its iframe element's contentWindow or contentDocument, or pass same_process: true with Runtime.evaluate",
		frame, f.OwnerFrame)
	fail.OwnerFrame = f.OwnerFrame
	return place{}, fail
}

func (s *supervisor) setPolicy(ctx actor.Context, a *openAsk, q *messages.PolicyRequest) {
	if !q.Policy.Valid() {
		s.answer(ctx, a, invalid("dialog policy %q is none of must_respond, auto_dismiss, auto_accept", clipText(string(q.Policy), 64)))
		return
	}
	if q.Timeout < 0 || q.Timeout > messages.MaxDialogTimeout {
		s.answer(ctx, a, invalid("dialog timeout %s is not from 0s to %s; 0s leaves it as it is", q.Timeout, messages.MaxDialogTimeout))
		return
	}
	if q.Timeout == 0 {
		q.Timeout = s.timeout
	}
	s.policy, s.timeout = q.Policy, q.Timeout
	s.touched = true
	s.tell(policy.SetPolicy{At: s.env.Clock.Now(), Policy: q.Policy, Timeout: q.Timeout}, ctx)
	s.answer(ctx, a, &messages.PolicyResult{Policy: q.Policy, Timeout: q.Timeout})
}

// resolve tells a guard which frame a call would reach.
func (s *supervisor) resolve(ctx actor.Context, a *openAsk, q *messages.ResolveRequest) {
	// A same-process frame is found here too: what it may be used for is
	// checked when the call comes.
	p, f := s.find(q.FrameID, q.TargetID, q.Session, "Runtime.evaluate", true)
	if f != nil {
		s.answer(ctx, a, f)
		return
	}
	if p.url == "" && p.frame == "" {
		p.url = s.infoURL(p.entry.page)
	}
	s.answer(ctx, a, &messages.ResolveResult{FrameID: p.frame, URL: p.url, Origin: p.origin, LoaderID: p.loader})
}

func (s *supervisor) frames(ctx actor.Context, a *openAsk, q *messages.FramesRequest) {
	target := q.TargetID
	if target == "" {
		target = s.page
	}
	var tree *messages.FrameTree
	if s.link != nil {
		tree = s.link.tree.FullView(target, true)
	}
	if tree == nil {
		s.fail(ctx, a, messages.CodeUnknownFrame, "no frame tree is known for page %q", clipText(string(target), 64))
		return
	}
	s.answer(ctx, a, &messages.FramesResult{Tree: tree})
}
