package actors

import (
	"maps"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/bridge"
	"cdpsupervisor/messages"
	"cdpsupervisor/policy"
)

// dialogsActor is the thin shell around [policy.Step]: it sends what the
// machine wants sent, arms its timers, and publishes its part. It survives
// connections, and takes up the open dialogs again after a panic.
type dialogsActor struct {
	env      *Env
	rec      *Record
	snapshot *actor.PID

	machine *policy.State
	timers  map[messages.DialogID]messages.Timer
	saved   savedDialogs
	effects []policy.Effect // reused
}

// sentAnswers are the commands on the wire, by the number of their Ref. They are
// the record's, so that a reply finds the next incarnation, too, and no number is
// given twice.
type sentAnswers struct {
	last uint64
	open map[uint64]sentAnswer
}

// maxSentAnswers is how many commands of the dialogs actor are remembered until
// they are replied to. A reply that is further behind is to a dialog of long ago.
const maxSentAnswers = 1_024

// sentAnswer is a command on the wire.
type sentAnswer struct {
	session messages.SessionID
	dialog  messages.DialogID
	gen     uint64
}

// savedDialogs is what the next incarnation starts from.
type savedDialogs struct {
	policy.Saved
	pending []messages.Dialog
	used    policy.Counters
	policy  messages.Policy
	timeout time.Duration
}

// dialogReply is the end of a command of the dialogs actor.
type dialogReply struct {
	n       uint64
	err     *messages.ProtocolError
	lost    bool
	retried bool // it made an incarnation panic already
}

// dialogInput is one input of the machine.
type dialogInput struct {
	policy.Input
	retried bool // it made an incarnation panic already
}

// IgnoreDeadLetterLogging keeps page text out of the log of dead letters.
func (*dialogInput) IgnoreDeadLetterLogging() {}

// republish asks an owner to publish its part again.
type republish struct{}

// Receive steps the machine by one input.
func (d *dialogsActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		d.begin(ctx)
		// Before anything that came after it; should it panic again, it is not
		// kept a second time.
		switch lost := d.rec.lostInput.Swap(nil); {
		case lost == nil:
		case lost.input != nil:
			d.input(ctx, lost.input)
		case lost.reply != nil:
			d.replied(ctx, lost.reply)
		}
	case *dialogInput:
		d.input(ctx, m)
	case *dialogReply:
		d.replied(ctx, m)
	case *republish:
		ctx.Send(d.snapshot, &messages.DialogsPart{Pending: d.saved.pending, Recent: d.saved.Recent})
	case *actor.Stopping, *actor.Restarting:
		for _, t := range d.timers {
			t.Stop()
		}
	}
}

func (d *dialogsActor) input(ctx actor.Context, m *dialogInput) {
	// What was on the wire of what is gone is never answered.
	sent := d.rec.sent.open
	if _, over := m.Input.(policy.EpochEnded); over {
		clear(sent)
	}
	if in, gone := m.Input.(policy.SessionGone); gone && in.Reason == "" { // else it is only its renderer, or the dialog
		maps.DeleteFunc(sent, func(_ uint64, a sentAnswer) bool { return a.session == in.Session })
	}
	d.step(ctx, m.Input)
}

// replied takes the end of a command, which is forgotten only when that is done:
// the next incarnation may have to take it again.
func (d *dialogsActor) replied(ctx actor.Context, m *dialogReply) {
	if s, ok := d.rec.sent.open[m.n]; ok {
		d.step(ctx, policy.AnswerReplied{At: d.env.Clock.Now(), Dialog: s.dialog, Gen: s.gen, Err: m.err, Lost: m.lost})
		delete(d.rec.sent.open, m.n)
	}
}

