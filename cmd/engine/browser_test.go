package main

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"weak"

	"cdpsupervisor/backends"
	"cdpsupervisor/messages"
	"cdpsupervisor/tools"
)

func TestChooseBrowser(t *testing.T) {
	url, browserbase, camofox := "ws://h:1/x", "browserbase", "camofox"
	for _, tc := range []struct {
		name     string
		flags    browserFlags
		env      map[string]string
		identity string // of the default task's source; "" means that there is none
		noCDP    bool
		fails    string
	}{
		{"nothing", browserFlags{}, nil, "", false, ""},
		{"a URL", browserFlags{CDPURL: &url}, nil, url, false, ""},
		{"a URL from the environment", browserFlags{}, map[string]string{"BROWSER_CDP_URL": url}, url, false, ""},
		{"launch", browserFlags{Launch: true, Isolated: true}, nil, "launch ", false, ""},
		{"launch wins over the environment", browserFlags{Launch: true}, map[string]string{"BROWSER_CDP_URL": url, "BROWSER_BACKEND": "browserbase"}, "launch ", false, ""},
		{"the running browser", browserFlags{AutoConnect: true}, nil, "running-browser", false, ""},
		{"browserbase", browserFlags{Backend: &browserbase}, map[string]string{"BROWSERBASE_API_KEY": "k", "BROWSERBASE_PROJECT_ID": "p"}, "browserbase ", false, ""},
		{"browserbase without an account", browserFlags{Backend: &browserbase}, nil, "", false, "BROWSERBASE_API_KEY"},
		{"camofox", browserFlags{Backend: &camofox}, nil, "", true, ""},
		{"two browsers", browserFlags{Launch: true, CDPURL: &url}, nil, "", false, "exclude each other"},
		{"a flag without effect", browserFlags{Isolated: true}, nil, "", false, "--isolated goes with --launch only"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, name := range []string{"BROWSER_CDP_URL", "BROWSER_BACKEND", "BROWSERBASE_API_KEY", "BROWSERBASE_PROJECT_ID", "BROWSERBASE_BASE_URL"} {
				t.Setenv(name, tc.env[name])
			}
			b, err := tc.flags.choose()
			if tc.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fails) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if (b.noCDP != "") != tc.noCDP || (b.endpoint != nil) != (tc.identity != "") {
				t.Fatalf("got %+v", b)
			}
			if b.endpoint == nil {
				return
			}
			source := b.endpoint(tools.DefaultTask)
			if !strings.HasPrefix(source.Identity(), tc.identity) {
				t.Errorf("the source is %s", source.Identity())
			}
			if again := b.endpoint(tools.DefaultTask); again.Identity() != source.Identity() {
				t.Errorf("the same task has another source the second time: %s", again.Identity())
			}
			other := b.endpoint("other")
			if apart := other.Identity() != source.Identity(); apart != (tc.name == "browserbase") {
				t.Errorf("another task has the source %s", other.Identity())
			}
		})
	}
}

// A task that is over leaves no source behind: over HTTP each session has a task
// of its own.
func TestSourcesAreNotKept(t *testing.T) {
	endpoint := eachTask(func(messages.TaskID) (messages.EndpointSource, error) {
		return backends.NewBrowserbase(backends.BrowserbaseOptions{APIKey: "k", ProjectID: "p"})
	})
	source := weak.Make(endpoint("one").(*backends.BrowserbaseSource))
	runtime.GC()
	if source.Value() != nil {
		t.Error("the source of a task that nobody has is kept")
	}
	runtime.KeepAlive(endpoint)
}

func TestTargetIsForTheUnnamedTask(t *testing.T) {
	b := &browser{flags: &browserFlags{TargetID: "T", OwnTab: false}}
	var err error
	if b.config, err = (&browserFlags{}).load(); err != nil {
		t.Fatal(err)
	}
	if unnamed, named := len(b.taskOptions(true)), len(b.taskOptions(false)); unnamed != named+1 {
		t.Errorf("%d options for the unnamed task, %d for others", unnamed, named)
	}
	for id, want := range map[messages.TaskID]bool{tools.DefaultTask: true, "mcp-ABC": true, "shopping": false} {
		if isUnnamed(id) != want {
			t.Errorf("task %s: unnamed is %v", id, !want)
		}
	}
}

func TestDisplay(t *testing.T) {
	for _, tc := range []struct {
		goos, name string
		want       bool
	}{{"linux", "", false}, {"linux", "DISPLAY", true}, {"linux", "WAYLAND_DISPLAY", true}, {"darwin", "", true}, {"windows", "", true}} {
		if got := hasDisplay(tc.goos, func(name string) string {
			if name == tc.name && name != "" {
				return ":0"
			}
			return ""
		}); got != tc.want {
			t.Errorf("%s with %q: %v", tc.goos, tc.name, got)
		}
	}
}

func TestUsageErrorsExitWithTwo(t *testing.T) {
	for _, err := range []error{usage("x"), asUsage(errors.New("y")), asUsage(usage("z"))} {
		if coded, ok := errors.AsType[*exitError](err); !ok || coded.code != exitUsage {
			t.Errorf("%v", err)
		}
	}
}
