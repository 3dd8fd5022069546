package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"cdpsupervisor/messages"
)

// every code that the engine can answer with reaches the caller with the
// fields that belong to it.
func TestEngineFailuresKeepTheirCodeAndFields(t *testing.T) {
	dialog := &messages.Dialog{ID: "d-1", Type: messages.DialogConfirm, Message: "Delete?"}
	long := strings.Repeat("é", 300)
	for _, tc := range []struct {
		failure *messages.Failure
		fields  map[string]string // field → what its JSON contains
	}{
		{messages.Fail(messages.CodeNoDialog, "x"), nil},
		{&messages.Failure{Code: messages.CodeAmbiguousDialog, Message: "x", Dialogs: []messages.Dialog{*dialog, {ID: "d-2", Message: long}}}, map[string]string{"dialogs": `"id":"d-2"`}},
		{messages.Fail(messages.CodeUnknownDialog, "x"), nil},
		{&messages.Failure{Code: messages.CodeDialogClosed, Message: "x", Record: &messages.DialogRecord{ID: "d-9", ClosedBy: messages.ClosedByRemote}}, map[string]string{"dialog": `"closed_by":"remote"`}},
		{messages.Fail(messages.CodeDialogOpen, "x").With(dialog), map[string]string{"dialog": `"id":"d-1"`}},
		{messages.Fail(messages.CodeDialogOpened, "x").With(dialog), map[string]string{"dialog": `"id":"d-1"`}},
		{messages.Fail(messages.CodeUnanswerable, "x").With(dialog), map[string]string{"dialog": `"id":"d-1"`}},
		{messages.Fail(messages.CodeUnknownFrame, "x"), nil},
		{&messages.Failure{Code: messages.CodeNotOOPIF, Message: "x", OwnerFrame: "F"}, map[string]string{"owner_frame_id": `"F"`}},
		{messages.Fail(messages.CodeFrameSwapping, "x"), nil},
		{messages.Fail(messages.CodeFrameNotLoaded, "x"), nil},
		{messages.Fail(messages.CodePageBlocked, "x").Ways("Page.reload"), map[string]string{"ways_out": `["Page.reload"]`}},
		{messages.Fail(messages.CodeTargetCrashed, "x"), nil},
		{messages.Fail(messages.CodeTabGone, "x"), nil},
		{&messages.Failure{Code: messages.CodeConnectionLost, Message: "x", MayHaveRun: true}, map[string]string{"may_have_run": "true"}},
		{messages.Fail(messages.CodeTimeout, "x"), nil},
		{messages.Fail(messages.CodeSessionLost, "x"), nil},
		{&messages.Failure{Code: messages.CodeCDPError, Message: "x", CDPCode: -32601}, map[string]string{"cdp_code": "-32601"}},
		{&messages.Failure{Code: messages.CodeCDPError, Message: "x", ErrorText: "net::ERR_NAME_NOT_RESOLVED"}, map[string]string{"error_text": "net::ERR"}},
		{&messages.Failure{Code: messages.CodeTooLarge, Message: "x", Size: 2 << 20}, map[string]string{"size": "2097152"}},
		{messages.Fail(messages.CodeDenied, "x"), nil},
		{messages.Fail(messages.CodeStopped, "x"), nil},
		{messages.Fail(messages.CodeCancelledByDialog, "x"), nil},
		{messages.Fail(messages.CodeNoSupervisor, "x"), nil},
		{messages.Fail(messages.CodeNoCDP, "x"), nil},
		{messages.Fail(messages.CodeInvalidArgument, "x"), nil},
	} {
		task := &fakeTask{snap: well(), onCall: func(messages.CallRequest) (*messages.CallResult, error) {
			return nil, fmt.Errorf("wrapped on the way: %w", tc.failure)
		}}
		box, _ := newFake(task)
		r, seen := run(t, box, "browser_cdp", `{"method":"Runtime.evaluate"}`)
		if r.Code != tc.failure.Code || r.Error != tc.failure.Message {
			t.Errorf("%s arrived as %s %q", tc.failure.Code, r.Code, r.Error)
		}
		for field, part := range tc.fields {
			if raw, _ := json.Marshal(seen[field]); !strings.Contains(string(raw), part) {
				t.Errorf("%s: field %s is %s, want it to hold %s", tc.failure.Code, field, raw, part)
			}
		}
	}
}

func TestOtherErrorsGetACode(t *testing.T) {
	for _, tc := range []struct {
		err  error
		code messages.Code
	}{
		{context.DeadlineExceeded, messages.CodeTimeout},
		{context.Canceled, messages.CodeStopped},
		{fmt.Errorf("x: %w", messages.ErrTaskStopped), messages.CodeStopped},
		{fmt.Errorf("x: %w", messages.ErrTaskFailed), messages.CodeStopped},
		{messages.ErrRegistryClosed, messages.CodeStopped},
		{fmt.Errorf("x: %w", messages.ErrConnect), messages.CodeNoCDP},
		{errors.New("never seen"), messages.CodeNoSupervisor},
	} {
		if r := Failed(tc.err); r.Code != tc.code || r.Error == "" {
			t.Errorf("%v became %s %q, want %s", tc.err, r.Code, r.Error, tc.code)
		}
	}
}

