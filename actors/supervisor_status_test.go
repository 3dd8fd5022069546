package actors

import (
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
)

// Every field of a state counts: a change of any one is published.
func TestSameStateLooksAtEveryField(t *testing.T) {
	make := func() *messages.SupervisorState {
		return &messages.SupervisorState{
			Status: "s", Reason: "r", Since: 1, WaysOut: []string{"w"}, Bridge: &messages.BridgeState{Mode: "on"},
			Capabilities: map[string]string{"c": "x"}, Dropped: map[string]uint64{"d": 1},
		}
	}
	if !sameState(make(), make()) || !sameState(nil, nil) || sameState(make(), nil) || sameState(nil, make()) {
		t.Error("equal states differ, or none is equal to one")
	}
	for i := range reflect.TypeFor[messages.SupervisorState]().NumField() {
		other := make()
		field := reflect.ValueOf(other).Elem().Field(i)
		field.SetZero()
		if sameState(make(), other) {
			t.Errorf("%s is not looked at", reflect.TypeFor[messages.SupervisorState]().Field(i).Name)
		}
	}
	for i := range reflect.TypeFor[messages.BridgeState]().NumField() {
		other := make()
		reflect.ValueOf(other.Bridge).Elem().Field(i).SetString("changed")
		if sameState(make(), other) {
			t.Errorf("Bridge.%s is not looked at", reflect.TypeFor[messages.BridgeState]().Field(i).Name)
		}
	}
}

// A console flood is told of while it lasts and for a while after, whether the
// page goes on or falls silent.
func TestDropsAreOverAtLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env := testEnv(t)
		env.Dispatcher = onSender{}
		s := newSupervisor(env, testRecord())
		s.link = newLink(1)
		parent := env.System.Root.Spawn(actor.PropsFromProducer(func() actor.Actor { return &asParent{s} }, actor.WithDispatcher(onSender{})))
		defer env.System.Root.Stop(parent)
		shown := func(what func(actor.Context)) string {
			env.System.Root.Send(parent, func(ctx actor.Context) {
				what(ctx)
				s.flush(ctx)
			})
			synctest.Wait() // the host's subscribers are told on a goroutine of their own
			st := s.rec.Published.Load().Supervisor
			if st == nil {
				return ""
			}
			return fmt.Sprint(st.Status, st.Dropped)
		}
		dropped := uint64(0)
		batch := func(ctx actor.Context) {
			s.batch(ctx, &messages.Batch{Epoch: 1, Counts: messages.WireCounts{Dropped: dropped}})
		}
		for _, over := range []func(actor.Context){batch, s.quiet} {
			dropped += 5
			told := fmt.Sprintf("degradedmap[console:%d]", dropped)
			if got := shown(batch); got != told {
				t.Errorf("a flood: shown is %q", got)
			}
			time.Sleep(dropsShown / 2)
			if got := shown(batch); got != told {
				t.Errorf("soon after a flood: shown is %q", got)
			}
			time.Sleep(dropsShown)
			if got := shown(over); got != "" {
				t.Errorf("long after a flood: shown is %q", got)
			}
		}
	})
}
