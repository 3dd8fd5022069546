package registry_test

import (
	"strings"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/fakebrowser"
)

// TestUnknownMessages: a host that speaks actor is told of a message that nobody
// takes, such as a value in place of its pointer.
func TestUnknownMessages(t *testing.T) {
	ctx := withTimeout(t, 20*time.Second)
	b := browser(t)
	r, system := engine(t, map[string]*fakebrowser.Browser{"b": b})
	defer func() { _ = r.Close(ctx) }()
	task, err := r.GetOrStart(ctx, "t", endpoint("b"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		to      *actor.PID
		message any
		says    []string
	}{
		{task.PID(), messages.FramesRequest{}, []string{"messages.FramesRequest is no message", "*messages.CallRequest"}},
		{task.PID(), "hello", []string{"string is no message"}},
		{r.PID(), messages.StopTask{Task: "t"}, []string{"messages.StopTask is no message", "*messages.StopTask"}},
		{r.PID(), &messages.FramesRequest{}, []string{"*messages.FramesRequest is no message", "*messages.StopTask"}},
	} {
		answer, err := system.Root.RequestFuture(tc.to, tc.message, 5*time.Second).Result()
		f, ok := answer.(*messages.Failure)
		if !ok || f.Code != messages.CodeInvalidArgument {
			t.Errorf("%T to %s is answered %T %v", tc.message, tc.to.Id, answer, err)
			continue
		}
		for _, word := range tc.says {
			if !strings.Contains(f.Message, word) {
				t.Errorf("%T to %s: %q does not say %q", tc.message, tc.to.Id, f.Message, word)
			}
		}
	}
	// What the library answers itself is answered once.
	if answer, err := system.Root.RequestFuture(task.PID(), &actor.Touch{}, 5*time.Second).Result(); err != nil {
		t.Errorf("a touch is answered %T %v", answer, err)
	} else if _, ok := answer.(*actor.Touched); !ok {
		t.Errorf("a touch is answered %T", answer)
	}
	system.Root.Send(task.PID(), messages.FramesRequest{}) // from nobody
	if _, err := evaluate(ctx, task, "1"); err != nil {
		t.Error(err)
	}
}
