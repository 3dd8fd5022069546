package messages

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

func sprint(format string, v any) string { return fmt.Sprintf(format, v) }

// TestSnapshotContract pins the JSON that agents read.
func TestSnapshotContract(t *testing.T) {
	no, yes, text := false, true, "abc"
	at := time.UnixMicro(1_650_000_000_250_000)
	full := Snapshot{
		Seq: 3, Task: "t", Epoch: 1, Ready: true, Policy: PolicyMustRespond,
		PendingDialogs: []Dialog{{ID: "d-2", Type: DialogConfirm, Message: "Delete?", OpenedAt: EpochSeconds(at), FrameID: "F",
			URL: "https://a/", Origin: "https://a", TargetID: "T", Via: ViaNative, DeadlineAt: EpochSeconds(at.Add(5 * time.Minute))}},
		RecentDialogs: []DialogRecord{{ID: "d-1", Type: DialogPrompt, Message: "n", OpenedAt: 1650000000, ClosedAt: 1650000000.1,
			ClosedBy: ClosedByRemote, Reason: ReasonAnsweredElsewhere, PromptText: &text, FrameID: "F", URL: "https://a/", Origin: "https://a", TargetID: "T", Via: ViaNative}},
		FrameTree: &FrameTree{Top: FrameEntry{FrameID: "A", URL: "https://e/", Origin: "https://e"},
			Children: []FrameEntry{{FrameID: "B", ParentFrameID: "A", URL: "about:srcdoc", Origin: "https://e", OOPIF: &no},
				{FrameID: "C", ParentFrameID: "A", URL: "https://x/", Origin: "https://x", OOPIF: &yes, SessionID: "S"}}},
		PageTargetID: "T",
	}
	for name, tc := range map[string]struct {
		snapshot Snapshot
		want     string
	}{
		"empty": {Snapshot{PendingDialogs: []Dialog{}, RecentDialogs: []DialogRecord{}}, `{"pending_dialogs":[],"recent_dialogs":[]}`},
		"full": {full, `{"pending_dialogs":[{"id":"d-2","type":"confirm","message":"Delete?","default_prompt":"","opened_at":1650000000.25,` +
			`"frame_id":"F","url":"https://a/","origin":"https://a","target_id":"T","via":"native","deadline_at":1650000300.25}],` +
			`"recent_dialogs":[{"id":"d-1","type":"prompt","message":"n","opened_at":1650000000,"closed_at":1650000000.1,"closed_by":"remote",` +
			`"reason":"answered_elsewhere","result":false,"prompt_text":"abc","frame_id":"F","url":"https://a/","origin":"https://a","target_id":"T","via":"native"}],` +
			`"frame_tree":{"top":{"frame_id":"A","url":"https://e/","origin":"https://e"},"children":[` +
			`{"frame_id":"B","parent_frame_id":"A","url":"about:srcdoc","origin":"https://e","is_oopif":false},` +
			`{"frame_id":"C","parent_frame_id":"A","url":"https://x/","origin":"https://x","is_oopif":true,"session_id":"S"}],"truncated":false},"page_target_id":"T"}`},
		"degraded": {Snapshot{PendingDialogs: []Dialog{}, RecentDialogs: []DialogRecord{}, Supervisor: &SupervisorState{
			Status: StatusBlocked, Reason: "r", Since: 1650000000, WaysOut: []string{"w"}, Dropped: map[string]uint64{"console": 3}}},
			`{"pending_dialogs":[],"recent_dialogs":[],"supervisor":{"status":"blocked","reason":"r","since":1650000000,"ways_out":["w"],"dropped":{"console":3}}}`},
	} {
		got, err := json.Marshal(&tc.snapshot)
		if err != nil || string(got) != tc.want {
			t.Errorf("%s:\n got %s %v\nwant %s", name, got, err, tc.want)
		}
	}
}

// TestMethodClasses pins what is known of single methods: which of them a
// dialog blocks was found by experiment on Chromium.
func TestMethodClasses(t *testing.T) {
	for _, blocked := range []string{
		"Runtime.evaluate", "Runtime.enable", "Page.enable", "Page.getFrameTree", "Page.getLayoutMetrics",
		"Page.captureScreenshot", "Page.printToPDF", "Page.addScriptToEvaluateOnNewDocument", "Page.setBypassCSP",
		"Page.setLifecycleEventsEnabled", "Page.createIsolatedWorld", "DOM.getDocument", "CSS.enable", "Network.enable",
		"Network.setExtraHTTPHeaders", "Network.setUserAgentOverride", "Log.enable", "Performance.getMetrics",
		"Accessibility.getFullAXTree", "Emulation.setDeviceMetricsOverride", "Input.insertText", "Foo.bar",
	} {
		if c := Class(blocked); !c.Blocked() || !c.HeldBy(DialogAlert) {
			t.Errorf("%s is not blocked by a dialog", blocked)
		}
	}
	for _, free := range []string{
		"Page.handleJavaScriptDialog", "Page.getNavigationHistory", "Page.bringToFront", "Page.stopLoading", "Page.navigate",
		"Page.reload", "Network.getCookies", "Input.dispatchMouseEvent", "Input.dispatchKeyEvent", "Target.getTargets",
		"Target.getTargetInfo", "Browser.getVersion", "Storage.getCookies", "Schema.getDomains", "SystemInfo.getInfo",
	} {
		if Class(free).Blocked() {
			t.Errorf("%s is blocked by a dialog", free)
		}
	}
	for _, refused := range []string{
		"Fetch.enable", "Fetch.disable", "Page.disable", "Runtime.disable", "Debugger.enable", "Target.setAutoAttach",
		"Debugger.disable", "Debugger.resume", "Debugger.setSkipAllPauses", "Debugger.setBlackboxPatterns",
		"Target.detachFromTarget", "Target.disposeBrowserContext", "Browser.crash",
	} {
		if Class(refused).Refused == "" {
			t.Errorf("%s is not refused", refused)
		}
	}
	for method, want := range map[string]Rewrite{
		"Page.handleJavaScriptDialog": RewriteAnswer, "Page.close": RewriteClose, "Target.closeTarget": RewriteClose,
		"Browser.close": RewriteCloseBrowser, "Page.navigate": RewriteNavigate, "Page.reload": RewriteNavigate, "Runtime.evaluate": RewriteNone,
	} {
		if got := Class(method).Rewrite; got != want {
			t.Errorf("%s is rewritten as %d, want %d", method, got, want)
		}
	}
	if !Class("Page.navigate").HeldBy(DialogBeforeUnload) || Class("Page.navigate").HeldBy(DialogAlert) {
		t.Error("a navigation waits for the answer to a beforeunload dialog, and for no other")
	}
	if !Class("Input.dispatchMouseEvent").HeldBy(DialogConfirm) {
		t.Error("a click that opens a dialog stays without answer")
	}
}
