package fakebrowser

import (
	"errors"
	"fmt"
	"iter"
	"slices"
)

// errKilled interrupts scripts of a renderer that ends.
var errKilled = errors.New("fakebrowser: the renderer was killed")

// task is one turn of a renderer's main thread.
type task struct {
	run func()
	// devtools: it may run while a script waits inside window.open or at a
	// debugger statement, where Chromium serves DevTools from a nested loop.
	devtools bool
	// commits: it may run while a script waits at a debugger statement.
	commits bool
}

// block is why a renderer's main thread stands still in the middle of a
// script.
type block struct {
	done   bool
	nested bool // DevTools commands are still served
	stands bool // at a debugger statement or for a popup, where documents are committed, too
	why    string
}

// serves reports whether the task may run while the thread stands still.
func (bl *block) serves(t task) bool { return bl.nested && (t.devtools || bl.stands && t.commits) }

// procKey tells which frames share a renderer: those of one site within one
// group of pages that can script each other.
type procKey struct {
	group int
	site  string
}

// renderer is a renderer process with its main thread. The thread is a
// coroutine: the browser's loop resumes it and goes on only when it has
// finished a task or stands still, so the two never run at once.
type renderer struct {
	b       *Browser
	id      int
	key     procKey
	free    bool // has shown nothing but about:blank: takes any site
	unique  int64
	queue   []task
	next    func() (struct{}, bool)
	stop    func()
	yield   func(struct{}) bool
	blocked *block
	running bool
	dead    bool
	docs    int // documents that live here, cached ones too

	contexts   int
	objects    objectStore
	consoles   map[*target]*consoleLog
	rejections []*realm // with promises that were rejected in this turn
}

// newRenderer starts a process.
func (b *Browser) newRenderer(key procKey) *renderer {
	b.procSeq++
	r := &renderer{b: b, id: 20_000 + b.procSeq, key: key, unique: b.ids.number()}
	b.procs = append(b.procs, r)
	return r
}

// post queues a task on the main thread.
func (r *renderer) post(t task) {
	if !r.dead {
		r.queue = append(r.queue, t)
	}
}

// later queues an ordinary task.
func (r *renderer) later(f func()) { r.post(task{run: f}) }

// commits queues a step of a navigation.
func (r *renderer) commits(f func()) { r.post(task{run: f, commits: true}) }

// runnable reports whether the main thread can go on.
func (r *renderer) runnable() bool {
	if r.dead {
		return false
	}
	if r.blocked == nil {
		return len(r.queue) > 0
	}
	return r.blocked.done || slices.ContainsFunc(r.queue, r.blocked.serves)
}

// step lets the main thread run until it has done one task or stands still.
func (r *renderer) step() {
	if r.next == nil {
		r.next, r.stop = iter.Pull(r.thread)
	}
	r.running = true
	r.next()
	r.running = false
	if r.dead && r.stop != nil {
		r.kill()
	}
}

// thread is the body of the coroutine.
func (r *renderer) thread(yield func(struct{}) bool) {
	r.yield = yield
	for {
		if t, ok := r.take(func(task) bool { return true }); ok {
			r.run(t)
		}
		if r.dead || !yield(struct{}{}) {
			return
		}
	}
}

// take removes the first task that may run.
func (r *renderer) take(may func(task) bool) (task, bool) {
	for i, t := range r.queue {
		if may(t) {
			r.queue = slices.Delete(r.queue, i, i+1)
			return t, true
		}
	}
	return task{}, false
}

// run does one task. A panic in it is a fault of the fake: it is kept for
// [Browser.Err].
func (r *renderer) run(t task) {
	defer func() {
		if x := recover(); x != nil {
			r.b.fault(fmt.Errorf("fakebrowser: panic in a renderer: %v", x))
		}
	}()
	t.run()
	dirty := r.rejections
	r.rejections = nil
	for _, m := range dirty {
		m.reportRejections()
	}
}

// wait stands still in the middle of a script until bl is done. It reports
// false when the process ended meanwhile; the caller must then unwind.
func (r *renderer) wait(bl *block) bool {
	outer := r.blocked
	r.blocked = bl
	defer func() { r.blocked = outer }()
	for !bl.done {
		if r.dead || !r.yield(struct{}{}) {
			r.dead = true
			return false
		}
		if !bl.done && bl.nested {
			if t, ok := r.take(bl.serves); ok {
				r.run(t)
			}
		}
	}
	return !r.dead
}

// kill ends the process: scripts that stand still are unwound, queued tasks
// forgotten. From inside the thread it only marks it; step does the rest.
func (r *renderer) kill() {
	r.dead = true
	r.queue = nil
	if r.running || r.stop == nil {
		return
	}
	stop := r.stop
	r.stop = nil
	r.running = true
	stop()
	r.running = false
}

// release lets go of one document; without one the process ends.
func (r *renderer) release() {
	if r.docs--; r.docs <= 0 {
		r.kill()
		r.b.procs = slices.DeleteFunc(r.b.procs, func(o *renderer) bool { return o == r })
	}
}

// fault records what went wrong inside the fake.
func (b *Browser) fault(err error) {
	if b.broken == nil {
		b.broken = err
	}
}

// maySpawn reports whether another page may open.
func (b *Browser) maySpawn() bool { return len(b.pages) < maxFrames }