func (d *dialogsActor) begin(ctx actor.Context) {
	d.timers = make(map[messages.DialogID]messages.Timer)
	if d.rec.sent.open == nil {
		d.rec.sent.open = make(map[uint64]sentAnswer)
	}
	cfg := policy.Config{Policy: d.rec.Options.Policy, Timeout: d.rec.Options.DialogTimeout, OnStop: d.rec.Options.OnStop}
	saved := d.rec.open.Load()
	if saved == nil {
		cfg.Start.Dialogs = d.rec.Dialogs.Load()
		d.machine = policy.New(cfg)
		d.saved.pending, d.saved.Recent = []messages.Dialog{}, []messages.DialogRecord{}
		return
	}
	d.saved = *saved
	cfg.Start, cfg.Policy, cfg.Timeout = saved.used, saved.policy, saved.timeout
	machine, effects := policy.Rebuild(cfg, saved.Saved, d.env.Clock.Now(), nil)
	d.machine = machine
	d.perform(ctx, effects)
}

func (d *dialogsActor) step(ctx actor.Context, in policy.Input) {
	d.perform(ctx, policy.Step(d.machine, in, d.effects[:0]))
}

// perform does what the machine asks for, in its order: what goes to the wire
// first, then what is shown, then who is answered.
func (d *dialogsActor) perform(ctx actor.Context, effects []policy.Effect) {
	d.effects = effects
	var part *messages.DialogsPart
	var answers []messages.Answer
	var settled []policy.Settled
	for _, e := range effects {
		switch e := e.(type) {
		case policy.Send:
			d.send(ctx, e)
		case policy.Arm:
			d.arm(ctx, e)
		case policy.Disarm:
			d.disarm(e.Dialog)
		case policy.SetWill:
			session, commands := will(e.Via)
			ctx.Send(ctx.Parent(), &messages.WillChanged{Dialog: e.Dialog, Session: session, Commands: commands})
		case policy.ClearWill:
			ctx.Send(ctx.Parent(), &messages.WillChanged{Dialog: e.Dialog})
		case policy.OpenChanged:
			d.saved.Open = e.Open
			ctx.Send(ctx.Parent(), &messages.DialogsOpen{Open: blockers(e.Open)})
		case policy.Publish:
			d.saved.pending, d.saved.Recent, d.saved.Overflow = e.Pending, e.Recent, e.Overflow
			part = &messages.DialogsPart{Pending: e.Pending, Recent: e.Recent}
		case policy.Answer:
			answers = append(answers, answerOf(e))
		case policy.Settled:
			settled = append(settled, e)
		case policy.Poisoned:
			ctx.Send(ctx.Parent(), &messages.TargetPoisoned{TargetID: e.Target, FrameID: e.Frame, Reason: e.Reason})
		case policy.AutoDismissed:
			ctx.Send(ctx.Parent(), &messages.RemoteClosed{TargetID: e.Target, Session: e.Session, After: e.After, Auto: !e.NavigationInFlight, InARow: e.InARow})
		case policy.Note:
			d.note(ctx, e)
		}
	}
	d.save(len(effects) > 0)
	switch {
	case part != nil:
		part.Answers = answers
		ctx.Send(d.snapshot, part)
	case len(answers) > 0:
		ctx.Send(d.snapshot, &messages.Answered{Answers: answers})
	}
	for _, e := range settled {
		ctx.Send(ctx.Parent(), &messages.DialogsSettled{Ref: e.Ref, Left: e.Left})
	}
}

// save keeps what a next incarnation needs, if it is not what is kept. The
// counters are in it, so that no id is given twice.
func (d *dialogsActor) save(changed bool) {
	used := d.machine.Counters()
	policy, timeout := d.machine.Policy()
	if !changed && used == d.saved.used && policy == d.saved.policy && timeout == d.saved.timeout {
		return // what frames do while no dialog is open
	}
	d.saved.used, d.saved.policy, d.saved.timeout = used, policy, timeout
	saved := d.saved
	d.rec.open.Store(&saved)
	d.rec.Dialogs.Store(d.saved.used.Dialogs)
}

func (d *dialogsActor) send(ctx actor.Context, e policy.Send) {
	sent := &d.rec.sent
	sent.last++
	session, commands := answerCommands(e)
	sent.open[sent.last] = sentAnswer{session, e.Dialog, e.Gen}
	if sent.last > maxSentAnswers {
		delete(sent.open, sent.last-maxSentAnswers)
	}
	for i, cmd := range commands {
		var ref messages.Ref
		if i == 0 {
			ref = messages.Ref{Owner: messages.OwnerDialogs, N: sent.last}
		}
		ctx.Send(ctx.Parent(), &messages.Outgoing{Session: session, Ref: ref, Command: cmd})
	}
}

