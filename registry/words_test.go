package registry_test

import (
	"testing"
	"testing/synctest"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/fakebrowser"
)

// TestErrorsNameTheWayOut: what a call and a change of page say when they fail.
func TestErrorsNameTheWayOut(t *testing.T) {
	for name, tc := range map[string]struct {
		ask  func(*testing.T, *registry.Task) error
		code messages.Code
		says string
	}{
		"a call that is not answered": {
			func(t *testing.T, task *registry.Task) error {
				_, err := task.Call(t.Context(), messages.CallRequest{
					Method: "Runtime.evaluate", Params: []byte(`{"expression":"new Promise(() => {})","awaitPromise":true}`), Timeout: 90 * time.Second,
				})
				return err
			}, messages.CodeTimeout,
			"Runtime.evaluate got no answer from the browser within 1m30s; the page's script may be busy: look at browser_snapshot, or give the call a longer timeout",
		},
		"params that are none": {
			func(t *testing.T, task *registry.Task) error {
				_, err := task.Call(t.Context(), messages.CallRequest{Method: "Runtime.evaluate", Params: []byte(`[1]`)})
				return err
			}, messages.CodeInvalidArgument,
			"Runtime.evaluate: params is not a JSON object; pass an object such as {}; nothing was sent",
		},
		"a page that there is not": {
			func(t *testing.T, task *registry.Task) error { return task.Focus(t.Context(), "NOPE") },
			messages.CodeTabGone,
			"the browser has no page NOPE to focus: No target with given id found (-32602); Target.getTargets lists those that there are",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := fakebrowser.New(fakebrowser.Options{Pages: site, SiteIsolation: true})
				r, _ := engine(t, map[string]*fakebrowser.Browser{"b": b})
				task, err := r.GetOrStart(t.Context(), "t", endpoint("b"))
				if err != nil {
					t.Fatal(err)
				}
				if err := tc.ask(t, task); messages.CodeOf(err) != tc.code || err.Error() != tc.says {
					t.Errorf("got %s %q, want %s %q", messages.CodeOf(err), err, tc.code, tc.says)
				}
				if err := r.Close(t.Context()); err != nil {
					t.Error(err)
				}
				b.Close()
				time.Sleep(2 * time.Second) // of the bubble: the actor library's throttle of dead letters ends
			})
		})
	}
}
