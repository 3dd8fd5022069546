package tools

import (
	"reflect"
	"strings"
	"testing"

	"cdpsupervisor/messages"
)

func names(list []Tool) []string {
	var out []string
	for _, t := range list {
		out = append(out, t.Name)
	}
	return out
}

func TestGate(t *testing.T) {
	all := []string{"browser_snapshot", "browser_dialog", "browser_cdp", "browser_navigate", "browser_connect", "browser_disconnect"}
	ungated := []string{"browser_snapshot", "browser_navigate", "browser_connect", "browser_disconnect"}
	nothing := func(o *Options) { o.Endpoint = nil }
	for _, tc := range []struct {
		name    string
		options func(*Options)
		before  []string
		after   []string // after a browser_connect
		changes int
		code    messages.Code // of a gated tool before
	}{
		{"configured", func(*Options) {}, all, all, 0, ""},
		{"nothing configured", nothing, ungated, all, 1, messages.CodeNoCDP},
		{"always", func(o *Options) { nothing(o); o.Always = true }, all, all, 0, messages.CodeNoCDP},
		{"camofox", func(o *Options) { o.NoCDP = "camofox speaks REST only" }, ungated, ungated, 0, messages.CodeNoCDP},
		{"camofox, always", func(o *Options) { o.NoCDP = "camofox speaks REST only"; o.Always = true }, ungated, ungated, 0, messages.CodeNoCDP},
	} {
		t.Run(tc.name, func(t *testing.T) {
			changes := 0
			box, engine := newFake(&fakeTask{snap: well()}, tc.options, func(o *Options) { o.Changed = func() { changes++ } })
			if got := names(box.List()); !reflect.DeepEqual(got, tc.before) {
				t.Errorf("listed %v, want %v", got, tc.before)
			}
			if len(engine.starts) > 0 {
				t.Errorf("the gate started something: %v", engine.starts)
			}
			if r, _ := run(t, box, "browser_cdp", `{"method":"Browser.getVersion"}`); r.Code != tc.code {
				t.Errorf("browser_cdp answered %s", r.JSON())
			}
			run(t, box, "browser_connect", `{"cdp_url":"ws://one"}`)
			run(t, box, "browser_connect", `{"cdp_url":"ws://two"}`)
			run(t, box, "browser_disconnect", ``)
			if got := names(box.List()); !reflect.DeepEqual(got, tc.after) {
				t.Errorf("after browser_connect listed %v, want %v", got, tc.after)
			}
			if changes != tc.changes {
				t.Errorf("the list changed %d times, want %d", changes, tc.changes)
			}
		})
	}
}

func TestToolsets(t *testing.T) {
	box, _ := newFake(&fakeTask{snap: well()})
	for _, set := range []string{"browser", "core", "hermes-acp", "hermes-api-server"} {
		if !strings.Contains(strings.Join(names(box.ListSet(set)), " "), "browser_dialog") {
			t.Errorf("set %s lacks browser_dialog", set)
		}
	}
	if got := box.ListSet("shell"); got != nil {
		t.Errorf("an unknown set holds %v", names(got))
	}
	closed, _ := newFake(&fakeTask{snap: well()}, func(o *Options) { o.Endpoint = nil })
	if strings.Contains(strings.Join(names(closed.ListSet("browser")), " "), "browser_dialog") {
		t.Error("the gate must hold for sets too")
	}
}

func TestWithoutAnyEndpointASnapshotSaysHowToGetOne(t *testing.T) {
	for _, tc := range []struct {
		name    string
		options func(*Options)
		says    string
	}{
		{"nothing configured", func(o *Options) { o.Endpoint = nil }, "browser_connect"},
		{"none for this task", func(o *Options) { o.Endpoint = func(messages.TaskID) messages.EndpointSource { return nil } }, "browser_connect"},
		{"camofox", func(o *Options) { o.NoCDP = "the camofox backend speaks REST only; use its own tools" }, "its own tools"},
	} {
		box, _ := newFake(&fakeTask{snap: well()}, tc.options)
		r, seen := run(t, box, "browser_snapshot", ``)
		if r.Code != messages.CodeNoCDP || !strings.Contains(r.Error, tc.says) || len(seen) != 3 {
			t.Errorf("%s: want no_cdp with a way out and no other field, got %s", tc.name, r.JSON())
		}
	}
}
