package actors

import (
	"testing"
	"time"

	"cdpsupervisor/messages"
)

// TestDecide: each child has its budget, and past it what is above ends.
func TestDecide(t *testing.T) {
	t0 := time.Unix(1_700_000_000, 0)
	for _, tc := range []struct {
		kind  ChildKind
		every time.Duration
		want  []Decision
	}{
		{ChildSocket, time.Second, []Decision{EndEpoch, EndEpoch}},
		{ChildSessions, time.Second, []Decision{Restart, Restart, Restart, EndEpoch}},
		{ChildDialogs, time.Second, []Decision{Restart, Restart, Restart, FailTask}},
		{ChildSnapshot, time.Second, []Decision{Restart, Restart, Restart, FailTask}},
		{ChildEvents, time.Second, []Decision{Restart, Restart, Restart, FailTask}},
		{ChildDialogs, messages.RestartWindow, []Decision{Restart, Restart, Restart, Restart, Restart}},
	} {
		w := &FailureWindow{}
		for i, want := range tc.want {
			if got := Decide(tc.kind, w, t0.Add(time.Duration(i)*tc.every)); got != want {
				t.Errorf("%s, failure %d every %s: %d, want %d", tc.kind, i+1, tc.every, got, want)
			}
		}
	}
}

func TestConsoleRing(t *testing.T) {
	var c console
	if got := c.last(); got == nil || len(got) != 0 {
		t.Fatalf("an empty ring is %v", got)
	}
	for i := range messages.MaxConsoleErrors + 7 {
		c.add(messages.ConsoleError{Line: int64(i)})
	}
	first := c.last()
	if len(first) != messages.MaxConsoleErrors || first[0].Line != 7 || first[len(first)-1].Line != messages.MaxConsoleErrors+6 {
		t.Fatalf("the ring holds lines %d to %d", first[0].Line, first[len(first)-1].Line)
	}
	if &c.last()[0] != &first[0] {
		t.Error("unchanged errors are copied again")
	}
	c.add(messages.ConsoleError{Line: -1})
	if first[len(first)-1].Line == -1 || c.last()[len(first)-1].Line != -1 {
		t.Error("what was published is written to")
	}
}
