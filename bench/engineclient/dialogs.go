package engineclient

import (
	"slices"
	"sync"
	"time"

	"cdpsupervisor/bench/measure"
	"cdpsupervisor/messages"
)

// dialogWatch measures from when the bytes of a dialog were read to when the
// snapshot that shows it is about to be stored.
type dialogWatch struct {
	mu    sync.Mutex
	seen  messages.DialogID
	delay []time.Duration
}

// saw is told of each message before its actor handles it.
func (w *dialogWatch) saw(message any) {
	part, ok := message.(*messages.DialogsPart)
	if !ok || len(part.Pending) == 0 {
		return
	}
	now := time.Now()
	d := part.Pending[len(part.Pending)-1]
	w.mu.Lock()
	defer w.mu.Unlock()
	if d.ID != w.seen {
		w.seen = d.ID
		w.delay = append(w.delay, now.Sub(d.OpenedAt.Time()))
	}
}

func (w *dialogWatch) note(m *measure.Meter) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.delay) == 0 {
		return
	}
	slices.Sort(w.delay)
	us := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
	m.Note("dialogs", len(w.delay))
	m.Note("dialog_median_us", us(w.delay[len(w.delay)/2]))
	m.Note("dialog_p99_us", us(w.delay[len(w.delay)*99/100]))
}
