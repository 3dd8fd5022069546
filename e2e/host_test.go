package e2e

import (
	"context"
	"fmt"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cdpsupervisor/backends"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// TestEndpointForms reaches one browser by every form of its endpoint.
func TestEndpointForms(t *testing.T) {
	t.Parallel()
	needChromium(t)
	folder := t.TempDir()
	local := backends.NewLocal(backends.Options{Headless: true, UserDataDir: folder})
	lease, err := local.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := lease.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(lease.Endpoint.Reveal())
	if err != nil {
		t.Fatal("the endpoint does not parse as a URL")
	}
	h := newHost(t)
	for name, endpoint := range map[string]string{
		"ws":                     lease.Endpoint.Reveal(),
		"ws without its path":    "ws://" + u.Host,
		"http":                   "http://" + u.Host,
		"http in capitals":       "HTTP://" + u.Host + "/",
		"host and port":          u.Host,
		"a path that is no more": "ws://" + u.Host + "/devtools/browser/00000000-0000-0000-0000-000000000000",
		"profile folder":         folder,
		"file in the folder":     folder + "/DevToolsActivePort",
	} {
		t.Run(name, func(t *testing.T) {
			b := &browser{site: &site{}, endpoint: messages.Endpoint(endpoint), address: u.Host}
			p := b.tab(t, h)
			p.status("")
			p.answersTwo()
		})
	}
}

// TestPageLevelEndpoint supervises one page on a connection of its own, where
// the page has no session id.
func TestPageLevelEndpoint(t *testing.T) {
	t.Parallel()
	b := launch(t)
	r := dialRaw(t, b.endpoint)
	target := field(t, r.call("", "Target.createTarget", params{"url": "about:blank"}), "targetId")
	page := &browser{site: b.site, endpoint: messages.Endpoint("ws://" + b.address + "/devtools/page/" + target), address: b.address}
	p := page.tab(t, newHost(t), registry.WithScope(messages.ScopePage))
	inner := p.blank("b.test")
	p.open(p.embed("a.test", inner))
	if got := p.task.Snapshot().PageTargetID; string(got) != target {
		t.Errorf("page_target_id is %s, want %s", got, target)
	}
	p.later(`confirm("m")`)
	p.accept(p.dialog())
	p.saw(true)
	f := p.frame(inner)
	if !isOOPIF(f) {
		t.Errorf("the frame is shown as %+v", f)
	}
	p.laterIn(in(f), `confirm("in the frame")`)
	d := p.dialog()
	if d.FrameID != f.FrameID {
		t.Errorf("the dialog is shown as frame %s's, want %s", d.FrameID, f.FrameID)
	}
	p.accept(d)
	p.sawIn(in(f), true)
	p.later(`open("` + p.page("a.test", `<script>setTimeout(() => seen.push(confirm("popup")))</script>`) + `") !== null`)
	p.accept(p.dialog())
	p.agrees(b)
	b.mustLive(t)
}

// TestPageLevelEndpointOfAnother starts a task on the address of a page that another
// task has by way of the browser: it gets no task, and the page is left alone.
func TestPageLevelEndpointOfAnother(t *testing.T) {
	t.Parallel()
	b := launch(t)
	h := newHost(t)
	p := b.tab(t, h)
	p.open(b.blank("a.test"))
	ctx, cancel := p.context()
	defer cancel()
	_, err := h.GetOrStart(ctx, "other", backends.Static(messages.Endpoint("ws://"+b.address+"/devtools/page/"+string(p.task.Snapshot().PageTargetID))))
	if f := refused(t, err, messages.CodeInvalidArgument); !strings.Contains(f.Message, "belongs to another task") {
		t.Errorf("the failure is %v", f)
	}
	p.later(`confirm("m")`)
	p.accept(p.dialog())
	p.saw(true)
}

// TestScopeBrowser supervises tabs that the task did not open.
func TestScopeBrowser(t *testing.T) {
	t.Parallel()
	b := launch(t)
	p := b.tab(t, newHost(t), registry.WithScope(messages.ScopeBrowser))
	p.open(p.blank("a.test"))
	r := dialRaw(t, b.endpoint)
	asking := b.page("b.test", `<script>setTimeout(() => seen.push(confirm("elsewhere")))</script>`)
	target := field(t, r.call("", "Target.createTarget", params{"url": asking}), "targetId")
	d := p.dialog()
	if string(d.TargetID) != target || d.Message != "elsewhere" {
		t.Errorf("the dialog is shown as %+v", d)
	}
	p.accept(d)
	p.sawIn(at{target: d.TargetID}, true)
	if got := p.eval("location.host"); got != "a.test" {
		t.Errorf("the task's page is %v", got)
	}
}

// TestScopePageLeavesOthersAlone has a stranger's tab ask.
func TestScopePageLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	b := launch(t)
	p := b.tab(t, newHost(t))
	r := dialRaw(t, b.endpoint)
	_, session := r.page(b.blank("b.test"))
	r.send(session, "Runtime.evaluate", params{"expression": `later(() => confirm("not yours"))`})
	r.event(session, "Page.javascriptDialogOpening")
	p.open(p.blank("a.test"))
	p.later(`confirm("yours")`)
	if d := p.dialog(); d.Message != "yours" {
		t.Errorf("the dialog is %+v", d)
	}
	p.accept(p.dialog())
	r.call(session, "Page.handleJavaScriptDialog", params{"accept": true})
	if got := r.eval(session, `seen[0]`); got != true {
		t.Errorf("the stranger's tab saw %v", got)
	}
}

