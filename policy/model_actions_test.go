package policy

import (
	"slices"
	"time"

	"cdpsupervisor/messages"

	"pgregory.net/rapid"
)

// open: a script of some frame calls confirm.
func (m *model) open(t *rapid.T) {
	tb := m.anyTab(t)
	frame := rapid.SampledFrom(tb.frames).Draw(t, "frame")
	if tb.poisoned || tb.showing != nil && tb.showing.frame == frame || tb.stuck != nil && tb.stuck.frame == frame {
		return // its renderer stands still
	}
	m.opened++
	d := &onPaper{id: messages.NewDialogID(m.opened), frame: frame, opened: m.c.at}
	old := tb.showing
	if old == nil {
		old = tb.stuck
	}
	m.pending = append(m.pending, d)
	if old != nil {
		d.stuck, old.replaced = true, true
	}
	m.feed(Opened{At: m.c.at, Session: tb.session, Target: tb.target, Frame: frame, Type: messages.DialogConfirm,
		Message: string(d.id), TopFrame: frame == tb.frames[0]}, messages.ClosedByAutoPolicy)
	if old == nil {
		tb.showing = d
		return
	}
	tb.showing, tb.stuck = nil, d
	if old.answered {
		m.wait(old)
	} else {
		m.end(old, messages.ClosedByRemote, messages.ReasonSuperseded, false)
	}
	m.closedEvent(tb, old, false, false)
}

// wait: the browser has closed it, the reply says who did.
func (m *model) wait(d *onPaper) {
	m.pending = slices.DeleteFunc(m.pending, func(o *onPaper) bool { return o == d })
	m.waiting = append(m.waiting, d)
}

// closedEvent is Page.javascriptDialogClosed.
func (m *model) closedEvent(tb *tab, d *onPaper, result, nav bool) {
	d.closed = &closing{at: m.c.at, result: result, navInFlight: nav}
	m.feed(Closed{At: m.c.at, Session: tb.session, Frame: d.frame, Result: result, NavigationInFlight: nav}, "")
}

// close is what happens on paper when the browser closes what is open in a tab.
func (m *model) close(tb *tab, result, nav bool) {
	d := tb.showing
	if d == nil {
		d = tb.stuck
	}
	tb.showing, tb.stuck = nil, nil
	if d == nil {
		return
	}
	switch {
	case d.stuck:
		m.end(d, messages.ClosedByRemote, messages.ReasonNavigation, result)
	case len(d.tries) > 0:
		m.wait(d)
	default:
		d.closed = &closing{at: m.c.at, result: result, navInFlight: nav}
		m.end(d, messages.ClosedByRemote, m.remoteReason(d), result)
	}
	m.closedEvent(tb, d, result, nav)
}

func (m *model) remoteReason(d *onPaper) messages.CloseReason {
	switch {
	case d.replaced:
		return messages.ReasonSuperseded
	case len(d.tries) == 0 && d.closed.at.Sub(d.opened) <= 100*time.Millisecond:
		return messages.ReasonAutoDismissed
	case d.closed.navInFlight && !d.closed.result:
		return messages.ReasonNavigation
	}
	return messages.ReasonAnsweredElsewhere
}

// agent answers some dialog.
func (m *model) agent(t *rapid.T) {
	if len(m.pending) == 0 {
		return
	}
	d := rapid.SampledFrom(m.pending).Draw(t, "dialog")
	in := Ask{At: m.c.at, Ref: m.c.ref(), Action: messages.ActionDismiss, Dialog: d.id}
	if rapid.Bool().Draw(t, "accept") {
		in.Action = messages.ActionAccept
	}
	before := len(d.tries)
	sends := !d.answered && !d.stuck
	m.feed(in, messages.ClosedByAgent)
	if sent := len(d.tries) - before; sends != (sent == 1) {
		m.t.Fatalf("%s (answered: %v, stuck: %v): %d commands are sent", d.id, d.answered, d.stuck, sent)
	}
}

// browser reads the next command of a tab: it closes what shows there, whatever
// dialog the command was meant for.
func (m *model) browser(t *rapid.T) { m.read(m.anyTab(t)) }

