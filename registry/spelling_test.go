package registry_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

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
		ctx, done := context.WithTimeout(t.Context(), 20*time.Second)
		apart := func(*messages.Snapshot) bool {
			one, two := tasks[0].Snapshot(), tasks[1].Snapshot()
			return one.Ready && two.Ready && one.PageTargetID != two.PageTargetID
		}
		for _, task := range tasks { // whichever of them has chosen again tells
			wg.Go(func() {
				if _, err := task.Wait(ctx, apart); err == nil {
					done()
				}
			})
		}
		wg.Wait()
		done()
		if !apart(nil) {
			t.Fatalf("they have pages %s and %s", tasks[0].Snapshot().PageTargetID, tasks[1].Snapshot().PageTargetID)
		}
		for _, task := range tasks {
			if got, err := evaluate(t.Context(), task, "40+2"); err != nil {
				t.Errorf("a call: %s, %v", got, err)
			}
		}
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
