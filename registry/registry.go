package registry

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/hashicorp/go-multierror"
	"github.com/rs/zerolog"

	"cdpsupervisor/actors"
	"cdpsupervisor/messages"
)

// rootName is the one name that the engine takes in the host's system.
const rootName = "cdpsupervisor"

// Registry starts, finds and stops tasks. It is safe for use by many
// goroutines; only GetOrStart, Stop and Close block.
type Registry struct {
	system *actor.ActorSystem
	pid    *actor.PID
	tasks  sync.Map // messages.TaskID → *Task
	guard  func(url string) error
	env    *actors.Env // read only
}

// New starts a registry in the host's actor system, under one named actor. A
// second one in the same system is an error. Errors are plain ones, no
// [*messages.Failure]; that of a nil system wraps [messages.ErrInvalid].
func New(system *actor.ActorSystem, opts ...Option) (*Registry, error) {
	if system == nil {
		return nil, fmt.Errorf("%w: the actor system is nil; make one with actor.NewActorSystem", messages.ErrInvalid)
	}
	s := settings{env: actors.Env{System: system, Clock: actors.WallClock(), Dial: actors.DialWebSocket(), Chance: rand.Float64, Secret: crand.Text, Log: zerolog.Nop()}}
	for _, o := range opts {
		o(&s)
	}
	r := &Registry{system: system, guard: s.guard, env: &s.env}
	sh := &shared{env: &s.env, tasks: &r.tasks, door: r}
	props := actors.RootProps(sh.env, rootName, guardian{}, func() actor.Actor {
		return &root{
			shared: sh, dir: newDirectory(),
			askers: make(map[asker]askerPort), pids: make(map[messages.TaskID]*actor.PID),
			byPID: make(map[string]*actors.Record), failures: make(map[string]*actors.FailureWindow),
			known: make(map[messages.TaskID]*pastTask),
		}
	})
	pid, err := system.Root.SpawnNamed(props, rootName)
	if err != nil {
		return nil, fmt.Errorf("start the registry: %w; one actor system holds one registry", err)
	}
	r.pid = pid
	return r, nil
}

// PID is the registry's actor, for hosts that speak actor: it takes
// [messages.GetOrStart], [messages.StopTask] and [messages.CloseRegistry].
func (r *Registry) PID() *actor.PID { return r.pid }

// GetOrStart returns the task with this id, starting it if there is none, and
// rebinding it if it runs on another endpoint; no state crosses endpoints. It
// returns when the task's page is ready or shown as blocked, after 15 s at the
// most; the task's snapshot says what is the matter. The start goes on when
// the caller's context ends.
//
// The task's page is the first open one with web content that is no other
// task's. With none free a tab is opened, which a stop closes again unless it is
// the browser's last. [WithOwnTab] always opens one, [WithTarget] names one.
//
// Rebinding ends the old task first and then tries the new endpoint: where that
// fails there is no task any more. [Registry.Prove] tries it before. A [*Task]
// of before the rebinding is over, and answers with [messages.ErrTaskStopped].
// Endpoints are told apart by what their source says of itself, so that
// localhost:9222 and 127.0.0.1:9222 are two.
//
// Errors are [*messages.Failure] values, which wrap [messages.ErrInvalid],
// [messages.ErrConnect], [messages.ErrTaskOptions], [messages.ErrTaskStopped],
// [messages.ErrTaskFailed] or [messages.ErrRegistryClosed], or the error of the
// caller's context.
func (r *Registry) GetOrStart(ctx context.Context, id messages.TaskID, source messages.EndpointSource, opts ...TaskOption) (*Task, error) {
	identity, failure := validate(id, source)
	if failure != nil {
		return nil, failure
	}
	s, err := taskOptions(opts)
	if err != nil {
		return nil, err
	}
	msg := &start{GetOrStart: &messages.GetOrStart{Task: id, Source: source, Options: s.options}, identity: identity, tap: s.tap}
	res, err := actors.Ask(ctx, r.system, r.pid, msg)
	if err != nil {
		return nil, registryError(err)
	}
	started, ok := res.(*handle)
	if !ok {
		return nil, fmt.Errorf("the registry answered a start with a %T", res)
	}
	return started.task, nil
}

// Prove reports whether a browser answers at the endpoint, without starting a
// task: it connects, asks who it is, and leaves. It takes 10 s at the most. The
// error names the cause and the way out. It is a [*messages.Failure] that wraps
// [messages.ErrInvalid] for a source that is none, a plain one that wraps
// [messages.ErrConnect] for a browser that does not answer, or that of the
// caller's context.
func (r *Registry) Prove(ctx context.Context, source messages.EndpointSource) error {
	if _, failure := validate("prove", source); failure != nil {
		return failure
	}
	_, err := actors.Prove(ctx, r.env, source)
	return err
}

