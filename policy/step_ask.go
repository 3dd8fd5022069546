package policy

import (
	"slices"
	"strconv"
	"strings"

	"cdpsupervisor/messages"
)

// asked takes in an agent's answer.
func (t *step) asked(in Ask) {
	d, failure := t.askedOne(in)
	if failure == nil && len(d.waiters) >= maxWaiters {
		v := d.show()
		failure = failCrowd(&v)
	}
	if failure != nil {
		t.answers = append(t.answers, Answer{Ref: in.Ref, Failure: failure})
		return
	}
	w := waiter{ref: in.Ref, action: in.Action, note: ignoredText(in, d)}
	if d.phase != phaseOpen {
		// One command per dialog: who comes second shares the outcome.
		d.waiters = append(d.waiters, w)
		return
	}
	d.waiters = append(d.waiters, w)
	sent := Sent{Accept: in.Action == messages.ActionAccept, By: messages.ClosedByAgent}
	if sent.Accept {
		sent.Text = d.defaultText()
		if in.Text != nil && d.shown.Type == messages.DialogPrompt {
			sent.Text = *in.Text
		}
	}
	t.on = onAsked
	t.send(d, sent)
}

// askedOne finds the dialog that an answer is for, one that takes or shares an
// answer, or says why there is none.
func (t *step) askedOne(in Ask) (*dialog, *messages.Failure) {
	if !in.Action.Valid() {
		return nil, failAction(in.Action)
	}
	if in.Text != nil && len(*in.Text) > messages.MaxPromptTextBytes {
		return nil, failText(len(*in.Text))
	}
	d, failure := t.named(in.Dialog)
	if failure != nil {
		return nil, failure
	}
	if in.Action == messages.ActionAccept && in.Accept != nil && !slices.Contains(in.Accept, d.shown.ID) {
		v := d.show()
		return nil, failNotAllowed(&v)
	}
	if d.phase == phaseUnanswerable {
		v := d.show()
		return nil, d.failUnanswerable(&v)
	}
	return d, nil
}

func (t *step) named(id messages.DialogID) (*dialog, *messages.Failure) {
	if id != "" {
		if d := t.s.find(id); d != nil {
			return d, nil
		}
		return nil, t.s.failGone(id)
	}
	var only *dialog
	for _, d := range t.s.live {
		if !d.shows() {
			continue
		}
		if only != nil {
			return nil, failAmbiguous(t.s.pending())
		}
		only = d
	}
	if only == nil {
		return nil, failNone()
	}
	return only, nil
}

// failGone is the failure for an id that is not open.
func (s *State) failGone(id messages.DialogID) *messages.Failure {
	n, ok := number(id)
	if !ok || n > s.used.Dialogs {
		return failUnknown(id)
	}
	for i := len(s.ring) - 1; i >= 0; i-- {
		if slices.Contains(s.ring[i].ids, n) {
			record := s.ring[i].record
			return failClosed(id, &record)
		}
	}
	return failClosed(id, nil)
}

// number is the n of the id "d-n".
func number(id messages.DialogID) (uint64, bool) {
	digits, ok := strings.CutPrefix(string(id), "d-")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n == 0 || messages.NewDialogID(n) != id {
		return 0, false
	}
	return n, true
}
