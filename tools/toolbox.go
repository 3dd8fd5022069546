package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// DefaultTask is the task of a caller that names none.
const DefaultTask messages.TaskID = "default"

// Options set up a [Toolbox]. Only Registry is required.
type Options struct {
	// Registry runs the tasks. It belongs to the host, which closes it.
	Registry *registry.Registry
	// Endpoint says where a task's browser comes from when no browser_connect
	// said otherwise; nil means that nothing is configured, and that only tasks
	// can be used that the host starts in the registry itself. It is asked when a
	// task is new or is connected to "configured", or not known any more, on the
	// caller's goroutine, and does no I/O. What it gives for one task has the
	// same identity each time.
	Endpoint func(id messages.TaskID) messages.EndpointSource
	// Connect turns the cdp_url of browser_connect into a source, without
	// I/O; its error says what is wrong with the URL and never quotes it. Nil
	// means that callers cannot bring an endpoint; without Endpoint, too, there
	// is no browser_connect and no browser_disconnect.
	Connect func(url messages.Endpoint) (messages.EndpointSource, error)
	// TaskOptions are the options of a task; nil means the defaults. It must
	// give the same options whenever it is asked for the same task.
	TaskOptions func(id messages.TaskID) []registry.TaskOption
	// Always lists all tools from the start, for hosts that do not notice
	// when the list changes.
	Always bool
	// HowToConfigure is what whoever runs the host does to configure a browser,
	// such as "start the engine with --cdp-url", for the error of a caller that
	// has none. Empty means what a host does in Go.
	HowToConfigure string
	// NoCDP says why the configured backend has no CDP endpoint at all, such
	// as one that speaks REST only; empty means that it has one. Then
	// browser_dialog and browser_cdp are never listed and every call answers
	// no_cdp with this reason.
	NoCDP string
	// Changed is called when a call has changed the list of tools. It must not
	// block. That a task was started in the registry is the host's own doing.
	Changed func()
	// Guard denies pages by their URL; see [registry.WithGuard], which wants
	// the same function for the place where a session is chosen. Here it is
	// asked for URLs that a call would open, as the browser reads them, for
	// the places that a raw command names, and for the frames whose text a
	// result would show; pictures show all of a page. An error or a panic
	// denies.
	Guard func(url string) error
	// Redact rewrites every text of a result, keys included, but for data
	// that is known to be base64. A panic withholds the result.
	Redact func(text string) string
}

// Toolbox is the one dispatcher of the agent tools. It is safe for use by
// many goroutines; a call that waits never delays another.
type Toolbox struct {
	options Options
	engine  engine
	catalog []Tool
	bound   bindings
}

// Caller is who calls: an MCP session, a conversation of the host.
type Caller struct {
	// Task is the caller's own task, used by calls without a task_id. Empty
	// means [DefaultTask].
	Task messages.TaskID
	// Accept, when not nil, are the dialogs that a call may accept; see
	// [Toolbox.Confirmed].
	Accept []messages.DialogID
}

// New makes a toolbox over a registry.
func New(options Options) (*Toolbox, error) {
	if options.Registry == nil {
		return nil, fmt.Errorf("%w: the toolbox needs a registry; make one with registry.New", messages.ErrInvalid)
	}
	return newToolbox(options, realEngine{options.Registry}), nil
}

func newToolbox(options Options, e engine) *Toolbox {
	return &Toolbox{options: options, engine: e, catalog: catalog()}
}

// call is one call on its way through the dispatcher.
type call struct {
	box    *Toolbox
	task   messages.TaskID
	args   arguments
	accept []messages.DialogID // when not nil, the dialogs that may be accepted
}

// Call runs one tool. args is a JSON object, or empty. It always returns a
// result: what goes wrong stands in its code. The context's end is the call's
// end, and its cause, when it is a [*messages.Failure], becomes the result.
func (b *Toolbox) Call(ctx context.Context, caller Caller, name string, args json.RawMessage) *Result {
	c, tool, failure := b.admit(caller, name, args)
	if failure != nil {
		return b.finish(Failed(failure), taskOf(caller, args), name, nil)
	}
	fields, err := tool.run(ctx, c)
	b.bound.trim(b.runs)
	result := &Result{Fields: fields}
	if err != nil {
		result = Failed(b.withoutSecrets(c.task, err))
		result.add(fields)
	}
	return b.finish(result, c.task, name, c.args)
}

