package sim

import (
	"slices"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/fakebrowser"
)

// tried answers what is shown as open although the browser takes no answer to
// it, and returns the snapshot of then. That a dialog has met another, which was
// open before we came, is nothing that the browser tells for certain: the engine
// finds out by the answer, and must then say so.
func (r *run) tried(s *messages.Snapshot) *messages.Snapshot {
	for _, d := range s.PendingDialogs {
		if d.Via != messages.ViaNative || d.State != "" || !r.forgotten(&d) {
			continue
		}
		a := r.rig.Ask(task, "try "+string(d.ID), &messages.DialogRequest{Action: messages.ActionDismiss, DialogID: d.ID})
		r.rest()
		f, refused := a.Answer().(*messages.Failure)
		s = r.rig.Snapshot(task)
		shown := slices.ContainsFunc(s.PendingDialogs, func(o messages.Dialog) bool {
			return o.ID == d.ID && o.State == messages.StateUnanswerable
		})
		if !refused || f.Code != messages.CodeUnanswerable || !shown {
			r.fail("dialogs: the browser has forgotten %s, and after an answer the engine does not say so", d.ID)
		}
	}
	return s
}

// forgotten: the page shows this dialog, and nobody can answer it.
func (r *run) forgotten(d *messages.Dialog) bool {
	return slices.ContainsFunc(r.rig.Browser.OpenDialogs(), func(o fakebrowser.OpenDialog) bool {
		return o.FrameID == string(d.FrameID) && !o.Answerable && !o.Orphan && !o.Stranded
	})
}
