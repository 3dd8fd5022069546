package tools

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"cdpsupervisor/messages"
)

func denyPrivate(url string) error {
	if strings.Contains(url, "private") {
		return errors.New("private address")
	}
	if strings.Contains(url, "panics") {
		panic("no idea")
	}
	return nil
}

func TestGuardIsAskedForEveryURLThatIsOpened(t *testing.T) {
	for _, tc := range []struct {
		tool, args string
		denied     bool
	}{
		{"browser_navigate", `{"url":"http://private/"}`, true},
		{"browser_navigate", `{"url":"http://panics/"}`, true},
		{"browser_navigate", `{"url":"http://public/"}`, false},
		{"browser_cdp", `{"method":"Page.navigate","params":{"url":"http://private/"}}`, true},
		{"browser_cdp", `{"method":"Target.createTarget","params":{"url":"http://private/"}}`, true},
		{"browser_cdp", `{"method":"Target.createTarget","params":{"url":"http://public/"}}`, false},
		{"browser_cdp", `{"method":"Target.createTarget"}`, false},
		{"browser_cdp", `{"method":"Target.createTarget","params":{"url":"http://private/","URL":"http://public/"}}`, true},
		{"browser_cdp", `{"method":"Target.createTarget","params":{"URL":"http://public/","url":"http://private/"}}`, true},
		{"browser_cdp", `{"method":"Page.navigate","params":{"\u0075rl":"http://private/"}}`, true},
	} {
		task := &fakeTask{snap: well()}
		box, _ := newFake(task, func(o *Options) { o.Guard = denyPrivate })
		r, _ := run(t, box, tc.tool, tc.args)
		if denied := r.Code == messages.CodeDenied; denied != tc.denied {
			t.Errorf("%s %s: %s", tc.tool, tc.args, r.JSON())
		}
		if tc.denied && len(task.calls)+len(task.urls) > 0 {
			t.Errorf("%s %s reached the task", tc.tool, tc.args)
		}
	}
	// A key that is there twice: what is checked is what is sent.
	for _, args := range []string{
		`{"method":"Target.createTarget","params":{"url":"http://private/","url":"http://public/"}}`,
		`{"method":"Target.createTarget","params":{"url":"http://public/","url":"http://private/"}}`,
	} {
		task := &fakeTask{snap: well()}
		box, _ := newFake(task, func(o *Options) { o.Guard = denyPrivate })
		run(t, box, "browser_cdp", args)
		for _, call := range task.calls {
			if strings.Contains(string(call.Params), "private") {
				t.Errorf("%s sent %s", args, call.Params)
			}
		}
	}
	box, _ := newFake(&fakeTask{snap: well()}, func(o *Options) { o.Guard = denyPrivate })
	if r, _ := run(t, box, "browser_cdp", `{"method":"Target.createTarget","params":{"url":7}}`); r.Code != messages.CodeInvalidArgument {
		t.Errorf("an URL that is no text must not slip through: %s", r.JSON())
	}
}

