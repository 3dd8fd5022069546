package actors

import (
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
)

// TestSlowAndPanickingSubscribers: host code keeps no actor waiting and takes
// none along; what does not fit is counted and said.
func TestSlowAndPanickingSubscribers(t *testing.T) {
	env := testEnv(t)
	rec := testRecord()
	release, seen, dropped := make(chan struct{}), make(chan string, 2*maxWaitingEvents), make(chan uint64, 1)
	sub := env.System.EventStream.Subscribe(func(ev any) {
		switch ev := ev.(type) {
		case *messages.NoteEvent:
			if ev.Message == "first" {
				<-release
			}
			if ev.Message == "bad" {
				panic("a subscriber's own fault")
			}
			seen <- ev.Message
		case *messages.EventsDroppedEvent:
			dropped <- ev.Dropped
		}
	})
	defer env.System.EventStream.Unsubscribe(sub)
	pid, err := env.System.Root.SpawnNamed(props(env, rec.ID, "events", func() actor.Actor { return &eventsActor{env: env, rec: rec} }, nil), "events/"+t.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer env.System.Root.Stop(pid)
	note := func(text string) {
		env.System.Root.Send(pid, &messages.Note{Event: &messages.NoteEvent{Task: "t", Severity: "debug", Message: text}})
	}
	note("first") // holds the publishing goroutine, not the actor
	note("bad")
	const over = 5
	for range maxWaitingEvents + over {
		note("more")
	}
	// The actor still answers: its mailbox is empty when this one has been handled.
	done := make(chan struct{})
	barrier := env.System.Root
	go func() {
		defer close(done)
		barrier.Send(pid, &messages.Note{Event: &messages.NoteEvent{Message: "last"}})
	}()
	<-done
	close(release)
	n := <-dropped
	if n < over {
		t.Errorf("%d events were said to be dropped, want at least %d", n, over)
	}
	if got := <-seen; got != "first" {
		t.Errorf("the first event seen is %q", got)
	}
	if got := <-seen; got != "more" {
		t.Errorf("after the subscriber's panic comes %q", got)
	}
}
