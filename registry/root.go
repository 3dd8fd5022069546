package registry

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/actors"
	"cdpsupervisor/messages"
)

// root is the engine's one named actor. It performs what the directory
// decides, and is the parent of all supervisors.
type root struct {
	shared   *shared
	dir      *directory
	askers   map[asker]askerPort
	lastAsk  asker
	pids     map[messages.TaskID]*actor.PID
	byPID    map[string]*actors.Record // by the PID's id
	failures map[string]*actors.FailureWindow
	known    map[messages.TaskID]*pastTask
	old      pastTask // what those that are no longer known have come to at most
}

// maxPast is how many tasks are known that do not run.
const maxPast = 10_000

// pastTask is what is kept of a task when it ends, so that nothing is given
// twice.
type pastTask struct {
	dialogs atomic.Uint64 // ids of dialogs
	lives   int
}

// shared is what the registry's door and its actor both know.
type shared struct {
	env   *actors.Env
	tasks *sync.Map // messages.TaskID → *Task; written by root only
	door  *Registry
}

// askerPort is where an answer goes.
type askerPort struct {
	pid  *actor.PID
	door bool // of [Registry.GetOrStart], which is answered with a [handle]
}

// handle is [messages.TaskStarted] with the task: to look it up by its id when
// the answer is read may find a later one, on another endpoint.
type handle struct {
	*messages.TaskStarted
	task *Task
}

// start is GetOrStart with the tap, which is no message.
type start struct {
	*messages.GetOrStart
	identity string
	tap      actors.TapFunc
}

// Receive handles one message; see [directory] for the rules.
func (r *root) Receive(ctx actor.Context) {
	message := unwrapped(ctx)
	switch m := message.(type) {
	case *start:
		r.dir.getOrStart(m.Task, request{
			identity: m.identity, source: m.Source, options: m.Options, tap: m.tap, waiters: []asker{r.asker(ctx)},
		})
	case *messages.GetOrStart:
		r.hostStart(ctx, m)
	case *messages.StopTask:
		reason := m.Reason
		if reason == "" {
			reason = "stopped by the host"
		}
		r.dir.stopTask(m.Task, reason, r.asker(ctx))
	case *messages.CloseRegistry:
		r.dir.close(r.asker(ctx))
	case *messages.SupervisorReady:
		r.dir.ready(m.Task, m.Life)
	case *messages.SupervisorEnded:
		r.dir.ended(m.Task, m.Life, m.Failure)
	case *messages.SupervisorFailed:
		r.failed(m)
	case *messages.ClaimPage:
		r.dir.claimPage(m.Task, m.Life, m.Epoch)
	case *messages.PageClaimed:
		r.dir.pageClaimed(m)
	case *messages.PageReleased:
		r.dir.pageReleased(m)
	case *messages.RegistryTimer:
		r.dir.timer(*m)
	case *actor.Terminated:
		actors.LetGo(ctx)
		// The library hands system messages over first: behind this one the
		// supervisor's own last word still stands in the mailbox.
		ctx.Send(ctx.Self(), &supervisorGone{who: m.Who.Id})
	case *supervisorGone:
		if rec := r.byPID[m.who]; rec != nil {
			delete(r.byPID, m.who)
			delete(r.failures, m.who)
			if r.pids[rec.ID] != nil && r.pids[rec.ID].Id == m.who {
				delete(r.pids, rec.ID)
			}
			r.ended(rec)
			r.dir.gone(rec.ID, rec.Life)
		}
	case *actor.Stopped: // not by a close, which waits for the supervisors
		for _, rec := range r.byPID {
			r.ended(rec)
		}
	default:
		actors.Refuse(ctx, r.shared.env.System, message, "*messages.GetOrStart, *messages.StopTask and *messages.CloseRegistry")
	}
	r.perform(ctx)
}

// unwrapped is the message, also when it comes once more.
func unwrapped(ctx actor.Context) any {
	message := ctx.Message()
	if again, ok := message.(*actors.Again); ok {
		message = again.Message
	}
	return message
}

// supervisorGone: the actor of a supervisor has stopped.
type supervisorGone struct{ who string }

// IgnoreDeadLetterLogging as for all messages of the engine.
func (*supervisorGone) IgnoreDeadLetterLogging() {}

// hostStart serves hosts that send the message themselves.
func (r *root) hostStart(ctx actor.Context, m *messages.GetOrStart) {
	identity, err := validate(m.Task, m.Source)
	if err != nil {
		if ctx.Sender() != nil {
			actors.Tell(r.shared.env.System, ctx.Sender(), err)
		}
		return
	}
	r.dir.getOrStart(m.Task, request{identity: identity, source: m.Source, options: withDefaults(m.Options), waiters: []asker{r.asker(ctx)}})
}

func (r *root) asker(ctx actor.Context) asker {
	r.lastAsk++
	if s := ctx.Sender(); s != nil {
		_, door := unwrapped(ctx).(*start)
		r.askers[r.lastAsk] = askerPort{s, door}
	}
	return r.lastAsk
}

// answer answers whoever asked.
func (r *root) answer(e answer) {
	to, result := r.askers[e.to], e.result
	delete(r.askers, e.to)
	if to.pid == nil {
		return
	}
	if started, ok := result.(*messages.TaskStarted); ok && to.door {
		if task, ok := r.shared.door.Get(started.Task); ok {
			result = &handle{started, task}
		}
	}
	actors.Tell(r.shared.env.System, to.pid, result)
}

