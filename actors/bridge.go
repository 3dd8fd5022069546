package actors

import (
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/bridge"
	"cdpsupervisor/messages"
	"cdpsupervisor/policy"
)

// commitWait is how long a question waits for the commit of a navigation that
// has begun in its frame: the two come by different ways, and a question of the
// new document must not end with the old one.
const commitWait = 250 * time.Millisecond

// bridging is the dialog bridge of one connection.
type bridging struct {
	machine *bridge.State
	shown   messages.BridgeState
	trouble string
	early   []earlyQuestion
	gen     uint64                        // of the timer of the early questions
	stopped map[messages.SessionID]string // the call frame in which its script stands
	left    int                           // commands of the restoration without a reply
	canary  canaryTab
}

// earlyQuestion waits for its document's commit.
type earlyQuestion struct {
	question bridge.Question
	page     messages.TargetID
	frame    messages.FrameID
	at       time.Time
}

// beginBridge makes the bridge of a connection.
func (s *supervisor) beginBridge() {
	if s.rec.mark == "" {
		s.rec.mark = s.env.Secret()
	}
	opts := s.rec.Options
	s.link.bridging = &bridging{
		stopped: make(map[messages.SessionID]string),
		machine: bridge.New(bridge.Config{
			Mode: opts.Bridge, Transport: opts.BridgeTransport, KeepCSP: opts.KeepCSP, Hint: s.link.bridge,
			Detected: s.rec.bridged, Mark: s.rec.mark, Secret: s.env.Secret,
		}),
	}
}

// bridgeInstall is what a session's set-up adds for the dialog bridge.
func (s *supervisor) bridgeInstall(ctx actor.Context, session messages.SessionID) []messages.Command {
	b := s.link.bridging
	if b == nil {
		return nil
	}
	var commands []messages.Command
	for _, e := range bridge.Step(b.machine, bridge.Attached{Session: session}, nil) {
		if send, ok := e.(bridge.Send); ok {
			commands = append(commands, send.Command)
			continue
		}
		s.bridgeEffect(ctx, e)
	}
	return commands
}

// bridgeStep steps the bridge of the connection, if there is one.
func (s *supervisor) bridgeStep(ctx actor.Context, in bridge.Input) {
	if s.link == nil || s.link.bridging == nil {
		return
	}
	b := s.link.bridging
	for _, e := range bridge.Step(b.machine, in, nil) {
		s.bridgeEffect(ctx, e)
	}
	_, created := in.(bridge.ContextCreated)
	_, gone := in.(bridge.ContextGone)
	if created || gone {
		return // frequent, and not shown
	}
	if !b.machine.On() && b.shown.State == "off" {
		return // it was off and shows nothing
	}
	if shown, trouble := b.machine.Show(), b.machine.Trouble(); shown != b.shown || trouble != b.trouble {
		b.shown, b.trouble = shown, trouble
		s.touched = true
	}
}

func (s *supervisor) bridgeEffect(ctx actor.Context, e bridge.Effect) {
	switch e := e.(type) {
	case bridge.Send:
		if !e.Await {
			s.send(ctx, e.Session, messages.Ref{}, e.Command)
			return
		}
		s.sendOwn(ctx, e.Session, e.Command, func(ctx actor.Context, r *messages.Reply) {
			s.bridgeReplied(ctx, e.Session, r)
			s.bridgeRestored(ctx)
		})
		if s.stop != nil {
			s.link.bridging.left++
		}
	case bridge.Asked:
		s.bridgeAsked(ctx, e.Question)
	case bridge.TurnedOn:
		s.rec.bridged = true
		s.beginCanary(ctx)
	case bridge.Note:
		s.note(ctx, &messages.NoteEvent{Task: s.rec.ID, Severity: e.Severity, Message: e.Message})
	}
}

// bridgeReplied takes the reply to a command of the bridge.
func (s *supervisor) bridgeReplied(ctx actor.Context, session messages.SessionID, r *messages.Reply) {
	in := bridge.Replied{Session: session, Method: r.Method, Err: r.Err}
	switch body := r.Body.(type) {
	case *messages.ScriptReply:
		in.Script = body.Identifier
	case *messages.EvaluateReply:
		if !body.Exception {
			in.Value = body.Value
		}
	}
	s.bridgeStep(ctx, in)
}

// bridgeEvent takes the events that the bridge lives on. What is paused and
// nobody's goes on.
func (s *supervisor) bridgeEvent(ctx actor.Context, ev *messages.Event) {
	b := s.link.bridging
	switch body := ev.Body.(type) {
	case *messages.RequestPaused:
		s.bridgeStep(ctx, bridge.Paused{Session: ev.Session, Request: body})
	case *messages.DebuggerPaused:
		if s.link.sessions.Has(ev.Session) { // nobody would tell of the end of another
			b.stopped[ev.Session] = body.CallFrameID
		}
		s.bridgeStep(ctx, bridge.Broke{Session: ev.Session, Event: body})
	case *messages.DebuggerResumed:
		delete(b.stopped, ev.Session)
		s.resumedElsewhere(ctx, ev)
	}
}

