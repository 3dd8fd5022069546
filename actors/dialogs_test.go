package actors

import (
	"sync/atomic"
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
	if sent := d.rec.sent.open; len(sent) != 1 {
		t.Errorf("%d answers wait for a reply", len(sent))
	}
}

// TestRepliesOutliveAPanic: the reply that made the actor panic ends its dialog
// all the same, and no number of a command is given twice. Of a dialog of the
// bridge nothing else tells the end.
func TestRepliesOutliveAPanic(t *testing.T) {
	env := testEnv(t)
	var panicked atomic.Bool
	env.Faults = func(_ string, message any) {
		if m, ok := message.(*dialogReply); ok && m.n == 2 && panicked.CompareAndSwap(false, true) {
			panic("a panic of the test")
		}
	}
	system := env.System
	parts := make(chan *messages.DialogsPart, 64)
	snapshot := system.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
		if m, ok := ctx.Message().(*messages.DialogsPart); ok {
			parts <- m
		}
	}))
	defer func() { _ = system.Root.StopFuture(snapshot).Wait() }()
	rec := NewRecord("t", 1, nil, messages.TaskOptions{Policy: messages.PolicyAutoAccept}, nil)
	outgoing := make(chan *messages.Outgoing, 8)
	pids := make(chan *actor.PID, 1)
	parent := system.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
		switch m := ctx.Message().(type) {
		case *actor.Started:
			producer := func() actor.Actor { return &dialogsActor{env: env, rec: rec, snapshot: snapshot} }
			pids <- ctx.Spawn(props(env, "t", string(ChildDialogs), producer, rec.keepInput))
		case *messages.Outgoing:
			outgoing <- m
		}
	}))
	defer func() { _ = system.Root.StopFuture(parent).Wait() }()
	pid := <-pids
	now := time.Unix(1_700_000_000, 0)
	for n, session := range []messages.SessionID{"S", "T"} {
		system.Root.Send(pid, &dialogInput{Input: policy.Opened{
			At: now, Session: session, Target: "P" + messages.TargetID(session), Frame: "F" + messages.FrameID(session), Type: messages.DialogConfirm,
			Via: messages.XHRVia{Session: session, Request: "interception-" + messages.RequestID(session)},
		}})
		if m := <-outgoing; m.Ref.N != uint64(n+1) {
			t.Errorf("the answer on %s is number %d", session, m.Ref.N)
		}
	}
	system.Root.Send(pid, &dialogReply{n: 2})
	for part := range parts {
		if len(part.Recent) == 1 && len(part.Pending) == 1 && part.Pending[0].TargetID == "PS" {
			break // the one that was answered is over, the other waits
		}
	}
	system.Root.Send(pid, &dialogInput{Input: policy.Opened{At: now, Session: "U", Target: "PU", Frame: "FU", Type: messages.DialogAlert}})
	if m := <-outgoing; m.Ref.N != 3 {
		t.Errorf("after the panic a number is given again: %d", m.Ref.N)
	}
	system.Root.Send(pid, &dialogReply{n: 1}) // on its way since before
	for part := range parts {
		if len(part.Recent) == 2 && len(part.Pending) == 1 && part.Pending[0].TargetID == "PU" {
			break
		}
	}
	if !panicked.Load() {
		t.Error("nothing panicked")
	}
}
