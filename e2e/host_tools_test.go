package e2e

import (
	"slices"
	"strings"
	"testing"

	"cdpsupervisor/messages"
	"cdpsupervisor/tools"
)

// TestToolsOnATaskOfTheHost: a toolbox that knows of no endpoint uses the tasks
// that its host has started.
func TestToolsOnATaskOfTheHost(t *testing.T) {
	t.Parallel()
	b := launch(t)
	h := newHost(t)
	box, err := tools.New(tools.Options{Registry: h.Registry})
	if err != nil {
		t.Fatal(err)
	}
	list := func() (names []string) {
		for _, tool := range box.List() {
			names = append(names, tool.Name)
		}
		return names
	}
	if got := list(); slices.Contains(got, "browser_cdp") {
		t.Errorf("before there is a task: %v", got)
	}
	p := b.tab(t, h)
	p.open(p.page("a.test", `<title>of the host</title><h1>hello</h1>`))
	if got, want := list(), []string{"browser_snapshot", "browser_dialog", "browser_cdp", "browser_navigate"}; !slices.Equal(got, want) {
		t.Errorf("listed %v, want %v", got, want)
	}
	caller := tools.Caller{Task: p.task.ID()}
	if r := box.Call(t.Context(), caller, "browser_snapshot", nil); !r.Success() || !strings.Contains(r.JSON(), "of the host") {
		t.Errorf("the snapshot: %s", r.JSON())
	}
	if r := box.Call(t.Context(), tools.Caller{}, "browser_snapshot", nil); r.Code != messages.CodeNoCDP || !strings.Contains(r.Error, "Options.Endpoint") {
		t.Errorf("another task: %s", r.JSON())
	}
}