func (d *dialogsActor) arm(ctx actor.Context, e policy.Arm) {
	d.disarm(e.Dialog)
	system, self, clock := d.env.System, ctx.Self(), d.env.Clock
	d.timers[e.Dialog] = clock.AfterFunc(e.At.Sub(clock.Now()), func() {
		Tell(system, self, &dialogInput{Input: policy.Timer{At: clock.Now(), Dialog: e.Dialog, Gen: e.Gen}})
	})
}

func (d *dialogsActor) disarm(id messages.DialogID) {
	if t := d.timers[id]; t != nil {
		t.Stop()
		delete(d.timers, id)
	}
}

// answerCommands words an answer for the way in which its dialog came.
func answerCommands(e policy.Send) (messages.SessionID, []messages.Command) {
	switch v := e.Via.(type) {
	case messages.NativeVia:
		return v.Session, []messages.Command{messages.HandleDialog{Accept: e.Accept, Text: e.Text}}
	case messages.XHRVia, messages.DebuggerVia:
		return bridge.Answer(v, e.Accept, e.Text)
	}
	return "", nil
}

// will is what the socket writes for a dialog that is open when it ends.
func will(via messages.Via) (messages.SessionID, []messages.Command) {
	switch v := via.(type) {
	case messages.NativeVia:
		return v.Session, []messages.Command{messages.HandleDialog{}}
	case messages.XHRVia, messages.DebuggerVia:
		return bridge.Answer(v, false, "")
	}
	return "", nil
}

func answerOf(e policy.Answer) messages.Answer {
	if e.Failure != nil {
		return messages.Answer{Ref: e.Ref, Result: e.Failure}
	}
	return messages.Answer{Ref: e.Ref, Result: &messages.DialogResult{
		Action: e.Result.Action, Record: e.Result.Record, Note: e.Result.Note,
	}}
}

func blockers(open []policy.OpenDialog) []messages.OpenDialog {
	out := make([]messages.OpenDialog, 0, len(open))
	for _, o := range open {
		b := messages.OpenDialog{Dialog: o.Dialog, Session: o.Session, Via: o.Via, Unanswerable: o.Unanswerable, Stranded: o.Stranded}
		if o.Sent != nil {
			b.SentBy = o.Sent.By
		}
		out = append(out, b)
	}
	return out
}

// note turns the machine's facts into the engine's events.
func (d *dialogsActor) note(ctx actor.Context, n policy.Note) {
	var ev messages.EngineEvent
	switch n.Kind {
	case policy.NoteOpened:
		ev = &messages.DialogOpenedEvent{Task: d.rec.ID, Dialog: n.Dialog}
	case policy.NoteClosed:
		ev = &messages.DialogEndedEvent{Task: d.rec.ID, Record: *n.Record}
		if n.Record.Reason == messages.ReasonAnsweredElsewhere {
			ctx.Send(ctx.Parent(), &messages.RemoteClosed{TargetID: n.Record.TargetID})
		}
	case policy.NoteWatchdog:
		ev = d.remark("warn", n, "nobody answered in time; it is being dismissed")
	case policy.NoteAnswerFailed:
		ev = d.remark("warn", n, "the answer failed; it is open again")
	case policy.NoteUnanswerable:
		ev = d.remark("warn", n, "the browser takes no answer to it; navigate the page")
	case policy.NoteOverflow:
		ev = d.remark("warn", n, "too many dialogs are open; it is dismissed at once")
	default:
		return
	}
	ctx.Send(ctx.Parent(), &messages.Note{Event: ev})
}

func (d *dialogsActor) remark(level string, n policy.Note, text string) messages.EngineEvent {
	return &messages.NoteEvent{Task: d.rec.ID, Severity: level, Message: "dialog " + string(n.Dialog.ID) + ": " + text, Dialog: n.Dialog.ID}
}
