package actors

import (
	"time"

	"cdpsupervisor/messages"
)

// dialogLinesPerMinute is how many lines about dialogs a task may write to the
// log in a minute.
const dialogLinesPerMinute = 60

// logPace keeps what dialogs write to the log within bounds, since their page
// sets the pace: of equal dialogs in a row the 1st, 2nd, 4th, … are logged, and
// of all only so many in a minute. The zero value is ready.
type logPace struct {
	since time.Time // the beginning of the minute
	lines int
	left  int // events that were left out since then, equal ones aside
}

// admit reports whether an event is to be logged, and how many had been left out
// when a minute is over.
func (p *logPace) admit(ev messages.EngineEvent, clock messages.Clock) (admitted bool, leftOut int) {
	dialog, count := aboutDialog(ev)
	if !dialog {
		return true, 0
	}
	if count > 0 && count&(count-1) != 0 {
		return false, 0
	}
	if now := clock.Now(); now.Sub(p.since) >= time.Minute {
		leftOut = p.left
		*p = logPace{since: now}
	}
	if p.lines >= dialogLinesPerMinute {
		p.left++
		return false, leftOut
	}
	p.lines++
	return true, leftOut
}

// aboutDialog reports whether an event is about a dialog, and how many equal ones
// in a row that is the last of, or 0.
func aboutDialog(ev messages.EngineEvent) (dialog bool, count int) {
	switch ev := ev.(type) {
	case *messages.DialogOpenedEvent:
		return true, ev.Dialog.Count
	case *messages.DialogEndedEvent:
		return true, ev.Record.Count
	case *messages.NoteEvent:
		return ev.Dialog != "", 0
	}
	return false, 0
}