func (m *model) read(tb *tab) {
	if len(tb.queue) == 0 {
		return
	}
	cmd := tb.queue[0]
	tb.queue = tb.queue[1:]
	reply := AnswerReplied{At: m.c.at, Dialog: cmd.Dialog, Gen: cmd.Gen}
	if d := tb.showing; d != nil {
		m.close(tb, cmd.Accept, false)
	} else {
		reply.Err = noDialog()
	}
	m.onReply(cmd, reply.Err == nil)
	m.feed(reply, "")
}

// onReply writes down what the reply says of a dialog that waits for it.
func (m *model) onReply(cmd Send, yes bool) {
	d := m.find(cmd.Dialog)
	if d == nil {
		return
	}
	i := slices.IndexFunc(d.tries, func(a try) bool { return a.gen == cmd.Gen })
	if i < 0 {
		return
	}
	if yes {
		m.end(d, d.tries[i].by, "", d.closed.result)
		return
	}
	d.tries = slices.Delete(d.tries, i, i+1)
	if len(d.tries) == 0 {
		// The machine has forgotten nothing: a try was made.
		d.tries = []try{}
		m.end(d, messages.ClosedByRemote, m.refusedReason(d), d.closed != nil && d.closed.result)
	}
}

func (m *model) refusedReason(d *onPaper) messages.CloseReason {
	switch {
	case d.replaced:
		return messages.ReasonSuperseded
	case d.closed.navInFlight && !d.closed.result:
		return messages.ReasonNavigation
	}
	return messages.ReasonAnsweredElsewhere
}

// otherClient answers what shows in a tab.
func (m *model) otherClient(t *rapid.T) {
	tb := m.anyTab(t)
	if tb.showing != nil && !tb.poisoned {
		m.close(tb, rapid.Bool().Draw(t, "result"), false)
	}
}

// navigate loads another page in a tab.
func (m *model) navigate(t *rapid.T) {
	tb := m.anyTab(t)
	if tb.poisoned {
		return
	}
	m.close(tb, false, true)
	m.feed(Navigated{At: m.c.at, Session: tb.session, Target: tb.target, Frame: tb.frames[0], Frames: tb.frames, TopFrame: true}, "")
}

// remove takes an iframe out of a page.
func (m *model) remove(t *rapid.T) {
	tb := m.anyTab(t)
	if len(tb.frames) < 2 || tb.poisoned {
		return
	}
	i := rapid.IntRange(1, len(tb.frames)-1).Draw(t, "frame")
	frame := tb.frames[i]
	tb.frames = slices.Delete(slices.Clone(tb.frames), i, i+1)
	for _, d := range []*onPaper{tb.showing, tb.stuck} {
		if d != nil && d.frame == frame {
			m.end(d, messages.ClosedByRemote, messages.ReasonFrameRemoved, false)
			tb.poisoned = true
		}
	}
	before := m.c.poisoned
	m.feed(FramesRemoved{At: m.c.at, Frames: []messages.FrameID{frame}}, "")
	if got := m.c.poisoned > before; got != tb.poisoned {
		m.t.Fatalf("poisoned is told: %v, and it is: %v", got, tb.poisoned)
	}
	if tb.poisoned {
		tb.showing, tb.stuck = nil, nil
		m.lose(tb)
	}
}

// lose ends the commands of a tab without a reply.
func (m *model) lose(tb *tab) {
	for _, cmd := range tb.queue {
		if d := m.find(cmd.Dialog); d != nil {
			m.loseTry(d, cmd.Gen)
		}
		m.feed(AnswerReplied{At: m.c.at, Dialog: cmd.Dialog, Gen: cmd.Gen, Lost: true}, "")
	}
	tb.queue = nil
}

// loseTry writes down that a command will never be answered. When it was the
// last one that could, the result tells.
func (m *model) loseTry(d *onPaper, gen uint64) {
	if i := slices.IndexFunc(d.tries, func(a try) bool { return a.gen == gen }); i == len(d.tries)-1 {
		m.judge(d)
	}
}

