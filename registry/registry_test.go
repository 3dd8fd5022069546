package registry_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/fakebrowser"
)

func withTimeout(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

func evaluate(ctx context.Context, task *registry.Task, expression string) (string, error) {
	r, err := task.Call(ctx, messages.CallRequest{Method: "Runtime.evaluate", Params: []byte(`{"expression":"` + expression + `","returnByValue":true}`)})
	if err != nil {
		return "", err
	}
	return string(r.Result), nil
}

// TestSingleFlight: a hundred callers at once start one supervisor, on one
// connection, and get the same task.
func TestSingleFlight(t *testing.T) {
	ctx := withTimeout(t, 20*time.Second)
	b := browser(t)
	r, _ := engine(t, map[string]*fakebrowser.Browser{"b": b})
	defer func() { _ = r.Close(ctx) }()
	tasks := make([]*registry.Task, 100)
	var wg sync.WaitGroup
	for i := range tasks {
		wg.Go(func() {
			var err error
			if tasks[i], err = r.GetOrStart(ctx, "t", endpoint("b")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, task := range tasks {
		if task != tasks[0] {
			t.Fatal("two callers got two tasks")
		}
	}
	if n := b.Connections(); n != 1 {
		t.Errorf("%d connections were made", n)
	}
	if n := b.Calls("Browser.getVersion"); n != 1 {
		t.Errorf("the browser was greeted %d times", n)
	}
}

// TestRebind: another endpoint for the same task starts afresh, and nothing of
// the first is left.
func TestRebind(t *testing.T) {
	ctx := withTimeout(t, 20*time.Second)
	first, second := browser(t), browser(t)
	r, _ := engine(t, map[string]*fakebrowser.Browser{"1": first, "2": second})
	defer func() { _ = r.Close(ctx) }()
	task, err := r.GetOrStart(ctx, "t", endpoint("1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := evaluate(ctx, task, "console.error('of the first'); confirm('of the first')"); messages.CodeOf(err) != messages.CodeDialogOpened {
		t.Fatalf("a dialog opens: %v", err)
	}
	again, err := r.GetOrStart(ctx, "t", endpoint("2"))
	if err != nil {
		t.Fatal(err)
	}
	s := again.Snapshot()
	if len(s.PendingDialogs)+len(s.RecentDialogs)+len(s.ConsoleErrors) > 0 {
		t.Errorf("state was carried over: %+v", s)
	}
	if string(s.PageTargetID) != second.PageIDs()[0] {
		t.Errorf("the page is %s, want that of the second browser", s.PageTargetID)
	}
	if n := len(first.OpenDialogs()); n != 0 || !first.Alive() {
		t.Errorf("%d dialogs are left open in the first browser", n)
	}
	if first.Connections() != 0 {
		t.Error("the first browser is still connected to")
	}
	if _, err := evaluate(ctx, again, "confirm('of the second')"); messages.CodeOf(err) != messages.CodeDialogOpened {
		t.Fatalf("a dialog opens: %v", err)
	}
	if id := again.Snapshot().PendingDialogs[0].ID; id == "d-1" {
		t.Error("a dialog id was given twice")
	}
	if _, err := evaluate(ctx, task, "1"); !errors.Is(err, messages.ErrTaskStopped) {
		t.Errorf("the old task answers %v", err)
	}
}

// TestStopWins: a stop during a start ends it, and whoever waits is told.
func TestStopWins(t *testing.T) {
	ctx := withTimeout(t, 20*time.Second)
	b := browser(t)
	remove := b.Inject(fakebrowser.Fault{Method: "Target.getTargets", Swallow: true})
	defer remove()
	r, _ := engine(t, map[string]*fakebrowser.Browser{"b": b})
	defer func() { _ = r.Close(ctx) }()
	started := make(chan error, 1)
	go func() {
		_, err := r.GetOrStart(ctx, "t", endpoint("b"))
		started <- err
	}()
	for b.Calls("Target.getTargets") == 0 && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	if err := r.Stop(ctx, "t"); err != nil {
		t.Errorf("the stop: %v", err)
	}
	if err := <-started; !errors.Is(err, messages.ErrTaskStopped) {
		t.Errorf("the start returns %v", err)
	}
	if _, ok := r.Get("t"); ok {
		t.Error("the task is still there")
	}
	if b.Connections() != 0 {
		t.Error("the browser is still connected to")
	}
}

// TestBadInput: an error names the cause and the way out.
func TestBadInput(t *testing.T) {
	ctx := withTimeout(t, 20*time.Second)
	b := browser(t)
	r, _ := engine(t, map[string]*fakebrowser.Browser{"b": b})
	defer func() { _ = r.Close(ctx) }()
	for name, tc := range map[string]struct {
		id     messages.TaskID
		source messages.EndpointSource
		opts   []registry.TaskOption
		want   error
		says   string
	}{
		"task id":        {"a/b", endpoint("b"), nil, messages.ErrInvalid, "letters, digits"},
		"no endpoint":    {"t", nil, nil, messages.ErrInvalid, "CDP URL"},
		"empty endpoint": {"t", endpoint(""), nil, messages.ErrInvalid, "host:port"},
		"refused":        {"t", endpoint("nobody"), nil, messages.ErrConnect, "nothing listens"},
		"policy":         {"t", endpoint("b"), []registry.TaskOption{registry.WithPolicy("maybe")}, messages.ErrInvalid, "must_respond"},
		"timeout":        {"t", endpoint("b"), []registry.TaskOption{registry.WithDialogTimeout(-1)}, messages.ErrInvalid, "(0, 24h0m0s]"},
		"no number":      {"t", endpoint("b"), []registry.TaskOption{registry.DialogTimeoutSeconds(nan())}, messages.ErrInvalid, "finite"},
		"two pages":      {"t", endpoint("b"), []registry.TaskOption{registry.WithTarget("X"), registry.WithOwnTab()}, messages.ErrInvalid, "exclude"},
		"no such page":   {"t", endpoint("b"), []registry.TaskOption{registry.WithTarget("X")}, messages.ErrConnect, "X"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.GetOrStart(ctx, tc.id, tc.source, tc.opts...)
			if !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v, want %v that says %q", err, tc.want, tc.says)
			}
			if _, ok := r.Get(tc.id); ok {
				t.Error("a task that never started is found")
			}
		})
	}
	if err := r.Stop(ctx, "t"); !errors.Is(err, messages.ErrUnknownTask) {
		t.Errorf("stopping nothing: %v", err)
	}
	if _, err := registry.New(nil); !errors.Is(err, messages.ErrInvalid) {
		t.Errorf("no system: %v", err)
	}
}

// TestNoPageToBeHad: a browser that opens no tab for a task says so to whoever
// starts the task, at once.
func TestNoPageToBeHad(t *testing.T) {
	ctx := withTimeout(t, 20*time.Second)
	b := browser(t)
	b.Inject(fakebrowser.Fault{Method: "Target.createTarget", Code: -32000, Message: "Not allowed"})
	r, _ := engine(t, map[string]*fakebrowser.Browser{"b": b})
	defer func() { _ = r.Close(ctx) }()
	_, err := r.GetOrStart(ctx, "t", endpoint("b"), registry.WithOwnTab())
	if !errors.Is(err, messages.ErrConnect) || !strings.Contains(err.Error(), "refuses to open one: ") {
		t.Errorf("got %v", err)
	}
	if _, ok := r.Get("t"); ok {
		t.Error("a task that never started is found")
	}
}

func nan() float64 { z := 0.0; return z / z }

// TestOptionsOfARunningTask: policy and watchdog can change, nothing else.
func TestOptionsOfARunningTask(t *testing.T) {
	ctx := withTimeout(t, 20*time.Second)
	b := browser(t)
	r, _ := engine(t, map[string]*fakebrowser.Browser{"b": b})
	defer func() { _ = r.Close(ctx) }()
	task, err := r.GetOrStart(ctx, "t", endpoint("b"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.GetOrStart(ctx, "t", endpoint("b"), registry.WithPolicy(messages.PolicyAutoAccept)); err != nil {
		t.Fatal(err)
	}
	if _, err := task.Wait(ctx, func(s *messages.Snapshot) bool { return s.Policy == messages.PolicyAutoAccept }); err != nil {
		t.Error("the policy was not changed")
	}
	if got, err := evaluate(ctx, task, "confirm('x')"); err != nil || !strings.Contains(got, "true") {
		t.Errorf("under auto_accept a confirm is %s, %v", got, err)
	}
	_, err = r.GetOrStart(ctx, "t", endpoint("b"), registry.WithPolicy(messages.PolicyAutoAccept), registry.WithOwnTab())
	if !errors.Is(err, messages.ErrTaskOptions) || !strings.Contains(err.Error(), "OwnTab") {
		t.Errorf("another option: %v", err)
	}
}

// TestTwoTasksNeverShareAPage: tasks that start together on one browser each
// get a page of their own.
func TestTwoTasksNeverShareAPage(t *testing.T) {
	ctx := withTimeout(t, 20*time.Second)
	b := browser(t)
	r, _ := engine(t, map[string]*fakebrowser.Browser{"b": b})
	defer func() { _ = r.Close(ctx) }()
	pages := make([]messages.TargetID, 6)
	var wg sync.WaitGroup
	for i := range pages {
		wg.Go(func() {
			task, err := r.GetOrStart(ctx, messages.TaskID(string(rune('a'+i))), endpoint("b"))
			if err != nil {
				t.Error(err)
				return
			}
			pages[i] = task.Snapshot().PageTargetID
		})
	}
	wg.Wait()
	seen := make(map[messages.TargetID]bool)
	for _, p := range pages {
		if p == "" || seen[p] {
			t.Errorf("the pages are %v", pages)
			break
		}
		seen[p] = true
	}
	if n := b.Calls("Target.createTarget"); n != len(pages)-1 {
		t.Errorf("%d tabs were opened, want %d", n, len(pages)-1)
	}
}

// TestStopIsHeard: the host's subscribers hear of a stop before Stop returns.
func TestStopIsHeard(t *testing.T) {
	ctx := withTimeout(t, 20*time.Second)
	b := browser(t)
	r, system := engine(t, map[string]*fakebrowser.Browser{"b": b})
	defer func() { _ = r.Close(ctx) }()
	var mu sync.Mutex
	var heard []string
	sub := system.EventStream.Subscribe(func(ev any) {
		if e, ok := ev.(*messages.TaskStoppedEvent); ok {
			mu.Lock()
			defer mu.Unlock()
			heard = append(heard, e.Reason)
		}
	})
	defer system.EventStream.Unsubscribe(sub)
	if _, err := r.GetOrStart(ctx, "t", endpoint("b")); err != nil {
		t.Fatal(err)
	}
	if err := r.Stop(ctx, "t"); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(heard) != 1 {
		t.Errorf("subscribers heard %q of one stop", heard)
	}
}

// TestTwoRegistries: the engine takes one name in a system.
func TestTwoRegistries(t *testing.T) {
	ctx := withTimeout(t, 20*time.Second)
	r, system := engine(t, nil)
	if _, err := registry.New(system); err == nil || !strings.Contains(err.Error(), "one registry") {
		t.Errorf("a second registry: %v", err)
	}
	if err := r.Close(ctx); err != nil {
		t.Errorf("close: %v", err)
	}
	if err := r.Close(ctx); err != nil {
		t.Errorf("close again: %v", err)
	}
	if _, err := r.GetOrStart(ctx, "t", endpoint("b")); !errors.Is(err, messages.ErrRegistryClosed) {
		t.Errorf("after close: %v", err)
	}
}
