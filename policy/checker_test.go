package policy

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"cdpsupervisor/messages"
)

// checker feeds inputs to a machine and to its twin, performs the effects in
// the simplest way, and fails on the first thing that must never be.
type checker struct {
	fatalf func(string, ...any)
	cfg    Config
	s      *State
	twin   *State
	at     time.Time

	asks     map[messages.Ref]int // answers by ask
	sweeps   map[messages.Ref]int
	wire     map[messages.DialogID]uint64 // the command that is believed in
	sent     map[messages.DialogID][]uint64
	armed    map[messages.DialogID]Arm
	wills    map[messages.DialogID]bool
	over     map[messages.DialogID]bool
	noAnswer map[messages.DialogID]bool
	last     Publish
	frozen   Publish // a copy of last
	open     []OpenDialog
	moves    map[string]bool // every move seen
	nextRef  uint64
	poisoned int
	crowded  map[messages.DialogID]bool
}

func newChecker(cfg Config, fatalf func(string, ...any)) *checker {
	c := &checker{
		fatalf: fatalf, cfg: cfg, s: New(cfg), twin: New(cfg), at: start(),
		asks: map[messages.Ref]int{}, sweeps: map[messages.Ref]int{}, wire: map[messages.DialogID]uint64{},
		sent: map[messages.DialogID][]uint64{}, armed: map[messages.DialogID]Arm{}, wills: map[messages.DialogID]bool{},
		over: map[messages.DialogID]bool{}, noAnswer: map[messages.DialogID]bool{}, moves: map[string]bool{},
		crowded: map[messages.DialogID]bool{},
		last:    Publish{Pending: []messages.Dialog{}, Recent: []messages.DialogRecord{}},
	}
	c.s.observe = c.observe
	c.frozen = clone(c.last)
	return c
}

// clone is a copy that shares nothing.
func clone(p Publish) Publish {
	p.Pending, p.Recent = slices.Clone(p.Pending), slices.Clone(p.Recent)
	for i := range p.Recent {
		if text := p.Recent[i].PromptText; text != nil {
			own := *text
			p.Recent[i].PromptText = &own
		}
	}
	return p
}

func move(from phase, on event, to phase) string { return fmt.Sprintf("%s --%s--> %s", from, on, to) }

func (c *checker) observe(from phase, on event, to phase) {
	c.moves[move(from, on, to)] = true
	if !slices.Contains(moves(from, on), to) {
		c.fatalf("the table does not know %s", move(from, on, to))
	}
}

func (c *checker) ref() messages.Ref {
	c.nextRef++
	return messages.Ref{Owner: messages.OwnerAsk, N: c.nextRef}
}

// feed steps the machine and checks everything.
func (c *checker) feed(in Input) []Effect {
	switch in := in.(type) {
	case Ask:
		c.asks[in.Ref] = 0
	case DismissAll:
		c.sweeps[in.Ref] = 0
	case AnswerReplied:
		if c.wire[in.Dialog] == in.Gen {
			delete(c.wire, in.Dialog)
		}
	case Timer:
		if a, ok := c.armed[in.Dialog]; ok && a.Gen == in.Gen {
			delete(c.armed, in.Dialog)
			delete(c.wire, in.Dialog) // given up, if it was one
		}
	case Opened, Closed, Stranded, FramesRemoved, Navigated, TargetGone, SessionGone, EpochEnded, SetPolicy:
	}
	before := c.s.Counters()
	effects := Step(c.s, in, nil)
	if twin := Step(c.twin, in, nil); !reflect.DeepEqual(effects, twin) {
		c.fatalf("the same inputs gave\n%s\nand\n%s", sentences(effects), sentences(twin))
	}
	after := c.s.Counters()
	if after.Dialogs < before.Dialogs || after.Generations < before.Generations {
		c.fatalf("counters went back from %+v to %+v", before, after)
	}
	c.perform(effects)
	c.check(in, effects)
	return effects
}

