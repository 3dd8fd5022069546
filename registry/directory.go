package registry

import (
	"reflect"
	"slices"

	"cdpsupervisor/messages"
)

// directory knows which tasks there are, who waits for them, and which page
// belongs to whom. It is a plain state machine: every method appends to the
// effects, and the actor around it performs them.
type directory struct {
	tasks  map[messages.TaskID]*entry
	owners map[messages.TargetID]pageOwner
	claims map[string]*claim // by endpoint identity
	lives  uint64
	closed bool
	closer []asker
	late   []string // what did not stop in time, for who closes
	out    []effect
}

// asker names somebody who waits for an answer; the actor knows who.
type asker uint64

type phase uint8

const (
	starting phase = iota + 1
	running
	stopping
	over // ended by itself; kept until Stop or the next GetOrStart
)

type entry struct {
	id       messages.TaskID
	life     uint64
	phase    phase
	request  request
	waiters  []asker // of GetOrStart
	stoppers []asker // of StopTask
	next     *request
	failure  *messages.Failure
	forced   bool
	taken    bool // the page that it chose is another's, and it has not chosen again
}

// request is one wish to have a task.
type request struct {
	identity string
	source   messages.EndpointSource
	options  messages.TaskOptions
	tap      any
	waiters  []asker
}

type claim struct {
	holder messages.TaskID
	life   uint64
	gen    uint64
	queue  []waitingClaim
}

type waitingClaim struct {
	task  messages.TaskID
	life  uint64
	epoch messages.Epoch
}

// pageOwner is whose a page is, and in which browser, where that is known.
type pageOwner struct {
	task    messages.TaskID
	browser string
}

func newDirectory() *directory {
	return &directory{
		tasks:  make(map[messages.TaskID]*entry),
		owners: make(map[messages.TargetID]pageOwner),
		claims: make(map[string]*claim),
	}
}

// take returns the effects since the last call.
func (d *directory) take() []effect {
	out := d.out
	d.out = nil
	return out
}

func (d *directory) do(e effect) { d.out = append(d.out, e) }

func (d *directory) answerAll(to []asker, result messages.Result) {
	for _, a := range to {
		d.do(answer{a, result})
	}
}

func stoppedFailure(why string) *messages.Failure {
	return messages.Fail(messages.CodeStopped, "%s", why).Because(messages.ErrTaskStopped)
}

// getOrStart is idempotent: same task and endpoint means the task that runs,
// another endpoint rebinds it, and one that has failed is started again.
func (d *directory) getOrStart(id messages.TaskID, req request) {
	if d.closed {
		d.answerAll(req.waiters, messages.Fail(messages.CodeStopped, "the registry is closed; make a new one").Because(messages.ErrRegistryClosed))
		return
	}
	e := d.tasks[id]
	switch {
	case e == nil, e.phase == over:
		d.start(id, req)
	case e.phase == stopping:
		d.queue(e, req)
	case e.failure != nil: // its actor is on the way out, and hears no stop
		d.follow(e, req, e.failure, "it has failed, and is started again")
	case e.request.identity == req.identity:
		d.join(e, req)
	default:
		d.follow(e, req, stoppedFailure("the task was bound to another endpoint while it started"), "rebound to another endpoint")
	}
}

// follow stops a task, and starts the next when it is gone. Whoever waits for
// the first to start is told why it does not.
func (d *directory) follow(e *entry, req request, why *messages.Failure, reason string) {
	d.answerAll(e.waiters, why)
	e.waiters = nil
	e.next = &req
	d.stop(e, reason)
}

func (d *directory) start(id messages.TaskID, req request) {
	d.lives++
	e := &entry{id: id, life: d.lives, phase: starting, request: req, waiters: req.waiters}
	e.request.waiters = nil
	d.tasks[id] = e
	d.do(spawn{task: id, life: e.life, request: e.request})
	d.do(arm{messages.RegistryTimer{Task: id, Life: e.life, Kind: messages.RegistryTimerStart}})
}

// queue keeps the wish until the task that stops is gone.
func (d *directory) queue(e *entry, req request) {
	if e.next != nil && e.next.identity == req.identity {
		if name := differs(e.next.options, req.options); name != "" {
			d.answerAll(req.waiters, optionsFailure(name))
			return
		}
		e.next.waiters = append(e.next.waiters, req.waiters...)
		return
	}
	if e.next != nil {
		d.answerAll(e.next.waiters, stoppedFailure("the task was bound to another endpoint before it started"))
	}
	e.next = &req
}

func (d *directory) join(e *entry, req request) {
	if name := differs(e.request.options, req.options); name != "" {
		d.answerAll(req.waiters, optionsFailure(name))
		return
	}
	if e.request.options != req.options { // policy and watchdog can change
		e.request.options = req.options
		d.do(tellPolicy{e.id, req.options})
	}
	if e.phase == running {
		d.answerAll(req.waiters, &messages.TaskStarted{Task: e.id})
		return
	}
	e.waiters = append(e.waiters, req.waiters...)
}

func optionsFailure(name string) *messages.Failure {
	return messages.Fail(messages.CodeInvalidArgument,
		"the task runs with another %s; stop it first, or leave the option as it is", name).Because(messages.ErrTaskOptions)
}