func TestOpenDialogsStandInEveryResult(t *testing.T) {
	dialog := messages.Dialog{ID: "d-1", Type: messages.DialogConfirm, Message: "Delete <b>?", URL: "https://a/"}
	for _, call := range []struct{ tool, args string }{
		{"browser_snapshot", ``},
		{"browser_dialog", `{"action":"accept"}`},
		{"browser_cdp", `{"method":"Browser.getVersion"}`},
		{"browser_navigate", `{"url":"https://b/"}`},
		{"browser_connect", `{"cdp_url":"ws://other"}`},
		{"browser_dialog", `{"action":"neither"}`},
		{"browser_cdp", `{"method":"Browser.getVersion","nonsense":1}`},
	} {
		for _, works := range []bool{true, false} {
			task := &fakeTask{snap: well(dialog)}
			failure := messages.Fail(messages.CodeTimeout, "x")
			task.onCall = func(messages.CallRequest) (*messages.CallResult, error) {
				if works {
					return &messages.CallResult{Result: []byte(`{"nodes":[]}`)}, nil
				}
				return nil, failure
			}
			task.onDialog = func(messages.DialogRequest) (*messages.DialogResult, error) {
				if works {
					return &messages.DialogResult{Action: messages.ActionAccept}, nil
				}
				return nil, failure
			}
			task.onURL = func(string) (*messages.NavigateResult, error) {
				if works {
					return &messages.NavigateResult{}, nil
				}
				return nil, failure
			}
			box, _ := newFake(task)
			if err := box.Start(t.Context(), Caller{}); err != nil {
				t.Fatal(err)
			}
			_, seen := run(t, box, call.tool, call.args)
			raw, _ := json.Marshal(seen["pending_dialogs"])
			if !strings.Contains(string(raw), `"id":"d-1"`) {
				t.Errorf("%s (works: %v) does not name the open dialog: %v", call.tool, works, seen)
			}
		}
	}
	box, _ := newFake(&fakeTask{snap: well()})
	if _, seen := run(t, box, "browser_cdp", `{"method":"Browser.getVersion"}`); seen["pending_dialogs"] != nil {
		t.Errorf("with none open the field must be absent: %v", seen)
	}
}

func TestResultIsOneShape(t *testing.T) {
	ok := &Result{Fields: map[string]any{"url": "https://a/?x=1&y=<2>", "b": json.RawMessage(`{"z":1,"a":2}`)}}
	if got := ok.JSON(); got != `{"success":true,"b":{"z":1,"a":2},"url":"https://a/?x=1&y=<2>"}` {
		t.Error(got)
	}
	bad := Failed(messages.Fail(messages.CodeNoDialog, "no dialog is open"))
	if got := bad.JSON(); got != `{"success":false,"error":"no dialog is open","code":"no_dialog"}` {
		t.Error(got)
	}
	broken := &Result{Fields: map[string]any{"result": json.RawMessage(`{"cut`)}}
	if got := broken.JSON(); !strings.Contains(got, `"code":"cdp_error"`) {
		t.Errorf("a result that is no JSON must still be one object: %s", got)
	}
}

func TestDialogResult(t *testing.T) {
	text := "Ann"
	task := &fakeTask{snap: well(), onDialog: func(req messages.DialogRequest) (*messages.DialogResult, error) {
		return &messages.DialogResult{
			Action: req.Action, Note: "prompt_text is ignored for a confirm",
			Record: messages.DialogRecord{ID: "d-3", ClosedBy: messages.ClosedByAgent, Result: true, PromptText: &text},
		}, nil
	}}
	box, _ := newFake(task)
	_, seen := run(t, box, "browser_dialog", `{"action":"accept","prompt_text":"Ann"}`)
	dialog, _ := seen["dialog"].(map[string]any)
	if seen["action"] != "accept" || dialog["id"] != "d-3" || dialog["closed_by"] != "agent" || dialog["prompt_text"] != "Ann" || seen["note"] == nil {
		t.Errorf("got %v", seen)
	}
}

func TestCDPResult(t *testing.T) {
	task := &fakeTask{snap: well(), onCall: func(messages.CallRequest) (*messages.CallResult, error) {
		return &messages.CallResult{Result: []byte(`{"result":{"value":42}}`), FrameID: "F2", SessionID: "S2"}, nil
	}}
	box, _ := newFake(task)
	_, seen := run(t, box, "browser_cdp", `{"method":"Runtime.evaluate","frame_id":"F2"}`)
	if raw, _ := json.Marshal(seen); string(raw) != `{"frame_id":"F2","method":"Runtime.evaluate","result":{"result":{"value":42}},"session_id":"S2","success":true}` {
		t.Errorf("got %s", raw)
	}
}

func TestTheCausesOfACancelledCallIsItsResult(t *testing.T) {
	task := &fakeTask{snap: well()}
	box, _ := newFake(task)
	ctx, cancel := context.WithCancelCause(t.Context())
	task.onCall = func(messages.CallRequest) (*messages.CallResult, error) { return nil, context.Cause(ctx) }
	cancel(messages.Fail(messages.CodeStopped, "the server is stopping"))
	if r := box.Call(ctx, Caller{}, "browser_cdp", json.RawMessage(`{"method":"A.b"}`)); r.Code != messages.CodeStopped || r.Error != "the server is stopping" {
		t.Errorf("got %s", r.JSON())
	}
}