func (c *checker) perform(effects []Effect) {
	answered := false
	for _, e := range effects {
		switch e := e.(type) {
		case Send:
			c.performSend(e)
		case Arm:
			c.armed[e.Dialog] = e
			if e.At.Before(c.at) {
				c.fatalf("%s armed for the past", e.Dialog)
			}
		case Disarm:
			delete(c.armed, e.Dialog)
		case SetWill:
			c.wills[e.Dialog] = true
		case ClearWill:
			delete(c.wills, e.Dialog)
		case Answer:
			c.performAnswer(e)
			answered = true
		case Settled:
			c.sweeps[e.Ref]++
			if c.sweeps[e.Ref] != 1 {
				c.fatalf("sweep %d settled %d times", e.Ref.N, c.sweeps[e.Ref])
			}
			answered = true
		case Publish:
			if answered {
				c.fatalf("published after an answer")
			}
			if !reflect.DeepEqual(c.last, c.frozen) {
				c.fatalf("a published part was written again: %v, was %v", c.last, c.frozen)
			}
			c.last, c.frozen = e, clone(e)
		case OpenChanged:
			c.open = e.Open
		case Poisoned:
			c.poisoned++
		case AutoDismissed:
			if e.After < 0 || e.After > messages.AutoDismissWindow {
				c.fatalf("auto-dismissed after %s", e.After)
			}
		case Note:
			c.performNote(e)
		}
	}
}

func (c *checker) performSend(e Send) {
	id := e.Dialog
	if g, ok := c.wire[id]; ok {
		c.fatalf("%s: #%d is sent while #%d is on the wire", id, e.Gen, g)
	}
	if c.over[id] || c.noAnswer[id] {
		c.fatalf("%s is answered, and it is over (%v) or unanswerable (%v)", id, c.over[id], c.noAnswer[id])
	}
	if e.Via.Kind() == messages.ViaNative && slices.Contains(c.s.removed, e.Frame) {
		c.fatalf("%s is answered, and its frame %s was removed", id, e.Frame)
	}
	c.wire[id] = e.Gen
	c.sent[id] = append(c.sent[id], e.Gen)
}

func (c *checker) performAnswer(e Answer) {
	n, known := c.asks[e.Ref]
	if !known || n != 0 {
		c.fatalf("ask %d (known: %v) is answered again", e.Ref.N, known)
	}
	c.asks[e.Ref]++
	if (e.Result == nil) == (e.Failure == nil) {
		c.fatalf("ask %d has result %v and failure %v", e.Ref.N, e.Result, e.Failure)
	}
	if e.Failure != nil && (e.Failure.Code == "" || e.Failure.Message == "") {
		c.fatalf("ask %d failed without code or sentence: %+v", e.Ref.N, e.Failure)
	}
	if e.Result != nil && e.Result.Record.ClosedBy != messages.ClosedByAgent {
		c.fatalf("ask %d succeeded, and the dialog was closed by %s", e.Ref.N, e.Result.Record.ClosedBy)
	}
}

func (c *checker) performNote(e Note) {
	switch e.Kind {
	case NoteClosed:
		if c.over[e.Dialog.ID] {
			c.fatalf("%s ends twice", e.Dialog.ID)
		}
		c.over[e.Dialog.ID] = true
		delete(c.wire, e.Dialog.ID)
	case NoteTried:
		c.over[e.Dialog.ID] = true
		delete(c.wire, e.Dialog.ID)
	case NoteUnanswerable:
		c.noAnswer[e.Dialog.ID] = true
	case NoteOverflow:
		c.crowded[e.Dialog.ID] = true
	case NoteOpened, NoteAnswering, NoteWatchdog, NoteAnswerFailed:
	}
}

