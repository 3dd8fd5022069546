package tools

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"cdpsupervisor/messages"
)

func TestConnectProvesTheEndpointFirst(t *testing.T) {
	box, engine := newFake(nil, func(o *Options) { o.Endpoint = nil })
	engine.newTask = func(messages.TaskID, string) (*fakeTask, error) { return &fakeTask{snap: well()}, nil }
	r, seen := run(t, box, "browser_connect", `{"cdp_url":"ws://one:1/devtools/browser/secret"}`)
	if !r.Success() || seen["endpoint"] != "ws://one:1" || seen["page_target_id"] != "T" || strings.Contains(r.JSON(), "secret") {
		t.Errorf("got %s", r.JSON())
	}
	const secret = "ws://one:1/devtools/browser/secret"
	if want := []string{"default on " + secret}; !reflect.DeepEqual(engine.starts, want) || !reflect.DeepEqual(engine.proofs, []string{secret}) {
		t.Errorf("started %v, want %v; proved %v", engine.starts, want, engine.proofs)
	}
	// Again, to where it is already: nothing to prove.
	run(t, box, "browser_connect", `{"cdp_url":"ws://one:1/devtools/browser/secret"}`)
	if len(engine.proofs) != 1 {
		t.Errorf("connecting to the same endpoint proved it again: %v", engine.proofs)
	}
}

func TestConnectThatFailsLeavesTheTaskAsItWas(t *testing.T) {
	const secret = "ws://host:1/devtools?token=hunter2"
	for _, tc := range []struct {
		name  string
		proof error
		says  string
	}{
		{"refused", fmt.Errorf("dial %s: %w", secret, messages.ErrConnect), "dial ws://host:1"},
		{"no browser", fmt.Errorf("%w: the endpoint answers 404", messages.ErrConnect), "the endpoint answers 404"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			old := &fakeTask{snap: well()}
			box, engine := newFake(old)
			run(t, box, "browser_navigate", `{"url":"https://a/"}`)
			engine.proof = tc.proof
			r, _ := run(t, box, "browser_connect", fmt.Sprintf(`{"cdp_url":%q}`, secret))
			if r.Code != messages.CodeNoCDP || !strings.Contains(r.Error, tc.says) || !strings.Contains(r.Error, "stays as it was") {
				t.Errorf("got %s", r.JSON())
			}
			if strings.Contains(r.JSON(), "hunter2") {
				t.Errorf("the endpoint's secret is shown: %s", r.JSON())
			}
			if got := engine.running(); !reflect.DeepEqual(got, []messages.TaskID{"default"}) {
				t.Errorf("running: %v", got)
			}
			run(t, box, "browser_navigate", `{"url":"https://b/"}`)
			if !reflect.DeepEqual(old.urls, []string{"https://a/", "https://b/"}) {
				t.Errorf("the old task got %v", old.urls)
			}
		})
	}
}

func TestAnEndpointThatCannotBeReachedIsNoCDP(t *testing.T) {
	for _, err := range []error{
		messages.Fail(messages.CodeConnectionLost, "nothing listens there"),
		fmt.Errorf("nothing listens there: %w", messages.ErrConnect),
	} {
		box, engine := newFake(nil)
		engine.newTask = func(messages.TaskID, string) (*fakeTask, error) { return nil, err }
		if r, _ := run(t, box, "browser_snapshot", ``); r.Code != messages.CodeNoCDP || !strings.Contains(r.Error, "nothing listens there") {
			t.Errorf("got %s", r.JSON())
		}
	}
}

func TestAConfiguredEndpointThatIsQuotedIsScrubbed(t *testing.T) {
	const secret = "wss://user:hunter2@host:1/?token=hunter2"
	box, engine := newFake(nil, func(o *Options) {
		o.Endpoint = func(messages.TaskID) messages.EndpointSource { return fakeSource(secret) }
	})
	engine.newTask = func(messages.TaskID, string) (*fakeTask, error) {
		return nil, fmt.Errorf("cannot dial %s today", secret)
	}
	if r, _ := run(t, box, "browser_snapshot", ``); !strings.Contains(r.Error, "cannot dial wss://host:1 today") || strings.Contains(r.JSON(), "hunter2") {
		t.Errorf("got %s", r.JSON())
	}
}

