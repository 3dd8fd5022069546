package policy

import (
	"slices"
	"time"

	"cdpsupervisor/messages"
)

// opened takes in a new dialog and decides at once what happens to it.
func (t *step) opened(in Opened) {
	d := newDialog(in)
	if t.duplicate(d) {
		return
	}
	t.s.used.Dialogs++
	d.n = t.s.used.Dialogs
	d.shown.ID = messages.NewDialogID(d.n)
	d.shown.Count = t.s.countOf(&d.shown)
	d.shown.Row = t.s.rowOf(&d.shown)

	if d.native() {
		// Closed comes before the next Opened of a session, so what has not
		// had it by now never will.
		t.s.stopAwaiting(in.Session)
	}
	wedged := t.supersede(d) && d.native()
	orphaned := d.native() && d.shown.FrameID != "" && slices.Contains(t.s.removed, d.shown.FrameID)
	if wedged || orphaned || len(t.s.live) >= maxDialogs {
		d.trial = false // it is more than a try
	}
	full := !d.trial && t.s.pendingCount() >= messages.MaxPendingDialogs
	if full {
		t.s.overflow++
		d.shorten(overflowTextBytes, overflowTextBytes)
	}
	t.on = onOpened
	if len(t.s.live) >= maxDialogs {
		t.dropOverflow(d, wedged)
		return
	}
	t.s.live = append(t.s.live, d)
	switch {
	case d.trial:
		t.tryOut(d)
	case orphaned:
		t.note(NoteOpened, d)
		t.orphan(d)
	case wedged:
		t.become(d, phaseUnanswerable)
		t.note(NoteOpened, d)
		t.note(NoteUnanswerable, d)
	default:
		t.note(NoteOpened, d)
		t.setWill(d)
		t.welcome(d, full)
	}
}

func newDialog(in Opened) *dialog {
	via := in.Via
	if via == nil {
		via = messages.NativeVia{Session: in.Session}
	}
	d := &dialog{session: in.Session, via: via, topFrame: in.TopFrame, trial: in.Trial && via.Kind() == messages.ViaNative, navInFlight: in.NavigationInFlight, openedAt: in.At}
	url, _ := messages.Cut(in.URL, messages.MaxURLBytes)
	origin, _ := messages.Cut(in.Origin, messages.MaxURLBytes)
	typ, _ := messages.Cut(string(in.Type), messages.MaxIDBytes)
	d.shown = messages.Dialog{
		Type: messages.DialogType(typ), Message: in.Message, DefaultPrompt: in.DefaultPrompt,
		OpenedAt: messages.EpochSeconds(in.At), FrameID: in.Frame, URL: url, Origin: origin,
		TargetID: in.Target, Via: via.Kind(), Truncated: in.Truncated,
	}
	// Who cuts at a character leaves at most three bytes of the cap unused.
	d.cutDefault = in.Truncated && len(in.DefaultPrompt) > messages.MaxDefaultPromptBytes-4
	d.shorten(messages.MaxDialogMessageBytes, messages.MaxDefaultPromptBytes)
	return d
}

// shorten cuts the texts of a dialog to these sizes in bytes.
func (d *dialog) shorten(message, prompt int) {
	v := &d.shown
	var cutMessage, cutDefault bool
	v.Message, cutMessage = messages.Cut(v.Message, message)
	v.DefaultPrompt, cutDefault = messages.Cut(v.DefaultPrompt, prompt)
	v.Truncated = v.Truncated || cutMessage || cutDefault
	d.cutDefault = d.cutDefault || cutDefault
}

// duplicate reports whether the dialog is one that is open already. A frame
// cannot open a second one: its renderer stands still.
func (t *step) duplicate(d *dialog) bool {
	return slices.ContainsFunc(t.s.live, func(o *dialog) bool {
		return o.pending() && samePlace(o, d) && o.shown.FrameID == d.shown.FrameID && o.shown.Type == d.shown.Type &&
			o.shown.Message == d.shown.Message && o.shown.DefaultPrompt == d.shown.DefaultPrompt
	})
}