// judge decides by the result alone.
func (m *model) judge(d *onPaper) {
	if d.closed != nil {
		for _, a := range slices.Backward(d.tries) {
			if a.accept == d.closed.result {
				m.end(d, a.by, "", d.closed.result)
				return
			}
		}
	}
	m.end(d, messages.ClosedByRemote, m.refusedReason(d), d.closed.result)
}

// closeTab closes a page after the browser has read its commands.
func (m *model) closeTab(t *rapid.T) {
	tb := m.anyTab(t)
	for len(tb.queue) > 0 {
		m.read(tb)
	}
	for _, d := range []*onPaper{tb.showing, tb.stuck} {
		if d != nil {
			m.end(d, messages.ClosedByRemote, messages.ReasonTargetClosed, false)
		}
	}
	if tb.showing != nil && len(tb.showing.tries) == 0 && m.c.at.Sub(tb.showing.opened) > 100*time.Millisecond {
		m.feed(Closed{At: m.c.at, Session: tb.session, Frame: tb.showing.frame}, "") // the browser tells of the dialog first
	}
	m.feed(TargetGone{At: m.c.at, Target: tb.target, Reason: messages.ReasonTargetClosed}, "")
	for i := range m.endings {
		e := &m.endings[i]
		if r := m.recordOf(e.id); r != nil && r.TargetID == tb.target && e.by == messages.ClosedByRemote &&
			e.reason == messages.ReasonAnsweredElsewhere && !e.result && m.c.at.Sub(r.ClosedAt.Time()) <= time.Second {
			e.reason = messages.ReasonTargetClosed
		}
	}
	m.tabs[slices.Index(m.tabs, tb)] = m.newTab()
}

func (m *model) recordOf(id messages.DialogID) *messages.DialogRecord {
	for i := range m.c.last.Recent {
		if m.c.last.Recent[i].ID == id {
			return &m.c.last.Recent[i]
		}
	}
	return nil
}

// time passes; timers that are due go off one by one.
func (m *model) time(t *rapid.T) {
	until := m.c.at.Add(rapid.SampledFrom([]time.Duration{time.Millisecond, 150 * time.Millisecond, 4 * time.Second, 11 * time.Second, 31 * time.Second}).Draw(t, "time"))
	for {
		a, ok := m.nextTimer(until)
		if !ok {
			break
		}
		m.c.at = a.At
		d := m.find(a.Dialog)
		switch {
		case d == nil:
			m.t.Fatalf("a timer of %s, which is over", a.Dialog)
		case slices.Contains(m.waiting, d):
			m.judge(d)
		case d.answered:
			d.answered = false
		}
		m.feed(Timer{At: a.At, Dialog: a.Dialog, Gen: a.Gen}, messages.ClosedByWatchdog)
	}
	m.c.at = until
}

func (m *model) nextTimer(until time.Time) (Arm, bool) {
	var due []Arm
	for _, a := range m.c.armed {
		if !a.At.After(until) {
			due = append(due, a)
		}
	}
	if len(due) == 0 {
		return Arm{}, false
	}
	return slices.MinFunc(due, func(a, b Arm) int {
		if c := a.At.Compare(b.At); c != 0 {
			return c
		}
		return int(int64(a.Gen) - int64(b.Gen))
	}), true
}

// disconnect: the connection goes, and everything with it.
func (m *model) disconnect(t *rapid.T) {
	if rapid.IntRange(0, 9).Draw(t, "really") > 0 {
		return
	}
	for _, d := range m.inOrder() {
		if d.closed != nil || d.replaced {
			m.judge(d)
		} else {
			m.end(d, messages.ClosedByRemote, messages.ReasonDisconnected, false)
		}
	}
	m.feed(EpochEnded{At: m.c.at}, "")
	for i := range m.tabs {
		m.tabs[i] = m.newTab()
	}
}

// inOrder lists all that is not over in the order of opening.
func (m *model) inOrder() []*onPaper {
	all := slices.Concat(m.pending, m.waiting)
	slices.SortFunc(all, func(a, b *onPaper) int {
		x, _ := number(a.id)
		y, _ := number(b.id)
		return int(int64(x) - int64(y))
	})
	return all
}
