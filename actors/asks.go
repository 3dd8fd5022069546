package actors

import (
	"cmp"
	"slices"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
)

// askTable holds the open questions from outside. It belongs to the task's
// record, so that a supervisor that is restarted still answers every one,
// exactly once.
type askTable struct {
	last uint64
	open messages.Few[uint64, *openAsk]
}

// openAsk is one question, and how far it has come.
type openAsk struct {
	n      uint64
	sender *actor.PID // nil when nobody waits
	ask    messages.Ask
	stage  askStage
	result messages.Result // once it is known

	method  string
	class   messages.MethodClass
	session messages.SessionID // where it was sent
	actor   uint32             // number of that session; 0 is the root session
	target  messages.TargetID  // the page that it is about
	frame   messages.FrameID   // for the result of a call by frame
	shown   messages.SessionID // likewise
	sentAt  time.Time
	max     int

	loader   messages.LoaderID // the document that a navigation waits for
	dialogs  bool              // some were open in the page that is to be closed
	unloaded bool              // a beforeunload dialog opened meanwhile
	timers   []messages.Timer
	limit    time.Duration // what it may take in all
}

// askStage is how far a question has come.
type askStage uint8

const (
	stageNew      askStage = iota
	stageWaiting           // for a connection
	stageSettling          // for open dialogs to be dismissed
	stageOpening           // a tab is being opened
	stageSent              // on the wire
	stageCommit            // for a navigation to commit
	stageDialogs           // the dialogs actor has it
	stageClaiming          // the registry has it
	stageAnswered          // the answer is on its way through the snapshot
)

func (t *askTable) add(sender *actor.PID, ask messages.Ask) *openAsk {
	t.last++
	a := &openAsk{n: t.last, sender: sender, ask: ask}
	t.open.Set(a.n, a)
	return a
}

// ref is the name under which the answer comes back.
func (a *openAsk) ref() messages.Ref { return messages.Ref{Owner: messages.OwnerAsk, N: a.n} }

// onWire reports whether the browser may already be at work on it.
func (a *openAsk) onWire() bool { return a.stage == stageSent || a.stage == stageCommit }

// pending returns the questions that are not answered, oldest first.
func (t *askTable) pending() []*openAsk {
	if t.open.Len() == 0 {
		return nil
	}
	out := make([]*openAsk, 0, t.open.Len())
	for _, a := range t.open.All() {
		if a.stage != stageAnswered {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b *openAsk) int { return cmp.Compare(a.n, b.n) })
	return out
}

// answer gives a question its result; it is sent off when what came before
// has been published.
func (s *supervisor) answer(ctx actor.Context, a *openAsk, result messages.Result) {
	if a == nil || a.stage == stageAnswered {
		return
	}
	a.stage, a.result = stageAnswered, result
	a.stopTimers()
	s.answers = append(s.answers, messages.Answer{Ref: a.ref(), Result: result})
}

func (a *openAsk) stopTimers() {
	for _, t := range a.timers {
		t.Stop()
	}
	a.timers = nil
}

// fail answers with a failure.
func (s *supervisor) fail(ctx actor.Context, a *openAsk, code messages.Code, format string, args ...any) {
	s.answer(ctx, a, messages.Fail(code, format, args...))
}

// deliver is the last step of an answer: the snapshot that shows its effect
// is stored, so whoever waits may hear.
func (s *supervisor) deliver(ctx actor.Context, answers []messages.Answer) {
	for _, ans := range answers {
		if ans.Ref.Owner != messages.OwnerAsk {
			s.finalEcho(ctx, ans.Ref)
			continue
		}
		a := s.rec.asks.open.Get(ans.Ref.N)
		if a == nil {
			continue
		}
		a.stopTimers()
		s.rec.asks.open.Delete(ans.Ref.N)
		result := ans.Result
		if _, raw := a.ask.(*messages.CallRequest); raw {
			if _, ok := result.(*messages.DialogResult); ok {
				// A raw Page.handleJavaScriptDialog hears what the browser says.
				result = &messages.CallResult{Result: []byte("{}"), FrameID: a.frame, SessionID: a.shown}
			}
		}
		if a.sender != nil {
			Tell(s.env.System, a.sender, result)
		}
	}
}

// failAll answers every question that is open; keep says which may wait on.
func (s *supervisor) failAll(ctx actor.Context, keep func(*openAsk) bool, f func(*openAsk) *messages.Failure) {
	for _, a := range s.rec.asks.pending() {
		if keep == nil || !keep(a) {
			s.answer(ctx, a, f(a))
		}
	}
}

