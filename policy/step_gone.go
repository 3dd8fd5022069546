package policy

import (
	"cmp"
	"slices"

	"cdpsupervisor/messages"
)

// framesRemoved ends the dialogs of frames that the page has removed. To answer
// one of them would kill the browser.
func (t *step) framesRemoved(in FramesRemoved) {
	t.s.removed.Add(in.Frames)
	gone := t.meeting(onFrameRemoved, func(d *dialog) bool {
		return d.shown.FrameID != "" && slices.Contains(in.Frames, d.shown.FrameID)
	})
	for _, d := range gone {
		if d.native() {
			t.reveal(d)
			t.emit(poisoned(d))
		}
		t.conclude(d, verdict{by: messages.ClosedByRemote, reason: messages.ReasonFrameRemoved})
	}
}

func poisoned(d *dialog) Poisoned {
	return Poisoned{Target: d.shown.TargetID, Frame: d.shown.FrameID, Reason: "the frame that opened dialog " + string(d.shown.ID) + " was removed while the dialog was open"}
}

// RemovedFrames are the last frames that were removed, oldest first: events of
// different sessions come in any order, and the news of a dialog can follow that
// of its frame's end. Whoever has no machine yet keeps them for it.
type RemovedFrames []messages.FrameID

// Add remembers frames, and forgets the oldest above [MaxRemovedFrames].
func (r *RemovedFrames) Add(frames []messages.FrameID) {
	for _, id := range frames[max(0, len(frames)-MaxRemovedFrames):] {
		if id != "" {
			*r = append(*r, id)
		}
	}
	if extra := len(*r) - MaxRemovedFrames; extra > 0 {
		*r = (*r)[extra:] // moved to new memory once in a while only
	}
}

// navigated ends the dialogs of documents that have been replaced.
func (t *step) navigated(in Navigated) {
	gone := t.meeting(onNavigated, func(d *dialog) bool {
		if d.native() && d.session != in.Session {
			return false // it may belong to the new document
		}
		if in.TopFrame && in.Target != "" && d.shown.TargetID == in.Target {
			return true
		}
		frame := d.shown.FrameID
		return frame != "" && (frame == in.Frame || slices.Contains(in.Frames, frame))
	})
	for _, d := range gone {
		t.conclude(d, verdict{by: messages.ClosedByRemote, reason: messages.ReasonNavigation})
	}
}

// targetGone ends the dialogs of a page that is over.
func (t *step) targetGone(in TargetGone) {
	if in.Target == "" {
		return
	}
	reason := cmp.Or(in.Reason, messages.ReasonTargetClosed)
	for _, d := range t.meeting(onTargetGone, func(d *dialog) bool { return d.shown.TargetID == in.Target }) {
		t.concludeGone(d, reason)
	}
	t.amendClosed(in.Target, reason)
	for _, w := range t.s.sweeps {
		if w.order.Target == in.Target {
			w.order.Until = t.at
		}
	}
}

// sessionGone ends what a session held.
func (t *step) sessionGone(in SessionGone) {
	for _, d := range t.meeting(onSessionGone, func(d *dialog) bool { return d.session == in.Session }) {
		byDefault := messages.ReasonTargetClosed
		if d.native() {
			byDefault = messages.ReasonDisconnected
		}
		t.concludeGone(d, cmp.Or(in.Reason, byDefault))
	}
	t.s.stopAwaiting(in.Session)
}

// epochEnded ends everything that lived on the connection.
func (t *step) epochEnded(in EpochEnded) {
	reason := cmp.Or(in.Reason, messages.ReasonDisconnected)
	for _, d := range t.meeting(onEpochEnded, func(*dialog) bool { return true }) {
		if d.phase == phaseAnswering {
			t.failWaiters(d, func(v *messages.Dialog) *messages.Failure {
				v.State = "" // nothing is on the wire any more
				return failLost(v)
			})
		}
		t.concludeGone(d, reason)
	}
	for i := range t.s.ring {
		t.s.ring[i].awaits = false
	}
	for _, w := range t.s.sweeps {
		w.order.Until = t.at
	}
	t.s.removed = nil
}

// concludeGone ends a dialog because what carried it is gone; one that the
// browser had closed before keeps that end.
func (t *step) concludeGone(d *dialog, reason messages.CloseReason) {
	if d.phase == phaseSettling {
		t.conclude(d, t.judge(d))
		return
	}
	t.conclude(d, verdict{by: messages.ClosedByRemote, reason: reason})
}
