package registry

import (
	"context"
	"fmt"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/actors"
	"cdpsupervisor/messages"
)

// A host may have any number of tasks over time: few are kept that do not run,
// and none that comes again is given what it was given before.
func TestPastTasksAreForgotten(t *testing.T) {
	r := &root{pids: map[messages.TaskID]*actor.PID{}, known: map[messages.TaskID]*pastTask{}}
	start := func(id messages.TaskID, dialogs uint64) int {
		past := r.past(id)
		past.lives++
		past.dialogs.Add(dialogs)
		return past.lives
	}
	runs := messages.TaskID("runs")
	r.pids[runs] = &actor.PID{}
	start(runs, 7)
	start("twice", 3)
	if lives := start("twice", 3); lives != 2 {
		t.Errorf("the second life of a known task is number %d", lives)
	}
	for i := range 3 * maxPast {
		start(messages.TaskID(fmt.Sprint(i)), 0)
	}
	if n := len(r.known); n > maxPast+2 {
		t.Errorf("%d tasks are known", n)
	}
	if r.known["twice"] != nil {
		t.Fatal("a task that does not run is still known: this test tests nothing")
	}
	if past := r.past("twice"); past.lives < 2 || past.dialogs.Load() < 6 {
		t.Errorf("a task that comes again begins at life %d, dialog %d", past.lives, past.dialogs.Load())
	}
	if past := r.past(runs); past.lives != 1 || past.dialogs.Load() != 7 {
		t.Errorf("a task that runs has life %d, dialog %d", past.lives, past.dialogs.Load())
	}
}

// named is a source that nobody opens.
type named string

func (n named) Identity() string                                              { return string(n) }
func (named) Open(context.Context) (*messages.Lease, error)                   { return nil, nil }
func (named) Renew(context.Context, *messages.Lease) (*messages.Lease, error) { return nil, nil }

// Who asks for a task is given the one that was started for the question, also
// where somebody has bound the id to another endpoint before the answer is read.
func TestTheTaskThatWasAskedFor(t *testing.T) {
	task := func(life uint64) *Task {
		return &Task{record: actors.NewRecord("t", life, named("x"), messages.TaskOptions{}, nil)}
	}
	first, second := task(1), task(2)
	system := actor.NewActorSystem()
	defer system.Shutdown()
	r := &Registry{system: system}
	r.pid = system.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
		if _, ok := ctx.Message().(*start); ok {
			r.tasks.Store(messages.TaskID("t"), second)
			ctx.Respond(&handle{&messages.TaskStarted{Task: "t"}, first})
		}
	}))
	got, err := r.GetOrStart(t.Context(), "t", named("x"))
	if err != nil || got != first {
		t.Errorf("given life %d: %v", got.record.Life, err)
	}
}