// admit checks everything that can be checked before anything is done.
func (b *Toolbox) admit(caller Caller, name string, raw json.RawMessage) (*call, Tool, *messages.Failure) {
	tool, known := b.find(name)
	if !known {
		return nil, tool, invalid("there is no tool %s", quoted(name))
	}
	args, failure := tool.Schema.check(name, raw)
	if failure != nil {
		return nil, tool, failure
	}
	id := taskOf(caller, raw)
	if !id.Valid() {
		return nil, tool, invalid("the caller's task %s must be 1 to %d letters, digits or . _ - : @", quoted(string(id)), messages.MaxTaskIDBytes)
	}
	if failure := b.closed(tool); failure != nil {
		return nil, tool, failure
	}
	return &call{box: b, task: id, args: args, accept: caller.Accept}, tool, nil
}

// taskOf is the task that a call means, also when its other arguments are
// wrong: whose dialogs are open is told either way.
func taskOf(caller Caller, raw json.RawMessage) messages.TaskID {
	var named struct {
		Task messages.TaskID `json:"task_id"`
	}
	switch err := json.Unmarshal(raw, &named); {
	case err == nil && named.Task.Valid():
		return named.Task
	case caller.Task != "":
		return caller.Task
	default:
		return DefaultTask
	}
}

// finish adds what every result carries and applies the host's redaction.
func (b *Toolbox) finish(result *Result, id messages.TaskID, name string, args arguments) *Result {
	if t, running := b.engine.get(id); running {
		if open := t.Snapshot().PendingDialogs; len(open) > 0 {
			result.add(map[string]any{fieldPending: open})
		}
	}
	b.hideDenied(result)
	return b.redacted(result, name, args)
}

// Start starts the caller's task if there is an endpoint for it, so that no
// early dialog is missed. It blocks as [registry.Registry.GetOrStart] does. An
// error is no loss: the first call that needs the task tries again and says
// what is wrong.
func (b *Toolbox) Start(ctx context.Context, caller Caller) error {
	c, _, failure := b.admit(caller, nameSnapshot, nil)
	if failure != nil {
		return failure
	}
	_, err := c.start(ctx)
	return err
}

// Release stops the caller's own task and forgets its endpoint, for when the
// caller is gone for good.
func (b *Toolbox) Release(ctx context.Context, caller Caller) error {
	id := taskOf(caller, nil)
	b.bound.forget(id)
	if err := b.engine.stop(ctx, id); err != nil && !isUnknownTask(err) {
		return fmt.Errorf("stop task %s: %w", id, err)
	}
	return nil
}

// start returns the call's task, starting it if it is not running.
func (c *call) start(ctx context.Context) (task, error) {
	source, failure := c.box.source(c.task)
	if failure != nil {
		return nil, failure
	}
	// A task that is connected is taken as it is: asking for it by its source
	// would undo a browser_connect that came in between. So is one that the host
	// has started from a source of its own.
	if t, running := c.box.engine.get(c.task); running && (source == nil || !unconnected(t.Snapshot())) {
		return t, nil
	}
	if source == nil {
		return nil, c.box.nothingConfigured()
	}
	t, err := c.box.engine.start(ctx, c.task, source, c.box.taskOptions(c.task)...)
	if err != nil {
		return nil, unreachable(err)
	}
	if bound, _ := c.box.bound.of(c.task); bound.disconnected { // while it started
		return nil, errors.Join(c.box.disconnectedFailure(), c.box.engine.stop(ctx, c.task))
	}
	return t, nil
}

// unreachable is the failure of a task that could not connect: it has lost
// nothing and run nothing, it has no browser.
func unreachable(err error) error {
	f := *failureOf(err)
	if f.Code != messages.CodeConnectionLost && !errors.Is(err, messages.ErrConnect) {
		return err
	}
	f.Code, f.MayHaveRun = messages.CodeNoCDP, false
	return &f
}

func (b *Toolbox) taskOptions(id messages.TaskID) []registry.TaskOption {
	if b.options.TaskOptions == nil {
		return nil
	}
	return b.options.TaskOptions(id)
}

func isUnknownTask(err error) bool { return errors.Is(err, messages.ErrUnknownTask) }
