package sim

import (
	"fmt"
	"strings"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/fakebrowser"
)

func (r *run) crash(d *draw) string {
	page, frame, ok := r.somewhere(d)
	if !ok {
		return ""
	}
	for _, o := range r.rig.Browser.OpenDialogs() {
		if o.TargetID == page && o.FrameID != r.rig.Browser.Frames(page)[0].ID {
			return "" // the whole browser would die of it, whoever supervises
		}
	}
	target := page
	if frame.OOPIF {
		target = frame.ID
	}
	r.crashed = true
	r.rig.Crash(target)
	return target
}

func (r *run) drop(*draw) string {
	if !r.rig.Drop() {
		return ""
	}
	r.blind = true
	return "now"
}

func (r *run) halfOpen(*draw) string {
	if !r.rig.HalfOpen() {
		return ""
	}
	r.blind = true
	return "now"
}

func (r *run) refuse(d *draw) string {
	r.hurt, r.blind = true, true
	r.rig.Refuse(true)
	r.rig.Drop()
	r.advance(time.Duration(d.of(8000)) * time.Millisecond)
	r.rig.Refuse(false)
	return "over"
}

func (r *run) restart(*draw) string {
	r.blind = true // before the engine is back
	r.reborn()
	return "now"
}

// fault makes a command go wrong that the engine is prepared to lose: what
// agents ask for, and answers to dialogs.
func (r *run) fault(d *draw) string {
	f := fakebrowser.Fault{Times: 1, Method: pick(d, []string{"Runtime.evaluate", "Page.handleJavaScriptDialog", "Page.reload", "Page.getFrameTree", "Page.navigate", "Runtime.enable"})}
	what := ""
	switch lossy := f.Method == "Runtime.evaluate" || f.Method == "Page.handleJavaScriptDialog" || f.Method == "Page.reload"; {
	case lossy && d.of(4) == 0:
		f.Swallow, what = true, "is lost"
	case lossy && d.of(3) == 0:
		f.DropReply, what = true, "loses its reply"
	case d.of(3) == 0:
		f.Twice, what = true, "is answered twice"
	case lossy && d.of(2) == 0:
		f.Message, what = "Internal error", "fails"
	default:
		f.Delay, what = time.Duration(50+d.of(4000))*time.Millisecond, "is slow"
	}
	undo := r.rig.Browser.Inject(f)
	if f.Method == "Page.handleJavaScriptDialog" {
		r.spoilt = append(r.spoilt, undo)
	}
	return "the next " + f.Method + " " + what
}

// double makes the next message from the browser come twice.
func (r *run) double(*draw) string {
	named := ""
	if !r.rig.Twice(func(msg string) bool {
		if strings.Contains(msg, `"method":"Page.javascriptDialogOpening"`) {
			return false // two of those are two dialogs
		}
		named = short(msg)
		return true
	}) {
		return ""
	}
	return named
}

func (r *run) stale(*draw) string { return r.rig.Stale(task) }

func (r *run) panics(d *draw) string {
	r.panicked = pick(d, []string{"", "supervisor", "sessions", "dialogs", "snapshot", "socket", "events", "cdpsupervisor"})
	r.panicIn = 1 + d.of(12)
	return fmt.Sprintf("%q in %d messages", r.panicked, r.panicIn)
}

func (r *run) stopAndStart(d *draw) string {
	r.blind = true
	r.keep(r.rig.Stop(task))
	if d.of(2) == 0 {
		r.rest()
	}
	r.start()
	return "at once"
}

func (r *run) timePasses(d *draw) string {
	switch d.of(8) {
	case 0:
		r.advance(301 * time.Second)
		return "301 s"
	case 1, 2:
		r.rig.Tick(time.Second)
		return "to the next timer"
	}
	by := time.Duration(d.of(12_000)) * time.Millisecond
	r.advance(by)
	return by.String()
}

// silence lasts until the engine comes to rest, and ends in the middle of that.
func (r *run) silence(d *draw) string {
	r.advance(messages.IdlePing - time.Second)
	for range 3 {
		r.rig.Tick(time.Second)
	}
	for range d.of(10) {
		r.rig.Step()
	}
	ends := pick(d, []func(*run, *draw) string{(*run).addFrame, (*run).removeFrame, (*run).dialog, (*run).scriptNavigates, (*run).evaluate})
	return "until " + ends(r, d)
}

// look compares engine and browser in the middle of a run.
func (r *run) look(*draw) string {
	r.compare()
	return "all compared"
}
