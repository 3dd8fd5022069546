package registry_test

import (
	"context"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/backends"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// A host embeds the engine in its own actor system, starts a task on a
// browser, answers what is open, and evaluates inside a cross-origin iframe.
func Example() {
	ctx := context.Background()
	system := actor.NewActorSystem()
	engine, err := registry.New(system)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = engine.Close(ctx) }()

	task, err := engine.GetOrStart(ctx, "task-1", backends.Static("http://127.0.0.1:9222"))
	if err != nil {
		fmt.Println(err) // names the cause and the way out
		return
	}
	snapshot := task.Snapshot()
	for _, d := range snapshot.PendingDialogs {
		if _, err := task.RespondDialog(ctx, messages.DialogRequest{Action: messages.ActionAccept, DialogID: d.ID}); err != nil {
			fmt.Println(err)
		}
	}
	if snapshot.FrameTree == nil {
		return
	}
	for _, f := range snapshot.FrameTree.Children {
		title, err := task.Call(ctx, messages.CallRequest{
			Method: "Runtime.evaluate", Params: []byte(`{"expression":"document.title"}`), FrameID: f.FrameID,
		})
		if err != nil {
			fmt.Println(f.URL, err)
			continue
		}
		fmt.Println(f.URL, string(title.Result))
	}
}
