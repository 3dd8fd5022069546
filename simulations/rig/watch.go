package rig

import (
	"errors"
	"fmt"

	"cdpsupervisor/messages"
)

// watch holds what must hold after every move.
type watch struct {
	faults  []error
	last    string // the actor that handled the last message
	shown   map[messages.TaskID]*messages.Snapshot
	closing bool
	// disconnected is the newest end of a connection that a supervisor was told.
	disconnected *messages.Disconnected
}

func (w *watch) note(format string, args ...any) {
	if len(w.faults) < 20 {
		w.faults = append(w.faults, fmt.Errorf(format, args...))
	}
}

func (w *watch) err() error { return errors.Join(w.faults...) }

// saw is told of each message before its actor handles it.
func (r *Rig) saw(actorName string, message any) {
	r.looked()
	r.watch.last = actorName
	if d, ok := message.(*messages.Disconnected); ok {
		r.watch.disconnected = d
	}
	if r.o.Saw != nil {
		r.o.Saw(actorName, message)
		r.watch.last = actorName
	}
}

// looked checks what the last message has changed.
func (r *Rig) looked() {
	w := &r.watch
	if w.shown == nil {
		w.shown = make(map[messages.TaskID]*messages.Snapshot)
	}
	for _, task := range r.Registry.Tasks() {
		s := task.Snapshot()
		if s == nil {
			w.note("task %s has a nil snapshot", task.ID())
			continue
		}
		before := w.shown[task.ID()]
		if s == before {
			continue
		}
		w.shown[task.ID()] = s
		if before != nil && before.Seq < s.Seq && w.last != "snapshot" && w.last != "cdpsupervisor" {
			w.note("one writer: the snapshot was stored while the %s worked", w.last)
		}
		checkSnapshot(w, s)
	}
	for _, a := range r.asks {
		if a.count() > 1 {
			w.note("answered exactly once: %q was answered %d times: %s", a.Name, a.count(), a.texts())
			a.mu.Lock()
			a.answers = a.answers[:1]
			a.mu.Unlock()
		}
	}
}

func (a *Ask) texts() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var s string
	for _, m := range a.answers {
		s += Tell(m) + "; "
	}
	return s
}

// checkSnapshot checks what every published snapshot must be.
func checkSnapshot(w *watch, s *messages.Snapshot) {
	limit := func(what string, n, most int) {
		if n > most {
			w.note("caps: %s is %d, at most %d", what, n, most)
		}
	}
	if s.PendingDialogs == nil || s.RecentDialogs == nil {
		w.note("snapshot %d: a list of dialogs is nil", s.Seq)
	}
	limit("pending_dialogs", len(s.PendingDialogs), messages.MaxPendingDialogs)
	limit("recent_dialogs", len(s.RecentDialogs), messages.MaxRecentDialogs)
	limit("console errors", len(s.ConsoleErrors), messages.MaxConsoleErrors)
	pending := make(map[messages.DialogID]bool)
	for _, d := range s.PendingDialogs {
		if pending[d.ID] {
			w.note("snapshot %d: dialog %s is pending twice", s.Seq, d.ID)
		}
		pending[d.ID] = true
		limit("a dialog's message", len(d.Message), messages.MaxDialogMessageBytes)
		limit("a default prompt", len(d.DefaultPrompt), messages.MaxDefaultPromptBytes)
		limit("a dialog's URL", len(d.URL), messages.MaxURLBytes)
	}
	for _, d := range s.RecentDialogs {
		if pending[d.ID] {
			w.note("snapshot %d: dialog %s is pending and over", s.Seq, d.ID)
		}
		if d.ClosedBy == "" {
			w.note("snapshot %d: nobody closed %s", s.Seq, d.ID)
		}
		if d.ClosedAt < d.OpenedAt {
			w.note("snapshot %d: %s closed before it opened", s.Seq, d.ID)
		}
	}
	for _, e := range s.ConsoleErrors {
		limit("a console error's text", len(e.Text), messages.MaxConsoleTextBytes)
	}
	checkTree(w, s, limit)
}

func checkTree(w *watch, s *messages.Snapshot, limit func(string, int, int)) {
	t := s.FrameTree
	if t == nil {
		return
	}
	if t.Children == nil {
		w.note("snapshot %d: the children are nil", s.Seq)
	}
	limit("children", len(t.Children), messages.MaxViewFrames)
	known := map[messages.FrameID]bool{t.Top.FrameID: true}
	for _, f := range t.Children {
		if known[f.FrameID] {
			w.note("snapshot %d: frame %s is there twice", s.Seq, f.FrameID)
		}
		if !known[f.ParentFrameID] {
			w.note("snapshot %d: frame %s comes before its parent", s.Seq, f.FrameID)
		}
		known[f.FrameID] = true
		limit("a URL", len(f.URL), messages.MaxURLBytes)
		limit("a frame's name", len(f.Name), messages.MaxFrameNameBytes)
	}
	if (t.Omitted > 0) != t.Truncated {
		w.note("snapshot %d: %d frames are left out, truncated is %v", s.Seq, t.Omitted, t.Truncated)
	}
}
