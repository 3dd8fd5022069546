package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"cdpsupervisor/messages"
)

func TestArgumentsAreCheckedBeforeAnythingElse(t *testing.T) {
	for _, tc := range []struct{ tool, args, says string }{
		{"browser_dialog", `{}`, "needs action"},
		{"browser_dialog", `{"action":"ok"}`, `one of accept, dismiss, got "ok"`},
		{"browser_dialog", `{"action":"accept","prompt_text":7}`, "prompt_text of browser_dialog must be a string, got a number"},
		{"browser_dialog", `{"action":"accept","dialogId":"d-1"}`, "did you mean dialog_id?"},
		{"browser_dialog", `{"action":"accept","nonsense":1}`, `no argument "nonsense"`},
		{"browser_dialog", `[]`, "must be a JSON object, got an array"},
		{"browser_dialog", `"accept"`, "must be a JSON object, got a string"},
		{"browser_dialog", `{"action":`, "not valid JSON"},
		{"browser_navigate", `example.com`, `not valid JSON: write an object, such as {"url": …}`},
		{"browser_navigate", `true`, "must be a JSON object, got a boolean"},
		{"browser_disconnect", `'{}'`, `not valid JSON: write an object, such as {"task_id": …}`},
		{"browser_cdp", `{}`, "needs method"},
		{"browser_cdp", `{"method":""}`, "method of browser_cdp is empty"},
		{"browser_cdp", `{"method":"evaluate"}`, "Domain.method"},
		{"browser_cdp", `{"method":"Runtime.evaluate; rm"}`, "Domain.method"},
		{"browser_cdp", `{"method":"Runtime.evaluate","params":"x"}`, "params of browser_cdp must be an object, got a string"},
		{"browser_cdp", `{"method":"A.b","frame_id":"F","target_id":"T"}`, "frame_id or target_id, not both"},
		{"browser_cdp", `{"method":"A.b","timeout":0}`, "from 1 to 300, got 0"},
		{"browser_cdp", `{"method":"A.b","timeout":300.5}`, "from 1 to 300, got 300.5"},
		{"browser_cdp", `{"method":"A.b","timeout":-1}`, "from 1 to 300, got -1"},
		{"browser_cdp", `{"method":"A.b","timeout":1e999}`, "timeout of browser_cdp must be from 1 to 300, got 1e999"},
		{"browser_cdp", `{"method":"A.b","max_bytes":-1e999}`, "from 1 to 67108864, got -1e999"},
		{"browser_cdp", `{"method":"A.b","timeout":"30"}`, "timeout of browser_cdp must be a number, got a string"},
		{"browser_cdp", `{"method":"A.b","max_bytes":0}`, "from 1 to 67108864"},
		{"browser_cdp", `{"method":"A.b","max_bytes":1.5}`, "whole number"},
		{"browser_cdp", `{"method":"A.b","same_process":"yes"}`, "must be a boolean, got a string"},
		{"browser_cdp", `{"method":"A.b","task_id":"no spaces"}`, "task_id of browser_cdp does not fit"},
		{"browser_cdp", `{"method":"A.b","task_id":"` + strings.Repeat("x", 129) + `"}`, "129 bytes long; the limit is 128"},
		{"browser_snapshot", `{"console":1}`, "must be a boolean, got a number"},
		{"browser_snapshot", `{"max_chars":499}`, "from 500 to 200000"},
		{"browser_navigate", `{}`, "needs url"},
		{"browser_navigate", `{"url":""}`, "url of browser_navigate is empty"},
		{"browser_navigate", `{"url":["x"]}`, "must be a string, got an array"},
		{"browser_connect", `{}`, "needs cdp_url"},
		{"browser_disconnect", `{"force":true}`, `no argument "force". It takes task_id`},
		{"browser_teleport", `{}`, `no tool "browser_teleport"`},
	} {
		task := &fakeTask{snap: well()}
		box, engine := newFake(task)
		r, _ := run(t, box, tc.tool, tc.args)
		if r.Code != messages.CodeInvalidArgument || !strings.Contains(r.Error, tc.says) {
			t.Errorf("%s %s: got %s %q, want invalid_argument that says %q", tc.tool, tc.args, r.Code, r.Error, tc.says)
		}
		if len(engine.starts) > 0 || len(engine.stops) > 0 {
			t.Errorf("%s %s: the engine was touched: %v %v", tc.tool, tc.args, engine.starts, engine.stops)
		}
	}
}

func TestValidArgumentsReachTheTask(t *testing.T) {
	task := &fakeTask{snap: well(), onDialog: func(messages.DialogRequest) (*messages.DialogResult, error) {
		return &messages.DialogResult{Action: messages.ActionAccept, Record: messages.DialogRecord{ID: "d-1"}}, nil
	}}
	box, engine := newFake(task)
	run(t, box, "browser_cdp", `{"method":"Page.getLayoutMetrics","params":{"a":[1]},"frame_id":"F2","target_id":"","timeout":1.5,"max_bytes":2000000,"same_process":true,"task_id":"other"}`)
	run(t, box, "browser_cdp", `{"method":"Browser.getVersion","params":null,"timeout":null}`)
	run(t, box, "browser_dialog", `{"action":"accept","prompt_text":"","dialog_id":"d-1"}`)
	run(t, box, "browser_dialog", `{"action":"dismiss","prompt_text":null,"dialog_id":""}`)

	first := task.calls[0]
	if first.Method != "Page.getLayoutMetrics" || string(first.Params) != `{"a":[1]}` || first.FrameID != "F2" || first.TargetID != "" ||
		first.Timeout.Seconds() != 1.5 || first.MaxBytes != 2_000_000 || !first.SameProcess {
		t.Errorf("the first call arrived as %+v", first)
	}
	if second := task.calls[1]; second.Params != nil || second.Timeout != 0 || second.MaxBytes != 0 {
		t.Errorf("null must mean not given, got %+v", second)
	}
	if a := task.answers[0]; a.PromptText == nil || *a.PromptText != "" || a.DialogID != "d-1" {
		t.Errorf("an explicit empty prompt_text must stay empty: %+v", a)
	}
	if a := task.answers[1]; a.PromptText != nil || a.DialogID != "" || a.Action != messages.ActionDismiss {
		t.Errorf("null and empty ids must mean not given: %+v", a)
	}
	if len(engine.running()) != 2 {
		t.Errorf("task_id must reach the engine: %v", engine.running())
	}
}

func FuzzArguments(f *testing.F) {
	f.Add(`{"method":"A.b","timeout":1}`)
	f.Add(`{"action":"accept","prompt_text":"\ud800"}`)
	f.Add(` null `)
	f.Fuzz(func(t *testing.T, raw string) {
		for _, tool := range Catalog() {
			args, failure := tool.Schema.check(tool.Name, json.RawMessage(raw))
			if failure != nil {
				if failure.Code != messages.CodeInvalidArgument || failure.Message == "" || len(failure.Message) > 1000 {
					t.Fatalf("%s: %q gave %+v", tool.Name, raw, failure)
				}
				continue
			}
			for _, p := range tool.Schema.Properties {
				value, given := args[p.Name]
				if p.Required && !given {
					t.Fatalf("%s: %q passed without %s", tool.Name, raw, p.Name)
				}
				if n, ok := value.(float64); ok && p.Range != nil && !p.Range.contains(n) {
					t.Fatalf("%s: %q passed with %s = %v", tool.Name, raw, p.Name, n)
				}
			}
		}
	})
}
