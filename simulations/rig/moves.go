package rig

import (
	"context"
	"sync"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
)

// Schedule takes what an actor has to do. It makes the rig the engine's
// dispatcher.
func (r *Rig) Schedule(run func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = append(r.queue, run)
}

// Throughput is how many messages an actor handles in one run: all there are.
func (*Rig) Throughput() int { return 1 << 30 }

// Step makes one move. It reports whether there was one.
func (r *Rig) Step() bool {
	moves := r.moves()
	if len(moves) == 0 {
		return false
	}
	moves[r.o.Choose(len(moves))]()
	r.quiet()
	r.looked()
	return true
}

// moves lists what may happen next: actors first, in the order in which they
// got their work, then the sockets.
func (r *Rig) moves() []func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []func()
	for i := range r.queue {
		all = append(all, func() { r.run(i) })
	}
	for i := range r.dials {
		all = append(all, func() { r.answerDial(i) })
	}
	for _, l := range r.links {
		all = l.moves(all)
	}
	return all
}

// run runs the i-th actor that has work.
func (r *Rig) run(i int) {
	r.mu.Lock()
	run := r.queue[i]
	r.queue = append(r.queue[:i:i], r.queue[i+1:]...)
	r.mu.Unlock()
	run()
}

// RunAnother runs an actor in the middle of another one's work, between two of
// its messages, as on a machine with several cores. For Options.Saw.
func (r *Rig) RunAnother(choose func(n int) int) {
	r.quiet()
	r.mu.Lock()
	n := len(r.queue)
	r.mu.Unlock()
	if n == 0 {
		return
	}
	r.run(choose(n))
	r.quiet()
	r.looked()
}

// dialling is a goroutine of the engine that waits for its connection.
type dialling struct {
	mu     sync.Mutex
	moved  sync.Cond
	answer func() (*cdpwire.Dialed, error)
}

// dial is the engine's [cdpwire.DialFunc]. When it is answered is a move.
func (r *Rig) dial(ctx context.Context, _ *messages.Lease) (*cdpwire.Dialed, error) {
	d := &dialling{}
	d.moved.L = &d.mu
	r.mu.Lock()
	r.dials = append(r.dials, d)
	r.mu.Unlock()
	stop := context.AfterFunc(ctx, func() {
		d.give(func() (*cdpwire.Dialed, error) {
			return nil, &messages.Cause{Kind: messages.DisconnectTimeout, Text: "the dial was given up"}
		})
	})
	defer stop()
	d.mu.Lock()
	for d.answer == nil {
		d.moved.Wait()
	}
	answer := d.answer
	d.mu.Unlock()
	return answer()
}

func (d *dialling) give(answer func() (*cdpwire.Dialed, error)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.answer == nil {
		d.answer = answer
		d.moved.Signal()
	}
}

// answerDial lets the i-th dial succeed, or fail while the rig refuses.
func (r *Rig) answerDial(i int) {
	r.mu.Lock()
	d := r.dials[i]
	r.dials = append(r.dials[:i:i], r.dials[i+1:]...)
	refused := r.refuse || !r.Browser.Alive()
	r.mu.Unlock()
	d.give(func() (*cdpwire.Dialed, error) {
		if refused {
			return nil, &messages.Cause{Kind: messages.DisconnectRefused, Text: "nothing listens there"}
		}
		return &cdpwire.Dialed{Transport: r.connect(), Shown: "browser"}, nil
	})
}

// Refuse makes the browser refuse new connections, or take them again.
func (r *Rig) Refuse(on bool) { r.refuse = on }

// Quiet returns when no other goroutine moves. It is for after the browser or
// the clock was used directly.
func (r *Rig) Quiet() { r.quiet() }

// Stale sends the task's supervisor once more what it was told at the end of an
// earlier connection, as a message does that took too long. It returns what it
// sent, "" if there is nothing.
func (r *Rig) Stale(id messages.TaskID) string {
	task, ok := r.Registry.Get(id)
	now := r.watch.disconnected
	if !ok || now == nil || task.Snapshot().Epoch <= now.Epoch {
		return ""
	}
	again := *now
	r.system.Root.Send(task.PID(), &again)
	return "the end of an earlier connection"
}