func (r *root) perform(ctx actor.Context) {
	for _, e := range r.dir.take() {
		switch e := e.(type) {
		case spawn:
			r.spawn(ctx, e)
		case tellStop:
			r.tell(e.task, &messages.StopSupervisor{Reason: e.reason})
		case forceStop:
			if pid := r.pids[e.task]; pid != nil {
				ctx.Stop(pid)
			}
		case tellGrant:
			r.tell(e.task, &messages.ClaimGranted{Epoch: e.epoch, Taken: e.taken})
		case tellTaken:
			r.tell(e.task, &messages.PageTaken{Page: e.page})
		case tellPolicy:
			r.tell(e.task, &messages.PolicyRequest{Policy: e.options.Policy, Timeout: e.options.DialogTimeout})
		case answer:
			r.answer(e)
		case arm:
			r.arm(ctx, e.timer)
		case forget:
			r.shared.tasks.Delete(e.task)
		case finish:
			ctx.Stop(ctx.Self())
		}
	}
}

func (r *root) tell(id messages.TaskID, m any) {
	if pid := r.pids[id]; pid != nil {
		actors.Tell(r.shared.env.System, pid, m)
	}
}

func (r *root) spawn(ctx actor.Context, e spawn) {
	past := r.past(e.task)
	past.lives++
	// A later life has a name of its own: a handle of an earlier one must find
	// nobody, not another browser.
	name := "task/" + string(e.task)
	if past.lives > 1 {
		name += "~" + strconv.Itoa(past.lives)
	}
	rec := actors.NewRecord(e.task, e.life, e.request.source, e.request.options, &past.dialogs)
	rec.Tap, _ = e.request.tap.(actors.TapFunc)
	pid, err := ctx.SpawnNamed(actors.SupervisorProps(r.shared.env, rec), name)
	if err != nil {
		r.dir.ended(e.task, e.life, messages.Fail(messages.CodeStopped, "the supervisor could not be started: %v", err).Because(messages.ErrTaskFailed))
		r.dir.gone(e.task, e.life)
		r.perform(ctx)
		return
	}
	r.pids[e.task] = pid
	r.byPID[pid.Id] = rec
	r.shared.tasks.Store(e.task, &Task{registry: r.shared.door, record: rec, pid: pid})
}

// past is what is known of a task that starts. Of a host's many tasks most never
// come again: when too many are known, all that do not run are forgotten, and who
// is not known begins where none of them has come to.
func (r *root) past(id messages.TaskID) *pastTask {
	past := r.known[id]
	if past != nil {
		return past
	}
	if len(r.known) >= maxPast+2*len(r.pids) {
		for id, p := range r.known {
			if r.pids[id] == nil {
				r.old.lives = max(r.old.lives, p.lives)
				r.old.dialogs.Store(max(r.old.dialogs.Load(), p.dialogs.Load()))
				delete(r.known, id)
			}
		}
	}
	past = &pastTask{lives: r.old.lives}
	past.dialogs.Store(r.old.dialogs.Load())
	r.known[id] = past
	return past
}

func (r *root) arm(ctx actor.Context, t messages.RegistryTimer) {
	after := map[messages.RegistryTimerKind]time.Duration{
		messages.RegistryTimerStart: messages.StartTimeout,
		messages.RegistryTimerStop:  messages.StopTimeout + time.Second, // the supervisor's own bounds come first
		messages.RegistryTimerClaim: messages.ClaimTimeout,
	}[t.Kind]
	self, system := ctx.Self(), r.shared.env.System
	r.shared.env.Clock.AfterFunc(after, func() { actors.Tell(system, self, &t) })
}

// failed stops a supervisor that panicked beyond its budget.
func (r *root) failed(m *messages.SupervisorFailed) {
	f := messages.Fail(messages.CodeStopped, "the task's supervisor panicked too often: %s", m.Reason).Because(messages.ErrTaskFailed)
	r.dir.ended(m.Task, m.Life, f)
	for _, rec := range r.byPID {
		if rec.ID == m.Task && rec.Life == m.Life {
			r.ended(rec)
		}
	}
}

// ended does what a supervisor did not come to, because it was stopped from
// outside or panicked: it gives the lease back and publishes the end of the task,
// by which who waits for a state of it hears of that.
func (r *root) ended(rec *actors.Record) {
	status, reason := messages.StatusStopped, "its supervisor was stopped before it was done"
	if e := r.dir.find(rec.ID, rec.Life); e != nil && e.failure != nil {
		status, reason = messages.StatusFailed, e.failure.Message
	}
	rec.GiveBack(r.shared.env, func() {})
	actors.PublishEnded(r.shared.env, rec, status, reason)
}

// HandleFailure restarts a supervisor that panicked, within its budget; it is
// the strategy of the registry's children.
func (r *root) HandleFailure(system *actor.ActorSystem, parent actor.Supervisor, child *actor.PID, _ *actor.RestartStatistics, reason, _ any) {
	rec := r.byPID[child.Id]
	w := r.failures[child.Id]
	if w == nil {
		w = &actors.FailureWindow{}
		r.failures[child.Id] = w
	}
	if rec != nil && w.Allows(r.shared.env.Clock.Now()) {
		parent.RestartChildren(child)
		if e := r.dir.find(rec.ID, rec.Life); e != nil && e.phase == stopping {
			// The order to stop, or how far it had come, is lost.
			system.Root.Send(child, &messages.StopSupervisor{Reason: "it was stopping when it failed"})
		}
		return
	}
	parent.StopChildren(child)
	if rec != nil {
		text := actors.PanicText(reason)
		r.failed(&messages.SupervisorFailed{Task: rec.ID, Life: rec.Life, Reason: text})
	}
}

// guardian is the strategy over the registry's own actor: its state is kept,
// the message that panicked was one pure step.
type guardian struct{}

// HandleFailure resumes the registry.
func (guardian) HandleFailure(_ *actor.ActorSystem, parent actor.Supervisor, child *actor.PID, _ *actor.RestartStatistics, _, _ any) {
	parent.ResumeChildren(child)
}
