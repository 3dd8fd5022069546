package tools

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"cdpsupervisor/messages"
)

// A host that starts its tasks itself needs to say nothing of where their
// browsers are: a task that runs is used.
func TestATaskOfTheHostIsUsed(t *testing.T) {
	for name, snap := range map[string]*messages.Snapshot{
		"well": well(), "reconnecting": troubled(messages.StatusReconnecting, "the socket closed"),
	} {
		task := &fakeTask{snap: snap}
		box, engine := newFake(nil, func(o *Options) { o.Endpoint, o.Connect = nil, nil })
		if got, want := names(box.List()), []string{"browser_snapshot", "browser_navigate"}; !reflect.DeepEqual(got, want) {
			t.Errorf("before there is a task: listed %v, want %v", got, want)
		}
		engine.tasks["default"] = task
		if got, want := names(box.List()), []string{"browser_snapshot", "browser_dialog", "browser_cdp", "browser_navigate"}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: listed %v, want %v", name, got, want)
		}
		if r, _ := run(t, box, "browser_navigate", `{"url":"https://a/"}`); !r.Success() || len(task.urls) != 1 {
			t.Errorf("%s: got %s", name, r.JSON())
		}
		if r, _ := run(t, box, "browser_cdp", `{"method":"Browser.getVersion"}`); !r.Success() || len(task.calls) != 1 {
			t.Errorf("%s: got %s", name, r.JSON())
		}
		if err := box.Start(context.Background(), Caller{}); err != nil {
			t.Errorf("%s: start: %v", name, err)
		}
		if len(engine.starts) > 0 {
			t.Errorf("%s: started %v", name, engine.starts)
		}
		// Another task has no browser, and nobody can bring one.
		r, _ := run(t, box, "browser_snapshot", `{"task_id":"other"}`)
		if r.Code != messages.CodeNoCDP || !strings.Contains(r.Error, "Options.Endpoint") || strings.Contains(r.Error, "browser_connect") {
			t.Errorf("%s: got %s", name, r.JSON())
		}
	}
}

// Where callers can neither bring an endpoint nor have the configured one, the
// tools for it could only fail, or take a task from its host for good.
func TestToolsThatCouldOnlyFailAreNotThere(t *testing.T) {
	task := &fakeTask{snap: well()}
	box, engine := newFake(nil, func(o *Options) { o.Endpoint, o.Connect, o.Always = nil, nil, true })
	engine.tasks["default"] = task
	if got := strings.Join(names(box.List()), " "); strings.Contains(got, "connect") {
		t.Errorf("listed %s", got)
	}
	for tool, args := range map[string]string{"browser_connect": `{"cdp_url":"ws://one"}`, "browser_disconnect": ``} {
		if r, _ := run(t, box, tool, args); r.Code != messages.CodeDenied || !strings.Contains(r.Error, "this host chooses the browser") {
			t.Errorf("%s: got %s", tool, r.JSON())
		}
	}
	if len(engine.stops) > 0 {
		t.Errorf("stopped %v", engine.stops)
	}
}

// A host says itself how its users configure a browser.
func TestHowABrowserIsConfigured(t *testing.T) {
	box, _ := newFake(nil, func(o *Options) { o.Endpoint, o.HowToConfigure = nil, "start it with --cdp-url" })
	if r, _ := run(t, box, "browser_snapshot", ``); r.Error != "no browser is configured: call browser_connect with a cdp_url, or start it with --cdp-url" {
		t.Errorf("got %s", r.JSON())
	}
}
