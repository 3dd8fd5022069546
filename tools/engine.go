package tools

import (
	"context"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// task is what the tools need of a running task; *[registry.Task] has it.
type task interface {
	Snapshot() *messages.Snapshot
	Wait(ctx context.Context, holds func(*messages.Snapshot) bool) (*messages.Snapshot, error)
	Call(ctx context.Context, req messages.CallRequest) (*messages.CallResult, error)
	RespondDialog(ctx context.Context, req messages.DialogRequest) (*messages.DialogResult, error)
	Navigate(ctx context.Context, url string) (*messages.NavigateResult, error)
	Frames(ctx context.Context, target messages.TargetID) (*messages.FrameTree, error)
}

// engine is what the tools need of a registry.
type engine interface {
	start(ctx context.Context, id messages.TaskID, source messages.EndpointSource, opts ...registry.TaskOption) (task, error)
	get(id messages.TaskID) (task, bool)
	hasTasks() bool
	stop(ctx context.Context, id messages.TaskID) error
	prove(ctx context.Context, source messages.EndpointSource) error
}

// realEngine is the engine over a registry.
type realEngine struct{ registry *registry.Registry }

func (e realEngine) start(ctx context.Context, id messages.TaskID, source messages.EndpointSource, opts ...registry.TaskOption) (task, error) {
	t, err := e.registry.GetOrStart(ctx, id, source, opts...)
	if err != nil {
		return nil, err // not a nil *Task inside a non-nil task
	}
	return t, nil
}

func (e realEngine) get(id messages.TaskID) (task, bool) {
	t, ok := e.registry.Get(id)
	if !ok {
		return nil, false
	}
	return t, true
}

func (e realEngine) hasTasks() bool { return len(e.registry.Tasks()) > 0 }

func (e realEngine) prove(ctx context.Context, source messages.EndpointSource) error {
	return e.registry.Prove(ctx, source)
}

func (e realEngine) stop(ctx context.Context, id messages.TaskID) error {
	return e.registry.Stop(ctx, id)
}
