package rig

import (
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
)

// Ask is one question to the engine and what came back.
type Ask struct {
	// Name says what was asked, for people.
	Name string
	// Question is the message.
	Question any
	// At is when it was asked.
	At time.Time

	r   *Rig
	pid *actor.PID

	mu      sync.Mutex
	answers []any
	ended   bool // the actor that was asked has stopped
	took    time.Duration
}

// Ask asks the task. It returns at once; nil if there is no such task.
func (r *Rig) Ask(id messages.TaskID, name string, question messages.Ask) *Ask {
	task, ok := r.Registry.Get(id)
	if !ok {
		return nil
	}
	return r.ask(task.PID(), name, question)
}

// ask does what the engine's own reply port does, and counts.
func (r *Rig) ask(to *actor.PID, name string, question any) *Ask {
	a := &Ask{Name: name, Question: question, At: r.Clock.Now(), r: r}
	registry := r.system.ProcessRegistry
	a.pid, _ = registry.Add(a, "rig/ask/"+registry.NextId())
	r.asks = append(r.asks, a)
	r.system.Root.RequestWithCustomSender(to, question, a.pid)
	if asked, alive := registry.Get(to); alive {
		asked.SendSystemMessage(to, &actor.Watch{Watcher: a.pid})
	} else {
		a.SendSystemMessage(a.pid, &actor.Terminated{Who: to})
	}
	return a
}

// SendUserMessage takes an answer.
func (a *Ask) SendUserMessage(_ *actor.PID, message any) {
	_, m, _ := actor.UnwrapEnvelope(message)
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, nobody := m.(*actor.DeadLetterResponse); nobody {
		a.end()
		return
	}
	if m == nil {
		return
	}
	if len(a.answers) == 0 && !a.ended {
		a.took = a.r.Clock.Now().Sub(a.At)
	}
	a.answers = append(a.answers, m)
}

// SendSystemMessage hears of the end of the actor that was asked.
func (a *Ask) SendSystemMessage(_ *actor.PID, message any) {
	if _, ok := message.(*actor.Terminated); ok {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.end()
	}
}

func (a *Ask) end() {
	if !a.ended && len(a.answers) == 0 {
		a.took = a.r.Clock.Now().Sub(a.At)
	}
	a.ended = true
}

// Stop is for the actor library alone.
func (*Ask) Stop(*actor.PID) {}

// Answer is the first answer: a result, a *messages.Failure, or nil while there
// is none. A question to an actor that has stopped is answered with the failure
// that the engine's own port gives.
func (a *Ask) Answer() any {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case len(a.answers) > 0:
		return a.answers[0]
	case a.ended:
		return messages.Fail(messages.CodeStopped, "the task is stopped").Because(messages.ErrTaskStopped)
	}
	return nil
}

// Took is how long the answer took; false while there is none.
func (a *Ask) Took() (time.Duration, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.took, a.ended || len(a.answers) > 0
}

// count is how many answers came.
func (a *Ask) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.answers)
}

// Waiting lists the questions without an answer.
func (r *Rig) Waiting() []*Ask {
	var open []*Ask
	for _, a := range r.asks {
		if _, answered := a.Took(); !answered {
			open = append(open, a)
		}
	}
	return open
}
