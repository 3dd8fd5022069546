package tools

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// fakeTask answers as a test says and remembers what it was asked.
type fakeTask struct {
	mu       sync.Mutex
	snap     *messages.Snapshot
	calls    []messages.CallRequest
	answers  []messages.DialogRequest
	urls     []string
	onCall   func(messages.CallRequest) (*messages.CallResult, error)
	onDialog func(messages.DialogRequest) (*messages.DialogResult, error)
	onURL    func(string) (*messages.NavigateResult, error)
}

func (t *fakeTask) Snapshot() *messages.Snapshot {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.snap
}

func (t *fakeTask) Wait(ctx context.Context, holds func(*messages.Snapshot) bool) (*messages.Snapshot, error) {
	if s := t.Snapshot(); holds(s) {
		return s, nil
	}
	<-ctx.Done()
	return t.Snapshot(), context.Cause(ctx)
}

func (t *fakeTask) Call(ctx context.Context, req messages.CallRequest) (*messages.CallResult, error) {
	t.mu.Lock()
	t.calls = append(t.calls, req)
	t.mu.Unlock()
	if t.onCall == nil {
		return &messages.CallResult{Result: []byte(`{}`)}, nil
	}
	if result, err := t.onCall(req); !errors.Is(err, errSilent) {
		return result, err
	}
	select { // as a renderer that does not answer
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-time.After(req.Timeout):
		return nil, messages.Fail(messages.CodeTimeout, "no answer")
	}
}

// errSilent makes a call of a [fakeTask] go without an answer.
var errSilent = errors.New("silent")

func (t *fakeTask) RespondDialog(_ context.Context, req messages.DialogRequest) (*messages.DialogResult, error) {
	t.mu.Lock()
	t.answers = append(t.answers, req)
	t.mu.Unlock()
	return t.onDialog(req)
}

func (t *fakeTask) Navigate(_ context.Context, url string) (*messages.NavigateResult, error) {
	t.mu.Lock()
	t.urls = append(t.urls, url)
	t.mu.Unlock()
	if t.onURL == nil {
		return &messages.NavigateResult{URL: url, Title: "A", PageTargetID: "T"}, nil
	}
	return t.onURL(url)
}

// Frames is the tree of the snapshot; no other page is known.
func (t *fakeTask) Frames(_ context.Context, target messages.TargetID) (*messages.FrameTree, error) {
	s := t.Snapshot()
	if s.FrameTree == nil || target != "" && target != s.PageTargetID {
		return nil, messages.Fail(messages.CodeUnknownFrame, "no frame tree")
	}
	return s.FrameTree, nil
}

// fakeEngine runs fake tasks. newTask makes one for a source, or fails.
type fakeEngine struct {
	mu      sync.Mutex
	tasks   map[messages.TaskID]*fakeTask
	sources map[messages.TaskID]string
	starts  []string
	stops   []messages.TaskID
	newTask func(id messages.TaskID, identity string) (*fakeTask, error)
	proofs  []string
	proof   error // of every endpoint
}

func (e *fakeEngine) prove(_ context.Context, source messages.EndpointSource) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.proofs = append(e.proofs, source.Identity())
	return e.proof
}

func (e *fakeEngine) start(_ context.Context, id messages.TaskID, source messages.EndpointSource, _ ...registry.TaskOption) (task, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.starts = append(e.starts, string(id)+" on "+source.Identity())
	if t := e.tasks[id]; t != nil && e.sources[id] == source.Identity() {
		return t, nil
	}
	t, err := e.newTask(id, source.Identity())
	if err != nil {
		return nil, err
	}
	e.tasks[id], e.sources[id] = t, source.Identity()
	return t, nil
}

func (e *fakeEngine) get(id messages.TaskID) (task, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, ok := e.tasks[id]
	return t, ok
}

func (e *fakeEngine) hasTasks() bool { return len(e.running()) > 0 }

func (e *fakeEngine) stop(_ context.Context, id messages.TaskID) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stops = append(e.stops, id)
	if e.tasks[id] == nil {
		return messages.Fail(messages.CodeNoSupervisor, "no task %q is running", id).Because(messages.ErrUnknownTask)
	}
	delete(e.tasks, id)
	delete(e.sources, id)
	return nil
}

func (e *fakeEngine) running() []messages.TaskID {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Sorted(maps.Keys(e.tasks))
}

// fakeSource is an endpoint by name.
type fakeSource string

func (s fakeSource) Identity() string                            { return string(s) }
func (fakeSource) Open(context.Context) (*messages.Lease, error) { return &messages.Lease{}, nil }
func (fakeSource) Renew(context.Context, *messages.Lease) (*messages.Lease, error) {
	return &messages.Lease{}, nil
}

// well is the snapshot of a task that is ready, with these dialogs open.
func well(open ...messages.Dialog) *messages.Snapshot {
	return &messages.Snapshot{
		Seq: 1, Epoch: 1, Ready: true,
		PendingDialogs: open, RecentDialogs: []messages.DialogRecord{},
		FrameTree:    &messages.FrameTree{Top: messages.FrameEntry{FrameID: "F", URL: "https://a/", Origin: "https://a"}, Children: []messages.FrameEntry{}},
		PageTargetID: "T", Page: messages.PageState{URL: "https://a/", Title: "A"},
	}
}

func troubled(status messages.Status, reason string) *messages.Snapshot {
	s := well()
	s.Supervisor = &messages.SupervisorState{Status: status, Reason: reason}
	return s
}

// newFake returns a toolbox whose one task is t, with a configured endpoint
// unless the options say otherwise.
func newFake(t *fakeTask, change ...func(*Options)) (*Toolbox, *fakeEngine) {
	e := &fakeEngine{
		tasks:   map[messages.TaskID]*fakeTask{},
		sources: map[messages.TaskID]string{},
		newTask: func(messages.TaskID, string) (*fakeTask, error) { return t, nil },
	}
	options := Options{
		Endpoint: func(messages.TaskID) messages.EndpointSource { return fakeSource("configured-one") },
		Connect: func(url messages.Endpoint) (messages.EndpointSource, error) {
			return fakeSource(url.Reveal()), nil
		},
	}
	for _, f := range change {
		f(&options)
	}
	return newToolbox(options, e), e
}

// run calls a tool and returns its result as the JSON that a caller sees.
func run(t *testing.T, b *Toolbox, name, args string) (*Result, map[string]any) {
	t.Helper()
	r := b.Call(t.Context(), Caller{}, name, json.RawMessage(args))
	var seen map[string]any
	if err := json.Unmarshal([]byte(r.JSON()), &seen); err != nil {
		t.Fatalf("%s answered what is no JSON object: %v\n%s", name, err, r.JSON())
	}
	if seen["success"] != r.Success() {
		t.Fatalf("%s: success is %v in %s", name, r.Success(), r.JSON())
	}
	if _, coded := seen["code"]; coded == r.Success() {
		t.Fatalf("%s: a code goes with a failure and only with one: %s", name, r.JSON())
	}
	return r, seen
}
