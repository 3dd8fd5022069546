package actors

import (
	"maps"
	"reflect"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/actors/attach"
	"cdpsupervisor/messages"
	"cdpsupervisor/policy"
)

// byHand runs actors when it is told to, in the order in which they were woken.
type byHand struct{ woken []func() }

func (b *byHand) Schedule(f func()) { b.woken = append(b.woken, f) }
func (b *byHand) Throughput() int   { return 300 }

// next runs the actor that was woken first.
func (b *byHand) next(t *testing.T) {
	t.Helper()
	if len(b.woken) == 0 {
		t.Fatal("no actor has anything to do")
	}
	f := b.woken[0]
	b.woken = b.woken[1:]
	f()
}

func (b *byHand) all() {
	for len(b.woken) > 0 {
		f := b.woken[0]
		b.woken = b.woken[1:]
		f()
	}
}

// asParent is an actor that does what a test says with a supervisor's children.
type asParent struct{ s *supervisor }

func (p *asParent) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case func(actor.Context):
		m(ctx)
	case *rested:
		p.s.childRests(ctx, m)
	}
}

// parentByHand is a supervisor whose children can be told things, and how to have
// something done as their parent. Nobody runs before the test says so.
func parentByHand(t *testing.T) (s *supervisor, hand *byHand, do func(func(actor.Context))) {
	t.Helper()
	hand = &byHand{}
	env := testEnv(t)
	env.Dispatcher = hand
	s = newSupervisor(env, testRecord())
	parent := env.System.Root.Spawn(actor.PropsFromProducer(func() actor.Actor { return &asParent{s} }, actor.WithDispatcher(hand)))
	t.Cleanup(func() {
		env.System.Root.Stop(parent)
		hand.all()
	})
	return s, hand, func(f func(actor.Context)) { env.System.Root.Send(parent, f) }
}

// TestNothingIsLostInAChildThatRests: a child that has said that it is at rest,
// and was told something since, goes on, whatever question it had answered.
func TestNothingIsLostInAChildThatRests(t *testing.T) {
	s, hand, do := parentByHand(t)
	rec := s.rec
	told := uint64(0)
	tell := func(ctx actor.Context) {
		told++
		s.toSnapshot(ctx, &messages.TaskPart{})
	}
	published := func(when string) {
		t.Helper()
		if seq := rec.Published.Load().Seq; seq != told {
			t.Errorf("%s: it was told %d times and has published %d", when, told, seq)
		}
	}
	do(tell)
	hand.all()

	// Told something behind the answer, which is handled after that.
	do(s.askRest)
	hand.next(t) // the parent asks
	do(tell)
	first := hand.woken[0] // the child, and then the parent
	hand.woken = hand.woken[1:]
	first()
	hand.all()
	if s.snapshot == nil {
		t.Error("a child was stopped that had been told something")
	}

	// Asked again before the answer to the first question is handled.
	do(s.askRest)
	hand.next(t)
	do(func(ctx actor.Context) {
		tell(ctx)
		s.askRest(ctx)
	})
	first = hand.woken[0]
	hand.woken = hand.woken[1:]
	first()
	hand.next(t) // the parent: what it does, and then the answer to the first question
	if s.snapshot == nil {
		t.Error("a child was stopped for an answer of before")
	}
	hand.all()
	published("while it was asked again and again")

	// And at last it rests, and another takes its place.
	do(s.askRest)
	hand.all()
	if s.snapshot != nil {
		t.Error("a child that has nothing to do was not stopped")
	}
	do(tell)
	hand.all()
	published("after a rest")
}

