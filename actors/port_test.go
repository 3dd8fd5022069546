package actors

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
)

// askable answers as it is told to.
type askable struct{ receive func(actor.Context) }

func (a askable) Receive(ctx actor.Context) { a.receive(ctx) }

func spawnAskable(t *testing.T, env *Env, receive func(actor.Context)) *actor.PID {
	t.Helper()
	pid, err := env.System.Root.SpawnNamed(actor.PropsFromProducer(func() actor.Actor { return askable{receive} }), "askable/"+t.Name())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { env.System.Root.Stop(pid) })
	return pid
}

func TestAsk(t *testing.T) {
	env := testEnv(t)
	want := &messages.TaskStarted{Task: "x"}
	refused := messages.Fail(messages.CodeDenied, "no").Because(messages.ErrInvalid)
	pid := spawnAskable(t, env, func(ctx actor.Context) {
		switch ctx.Message().(type) {
		case *messages.GetOrStart:
			ctx.Respond(want)
			ctx.Respond(refused) // a second answer is dropped
		case *messages.StopTask:
			ctx.Respond(refused)
		case *messages.CloseRegistry: // never answered
		case *messages.StopSupervisor:
			ctx.Stop(ctx.Self())
		}
	})
	ctx := context.Background()
	before := env.System.ProcessRegistry.LocalPIDs
	if got, err := Ask(ctx, env.System, pid, &messages.GetOrStart{}); err != nil || got != messages.Result(want) {
		t.Errorf("answered %v, %v", got, err)
	}
	if _, err := Ask(ctx, env.System, pid, &messages.StopTask{}); messages.CodeOf(err) != messages.CodeDenied || !errors.Is(err, messages.ErrInvalid) {
		t.Errorf("a failure comes as %v", err)
	}
	short, cancel := context.WithCancelCause(ctx)
	cancel(errors.New("enough"))
	if _, err := Ask(short, env.System, pid, &messages.CloseRegistry{}); err == nil || err.Error() != "enough" {
		t.Errorf("a cancelled ask returns %v", err)
	}
	if _, err := Ask(ctx, env.System, nil, &messages.CloseRegistry{}); !errors.Is(err, messages.ErrInvalid) {
		t.Errorf("an ask to nobody returns %v", err)
	}
	ports := 0
	for _, bucket := range before.LocalPIDs {
		for _, key := range bucket.Keys() {
			if len(key) > 18 && key[:18] == "cdpsupervisor/ask/" {
				ports++
			}
		}
	}
	if ports != 0 {
		t.Errorf("%d ports are left", ports)
	}
}

// TestAskOfTheDead: what stands in a mailbox behind a stop vanishes; whoever
// asked hears of it all the same, and at once.
func TestAskOfTheDead(t *testing.T) {
	env := testEnv(t)
	release := make(chan struct{})
	pid := spawnAskable(t, env, func(ctx actor.Context) {
		if _, ok := ctx.Message().(*messages.StopSupervisor); ok {
			<-release // so that the asks queue up behind
			ctx.Stop(ctx.Self())
		}
	})
	env.System.Root.Send(pid, &messages.StopSupervisor{})
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		wg.Go(func() { _, errs[i] = Ask(ctx, env.System, pid, &messages.CloseRegistry{}) })
	}
	close(release)
	wg.Wait()
	errs = append(errs, func() error { _, err := Ask(ctx, env.System, pid, &messages.CloseRegistry{}); return err }())
	for i, err := range errs {
		if !errors.Is(err, messages.ErrTaskStopped) {
			t.Errorf("ask %d of %d to a dead actor returns %v", i, len(errs), err)
		}
	}
}

func TestPublishedWakesWaiters(t *testing.T) {
	var p Published
	p.Store(&messages.Snapshot{Seq: 1})
	changed := p.Changed()
	select {
	case <-changed:
		t.Fatal("woken without a change")
	default:
	}
	p.Store(&messages.Snapshot{Seq: 2})
	<-changed
	if got := p.Load().Seq; got != 2 {
		t.Errorf("woken to snapshot %d", got)
	}
}