// bridgeContext tells the bridge which frame a context belongs to.
func (s *supervisor) bridgeContext(ctx actor.Context, ev *messages.Event) {
	if s.rec.Options.Bridge == messages.BridgeOff {
		return
	}
	switch body := ev.Body.(type) {
	case *messages.ContextCreated:
		if body.IsDefault {
			s.bridgeStep(ctx, bridge.ContextCreated{Session: ev.Session, Context: body.ID, Frame: body.FrameID, Origin: body.Origin})
		}
	case *messages.ContextDestroyed:
		s.bridgeStep(ctx, bridge.ContextGone{Session: ev.Session, Context: body.ID})
	case *messages.ContextsCleared:
		s.bridgeStep(ctx, bridge.ContextGone{Session: ev.Session})
	}
}

// bridgeNative tells the bridge of a dialog that went past it, and reports
// whether it is one that the script only tries.
func (s *supervisor) bridgeNative(ctx actor.Context, session messages.SessionID, body *messages.DialogOpening) bool {
	if s.link.bridging == nil {
		return false
	}
	in := bridge.NativeOpened{Session: session, Type: body.Type, Frame: body.FrameID}
	f, known := s.link.tree.Lookup(body.FrameID)
	if known {
		in.Session, in.Parent = f.OwnerSession, f.Parent
	}
	tries := s.link.bridging.machine.Tries(in)
	if leaves := known && !(&bridge.Question{URL: body.URL}).From(f.URL); leaves && !tries {
		return false // of a document that has been replaced: it says nothing of the new one
	}
	s.bridgeStep(ctx, in)
	return tries
}

// bridgeAsked makes a dialog of a question, at once or after the commit of its
// document.
func (s *supervisor) bridgeAsked(ctx actor.Context, q bridge.Question) {
	early := earlyQuestion{question: q, page: s.pageOf(q.Session), frame: q.Frame, at: s.env.Clock.Now()}
	delivered := q.Session
	if via, ok := q.Via.(messages.XHRVia); ok {
		delivered = via.Session
	}
	if q.Frame == "" || delivered != q.Session {
		// A popup asks through its opener, in the name of the opener's frame.
		early.frame = ""
		if f, ok := s.link.tree.RootFrame(q.Session); ok {
			early.frame = f.Frame
		}
	}
	since, navigating := s.link.navigation[early.page][early.frame]
	if navigating && early.at.Sub(since) < navigationForgotten && len(s.link.bridging.early) < messages.MaxPendingDialogs {
		b := s.link.bridging
		b.early = append(b.early, early)
		b.gen++
		s.after(ctx, messages.TimerBridge, b.gen, commitWait)
		return
	}
	s.bridgeOpened(ctx, early)
}

func (s *supervisor) bridgeOpened(ctx actor.Context, e earlyQuestion) {
	q := e.question
	in := policy.Opened{
		At: e.at, Session: q.Session, Target: e.page, Frame: e.frame, Type: q.Type, Message: q.Message,
		DefaultPrompt: q.DefaultPrompt, URL: q.URL, Origin: q.Origin, Truncated: q.Truncated, Via: q.Via,
		NavigationInFlight: s.link.navigating(e.page, e.at),
	}
	if via, ok := q.Via.(messages.XHRVia); ok {
		in.Session = via.Session // with which the request ends
	}
	if f, ok := s.link.tree.Lookup(e.frame); ok {
		in.TopFrame = f.Main
		if in.Origin == "" {
			in.Origin = f.Origin
		}
	}
	if in.Origin == "" {
		in.Origin = messages.OriginOf(q.URL)
	}
	s.tell(in, ctx)
}

// bridgeCommitted lets the questions of a frame's new document through. Those of
// another went with theirs.
func (s *supervisor) bridgeCommitted(ctx actor.Context, session messages.SessionID, frame messages.FrameID) {
	if root, ok := s.link.tree.RootFrame(session); ok && root.Frame == frame && s.link.bridging != nil {
		delete(s.link.bridging.stopped, session) // the commit has let it go, which no event tells
	}
	url := ""
	if f, ok := s.link.tree.Lookup(frame); ok {
		url = f.URL
	}
	s.letThrough(ctx, func(e earlyQuestion) bool { return e.frame == frame }, func(e earlyQuestion) bool { return e.question.From(url) })
}

// bridgeTimer lets everything through: what has not been committed by now
// belongs to the old document.
func (s *supervisor) bridgeTimer(ctx actor.Context, gen uint64) {
	b := s.link.bridging
	switch {
	case gen == canaryTimer:
		s.endCanary(ctx)
	case gen == b.gen:
		every := func(earlyQuestion) bool { return true }
		s.letThrough(ctx, every, every)
	}
}

