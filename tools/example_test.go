package tools_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/backends"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/tools"
)

// A host mounts the tools in its own registry of tools, one task for each
// conversation.
func Example() {
	ctx := context.Background()
	engine, err := registry.New(actor.NewActorSystem())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = engine.Close(ctx) }()

	source := backends.Static("http://127.0.0.1:9222")
	box, err := tools.New(tools.Options{
		Registry: engine,
		Endpoint: func(messages.TaskID) messages.EndpointSource { return source },
		Connect:  func(url messages.Endpoint) (messages.EndpointSource, error) { return backends.Static(url), nil },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	type handler func(ctx context.Context, args json.RawMessage) string
	mounted := map[string]handler{}
	for _, tool := range box.List() {
		mounted[tool.Name] = func(ctx context.Context, args json.RawMessage) string {
			return box.Call(ctx, tools.Caller{Task: "conversation-7"}, tool.Name, args).JSON()
		}
	}
	fmt.Println(mounted["browser_dialog"](ctx, json.RawMessage(`{"action":"accept"}`)))
}

// A host that has a snapshot of its own adds the supervisor's fields to it.
func ExampleMergeSnapshot() {
	supervised := &messages.Snapshot{PageTargetID: "T"}
	merged, err := json.Marshal(tools.MergeSnapshot(map[string]any{"snapshot": "…"}, supervised))
	fmt.Println(string(merged), err)
	// Output: {"page_target_id":"T","pending_dialogs":[],"recent_dialogs":[],"snapshot":"…"} <nil>
}