func (c *checker) check(in Input, effects []Effect) {
	s := c.s
	if len(s.ring) > messages.MaxRecentDialogs || len(s.removed) > MaxRemovedFrames || len(s.live) > maxDialogs ||
		len(s.sweeps) > maxSweeps || len(c.last.Pending) > messages.MaxPendingDialogs {
		c.fatalf("a bound is broken: ring %d, removed %d, live %d, sweeps %d, pending %d",
			len(s.ring), len(s.removed), len(s.live), len(s.sweeps), len(c.last.Pending))
	}
	if !reflect.DeepEqual(s.pending(), c.last.Pending) || !reflect.DeepEqual(s.recent(), c.last.Recent) || s.overflow != c.last.Overflow {
		c.fatalf("after %T the state is not what was published:\n%s", in, sentences(effects))
	}
	if c.last.Pending == nil || c.last.Recent == nil {
		c.fatalf("a published list is nil")
	}
	waiting := 0
	for _, d := range s.live {
		c.checkDialog(d)
		waiting += len(d.waiters)
	}
	if len(c.armed) > len(s.live) || len(c.wills) > len(s.live) {
		c.fatalf("%d timers and %d wills for %d dialogs", len(c.armed), len(c.wills), len(s.live))
	}
	for _, n := range c.asks {
		if n == 0 {
			waiting--
		}
	}
	if waiting != 0 {
		c.fatalf("after %T %d asks are neither answered nor waiting", in, -waiting)
	}
	c.checkOpen()
}

func (c *checker) checkDialog(d *dialog) {
	id := d.shown.ID
	if c.over[id] || d.phase == phaseNone || d.phase == phaseClosed {
		c.fatalf("%s is %s, and in the list", id, d.phase)
	}
	timed := d.phase != phaseUnanswerable
	if a, ok := c.armed[id]; ok != timed || ok && a.Gen != d.timer {
		c.fatalf("%s is %s, its timer is %+v (%v)", id, d.phase, a, ok)
	}
	will := (d.phase == phaseOpen || d.phase == phaseAnswering) && !(d.native() && c.cfg.OnStop == messages.OnStopLeave)
	if c.wills[id] != will {
		c.fatalf("%s is %s, its will is %v", id, d.phase, c.wills[id])
	}
	if _, onWire := c.wire[id]; d.phase == phaseAnswering && !onWire || d.phase == phaseOpen && onWire {
		c.fatalf("%s is %s, on the wire: %v", id, d.phase, onWire)
	}
	if len(d.waiters) > 0 && d.phase != phaseAnswering && d.phase != phaseSettling {
		c.fatalf("%s is %s, and %d wait", id, d.phase, len(d.waiters))
	}
	if shown := d.show(); (shown.DeadlineAt != 0) != (d.phase == phaseOpen) {
		c.fatalf("%s is %s, deadline %v", id, d.phase, shown.DeadlineAt)
	}
}

func (c *checker) checkOpen() {
	var open []messages.DialogID
	for _, d := range c.s.live {
		if d.pending() {
			open = append(open, d.shown.ID)
		}
	}
	var told []messages.DialogID
	for _, o := range c.open {
		told = append(told, o.ID)
	}
	if !slices.Equal(open, told) {
		c.fatalf("open are %v, told was %v", open, told)
	}
}

// finish ends the epoch, after which nothing may be left.
func (c *checker) finish() {
	c.feed(EpochEnded{At: c.at})
	if len(c.s.live) != 0 || len(c.armed) != 0 || len(c.wills) != 0 || len(c.s.sweeps) != 0 {
		c.fatalf("left after the end: %d dialogs, %d timers, %d wills, %d sweeps", len(c.s.live), len(c.armed), len(c.wills), len(c.s.sweeps))
	}
	for ref, n := range c.asks {
		if n != 1 {
			c.fatalf("ask %d was answered %d times", ref.N, n)
		}
	}
	for ref, n := range c.sweeps {
		if n != 1 {
			c.fatalf("sweep %d was settled %d times", ref.N, n)
		}
	}
}
