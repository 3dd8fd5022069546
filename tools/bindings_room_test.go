package tools

import (
	"fmt"
	"testing"

	"cdpsupervisor/messages"
)

// Of tasks that do not run so many are remembered, the last ones; of those that
// run, all.
func TestTasksOfLongAgoAreForgotten(t *testing.T) {
	box, engine := newFake(nil)
	engine.newTask = func(messages.TaskID, string) (*fakeTask, error) { return &fakeTask{snap: well()}, nil }
	box.Call(t.Context(), Caller{Task: "runs"}, "browser_connect", []byte(`{"cdp_url":"ws://brought:1"}`))
	const more = 10
	for n := range maxBindings + more {
		caller := Caller{Task: messages.TaskID(fmt.Sprint("t", n))}
		if n%2 == 0 { // every second one never runs
			box.Call(t.Context(), caller, "browser_navigate", []byte(`{"url":"https://a/"}`))
		}
		box.Call(t.Context(), caller, "browser_disconnect", nil)
	}
	if n := len(box.bound.tasks); n != maxBindings {
		t.Errorf("%d tasks are remembered", n)
	}
	if bound, ok := box.bound.of("runs"); !ok || bound.secret != "ws://brought:1" {
		t.Error("a task that runs is forgotten")
	}
	first, last := fmt.Sprint("t", more), fmt.Sprint("t", more+1)
	if _, ok := box.bound.of(messages.TaskID(first)); ok {
		t.Errorf("%s is remembered, of too long ago", first)
	}
	if bound, ok := box.bound.of(messages.TaskID(last)); !ok || !bound.disconnected {
		t.Errorf("%s is forgotten", last)
	}
}
