package policy

import (
	"slices"

	"cdpsupervisor/messages"
)

// maxEntryIDs is how many ids of equal dialogs one record answers for.
const maxEntryIDs = 64

// entry is one record of the ring.
type entry struct {
	record  messages.DialogRecord
	ids     []uint64 // of the equal dialogs that share the record, the last ones
	session messages.SessionID
	row     int // of the last of them, see [messages.Dialog]
	native  bool
	awaits  bool // Closed has not come yet
}

// recordEnd writes down how a dialog ended and tells it.
func (t *step) recordEnd(d *dialog, v verdict) messages.DialogRecord {
	if d.trial {
		record := d.record(v, t)
		t.emit(Note{Kind: NoteTried, Dialog: d.show(), Record: &record, By: v.by})
		return record
	}
	e := entry{record: d.record(v, t), ids: []uint64{d.n}, row: d.shown.Row, session: d.session, native: d.native(), awaits: v.awaits}
	record := t.s.keep(e)
	t.recentChanged = true
	t.emit(Note{Kind: NoteClosed, Dialog: d.show(), Record: &record, By: v.by})
	t.judgeBackend(d, v)
	return record
}

func (d *dialog) record(v verdict, t *step) messages.DialogRecord {
	r := messages.DialogRecord{
		ID: d.shown.ID, Type: d.shown.Type, Message: d.shown.Message, DefaultPrompt: d.shown.DefaultPrompt,
		OpenedAt: d.shown.OpenedAt, ClosedAt: messages.EpochSeconds(t.at), ClosedBy: v.by, Reason: v.reason,
		Result: v.result, FrameID: d.shown.FrameID, URL: d.shown.URL, Origin: d.shown.Origin,
		TargetID: d.shown.TargetID, Via: d.shown.Via, Truncated: d.shown.Truncated,
	}
	if d.close != nil {
		r.ClosedAt = messages.EpochSeconds(d.close.at)
	}
	if r.Type == messages.DialogPrompt && r.Result {
		text, cut := messages.Cut(d.answerText(v.winner), messages.MaxDefaultPromptBytes)
		r.PromptText = &text
		r.Truncated = r.Truncated || cut
	}
	return r
}

// answerText is what an accepted prompt returned to the page: what the browser
// says, or what we sent where it says nothing.
func (d *dialog) answerText(winner *attempt) string {
	if d.close != nil && d.close.input != "" || winner == nil {
		if d.close == nil {
			return ""
		}
		return d.close.input
	}
	return winner.Text
}

// keep adds a record to the ring and returns it as kept. Equal dialogs in a row
// that ended alike share one record, under the last one's id and times; one
// that ended otherwise has its own, since a shared one would hide an end.
func (s *State) keep(e entry) messages.DialogRecord {
	if n := len(s.ring); n > 0 && sameEnd(&s.ring[n-1].record, &e.record) {
		last := &s.ring[n-1]
		e.record.Count = max(1, last.record.Count) + 1
		e.ids = append(last.ids[max(0, len(last.ids)-maxEntryIDs+1):], e.ids...)
		*last = e
		return e.record
	}
	if len(s.ring) == messages.MaxRecentDialogs {
		s.ring = slices.Delete(s.ring, 0, 1)
	}
	s.ring = append(s.ring, e)
	return e.record
}

// sameEnd reports whether two dialogs are equal and ended alike.
func sameEnd(a, b *messages.DialogRecord) bool {
	return a.Type == b.Type && a.FrameID == b.FrameID && a.TargetID == b.TargetID && a.Via == b.Via &&
		a.Message == b.Message && a.DefaultPrompt == b.DefaultPrompt &&
		a.ClosedBy == b.ClosedBy && a.Reason == b.Reason && a.Result == b.Result && sameText(a.PromptText, b.PromptText)
}

