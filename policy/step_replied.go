package policy

import (
	"slices"
	"strings"

	"cdpsupervisor/messages"
)

// replied takes in the end of a command.
func (t *step) replied(in AnswerReplied) {
	d := t.s.find(in.Dialog)
	if d == nil {
		return
	}
	t.on = outcome(d, in)
	if d.cmd != nil && d.cmd.Gen == in.Gen {
		t.repliedNow(d, in)
		return
	}
	i := slices.IndexFunc(d.stale, func(a attempt) bool { return a.Gen == in.Gen && !a.lost })
	if i >= 0 {
		t.repliedLate(d, i, in.Lost)
	}
}

// repliedNow takes in the end of the command that is believed in.
func (t *step) repliedNow(d *dialog, in AnswerReplied) {
	switch {
	case t.on == onAccepted:
		t.conclude(d, d.ours(*d.cmd))
	case d.phase == phaseSettling && t.on == onRefused:
		t.conclude(d, d.theirs())
	case d.phase == phaseSettling:
		t.conclude(d, t.judge(d))
	case t.on == onRefused:
		t.refused(d)
	case t.on == onStranded:
		t.strand(d)
	default:
		t.reopen(d, in.Lost, func(v *messages.Dialog) *messages.Failure { return failReply(in, v) })
	}
}

// repliedLate takes in the end of the ith command that was given up.
func (t *step) repliedLate(d *dialog, i int, lost bool) {
	if t.on == onAccepted {
		t.conclude(d, d.ours(d.stale[i]))
		return
	}
	if lost {
		d.stale[i].lost = true // and nobody knows what it did
	} else {
		d.stale = slices.Delete(d.stale, i, i+1)
	}
	switch {
	case d.cmd != nil || d.awaitsReply():
		// A newer command's reply says more.
	case d.phase == phaseSettling && t.on == onRefused:
		t.conclude(d, d.theirs())
	case d.phase == phaseSettling:
		t.conclude(d, t.judge(d))
	case d.phase == phaseOpen && t.on == onRefused:
		t.refused(d)
	case d.phase == phaseOpen && t.on == onStranded:
		t.strand(d)
	}
}

// refused acts on "No dialog is showing" for a dialog that has not had its
// Closed.
func (t *step) refused(d *dialog) {
	if !d.foreign {
		t.conclude(d, d.theirs())
		return
	}
	t.wedge(d)
}

// strand acts on "Not attached to an active page": a navigation of the page
// waits for the renderer that the dialog blocks, and the page's session belongs
// to the document to come already. It waits until another navigation ends the
// dialog.
func (t *step) strand(d *dialog) {
	d.stranded = true
	t.wedge(d)
}

// stranded strands the dialogs of a page that nobody has tried to answer.
func (t *step) stranded(in Stranded) {
	for _, d := range t.meeting(onStranded, func(d *dialog) bool {
		return d.phase == phaseOpen && d.native() && d.shown.TargetID == in.Target
	}) {
		t.strand(d)
	}
}

// IsStranded reports whether an error, to an answer or to another command that
// the browser serves for the page, says that the page's session belongs to the
// document to come.
func IsStranded(err *messages.ProtocolError) bool {
	return err != nil && says(err, "not attached to an active page")
}

// wedge leaves a dialog open to which the browser takes no answer.
func (t *step) wedge(d *dialog) {
	t.reveal(d)
	d.cmd, d.stale = nil, nil
	t.become(d, phaseUnanswerable)
	t.disarm(d)
	t.note(NoteUnanswerable, d)
	t.failWaiters(d, d.failUnanswerable)
}

// reopen puts a dialog back among those that wait for an answer, with its
// watchdog.
func (t *step) reopen(d *dialog, lost bool, failure func(*messages.Dialog) *messages.Failure) {
	t.reveal(d)
	a := *d.cmd
	a.lost = lost
	d.cmd = nil
	if lost || t.on == onTimer {
		d.giveUp(a)
	}
	t.become(d, phaseOpen)
	at := d.deadline
	switch {
	case at.IsZero():
		at = t.at.Add(t.s.timeout)
	case !at.After(t.at):
		at = t.at.Add(retryAfter)
	}
	t.watch(d, at)
	v := d.show()
	t.emit(Note{Kind: NoteAnswerFailed, Dialog: v, Failure: failure(&v), By: a.By})
	t.failWaiters(d, failure)
}

func (t *step) failWaiters(d *dialog, failure func(*messages.Dialog) *messages.Failure) {
	for _, w := range d.waiters {
		v := d.show()
		t.answers = append(t.answers, Answer{Ref: w.ref, Failure: failure(&v)})
	}
	d.waiters = nil
}

// outcome sorts the ends of a command. The browser's words decide, not its
// code: browsers use different ones.
func outcome(d *dialog, in AnswerReplied) event {
	switch {
	case in.Lost:
		return onFailed
	case in.Err == nil:
		return onAccepted
	case d.over(in.Err):
		return onRefused
	case d.native() && IsStranded(in.Err):
		return onStranded
	}
	return onFailed
}

// over reports whether the error says that the dialog is no longer there.
func (d *dialog) over(err *messages.ProtocolError) bool {
	var words []string
	switch d.via.Kind() {
	case messages.ViaNative:
		words = []string{"no dialog is showing"}
	case messages.ViaXHR:
		words = []string{"invalid interceptionid", "fetch domain is not enabled"}
	case messages.ViaDebugger:
		words = []string{"can only perform operation while paused", "call frame", "debugger agent is not enabled"}
	}
	return slices.ContainsFunc(words, func(w string) bool { return says(err, w) })
}

func says(err *messages.ProtocolError, words string) bool {
	return strings.Contains(strings.ToLower(err.Message+"\n"+err.Data), words)
}

// send puts an answer on the wire.
func (t *step) send(d *dialog, sent Sent) {
	sent.Gen = t.s.generation()
	d.cmd = &attempt{Sent: sent}
	t.become(d, phaseAnswering)
	t.emit(t.command(d, sent))
	t.arm(d, t.at.Add(messages.AnswerTimeout))
	t.emit(Note{Kind: NoteAnswering, Dialog: d.show(), By: sent.By})
}

func (t *step) command(d *dialog, sent Sent) Send {
	return Send{
		Dialog: d.shown.ID, Gen: sent.Gen, Via: d.via, Accept: sent.Accept, Text: sent.Text,
		Type: d.shown.Type, Frame: d.shown.FrameID, Target: d.shown.TargetID,
	}
}