func TestGuardHidesTheTextOfDeniedPages(t *testing.T) {
	page, snap := framesPage()
	snap.FrameTree.Children[1].URL = "https://private/"
	snap.PendingDialogs = []messages.Dialog{
		{ID: "d-1", Message: "inner secret", DefaultPrompt: "inner secret", URL: "https://private/"},
		{ID: "d-2", Message: "outer words", URL: "https://a/"},
	}
	typed := "inner secret"
	snap.RecentDialogs = []messages.DialogRecord{{ID: "d-0", Message: "inner secret", URL: "https://private/", PromptText: &typed}}
	snap.ConsoleErrors = []messages.ConsoleError{{Text: "inner secret", URL: "https://private/x.js"}}
	page.trees["CROSS/CROSS"] = ax("RootWebArea\n  button|inner secret|1")
	page.trees["CROSS/DEEP"] = ax("RootWebArea\n  button|child of the denied|1")
	task := &fakeTask{snap: snap, onCall: page.call}
	task.onDialog = func(messages.DialogRequest) (*messages.DialogResult, error) {
		return nil, &messages.Failure{Code: messages.CodeAmbiguousDialog, Message: "x", Dialogs: snap.PendingDialogs}
	}
	box, _ := newFake(task, func(o *Options) { o.Guard = denyPrivate })
	for _, call := range []struct{ tool, args string }{
		{"browser_snapshot", `{"console":true}`}, {"browser_cdp", `{"method":"Browser.getVersion"}`}, {"browser_dialog", `{"action":"accept"}`},
	} {
		r, _ := run(t, box, call.tool, call.args)
		text := r.JSON()
		if strings.Contains(text, "inner secret") || !strings.Contains(text, `"d-1"`) || !strings.Contains(text, "outer words") {
			t.Errorf("%s shows %s", call.tool, text)
		}
	}
	if snap.PendingDialogs[0].Message != "inner secret" || snap.RecentDialogs[0].PromptText != &typed {
		t.Error("the frozen snapshot was written to")
	}
	for _, call := range task.calls {
		if call.FrameID == "CROSS" && strings.Contains(string(call.Params), "CROSS") {
			t.Errorf("the denied frame was read: %+v", call)
		}
	}
}

func TestRedaction(t *testing.T) {
	redact := func(s string) string { return strings.ReplaceAll(s, "sk-123", "[key]") }
	const screenshot = `{"data":"AAAAsk-123AAAA"}`
	for _, tc := range []struct{ method, reply, want string }{
		{"Runtime.evaluate", `{"result":{"value":"sk-123","sk-123":[1.50,"x sk-123"]}}`, `{"result":{"[key]":[1.50,"x [key]"],"value":"[key]"}}`},
		{"Runtime.evaluate", `{"base64Encoded":true,"body":"sk-123","data":"sk-123"}`, `{"base64Encoded":true,"body":"[key]","data":"[key]"}`},
		{"Page.captureScreenshot", screenshot, screenshot},
		{"Page.printToPDF", `{"data":"sk-123","stream":"sk-123"}`, `{"data":"sk-123","stream":"[key]"}`},
		{"Network.getResponseBody", `{"base64Encoded":true,"body":"sk-123"}`, `{"base64Encoded":true,"body":"sk-123"}`},
		{"Network.getResponseBody", `{"base64Encoded":false,"body":"sk-123"}`, `{"base64Encoded":false,"body":"[key]"}`},
	} {
		task := &fakeTask{snap: well(messages.Dialog{ID: "d-1", Message: "token sk-123"})}
		task.onCall = func(messages.CallRequest) (*messages.CallResult, error) {
			return &messages.CallResult{Result: []byte(tc.reply)}, nil
		}
		box, _ := newFake(task, func(o *Options) { o.Redact = redact })
		r, _ := run(t, box, "browser_cdp", `{"method":"`+tc.method+`"}`)
		got, err := json.Marshal(r.Fields["result"])
		if err != nil || string(got) != tc.want {
			t.Errorf("%s: got %s, want %s (%v)", tc.method, got, tc.want, err)
		}
		if !strings.Contains(r.JSON(), "token [key]") {
			t.Errorf("%s: the dialog is not redacted: %s", tc.method, r.JSON())
		}
	}
	task := &fakeTask{snap: well(), onCall: func(messages.CallRequest) (*messages.CallResult, error) {
		return nil, messages.Fail(messages.CodeCDPError, "failed at sk-123")
	}}
	box, _ := newFake(task, func(o *Options) { o.Redact = redact })
	if r, _ := run(t, box, "browser_cdp", `{"method":"A.b"}`); r.Error != "failed at [key]" || r.Code != messages.CodeCDPError {
		t.Errorf("errors are texts too: %s", r.JSON())
	}
	box, _ = newFake(&fakeTask{snap: well()}, func(o *Options) { o.Redact = func(string) string { panic("regexp") } })
	if r, _ := run(t, box, "browser_navigate", `{"url":"https://a/"}`); r.Code != messages.CodeDenied || len(r.Fields) > 0 {
		t.Errorf("a redaction that fails must withhold the result: %s", r.JSON())
	}
}
