package replay

import (
	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
)

// port is where the answers to one question arrive. Actors run on the goroutine
// that asks, so it needs no lock.
type port struct{ answer any }

// SendUserMessage keeps the first answer.
func (p *port) SendUserMessage(_ *actor.PID, message any) {
	if _, m, _ := actor.UnwrapEnvelope(message); m != nil && p.answer == nil {
		p.answer = m
	}
}

// SendSystemMessage is ignored.
func (*port) SendSystemMessage(*actor.PID, any) {}

// Stop is ignored.
func (*port) Stop(*actor.PID) {}

// ask sends a question and returns the port of its answer, and what takes the
// port away again.
func ask(system *actor.ActorSystem, to *actor.PID, question any) (*port, func()) {
	p := &port{}
	registry := system.ProcessRegistry
	pid, _ := registry.Add(p, "replay/ask/"+registry.NextId())
	system.Root.RequestWithCustomSender(to, question, pid)
	return p, func() { registry.Remove(pid) }
}

// failure is the answer as an error, if it is one.
func (p *port) failure() error {
	if f, ok := p.answer.(*messages.Failure); ok {
		return f
	}
	return nil
}
