package tools

import (
	"strings"
	"testing"

	"cdpsupervisor/messages"
)

// A page must not fill an agent's results with the texts of dialogs that the agent
// has read already.
func TestLongDialogsAreShownOnce(t *testing.T) {
	long := strings.Repeat("ö", 16_000)
	short := strings.Repeat("ö", shownChars) + "…"
	open := messages.Dialog{ID: "d-9", Type: messages.DialogPrompt, Message: long, DefaultPrompt: long, TargetID: "T"}
	snap := well(open)
	for _, by := range []messages.ClosedBy{messages.ClosedByAgent, messages.ClosedByRemote, messages.ClosedByAutoPolicy} {
		snap.RecentDialogs = append(snap.RecentDialogs, messages.DialogRecord{ID: "d-1", Message: long, DefaultPrompt: long, PromptText: &long, ClosedBy: by})
	}
	task := &fakeTask{snap: snap, onCall: func(messages.CallRequest) (*messages.CallResult, error) {
		return nil, messages.Fail(messages.CodeDialogOpened, "it opened").With(&open)
	}}
	box, _ := newFake(task)
	_, seen := run(t, box, "browser_snapshot", ``)
	for i, record := range seen["recent_dialogs"].([]any) {
		want := short
		if i == 2 {
			want = long // nobody has seen it before
		}
		r := record.(map[string]any)
		if r["message"] != want || r["default_prompt"] != want || r["prompt_text"] != want || (r["truncated"] == true) != (want == short) {
			t.Errorf("%d: got %.300v", i, r)
		}
	}
	whole := seen["pending_dialogs"].([]any)[0].(map[string]any)
	_, seen = run(t, box, "browser_cdp", `{"method":"Runtime.evaluate"}`)
	d := seen["dialog"].(map[string]any)
	if whole["message"] != long || d["message"] != short || d["default_prompt"] != short || d["truncated"] != true || d["id"] != "d-9" {
		t.Errorf("got %.300v, pending %.300v", d, whole)
	}
	if snap.RecentDialogs[0].Message != long || *snap.RecentDialogs[0].PromptText != long || open.Message != long {
		t.Error("the engine's own snapshot was changed")
	}

	// where nothing else has it, and where a host looks for secrets, nothing is cut
	task.snap = well()
	if _, seen = run(t, box, "browser_cdp", `{"method":"Runtime.evaluate"}`); seen["dialog"].(map[string]any)["message"] != long {
		t.Error("a dialog that is shown once was cut")
	}
	task.snap = snap
	box, _ = newFake(task, func(o *Options) { o.Redact = func(text string) string { return text } })
	if _, seen = run(t, box, "browser_snapshot", ``); seen["recent_dialogs"].([]any)[0].(map[string]any)["message"] != long {
		t.Error("a host's redaction was not shown the whole text")
	}
}