func TestConnectRefusesWhatIsNoEndpoint(t *testing.T) {
	box, engine := newFake(&fakeTask{snap: well()}, func(o *Options) {
		o.Connect = func(messages.Endpoint) (messages.EndpointSource, error) {
			return nil, errors.New("scheme \"ftp\" is not known")
		}
	})
	if r, _ := run(t, box, "browser_connect", `{"cdp_url":"ftp://x"}`); r.Code != messages.CodeInvalidArgument || !strings.Contains(r.Error, "ftp") {
		t.Errorf("got %s", r.JSON())
	}
	if len(engine.starts) > 0 {
		t.Errorf("started %v", engine.starts)
	}
	fixed, _ := newFake(&fakeTask{snap: well()}, func(o *Options) { o.Connect = nil })
	if r, _ := run(t, fixed, "browser_connect", `{"cdp_url":"ws://x"}`); r.Code != messages.CodeDenied {
		t.Errorf("a host without Connect must deny, got %s", r.JSON())
	}
}

func TestDisconnect(t *testing.T) {
	task := &fakeTask{snap: well()}
	box, engine := newFake(task)
	if r, _ := run(t, box, "browser_disconnect", ``); r.Code != messages.CodeNoSupervisor {
		t.Errorf("with nothing running want no_supervisor, got %s", r.JSON())
	}
	run(t, box, "browser_connect", `{"cdp_url":"configured"}`)
	if r, _ := run(t, box, "browser_disconnect", ``); !r.Success() {
		t.Errorf("got %s", r.JSON())
	}
	for _, call := range []struct{ tool, args string }{
		{"browser_snapshot", ``}, {"browser_dialog", `{"action":"accept"}`},
		{"browser_cdp", `{"method":"Browser.getVersion"}`}, {"browser_navigate", `{"url":"https://b/"}`},
	} {
		if r, _ := run(t, box, call.tool, call.args); r.Code != messages.CodeNoCDP || !strings.Contains(r.Error, "browser_connect") {
			t.Errorf("%s after a disconnect: %s", call.tool, r.JSON())
		}
	}
	if len(box.List()) != 6 {
		t.Errorf("the tools must stay listed: %v", names(box.List()))
	}
	if r, seen := run(t, box, "browser_connect", `{"cdp_url":"configured"}`); !r.Success() || seen["endpoint"] != nil {
		t.Errorf("back to the configured endpoint: %s", r.JSON())
	}
	if r, _ := run(t, box, "browser_navigate", `{"url":"https://b/"}`); !r.Success() {
		t.Errorf("after connecting again: %s", r.JSON())
	}
	if got := engine.running(); !reflect.DeepEqual(got, []messages.TaskID{"default"}) {
		t.Errorf("running: %v", got)
	}
}

func TestTasksAreApart(t *testing.T) {
	box, engine := newFake(nil)
	engine.newTask = func(messages.TaskID, string) (*fakeTask, error) { return &fakeTask{snap: well()}, nil }
	for _, caller := range []Caller{{}, {Task: "mcp-1"}} {
		if r := box.Call(t.Context(), caller, "browser_navigate", []byte(`{"url":"https://a/"}`)); !r.Success() {
			t.Fatal(r.JSON())
		}
	}
	run(t, box, "browser_navigate", `{"url":"https://a/","task_id":"named"}`)
	if got := engine.running(); !reflect.DeepEqual(got, []messages.TaskID{"default", "mcp-1", "named"}) {
		t.Errorf("running: %v", got)
	}
	if err := box.Release(t.Context(), Caller{Task: "mcp-1"}); err != nil {
		t.Fatal(err)
	}
	if err := box.Release(t.Context(), Caller{Task: "mcp-1"}); err != nil {
		t.Errorf("releasing twice: %v", err)
	}
	if got := engine.running(); !reflect.DeepEqual(got, []messages.TaskID{"default", "named"}) {
		t.Errorf("running after the release: %v", got)
	}
	if r := box.Call(t.Context(), Caller{Task: "no spaces"}, "browser_snapshot", nil); r.Code != messages.CodeInvalidArgument {
		t.Errorf("a caller with a bad id: %s", r.JSON())
	}
}

func TestStart(t *testing.T) {
	box, engine := newFake(&fakeTask{snap: well()})
	if err := box.Start(t.Context(), Caller{Task: "early"}); err != nil || len(engine.running()) != 1 {
		t.Errorf("%v, running %v", err, engine.running())
	}
	nothing, _ := newFake(&fakeTask{snap: well()}, func(o *Options) { o.Endpoint = nil })
	if err := nothing.Start(t.Context(), Caller{}); messages.CodeOf(err) != messages.CodeNoCDP {
		t.Errorf("got %v", err)
	}
}

func TestNewNeedsARegistry(t *testing.T) {
	if _, err := New(Options{}); !errors.Is(err, messages.ErrInvalid) {
		t.Errorf("got %v", err)
	}
}