// samePlace reports whether two dialogs cannot be open at the same time: two
// native ones of a tab, or two questions answered in the same way.
func samePlace(a, b *dialog) bool {
	if a.native() && b.native() {
		return a.session == b.session || a.shown.TargetID != "" && a.shown.TargetID == b.shown.TargetID
	}
	return a.via == b.via
}

// supersede ends the dialog that is open in the new one's place, and reports
// whether there was one. Chromium shows one dialog per tab: it closes the old
// one and keeps no handle to the new one, which then takes no answer.
func (t *step) supersede(d *dialog) bool {
	old := t.meeting(onSuperseded, func(o *dialog) bool { return samePlace(o, d) })
	for _, o := range old {
		o.replaced = true
		if o.phase == phaseAnswering {
			t.settle(o)
			continue
		}
		t.conclude(o, verdict{by: messages.ClosedByRemote, reason: messages.ReasonSuperseded, awaits: o.native()})
	}
	return len(old) > 0
}

// tryOut dismisses a dialog that the bridge's script has opened to see whether
// it can. Nothing is told of it: the question follows.
func (t *step) tryOut(d *dialog) {
	t.setWill(d)
	sent := Sent{By: messages.ClosedByAutoPolicy}
	if w := t.sweepOver(d); w != nil {
		sent.By, sent.Reason = w.order.By, w.order.Reason
	}
	t.send(d, sent)
}

// reveal shows a dialog that was only tried, because it has become trouble.
func (t *step) reveal(d *dialog) {
	if d.trial {
		d.trial = false
		t.note(NoteOpened, d)
	}
}

// orphan ends a dialog whose frame had been removed before its news came.
func (t *step) orphan(d *dialog) {
	t.emit(poisoned(d))
	t.conclude(d, verdict{by: messages.ClosedByRemote, reason: messages.ReasonFrameRemoved})
}

// dropOverflow dismisses a dialog that is followed no further.
func (t *step) dropOverflow(d *dialog, wedged bool) {
	t.note(NoteOverflow, d)
	if !wedged {
		t.emit(t.command(d, Sent{Gen: t.s.generation()}))
	}
	t.recordEnd(d, verdict{by: messages.ClosedByAutoPolicy})
}

// welcome decides what happens to a dialog that can be answered.
func (t *step) welcome(d *dialog, full bool) {
	if full {
		t.note(NoteOverflow, d)
	}
	if w := t.sweepOver(d); w != nil {
		t.send(d, Sent{By: w.order.By, Reason: w.order.Reason})
		return
	}
	if full {
		t.send(d, Sent{By: messages.ClosedByAutoPolicy})
		return
	}
	if t.autoAnswer(d) {
		return
	}
	t.become(d, phaseOpen)
	t.watch(d, t.at.Add(t.s.timeout))
}

// autoAnswer answers a dialog as an automatic policy says, and reports whether
// one is in force.
func (t *step) autoAnswer(d *dialog) bool {
	switch t.s.policy {
	case messages.PolicyAutoAccept:
		t.send(d, Sent{Accept: true, Text: d.defaultText(), By: messages.ClosedByAutoPolicy})
		return true
	case messages.PolicyAutoDismiss:
		t.send(d, Sent{By: messages.ClosedByAutoPolicy})
		return true
	case messages.PolicyMustRespond:
	}
	return false
}

// defaultText is what an accepted dialog returns to the page when nobody gave a
// text: Chromium would give a prompt "" and not its default.
func (d *dialog) defaultText() string {
	if d.shown.Type == messages.DialogPrompt {
		return d.shown.DefaultPrompt
	}
	return ""
}

// watch arms the watchdog.
func (t *step) watch(d *dialog, at time.Time) {
	d.deadline = at
	t.openChanged, t.shownChanged = true, true
	t.arm(d, at)
}

func (s *State) pendingCount() int {
	n := 0
	for _, d := range s.live {
		if d.pending() {
			n++
		}
	}
	return n
}
