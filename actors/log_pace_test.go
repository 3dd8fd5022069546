package actors

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"cdpsupervisor/messages"
)

// heldClock shows the time that it is told.
type heldClock struct {
	messages.Clock
	now time.Time
}

func (c *heldClock) Now() time.Time { return c.now }

// eventsByHand is an events actor that a test tells things, and what it has logged.
func eventsByHand(t *testing.T) (tell func(messages.EngineEvent), clock *heldClock, stop func(), logged func() []string) {
	t.Helper()
	hand, out := &byHand{}, &bytes.Buffer{}
	env := testEnv(t)
	clock = &heldClock{Clock: env.Clock, now: time.Unix(1_700_000_000, 0)}
	env.Clock, env.Log = clock, zerolog.New(out)
	e := &eventsActor{env: env, rec: testRecord(), busy: true} // nothing is published, so nobody else runs
	pid := env.System.Root.Spawn(actor.PropsFromProducer(func() actor.Actor { return e }, actor.WithDispatcher(hand)))
	hand.all()
	tell = func(ev messages.EngineEvent) {
		env.System.Root.Send(pid, &messages.Note{Event: ev})
		hand.all()
	}
	stop = func() {
		env.System.Root.Stop(pid)
		hand.all()
	}
	logged = func() []string {
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		out.Reset()
		return lines
	}
	return tell, clock, stop, logged
}

func dialogOf(count int) messages.Dialog { return messages.Dialog{ID: "d", Count: count} }

// for(;;)alert() writes a handful of lines, not two for each.
func TestEqualDialogsAreLoggedEverMoreRarely(t *testing.T) {
	tell, _, stop, logged := eventsByHand(t)
	const flood = 1_000
	for n := range flood {
		count := n + 1
		if n == 0 {
			count = 0
		}
		tell(&messages.DialogOpenedEvent{Dialog: dialogOf(count)})
		tell(&messages.DialogEndedEvent{Record: messages.DialogRecord{ID: "d", Count: count}})
	}
	stop()
	lines := logged()
	if len(lines) != 20 { // 1, 2, 4, … 512
		t.Errorf("%d lines:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	if last := lines[len(lines)-1]; !strings.Contains(last, "512 equal ones in a row") {
		t.Errorf("the last line is %s", last)
	}
}

// Dialogs that differ have so many lines a minute, whatever is told of them, and
// it is said how many are missing. What else happens is logged as ever.
func TestAFloodOfDialogsIsLoggedInPart(t *testing.T) {
	tell, clock, stop, logged := eventsByHand(t)
	flood := func(of int) {
		for n := range of {
			tell(&messages.DialogOpenedEvent{Dialog: dialogOf(0)})
			tell(&messages.NoteEvent{Severity: "warn", Message: fmt.Sprint(n), Dialog: "d"})
		}
		tell(&messages.NoteEvent{Severity: "warn", Message: "of something else"})
	}
	flood(50)
	lines := logged()
	if len(lines) != dialogLinesPerMinute+1 || !strings.Contains(lines[dialogLinesPerMinute], "of something else") {
		t.Fatalf("%d lines:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	clock.now = clock.now.Add(time.Minute)
	flood(35)
	lines = logged()
	if len(lines) != dialogLinesPerMinute+2 || !strings.Contains(lines[0], `"events":40`) {
		t.Errorf("%d lines in the next minute:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	stop()
	if lines = logged(); len(lines) != 1 || !strings.Contains(lines[0], `"events":10`) {
		t.Errorf("at the end:\n%s", strings.Join(lines, "\n"))
	}
}
