package actors

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
)

// faultyClock panics when the armed number of timers is set.
type faultyClock struct {
	messages.Clock
	left int
}

func (c *faultyClock) AfterFunc(d time.Duration, f func()) messages.Timer {
	if c.left--; c.left == 0 {
		panic("the clock")
	}
	return c.Clock.AfterFunc(d, f)
}

// keeper is a parent that restarts its child.
type keeper struct{ spawn func(actor.Context) }

func (k *keeper) Receive(ctx actor.Context) {
	if _, ok := ctx.Message().(*actor.Started); ok {
		k.spawn(ctx)
	}
}

func (k *keeper) HandleFailure(_ *actor.ActorSystem, parent actor.Supervisor, child *actor.PID, _ *actor.RestartStatistics, _, _ any) {
	parent.RestartChildren(child)
}

// A panic over one session costs that session a second look, and the others
// nothing, also those behind it in the same list.
func TestAPanicOverASessionLeavesTheOthersAlone(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	env := testEnv(t)
	env.Clock = &faultyClock{Clock: env.Clock, left: 2}
	system := env.System
	sent, changed := make(chan *messages.SendCommands, 8), make(chan *messages.SessionsChanged, 8)
	probe := system.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
		switch m := ctx.Message().(type) {
		case *messages.SendCommands:
			sent <- m
		case *messages.SessionsChanged:
			changed <- m
		}
	}))
	pids := make(chan *actor.PID, 1)
	table := new(sessionTable)
	parent := system.Root.Spawn(actor.PropsFromProducer(func() actor.Actor {
		return &keeper{func(ctx actor.Context) {
			pid, err := ctx.SpawnNamed(props(env, "t", string(ChildSessions), func() actor.Actor {
				return &sessionsActor{env: env, epoch: 1, table: table, supervisor: probe, socket: probe}
			}, table.keep), "sessions")
			if err != nil {
				t.Error(err)
			}
			pids <- pid
		}}
	}))
	defer system.Root.Stop(parent)
	began := func(n uint32, id messages.SessionID) messages.SessionInput {
		return messages.SessionInput{Session: n, Kind: messages.SessionBegan, Begin: &messages.SessionBegin{ID: id, Target: "T" + messages.TargetID(id)}}
	}
	system.Root.Send(<-pids, &messages.SessionInputs{List: []messages.SessionInput{began(1, "A"), began(2, "B"), began(3, "C")}})

	methods := make(map[messages.SessionID][]string)
	select {
	case m := <-sent:
		for _, c := range m.List {
			methods[c.Session] = append(methods[c.Session], c.Command.Method())
		}
	case <-ctx.Done():
		t.Fatal("nothing was sent")
	}
	setUp := []string{"Page.enable", "Runtime.enable", "Target.setAutoAttach", "Page.getFrameTree", "Runtime.runIfWaitingForDebugger"}
	again := []string{"Runtime.disable", "Runtime.enable", "Page.getFrameTree", "Runtime.runIfWaitingForDebugger"}
	for id, want := range map[messages.SessionID][]string{"A": setUp, "B": append(slices.Clone(setUp), again...), "C": setUp} {
		if !slices.Equal(methods[id], want) {
			t.Errorf("on %s was sent %v, want %v", id, methods[id], want)
		}
	}
	var states []messages.SessionChange
	select {
	case m := <-changed:
		states = m.List
	case <-ctx.Done():
		t.Fatal("no state was told")
	}
	want := []messages.SessionChange{{Session: 1, State: "pending"}, {Session: 2, State: "ready"}, {Session: 3, State: "pending"}}
	if !slices.Equal(states, want) {
		t.Errorf("told %v, want %v", states, want)
	}
}

// A session that is over before its set-up has left takes it along.
func TestASessionThatEndsAtOnceSendsNothing(t *testing.T) {
	a := &sessionsActor{table: new(sessionTable)}
	s := &session{n: 1, begin: &messages.SessionBegin{ID: "A"}}
	a.table.sessions.Set(1, s)
	a.send(s, "A", messages.Ref{}, messages.PageEnable{})
	a.send(&session{n: 2}, "B", messages.Ref{}, messages.PageEnable{})
	a.over(s)
	if out := a.table.out; len(out.List) != 1 || out.List[0].Session != "B" || !slices.Equal(out.Forget, []messages.SessionID{"A"}) {
		t.Errorf("left: %v, forgotten: %v", out.List, out.Forget)
	}
}

// What made the actor panic before it had begun with it is about somebody all
// the same: the list is handled by the next incarnation, and the session whose
// timer it was is read again, since no other timer of it would come.
func TestAPanicBeforeTheBeginning(t *testing.T) {
	list := []messages.SessionInput{{Session: 3}}
	done := &messages.SessionInputs{List: slices.Clone(list)}
	done.Empty()
	for _, c := range []struct {
		name     string
		handling uint32
		message  any
		inputs   int
		want     uint32
	}{
		{"a list", 0, &messages.SessionInputs{List: list}, 1, 0},
		{"a timer", 0, &messages.SessionTimer{Session: 7}, 0, 7},
		{"a timer that was begun with", 7, &messages.SessionTimer{Session: 7}, 0, 7},
		{"a list that was begun with", 5, &messages.SessionInputs{List: list}, 0, 5},
		{"a list that was done with", 0, done, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := new(sessionTable)
			table.handling.Store(c.handling)
			if table.keep(nil, &actor.MessageEnvelope{Message: c.message}) {
				t.Error("the asker would not be told")
			}
			inputs := 0
			if table.inputs != nil {
				inputs = len(table.inputs.List)
			}
			if n := table.handling.Load(); n != c.want || inputs != c.inputs {
				t.Errorf("session %d is read again, %d inputs are kept; want %d, %d", n, inputs, c.want, c.inputs)
			}
		})
	}
}
