package policy

import (
	"time"

	"cdpsupervisor/messages"
)

// Saved is what a machine can be built from again: what it last published.
type Saved struct {
	Open     []OpenDialog            // of the last OpenChanged
	Recent   []messages.DialogRecord // of the last Publish
	Overflow uint64                  // of the last Publish
}

// Rebuild returns a machine that goes on where another was lost. Open dialogs
// come back waiting for an answer, with a fresh generation and their watchdog
// armed; a command that was on the wire counts as given up, so that its late
// reply still says who closed the dialog. Who waited for an answer or a sweep
// must be told by the caller, who knows their Refs. The effects that make the
// outside fit are appended to dst.
func Rebuild(cfg Config, saved Saved, at time.Time, dst []Effect) (*State, []Effect) {
	s := New(cfg)
	t := &step{s: s, at: at, on: onOpened, dst: dst, openChanged: true, shownChanged: true}
	s.overflow = saved.Overflow
	for _, r := range saved.Recent[max(0, len(saved.Recent)-messages.MaxRecentDialogs):] {
		n, _ := number(r.ID)
		s.used.Dialogs = max(s.used.Dialogs, n)
		s.ring = append(s.ring, entry{record: r, ids: []uint64{n}, native: r.Via == messages.ViaNative})
	}
	for _, o := range saved.Open {
		if len(s.live) < maxDialogs && o.Via != nil {
			t.restore(o)
		}
	}
	return s, t.finish()
}

// restore puts a dialog back as it was.
func (t *step) restore(o OpenDialog) {
	n, _ := number(o.ID)
	t.s.used.Dialogs = max(t.s.used.Dialogs, n)
	d := &dialog{
		n: n, shown: o.Dialog, session: o.Session, via: o.Via, topFrame: o.TopFrame,
		navInFlight: o.NavigationInFlight, openedAt: o.Dialog.OpenedAt.Time(),
	}
	deadline := d.shown.DeadlineAt
	d.shown.DeadlineAt, d.shown.State = 0, ""
	t.s.live = append(t.s.live, d)
	if o.Unanswerable {
		d.stranded = o.Stranded
		t.become(d, phaseUnanswerable)
		return
	}
	if o.Sent != nil {
		t.s.used.Generations = max(t.s.used.Generations, o.Sent.Gen)
		d.giveUp(attempt{Sent: *o.Sent})
	}
	t.setWill(d)
	t.become(d, phaseOpen)
	switch {
	case deadline == 0:
		t.watch(d, t.at.Add(t.s.timeout))
	case deadline.Time().After(t.at):
		t.watch(d, deadline.Time())
	default:
		t.watch(d, t.at.Add(retryAfter))
	}
}