// letThrough ends the wait of some questions. One that does not hold is
// released, and one whose session is over has ended with it.
func (s *supervisor) letThrough(ctx actor.Context, which, holds func(earlyQuestion) bool) {
	b := s.link.bridging
	waiting := b.early
	b.early = nil
	for _, e := range waiting {
		session, release := bridge.Release(e.question.Via)
		switch {
		case !which(e):
			b.early = append(b.early, e)
		case s.link.sessions.Get(session) == nil:
		case holds(e):
			s.bridgeOpened(ctx, e)
		default:
			for _, cmd := range release {
				s.send(ctx, session, messages.Ref{}, cmd)
			}
		}
	}
}

// bridgeOver lets go of questions whose dialogs are over: a document that still
// lives and got no answer shows its native dialog then. A request that was
// answered has gone already, a script in the debugger has not.
func (s *supervisor) bridgeOver(ctx actor.Context, before []messages.OpenDialog) {
	for _, d := range before {
		via, debugged := d.Via.(messages.DebuggerVia)
		if d.SentBy != "" && !debugged || !bridged(d) || slices.ContainsFunc(s.open, func(o messages.OpenDialog) bool { return o.Via == d.Via }) {
			continue
		}
		if debugged && (s.link.bridging == nil || s.link.bridging.stopped[via.Session] != via.CallFrame) {
			continue // it goes on already, and another may stand there
		}
		session, commands := bridge.Release(d.Via)
		for _, cmd := range commands {
			s.send(ctx, session, messages.Ref{}, cmd)
		}
	}
}

func bridged(d messages.OpenDialog) bool { return d.Via != nil && d.Via.Kind() != messages.ViaNative }

// resumedElsewhere ends a dialog whose script another debugger let go on.
func (s *supervisor) resumedElsewhere(ctx actor.Context, ev *messages.Event) {
	ended := false
	for _, d := range s.open {
		via, ok := d.Via.(messages.DebuggerVia)
		if d.Session == ev.Session && !ok {
			return // a native one of the page's, which goes on
		}
		ended = ended || ok && via.Session == ev.Session && d.SentBy == ""
	}
	if ended {
		s.tell(policy.SessionGone{At: ev.At, Session: ev.Session, Reason: messages.ReasonAnsweredElsewhere}, ctx)
	}
}

// bridgeHolds reports whether a question of a page waits for its answer. A
// navigation of the page would wait for it too.
func (s *supervisor) bridgeHolds(page messages.TargetID) bool {
	return slices.ContainsFunc(s.open, func(d messages.OpenDialog) bool { return d.Dialog.TargetID == page && bridged(d) })
}

// releaseThen dismisses what the bridge holds in a page, and goes on in
// navigateReleased.
func (s *supervisor) releaseThen(ctx actor.Context, a *openAsk, page messages.TargetID) {
	a.stage, a.target = stageSettling, page
	// Not beyond that: the next dialog may be the new document's.
	s.tell(policy.DismissAll{
		At: s.env.Clock.Now(), Ref: a.ref(), Target: page, BridgeOnly: true,
		By: messages.ClosedByRemote, Reason: messages.ReasonNavigation,
	}, ctx)
}

// navigateReleased sends the navigation that waited.
func (s *supervisor) navigateReleased(ctx actor.Context, a *openAsk) {
	q, ok := a.ask.(*messages.CallRequest)
	if !ok {
		return
	}
	p, f := s.find(q.FrameID, q.TargetID, q.Session, q.Method, q.SameProcess)
	if f != nil {
		s.answer(ctx, a, f)
		return
	}
	s.sendCall(ctx, a, q, p)
}

// bridgeRestore puts everything back, and reports whether there is something
// to wait for.
func (s *supervisor) bridgeRestore(ctx actor.Context) bool {
	if s.link == nil || !s.link.open || s.link.bridging == nil {
		return false
	}
	s.endCanary(ctx)
	s.bridgeStep(ctx, bridge.Stopped{})
	return s.link.bridging.left > 0
}

// bridgeRestored counts what the restoration waits for.
func (s *supervisor) bridgeRestored(ctx actor.Context) {
	if s.stop == nil || s.link == nil || s.link.bridging.left == 0 {
		return
	}
	s.link.bridging.left--
	if s.link.bridging.left == 0 && s.stop.stage == stopRestoring {
		s.stopStep(ctx)
	}
}

// bridgeTrouble is what of the bridge degrades the task, or "".
func (s *supervisor) bridgeTrouble() string {
	if s.link == nil || s.link.bridging == nil {
		return ""
	}
	return s.link.bridging.machine.Trouble()
}

// bridgeShown is the state of the bridge, or nil where it is not in use.
func (s *supervisor) bridgeShown() *messages.BridgeState {
	if s.link == nil || s.link.bridging == nil || !s.link.bridging.machine.On() {
		return nil
	}
	shown := s.link.bridging.machine.Show()
	return &shown
}
