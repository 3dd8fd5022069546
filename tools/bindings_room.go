package tools

import "cdpsupervisor/messages"

// maxBindings is how many tasks are remembered that need not run, such as those
// that were disconnected. Callers name tasks as they like, and most are never
// named again.
const maxBindings = 4_096

// trim forgets the tasks that were bound longest ago while too many are known,
// but for those that run. It must not be called with the lock held.
func (b *bindings) trim(runs func(messages.TaskID) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.tasks) > maxBindings {
		oldest, found := messages.TaskID(""), false
		for id, bound := range b.tasks {
			if (!found || bound.n < b.tasks[oldest].n) && !runs(id) {
				oldest, found = id, true
			}
		}
		if !found {
			return
		}
		delete(b.tasks, oldest)
	}
}

func (b *Toolbox) runs(id messages.TaskID) bool {
	_, running := b.engine.get(id)
	return running
}
