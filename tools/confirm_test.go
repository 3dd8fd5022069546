package tools

import (
	"encoding/json"
	"slices"
	"testing"

	"cdpsupervisor/messages"
)

func TestConfirmation(t *testing.T) {
	confirm := messages.Dialog{ID: "d-1", Type: messages.DialogConfirm, TargetID: "T", FrameID: "F"}
	alert := messages.Dialog{ID: "d-2", Type: messages.DialogAlert, TargetID: "T", FrameID: "F"}
	popup := messages.Dialog{ID: "d-3", Type: messages.DialogAlert, TargetID: "P", FrameID: "PF"}
	for _, tc := range []struct {
		open       []messages.Dialog
		tool, args string
		asks       bool
	}{
		{[]messages.Dialog{confirm}, "browser_dialog", `{"action":"accept"}`, true},
		{[]messages.Dialog{confirm}, "browser_dialog", `{"action":"accept","dialog_id":"d-1"}`, true},
		{[]messages.Dialog{confirm}, "browser_dialog", `{"action":"accept","dialog_id":"d-9"}`, false},
		{[]messages.Dialog{confirm}, "browser_dialog", `{"action":"dismiss"}`, false},
		{[]messages.Dialog{confirm}, "browser_dialog", `{"action":"yes"}`, false},
		{[]messages.Dialog{alert}, "browser_dialog", `{"action":"accept"}`, false},
		{[]messages.Dialog{confirm, alert}, "browser_dialog", `{"action":"accept"}`, false},
		{[]messages.Dialog{confirm, alert}, "browser_dialog", `{"action":"accept","dialog_id":"d-1"}`, true},
		{nil, "browser_dialog", `{"action":"accept"}`, false},
		{[]messages.Dialog{{ID: "d-1", Type: messages.DialogBeforeUnload, TargetID: "T"}}, "browser_dialog", `{"action":"accept"}`, true},
		{[]messages.Dialog{{ID: "d-1", Type: messages.DialogPrompt}}, "browser_dialog", `{"action":"accept"}`, true},
		{[]messages.Dialog{confirm}, "browser_cdp", `{"method":"Page.handleJavaScriptDialog","params":{"accept":true}}`, true},
		{[]messages.Dialog{confirm}, "browser_cdp", `{"method":"Page.handleJavaScriptDialog","params":{"accept":false}}`, false},
		{[]messages.Dialog{confirm}, "browser_cdp", `{"method":"Page.handleJavaScriptDialog","params":{"accept":false,"Accept":true}}`, true},
		// A raw answer goes to the first dialog of its page, however many are open.
		{[]messages.Dialog{popup, confirm}, "browser_cdp", `{"method":"Page.handleJavaScriptDialog","params":{"accept":true}}`, true},
		{[]messages.Dialog{popup, confirm}, "browser_cdp", `{"method":"Page.handleJavaScriptDialog","params":{"accept":true},"target_id":"T"}`, true},
		{[]messages.Dialog{popup, confirm}, "browser_cdp", `{"method":"Page.handleJavaScriptDialog","params":{"accept":true},"frame_id":"F"}`, true},
		{[]messages.Dialog{popup, confirm}, "browser_cdp", `{"method":"Page.handleJavaScriptDialog","params":{"accept":true},"frame_id":"unknown"}`, true},
		{[]messages.Dialog{popup, confirm}, "browser_cdp", `{"method":"Page.handleJavaScriptDialog","params":{"accept":true},"target_id":"P"}`, false},
		{[]messages.Dialog{popup, confirm}, "browser_cdp", `{"method":"Page.handleJavaScriptDialog","params":{"accept":true},"frame_id":"PF"}`, false},
		{[]messages.Dialog{alert, confirm}, "browser_cdp", `{"method":"Page.handleJavaScriptDialog","params":{"accept":true}}`, false},
		{[]messages.Dialog{confirm}, "browser_cdp", `{"method":"Page.reload"}`, false},
		{[]messages.Dialog{confirm}, "browser_snapshot", `{}`, false},
	} {
		box, _ := newFake(&fakeTask{snap: well(tc.open...)})
		if _, asks := box.Confirmation(Caller{}, tc.tool, json.RawMessage(tc.args)); asks {
			t.Errorf("%s %s asks before the task runs", tc.tool, tc.args)
		}
		if err := box.Start(t.Context(), Caller{}); err != nil {
			t.Fatal(err)
		}
		if _, asks := box.Confirmation(Caller{}, tc.tool, json.RawMessage(tc.args)); asks != tc.asks {
			t.Errorf("%s %s with %v: asks is %v", tc.tool, tc.args, tc.open, asks)
		}
	}
}

func TestWithDialog(t *testing.T) {
	got, err := WithDialog(json.RawMessage(`{"action":"accept","prompt_text":"x"}`), "d-7")
	if err != nil || string(got) != `{"action":"accept","dialog_id":"d-7","prompt_text":"x"}` {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := WithDialog(json.RawMessage(`[]`), "d-7"); err == nil {
		t.Error("what is no object was taken")
	}
}

// TestConfirmedAcceptsNothingThatOpenedSince: whoever was asked about one dialog,
// or about none, has not been asked about the next.
func TestConfirmedAcceptsNothingThatOpenedSince(t *testing.T) {
	task := &fakeTask{snap: well()}
	task.snap.PendingDialogs = []messages.Dialog{{ID: "d-1", Type: messages.DialogConfirm}, {ID: "d-2", Type: messages.DialogAlert}}
	task.onDialog = func(messages.DialogRequest) (*messages.DialogResult, error) { return &messages.DialogResult{}, nil }
	box, e := newFake(task)
	e.tasks[DefaultTask] = task
	for asked, want := range map[messages.DialogID][]messages.DialogID{"": {"d-2"}, "d-1": {"d-1", "d-2"}} {
		task.answers, task.calls = nil, nil
		caller := box.Confirmed(Caller{}, nil, asked)
		box.Call(t.Context(), caller, "browser_dialog", json.RawMessage(`{"action":"accept","dialog_id":"d-1"}`))
		box.Call(t.Context(), caller, "browser_cdp", json.RawMessage(`{"method":"Page.handleJavaScriptDialog","params":{"accept":true}}`))
		if len(task.answers) != 1 || !slices.Equal(task.answers[0].Accept, want) || len(task.calls) != 1 || !slices.Equal(task.calls[0].Accept, want) {
			t.Errorf("asked about %q: %+v, %+v", asked, task.answers, task.calls)
		}
	}
	// Nobody is asked at all: nothing is kept from the call.
	box.Call(t.Context(), Caller{}, "browser_dialog", json.RawMessage(`{"action":"accept","dialog_id":"d-1"}`))
	if last := task.answers[len(task.answers)-1]; last.Accept != nil {
		t.Errorf("%+v", last)
	}
	// A task that does not run has no dialogs.
	if got := box.Confirmed(Caller{Task: "none"}, nil, ""); got.Accept == nil {
		t.Error("a caller that was asked about nothing may accept everything")
	}
}
