package registry_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/fakebrowser"
)

// TestPagesOfABrowserThatIsGone: the registry hears of every page of a task that
// is no more, also where the browser went with it.
func TestPagesOfABrowserThatIsGone(t *testing.T) {
	ctx := withTimeout(t, 20*time.Second)
	b := browser(t)
	var mu sync.Mutex
	var owned []messages.TargetID
	count := func() []messages.TargetID {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(owned)
	}
	someTime := registry.WithChance(func() float64 { return 0.1 }) // for the browser to come back
	r, _ := engine(t, map[string]*fakebrowser.Browser{"b": b}, someTime, registry.WithFaults(func(_ string, message any) {
		mu.Lock()
		defer mu.Unlock()
		switch m := message.(type) {
		case *messages.PageClaimed:
			if m.Page != "" && !slices.Contains(owned, m.Page) {
				owned = append(owned, m.Page)
			}
		case *messages.PageReleased:
			owned = slices.DeleteFunc(owned, func(page messages.TargetID) bool { return page == m.Page })
		}
	}))
	defer func() { _ = r.Close(ctx) }()
	task, err := r.GetOrStart(ctx, "t", endpoint("b"))
	if err != nil {
		t.Fatal(err)
	}
	popup := messages.CallRequest{Method: "Runtime.evaluate", Params: []byte(`{"expression":"open('http://a.test/popup')","userGesture":true}`)}
	if _, err := task.Call(ctx, popup); err != nil {
		t.Fatal(err)
	}
	wait := func(what string, holds func() bool) {
		for !holds() && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		if ctx.Err() != nil {
			t.Fatalf("%s; the task owns %v", what, count())
		}
	}
	wait("the popup is not claimed", func() bool { return len(count()) == 2 })
	before := count()
	b.Restart()
	if _, err := task.Wait(ctx, func(s *messages.Snapshot) bool {
		return s.Ready && s.PageTargetID != "" && !slices.Contains(before, s.PageTargetID)
	}); err != nil {
		t.Fatalf("%v: %+v", err, task.Snapshot().Supervisor)
	}
	wait("pages are not given back", func() bool {
		return len(count()) == 1 && count()[0] == task.Snapshot().PageTargetID
	})
}
