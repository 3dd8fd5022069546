package registry_test

import (
	"fmt"
	"sync"
	"testing"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/fakebrowser"
)

// TestOneBrowserUnderTwoNames starts two tasks at once on a browser that each of
// them knows under another name: neither takes the other's page.
func TestOneBrowserUnderTwoNames(t *testing.T) {
	for range 20 {
		b := browser(t)
		r, _ := engine(t, map[string]*fakebrowser.Browser{"localhost": b, "127.0.0.1": b})
		var tasks [2]*registry.Task
		var wg sync.WaitGroup
		for i, name := range []string{"localhost", "127.0.0.1"} {
			wg.Go(func() {
				task, err := r.GetOrStart(t.Context(), messages.TaskID(fmt.Sprint("t", i)), endpoint(name))
				if err != nil {
					t.Error(err)
				}
				tasks[i] = task
			})
		}
		wg.Wait()
		if t.Failed() {
			return
		}
		pages := make(map[messages.TargetID]bool)
		for _, task := range tasks {
			s, err := task.Wait(t.Context(), func(s *messages.Snapshot) bool { return s.Ready })
			if err != nil {
				t.Fatal(err)
			}
			pages[s.PageTargetID] = true
			if got, err := evaluate(t.Context(), task, "40+2"); err != nil {
				t.Errorf("a call: %s, %v", got, err)
			}
		}
		if len(pages) != 2 {
			t.Fatalf("both tasks have page %v", pages)
		}
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