// armAsk starts a timer of a question.
func (s *supervisor) armAsk(ctx actor.Context, a *openAsk, kind messages.SupervisorTimer, after time.Duration) {
	system, self := s.env.System, ctx.Self()
	msg := &messages.TimerFired{Timer: kind, Gen: a.n}
	if kind == messages.TimerAsk {
		a.limit = after
	}
	a.timers = append(a.timers, s.env.Clock.AfterFunc(after, func() { Tell(system, self, msg) }))
}

// askTimer handles the three timers of a question.
func (s *supervisor) askTimer(ctx actor.Context, m *messages.TimerFired) {
	a := s.rec.asks.open.Get(m.Gen)
	if a == nil || a.stage == stageAnswered {
		return
	}
	switch m.Timer {
	case messages.TimerAsk:
		s.answer(ctx, a, s.timedOut(a))
	case messages.TimerReady:
		if a.stage == stageWaiting {
			s.fail(ctx, a, messages.CodeConnectionLost, "%s was not sent: the connection to the browser has not come back within %s", s.nameOf(a), messages.ReadyWait)
		}
	case messages.TimerJudged:
		if d := s.anyDialog(); d != nil && a.onWire() {
			s.answer(ctx, a, dialogOpened(d, a))
		}
	default: // the timers that are no question's
	}
}

// timedOut is how a question ends when its time is up.
func (s *supervisor) timedOut(a *openAsk) *messages.Failure {
	name, limit := s.nameOf(a), a.limit.Round(100*time.Millisecond)
	if a.stage == stageWaiting {
		return messages.Fail(messages.CodeTimeout,
			"%s was not sent within %s: the connection to the browser or the page is not ready; look at browser_snapshot", name, limit)
	}
	way := "look at browser_snapshot"
	if _, ok := a.ask.(*messages.CallRequest); ok {
		way += ", or give the call a longer timeout"
	}
	f := messages.Fail(messages.CodeTimeout, "%s got no answer from the browser within %s; the page's script may be busy: %s", name, limit, way)
	f.MayHaveRun = a.onWire()
	return f
}

func (s *supervisor) nameOf(a *openAsk) string {
	switch q := a.ask.(type) {
	case *messages.CallRequest:
		return clipText(q.Method, 64)
	case *messages.NavigateRequest:
		return "the navigation"
	case *messages.FocusRequest:
		return "the change of page"
	case *messages.DialogRequest:
		return "the answer to the dialog"
	}
	return "the call"
}

func clipText(s string, limit int) string {
	s, _ = messages.Cut(s, limit)
	return s
}

// nameOfDialog is what errors call a dialog.
func nameOfDialog(d *messages.OpenDialog) string {
	article := "a "
	if d.Dialog.Type == messages.DialogAlert {
		article = "an "
	}
	return article + string(d.Dialog.Type) + " dialog (" + string(d.Dialog.ID) + ")"
}

// dialogOpened is how a call ends that a dialog keeps from being answered.
func dialogOpened(d *messages.OpenDialog, a *openAsk) *messages.Failure {
	f := messages.Fail(messages.CodeDialogOpened,
		"%s opened while the call ran and holds its answer back; answer the dialog with browser_dialog, then look at the page: the call may have had its effect",
		nameOfDialog(d)).With(&d.Dialog)
	f.MayHaveRun = true
	return f
}

// dialogOpen is how a call ends that is not even sent.
func dialogOpen(d *messages.OpenDialog) *messages.Failure {
	if d.Stranded {
		return messages.Fail(messages.CodeUnanswerable,
			"%s blocks this page, which has been navigated and waits for the dialog's end; the browser takes no answer to it, navigate the page once more", nameOfDialog(d)).
			With(&d.Dialog).Ways(wayNavigate)
	}
	if d.Unanswerable {
		return messages.Fail(messages.CodeUnanswerable,
			"%s blocks this page and the browser takes no answer to it; reload or navigate the page", nameOfDialog(d)).
			With(&d.Dialog).Ways(wayNavigate, wayReload)
	}
	return messages.Fail(messages.CodeDialogOpen,
		"%s is open and blocks this page; answer it with browser_dialog first, nothing was sent", nameOfDialog(d)).
		With(&d.Dialog)
}