// Get returns the task with this id, or nil and false. It never blocks. A task
// that has started and failed later is found until it is stopped or started
// again; one that failed to start is not found.
func (r *Registry) Get(id messages.TaskID) (*Task, bool) {
	t, ok := r.tasks.Load(id)
	if !ok {
		return nil, false
	}
	return t.(*Task), true
}

// Tasks returns the tasks that there are, in no order.
func (r *Registry) Tasks() []*Task {
	var all []*Task
	r.tasks.Range(func(_, t any) bool {
		all = append(all, t.(*Task))
		return true
	})
	return all
}

// Stop ends a task: open dialogs are dismissed, a tab that the engine made is
// closed, the connection is closed. It returns when all that is done, after a
// few seconds at the most. Errors are [*messages.Failure] values, with
// [messages.ErrUnknownTask] if there is no such task, and with
// [messages.ErrTaskStopped] if it did not stop in time and was ended by force, or
// that of the caller's context.
func (r *Registry) Stop(ctx context.Context, id messages.TaskID) error {
	_, err := actors.Ask(ctx, r.system, r.pid, &messages.StopTask{Task: id})
	return registryError(err)
}

// Close stops every task and the registry, and returns an error that names
// what did not stop in time; it is a plain one, no [*messages.Failure]. The actor
// system is left running. Closing again is no error.
func (r *Registry) Close(ctx context.Context) error {
	res, err := actors.Ask(ctx, r.system, r.pid, &messages.CloseRegistry{})
	if err != nil {
		if errors.Is(err, messages.ErrTaskStopped) {
			return nil
		}
		return fmt.Errorf("close the registry: %w", err)
	}
	var all *multierror.Error
	if closed, ok := res.(*messages.RegistryClosed); ok {
		for _, what := range closed.NotStopped {
			all = multierror.Append(all, errors.New(lateText(what)))
		}
	}
	return all.ErrorOrNil()
}

// lateText says that something was ended by force.
func lateText(what string) string {
	return fmt.Sprintf("did not stop in %s: %s", messages.StopTimeout, what)
}

// registryError turns "nobody is there" into the registry's own sentinel.
func registryError(err error) error {
	f, ok := errors.AsType[*messages.Failure](err)
	if ok && f.Code == messages.CodeStopped && errors.Is(err, messages.ErrTaskStopped) && f.Message == actors.GoneText {
		return messages.Fail(messages.CodeStopped, "the registry is closed; make a new one").Because(messages.ErrRegistryClosed)
	}
	return err
}

func validate(id messages.TaskID, source messages.EndpointSource) (string, *messages.Failure) {
	if !id.Valid() {
		return "", messages.Fail(messages.CodeInvalidArgument,
			"task id %q is not 1 to %d letters, digits or . _ - : @", clip(string(id)), messages.MaxTaskIDBytes).Because(messages.ErrInvalid)
	}
	if source == nil {
		return "", messages.Fail(messages.CodeNoCDP,
			"no endpoint: give a CDP URL, or launch a browser").Because(messages.ErrInvalid)
	}
	identity := source.Identity()
	if identity == "" {
		return "", messages.Fail(messages.CodeInvalidArgument,
			"the endpoint source has no identity; a CDP URL is ws://, wss://, http(s)://host:port, host:port, or a profile folder").Because(messages.ErrInvalid)
	}
	return identity, nil
}

func clip(s string) string {
	s, _ = messages.Cut(s, 40)
	return s
}

func withDefaults(o messages.TaskOptions) messages.TaskOptions {
	def, _ := taskOptions(nil)
	d := def.options
	if o.Policy.Valid() {
		d.Policy = o.Policy
	}
	if o.DialogTimeout > 0 && o.DialogTimeout <= messages.MaxDialogTimeout {
		d.DialogTimeout = o.DialogTimeout
	}
	if o.Scope != "" {
		d.Scope = o.Scope
	}
	if o.OnStop != "" {
		d.OnStop = o.OnStop
	}
	if o.Bridge != "" {
		d.Bridge = o.Bridge
	}
	if o.BridgeTransport != "" {
		d.BridgeTransport = o.BridgeTransport
	}
	d.TargetID, d.OwnTab, d.KeepCSP = o.TargetID, o.OwnTab, o.KeepCSP
	return d
}