// What sessions are told of is kept when they are moved, and one that is being
// set up does not rest.
func TestSessionsThatRest(t *testing.T) {
	table := new(sessionTable)
	for n := uint32(1); n <= 3; n++ {
		s := &session{n: n, begin: &messages.SessionBegin{ID: messages.SessionID(rune('A' + n)), Target: "T", Page: n == 1}}
		s.setup = attach.Setup{}
		for id := range messages.ContextID(n) {
			s.contexts.Set(id, scriptContext{unique: "u", frame: messages.FrameID(rune('F' + n))})
		}
		table.sessions.Set(n, s)
	}
	read := func() map[uint32]any {
		out := map[uint32]any{}
		for n, s := range table.sessions.All() {
			out[n] = []any{s.n, *s.begin, s.setup, maps.Collect(s.contexts.All())}
		}
		return out
	}
	before := read()
	table.compact()
	if after := read(); len(after) != 3 || !reflect.DeepEqual(after, before) {
		t.Errorf("moved:\n%v\nwas\n%v", after, before)
	}
	if !table.resting() {
		t.Error("nothing is done, and it does not rest")
	}
	table.inputs = &messages.SessionInputs{List: []messages.SessionInput{{}}}
	if table.resting() {
		t.Error("it rests with something to do")
	}
	table.next = 1

	hand, answers := &byHand{}, 0
	env := testEnv(t)
	env.Dispatcher = hand
	spawn := func(a actor.Actor) *actor.PID {
		return env.System.Root.Spawn(actor.PropsFromProducer(func() actor.Actor { return a }, actor.WithDispatcher(hand)))
	}
	probe := spawn(actor.ReceiveFunc(func(ctx actor.Context) {
		if _, ok := ctx.Message().(*rested); ok {
			answers++
		}
	}))
	sessions := spawn(&sessionsActor{env: env, table: table, supervisor: probe, socket: probe})
	setUp := table.sessions.Get(2)
	setUp.timer = WallClock().AfterFunc(time.Hour, func() {})
	env.System.Root.Send(sessions, &rest{})
	hand.all()
	if answers != 0 {
		t.Error("it rests while a session is being set up")
	}
	setUp.stopTimer()
	env.System.Root.Send(sessions, &rest{})
	hand.all()
	if answers != 1 {
		t.Error("it does not say that it rests")
	}
	env.System.Root.Stop(sessions)
	env.System.Root.Stop(probe)
	hand.all()
}

// Frames that went before the first dialog are known to the actor that it
// starts: the news of a dialog can come behind that of its frame's end. Those of
// another connection are not.
func TestFramesThatWentBeforeTheFirstDialog(t *testing.T) {
	for _, other := range []bool{false, true} {
		s, hand, do := parentByHand(t)
		do(func(ctx actor.Context) {
			s.toSnapshot(ctx, &messages.TaskPart{})
			s.tell(policy.FramesRemoved{Frames: []messages.FrameID{"F"}}, ctx)
			if other {
				s.tell(policy.EpochEnded{}, ctx)
			}
			s.tell(policy.Opened{At: s.env.Clock.Now(), Session: "S", Target: "P", Frame: "F", Type: messages.DialogAlert}, ctx)
		})
		hand.all()
		snap := s.rec.Published.Load()
		orphan := len(snap.RecentDialogs) == 1 && snap.RecentDialogs[0].Reason == messages.ReasonFrameRemoved
		if orphan == other || len(snap.PendingDialogs) != map[bool]int{false: 0, true: 1}[other] {
			t.Errorf("of another connection %t: pending %+v, recent %+v", other, snap.PendingDialogs, snap.RecentDialogs)
		}
	}
}

// What a connection keeps is the same after it was moved.
func TestWhatAConnectionKeepsIsMoved(t *testing.T) {
	l := newLink(1)
	now := time.Unix(1_700_000_000, 0)
	for n, id := range []messages.SessionID{"S", "T", "U"} {
		e := &sessionEntry{n: uint32(n + 1), id: id, page: "P", target: messages.TargetID("T" + id), isPage: n == 0, state: messages.SessionReady, liveFrom: 7}
		l.sessions.Set(id, e)
		l.numbers.Set(e.n, e)
	}
	l.pages.Set("P", &pageEntry{session: "S", poisoned: "why", poisoner: "F", healing: &healing{}, ordered: now, crashed: true})
	l.infos.Set("P", &messages.TargetInfo{TargetID: "P", Type: "page", Subtype: "s", Title: "t", URL: "u", OpenerID: "O", OpenerFrameID: "OF", ParentID: "PA", ParentFrameID: "PF", BrowserContextID: "B"})
	l.expected.Set("Q", true)
	l.expectWord("F", now)
	l.ask("S", nil)
	l.lack("cap", "reason")
	read := func() []any {
		sessions, numbers, pages, infos := map[messages.SessionID]sessionEntry{}, map[uint32]sessionEntry{}, map[messages.TargetID]pageEntry{}, map[messages.TargetID]messages.TargetInfo{}
		for id, e := range l.sessions.All() {
			sessions[id] = *e
			if l.numbers.Get(e.n) != e {
				t.Errorf("session %s has two entries", id)
			}
		}
		for n, e := range l.numbers.All() {
			numbers[n] = *e
		}
		for id, p := range l.pages.All() {
			pages[id] = *p
		}
		for id, i := range l.infos.All() {
			infos[id] = *i
		}
		return []any{sessions, numbers, pages, infos, maps.Collect(l.expected.All()), l.own.Len(), maps.Collect(l.lacks.All()), maps.Clone(l.silent)}
	}
	before := read()
	l.compact(make(messages.Strings))
	if after := read(); !reflect.DeepEqual(after, before) {
		t.Errorf("moved:\n%v\nwas\n%v", after, before)
	}
}
