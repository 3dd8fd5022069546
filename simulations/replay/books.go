package replay

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"cdpsupervisor/messages"
)

// maxFollowed is how many frames and dialogs a report can hold.
const maxFollowed = 20_000

// Dialog is a dialog of a replay: as it is shown, or how it ended.
type Dialog struct {
	Open  *messages.Dialog
	Ended *messages.DialogRecord
}

// ID is the dialog's id.
func (d *Dialog) ID() messages.DialogID {
	if d.Ended != nil {
		return d.Ended.ID
	}
	return d.Open.ID
}

// dialogBook keeps every dialog that any snapshot has shown.
type dialogBook struct {
	list  []*Dialog
	known map[messages.DialogID]*Dialog
}

func (b *dialogBook) note(s *messages.Snapshot) {
	for i := range s.PendingDialogs {
		if d := b.dialog(s.PendingDialogs[i].ID); d != nil {
			d.Open = &s.PendingDialogs[i]
		}
	}
	for i := range s.RecentDialogs {
		if d := b.dialog(s.RecentDialogs[i].ID); d != nil {
			d.Ended = &s.RecentDialogs[i]
		}
	}
}

func (b *dialogBook) dialog(id messages.DialogID) *Dialog {
	d := b.known[id]
	if d == nil && len(b.list) < maxFollowed {
		if b.known == nil {
			b.known = make(map[messages.DialogID]*Dialog)
		}
		d = &Dialog{}
		b.known[id] = d
		b.list = append(b.list, d)
	}
	return d
}

// consoleBook finds out what the clock of the pages says when the trace begins:
// console errors carry the time of day, and a trace need not know it.
type consoleBook struct {
	known  bool
	origin time.Time
}

func (b *consoleBook) note(s *messages.Snapshot, start time.Time) {
	if b.known || len(s.ConsoleErrors) == 0 {
		return
	}
	b.known, b.origin = true, start
	at := s.ConsoleErrors[len(s.ConsoleErrors)-1].At.Time()
	if apart := at.Sub(s.At); apart > time.Hour || apart < -time.Hour {
		b.origin = start.Add(apart)
	}
}

// FrameSpan is the life of one frame.
type FrameSpan struct {
	Entry  messages.FrameEntry // as it was last seen
	Page   messages.TargetID
	From   time.Duration
	To     time.Duration // 0 while it lives
	OOPIF  bool          // at any time
	Before string        // the first URL, if it was another one
}

// frameBook follows the life of each frame.
type frameBook struct {
	list []*FrameSpan
	live map[messages.FrameID]*FrameSpan
	seq  uint64 // of the snapshot that was looked at last
}

// look takes the frames of all pages, if anything was published since.
func (b *frameBook) look(e *engine, now time.Duration) error {
	s := e.snapshot()
	if s == nil || s.Seq == b.seq {
		return nil
	}
	b.seq = s.Seq
	present := make(map[messages.FrameID]bool)
	for _, page := range slices.Sorted(maps.Keys(e.pages)) {
		tree, err := e.frames(page)
		if err != nil {
			return err
		}
		if tree == nil {
			continue
		}
		b.frame(&tree.Top, page, now, present)
		for i := range tree.Children {
			b.frame(&tree.Children[i], page, now, present)
		}
	}
	for id, span := range b.live {
		if !present[id] {
			span.To = max(now, 1)
			delete(b.live, id)
		}
	}
	return nil
}

func (b *frameBook) frame(f *messages.FrameEntry, page messages.TargetID, now time.Duration, present map[messages.FrameID]bool) {
	present[f.FrameID] = true
	span := b.live[f.FrameID]
	if span == nil {
		if len(b.list) >= maxFollowed {
			return
		}
		if b.live == nil {
			b.live = make(map[messages.FrameID]*FrameSpan)
		}
		span = &FrameSpan{Page: page, From: now}
		b.live[f.FrameID] = span
		b.list = append(b.list, span)
	}
	if old := span.Entry.URL; old != "" && old != f.URL && span.Before == "" {
		span.Before = old
	}
	span.Entry = *f
	span.OOPIF = span.OOPIF || f.OOPIF != nil && *f.OOPIF
}

// spans are the frames in the order in which they came.
func (b *frameBook) spans() []*FrameSpan {
	slices.SortStableFunc(b.list, func(x, y *FrameSpan) int { return cmp.Compare(x.From, y.From) })
	return b.list
}