func sameText(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// countOf is how many equal dialogs in a row a new one is the last of; 0 when
// it is the first.
func (s *State) countOf(v *messages.Dialog) int {
	n := len(s.ring)
	if n == 0 {
		return 0
	}
	r := &s.ring[n-1].record
	if r.Type != v.Type || r.FrameID != v.FrameID || r.TargetID != v.TargetID || r.Via != v.Via ||
		r.Message != v.Message || r.DefaultPrompt != v.DefaultPrompt {
		return 0
	}
	return max(1, r.Count) + 1
}

// rowOf is how many dialogs in a row a new one is the last of, whatever they
// say; 0 when it is the first.
func (s *State) rowOf(v *messages.Dialog) int {
	n := len(s.ring)
	if n == 0 {
		return 0
	}
	last := &s.ring[n-1]
	if r := &last.record; r.TargetID != v.TargetID || r.FrameID != v.FrameID || v.OpenedAt.Time().Sub(r.ClosedAt.Time()) > messages.RowGap {
		return 0
	}
	return max(1, last.row) + 1
}

// judgeBackend counts the native dialogs that the browser side closes by
// itself. Of two that met in a tab neither tells anything.
func (t *step) judgeBackend(d *dialog, v verdict) {
	if !d.native() || d.close == nil || d.replaced || d.wedged {
		return
	}
	if v.winner != nil || !d.closedAtOnce() {
		t.s.autoRow = 0
		return
	}
	nav := d.navInFlight || d.close.navInFlight || d.close.ordered
	if !nav {
		t.s.autoRow++
	}
	t.emit(AutoDismissed{
		Target: d.shown.TargetID, Session: d.session, After: max(0, d.close.at.Sub(d.openedAt)),
		NavigationInFlight: nav, InARow: t.s.autoRow,
	})
}

// awaiting is the oldest record whose Closed is still to come and can be this
// one.
func (s *State) awaiting(session messages.SessionID, frame messages.FrameID, same func(a, b messages.FrameID) bool) *entry {
	for i := range s.ring {
		e := &s.ring[i]
		if e.awaits && e.session == session && same(e.record.FrameID, frame) {
			return e
		}
	}
	return nil
}

// amend corrects a record with what Closed says.
func (t *step) amend(e *entry, said *closing) {
	e.awaits = false
	if e.record.Result == said.result {
		return
	}
	e.record.Result = said.result
	e.record.PromptText = nil
	if said.result && e.record.Type == messages.DialogPrompt {
		text, cut := messages.Cut(said.input, messages.MaxDefaultPromptBytes)
		e.record.PromptText = &text
		e.record.Truncated = e.record.Truncated || cut
	}
	t.recentChanged = true
}

// amendClosed gives the native dialogs that a target's end has closed their
// reason: the browser tells of the dialog first, of the session next and of the
// target last.
func (t *step) amendClosed(target messages.TargetID, reason messages.CloseReason) {
	for i := range t.s.ring {
		e := &t.s.ring[i]
		r := &e.record
		recent := t.at.Sub(r.ClosedAt.Time()) <= targetCloseWindow
		vague := r.Reason == messages.ReasonAnsweredElsewhere || r.Reason == messages.ReasonDisconnected ||
			r.Reason == messages.ReasonAutoDismissed && reason == messages.ReasonCrashed
		if e.native && recent && vague && r.TargetID == target && r.ClosedBy == messages.ClosedByRemote && !r.Result {
			r.Reason = reason
			t.recentChanged = true
		}
	}
}

// stopAwaiting gives up on the Closed of a session's dialogs.
func (s *State) stopAwaiting(session messages.SessionID) {
	for i := range s.ring {
		if s.ring[i].session == session {
			s.ring[i].awaits = false
		}
	}
}

// recordedOn reports whether a dialog of the frame is in the ring.
func (s *State) recordedOn(session messages.SessionID, frame messages.FrameID) bool {
	return slices.ContainsFunc(s.ring, func(e entry) bool {
		return e.session == session && e.record.FrameID == frame
	})
}

func (t *step) note(kind NoteKind, d *dialog) {
	t.emit(Note{Kind: kind, Dialog: d.show()})
}