// differs names the first option that cannot change on a running task.
func differs(have, want messages.TaskOptions) string {
	have.Policy, have.DialogTimeout = want.Policy, want.DialogTimeout
	h, w := reflect.ValueOf(have), reflect.ValueOf(want)
	for i := range h.NumField() {
		if !h.Field(i).Equal(w.Field(i)) {
			return h.Type().Field(i).Name
		}
	}
	return ""
}

func (d *directory) stopTask(id messages.TaskID, reason string, who asker) {
	e := d.tasks[id]
	switch {
	case e == nil:
		d.do(answer{who, messages.Fail(messages.CodeNoSupervisor, "no task %q is running", id).Because(messages.ErrUnknownTask)})
	case e.phase == over:
		delete(d.tasks, id)
		d.do(forget{id})
		d.do(answer{who, &messages.TaskEnded{Task: id}})
	default:
		// The stop wins over whoever waits for a start.
		d.answerAll(e.waiters, stoppedFailure("the task was stopped while it started"))
		e.waiters = nil
		if e.next != nil {
			d.answerAll(e.next.waiters, stoppedFailure("the task was stopped before it started"))
			e.next = nil
		}
		e.stoppers = append(e.stoppers, who)
		d.stop(e, reason)
	}
}

func (d *directory) stop(e *entry, reason string) {
	if e.phase == stopping {
		return
	}
	e.phase = stopping
	d.do(tellStop{e.id, reason})
	d.do(arm{messages.RegistryTimer{Task: e.id, Life: e.life, Kind: messages.RegistryTimerStop}})
}

func (d *directory) find(id messages.TaskID, life uint64) *entry {
	if e := d.tasks[id]; e != nil && e.life == life {
		return e
	}
	return nil
}

func (d *directory) ready(id messages.TaskID, life uint64) {
	if e := d.find(id, life); e != nil && e.phase == starting && !e.taken {
		d.begun(e)
	}
}

func (d *directory) begun(e *entry) {
	e.phase = running
	d.answerAll(e.waiters, &messages.TaskStarted{Task: e.id})
	e.waiters = nil
}

// ended keeps why a supervisor is over until it is gone.
func (d *directory) ended(id messages.TaskID, life uint64, f *messages.Failure) {
	if e := d.find(id, life); e != nil && e.failure == nil {
		e.failure = f
	}
}

// gone: the supervisor's actor has stopped.
func (d *directory) gone(id messages.TaskID, life uint64) {
	e := d.find(id, life)
	if e == nil || e.phase == over {
		return
	}
	d.release(e)
	if e.forced && d.closed {
		d.late = append(d.late, e.supervisor())
	}
	switch e.phase {
	case starting:
		f := e.failure
		if f == nil {
			f = stoppedFailure("the task ended while it started")
		}
		delete(d.tasks, id)
		d.do(forget{id})
		d.answerAll(e.waiters, f)
	case running:
		e.phase = over
	case stopping:
		delete(d.tasks, id)
		d.do(forget{id})
		d.answerAll(e.stoppers, e.stopped())
		if e.next != nil && !d.closed {
			d.start(id, *e.next)
		}
	case over: // it is gone already
	}
	d.maybeClosed()
}

// stopped is what who asked for a stop is told when it is done.
func (e *entry) stopped() messages.Result {
	if e.forced {
		return stoppedFailure(lateText(e.supervisor()))
	}
	return &messages.TaskEnded{Task: e.id}
}

// supervisor names it in reports.
func (e *entry) supervisor() string { return "task " + string(e.id) + ": supervisor" }

func (d *directory) timer(t messages.RegistryTimer) {
	if t.Kind == messages.RegistryTimerClaim {
		d.claimLate(t)
		return
	}
	e := d.find(t.Task, t.Life)
	if e == nil {
		return
	}
	switch {
	case t.Kind == messages.RegistryTimerStart && e.phase == starting:
		d.begun(e) // its snapshot says how far it came
	case t.Kind == messages.RegistryTimerStop && e.phase == stopping && !e.forced:
		e.forced = true
		d.do(forceStop{e.id})
	}
}

func (d *directory) close(who asker) {
	d.closer = append(d.closer, who)
	if !d.closed {
		d.closed = true
		for _, id := range d.ids() {
			e := d.tasks[id]
			if e.phase == over {
				delete(d.tasks, id)
				d.do(forget{id})
				continue
			}
			d.answerAll(e.waiters, stoppedFailure("the registry was closed while the task started"))
			e.waiters = nil
			if e.next != nil {
				d.answerAll(e.next.waiters, stoppedFailure("the registry was closed before the task started"))
				e.next = nil
			}
			d.stop(e, "the registry was closed")
		}
	}
	d.maybeClosed()
}

func (d *directory) maybeClosed() {
	if !d.closed || len(d.tasks) > 0 || len(d.closer) == 0 {
		return
	}
	d.answerAll(d.closer, &messages.RegistryClosed{NotStopped: slices.Clone(d.late)})
	d.closer = nil
	d.do(finish{})
}

// ids in a fixed order, so that two equal runs do the same.
func (d *directory) ids() []messages.TaskID {
	ids := make([]messages.TaskID, 0, len(d.tasks))
	for id := range d.tasks {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