// TestHostSpeaksActor does with messages what others do with methods.
func TestHostSpeaksActor(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	h := newHost(t)
	answer := func(to any, message any) any {
		t.Helper()
		pid := h.PID()
		if task, ok := to.(*registry.Task); ok {
			pid = task.PID()
		}
		result, err := h.system.Root.RequestFuture(pid, message, patience).Result()
		if err != nil {
			t.Fatalf("%T: %v", message, err)
		}
		return result
	}
	var mu sync.Mutex
	var told []string
	subscription := h.system.EventStream.Subscribe(func(event any) {
		if e, ok := event.(messages.EngineEvent); ok {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, fmt.Sprintf("%T", e))
		}
	})
	defer h.system.EventStream.Unsubscribe(subscription)

	started := answer(nil, &messages.GetOrStart{Task: "actor", Source: backends.Static(s.endpoint)})
	if r, ok := started.(*messages.TaskStarted); !ok || r.Task != "actor" {
		t.Fatalf("the start is answered %T %+v", started, started)
	}
	task, ok := h.Get("actor")
	if !ok {
		t.Fatal("the task is not there")
	}
	call := answer(task, &messages.CallRequest{Method: "Runtime.evaluate", Params: []byte(`{"expression":"1 + 1"}`)})
	if r, ok := call.(*messages.CallResult); !ok || !strings.Contains(string(r.Result), `"value":2`) {
		t.Errorf("the call is answered %T %+v", call, call)
	}
	if r, ok := answer(task, &messages.DialogRequest{Action: messages.ActionAccept}).(*messages.Failure); !ok || r.Code != messages.CodeNoDialog {
		t.Errorf("an answer to no dialog is answered %+v", r)
	}
	p := &tab{site: &site{}, t: t, host: h, task: task}
	s.on("Page.handleJavaScriptDialog", func(c scriptedCommand) {
		s.say(fmt.Sprintf(scriptedClosed, true))
		c.reply(`{}`)
	})
	s.say(scriptedOpening)
	d := p.dialog()
	if r, ok := answer(task, &messages.DialogRequest{Action: messages.ActionAccept, DialogID: d.ID}).(*messages.DialogResult); !ok || !r.Record.Result {
		t.Errorf("the answer is answered %+v", r)
	}
	if r, ok := answer(nil, &messages.StopTask{Task: "actor"}).(*messages.TaskEnded); !ok {
		t.Errorf("the stop is answered %+v", r)
	}
	want := []string{"*messages.DialogOpenedEvent", "*messages.DialogEndedEvent", "*messages.TaskStoppedEvent"}
	// Subscribers are told on a goroutine of their own, soon.
	for late := time.Now().Add(patience); ; runtime.Gosched() {
		mu.Lock()
		all := strings.Join(told, " ")
		mu.Unlock()
		missing := slices.DeleteFunc(slices.Clone(want), func(event string) bool { return strings.Contains(all, event) })
		if len(missing) == 0 {
			return
		}
		if time.Now().After(late) {
			t.Fatalf("the event stream told %q, not %q", all, missing)
		}
	}
}
