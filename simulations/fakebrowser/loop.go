package fakebrowser

import "time"

// enqueue hands one input to the loop: a message, a socket that came or went,
// a timer, a call of the API. It reports whether somebody will run it.
func (b *Browser) enqueue(f func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.inbox = append(b.inbox, f)
	b.cond.Broadcast()
	return true
}

// do runs f on the loop's goroutine and waits for it and for all that it
// causes. It does nothing once the browser is closed.
func (b *Browser) do(f func()) {
	ran := make(chan struct{})
	if !b.enqueue(func() {
		f()
		b.drain()
		close(ran)
	}) {
		return
	}
	select {
	case <-ran:
	case <-b.done:
	}
}

// after runs f as an input when d has passed.
func (b *Browser) after(d time.Duration, f func()) {
	b.clock.AfterFunc(d, func() { b.enqueue(f) })
}

// loop is the browser's one thread. It takes an input only when the one
// before has been worked off to the end, so that what a client sees depends
// on the order of inputs and never on their timing.
func (b *Browser) loop() {
	defer close(b.done)
	for {
		f := b.next()
		if f == nil {
			break
		}
		f()
		b.drain()
	}
	b.end(ErrClosed)
	for _, r := range b.procs {
		r.kill()
	}
}

// next waits for an input; nil means that the browser was closed.
func (b *Browser) next() func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.busy = false
	for len(b.inbox) == 0 && !b.closed {
		b.cond.Broadcast()
		b.cond.Wait()
	}
	if b.closed {
		return nil
	}
	f := b.inbox[0]
	b.inbox = b.inbox[1:]
	b.busy = true
	b.steps = 0
	return f
}

// post puts a task of the browser process at the end of its queue.
func (b *Browser) post(f func()) { b.tasks = append(b.tasks, f) }

// fetchLater queues what takes a while in a real browser: the answer of the
// network. It comes when nothing else can go on.
func (b *Browser) fetchLater(f func()) { b.slow = append(b.slow, f) }

// drain works until nothing can go on: the browser process first, then the
// renderers in turn, one task each, and the network last. Exactly one of them
// runs at a time.
func (b *Browser) drain() {
	for !b.gone() {
		if b.steps++; b.steps > maxTasksPerInput {
			// A page keeps itself busy without letting time pass.
			b.after(time.Millisecond, func() {})
			return
		}
		if len(b.tasks) > 0 {
			f := b.tasks[0]
			b.tasks = b.tasks[1:]
			f()
			continue
		}
		if r := b.nextRenderer(); r != nil {
			r.step()
			continue
		}
		if len(b.slow) == 0 {
			return
		}
		f := b.slow[0]
		b.slow = b.slow[1:]
		f()
	}
	b.reap()
}

// nextRenderer takes the renderers that can go on in turn.
func (b *Browser) nextRenderer() *renderer {
	n := len(b.procs)
	for i := range n {
		at := (b.ready + i) % n
		if b.procs[at].runnable() {
			b.ready = at + 1
			return b.procs[at]
		}
	}
	return nil
}

// reap stops the renderers of a process that has ended.
func (b *Browser) reap() {
	for _, r := range b.procs {
		r.kill()
	}
	b.procs = nil
}
