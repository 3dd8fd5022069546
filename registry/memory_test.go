package registry_test

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/fakebrowser"
)

// TestStoppedTasksAreLetGo: nothing of a task that was stopped stays in memory,
// not even behind the end of the library's list of who still runs.
func TestStoppedTasksAreLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fakebrowser.New(fakebrowser.Options{Pages: site, SiteIsolation: true})
		r, _ := engine(t, map[string]*fakebrowser.Browser{"b": b})
		var records []weak.Pointer[lent]
		for i := range 3 {
			source := lend() // which the task's record holds
			records = append(records, weak.Make(source))
			if _, err := r.GetOrStart(t.Context(), messages.TaskID(fmt.Sprint(i)), source); err != nil {
				t.Fatal(err)
			}
		}
		for i := range records {
			if err := r.Stop(t.Context(), messages.TaskID(fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
		}
		time.Sleep(time.Hour) // of the bubble: no timer is left that could hold an actor
		synctest.Wait()
		runtime.GC()
		runtime.GC()
		for i, source := range records {
			if source.Value() != nil {
				t.Errorf("task %d is still in memory", i)
			}
		}
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
		b.Close()
		time.Sleep(2 * time.Second) // of the bubble: the actor library's throttle of dead letters ends
	})
}
