package engineclient

import (
	"context"
	"slices"
	"time"

	"cdpsupervisor/bench/measure"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// dialogWatch measures from when the bytes of a dialog were read to when a
// snapshot showed it.
type dialogWatch struct {
	stop  context.CancelFunc
	done  chan struct{}
	delay []time.Duration
}

func watchDialogs(ctx context.Context, t *registry.Task) *dialogWatch {
	ctx, stop := context.WithCancel(ctx)
	w := &dialogWatch{stop: stop, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		var seen messages.DialogID
		for {
			s, err := t.Wait(ctx, func(s *messages.Snapshot) bool {
				return len(s.PendingDialogs) > 0 && s.PendingDialogs[len(s.PendingDialogs)-1].ID != seen
			})
			if err != nil {
				return
			}
			d := s.PendingDialogs[len(s.PendingDialogs)-1]
			seen = d.ID
			w.delay = append(w.delay, s.At.Sub(d.OpenedAt.Time()))
		}
	}()
	return w
}

// note ends the watch.
func (w *dialogWatch) note(m *measure.Meter) {
	w.stop()
	<-w.done
	if len(w.delay) == 0 {
		return
	}
	slices.Sort(w.delay)
	us := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
	m.Note("dialogs", len(w.delay))
	m.Note("dialog_median_us", us(w.delay[len(w.delay)/2]))
	m.Note("dialog_p99_us", us(w.delay[len(w.delay)*99/100]))
}
