package actors

import (
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
	"cdpsupervisor/policy"
)

// A page that goes with the answer to its dialog on the way leaves nothing
// behind: the reply never comes.
func TestAnswersOfASessionThatIsGone(t *testing.T) {
	env := testEnv(t)
	system := env.System
	ignore := system.Root.Spawn(actor.PropsFromFunc(func(actor.Context) {}))
	defer system.Root.Stop(ignore)
	rec := NewRecord("t", 1, nil, messages.TaskOptions{Policy: messages.PolicyAutoAccept}, nil)
	d := &dialogsActor{env: env, rec: rec, snapshot: ignore}
	outgoing := make(chan *messages.Outgoing, 8)
	pids := make(chan *actor.PID, 1)
	parent := system.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
		switch m := ctx.Message().(type) {
		case *actor.Started:
			pids <- ctx.Spawn(actor.PropsFromProducer(func() actor.Actor { return d }))
		case *messages.Outgoing:
			outgoing <- m
		}
	}))
	pid := <-pids
	now := time.Unix(1_700_000_000, 0)
	for _, session := range []messages.SessionID{"S", "T"} {
		system.Root.Send(pid, &dialogInput{Input: policy.Opened{
			At: now, Session: session, Target: "P" + messages.TargetID(session), Frame: "F" + messages.FrameID(session), Type: messages.DialogAlert,
		}})
		<-outgoing
	}
	system.Root.Send(pid, &dialogInput{Input: policy.SessionGone{At: now, Session: "S"}})
	stopped := make(chan struct{})
	props := actor.PropsFromFunc(func(ctx actor.Context) {
		switch ctx.Message().(type) {
		case *actor.Started:
			ctx.Watch(pid)
			ctx.Poison(pid) // behind what it was told
		case *actor.Terminated:
			close(stopped)
		}
	})
	watcher := system.Root.Spawn(props)
	<-stopped
	system.Root.Stop(watcher)
	system.Root.Stop(parent)
	if len(d.sent) != 1 {
		t.Errorf("%d answers wait for a reply", len(d.sent))
	}
}
