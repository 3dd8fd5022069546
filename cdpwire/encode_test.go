package cdpwire

import (
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/target"

	"cdpsupervisor/messages"
)

// Every command, as it goes over the wire. No params is "".
func TestCommands(t *testing.T) {
	tests := []struct {
		cmd    messages.Command
		params string
	}{
		{messages.GetVersion{}, ``},
		{messages.CloseBrowser{}, ``},
		{messages.SetDiscoverTargets{}, `{"discover":true}`},
		{messages.GetTargets{}, ``},
		{messages.GetTargetInfo{}, `{}`},
		{messages.GetTargetInfo{TargetID: "T"}, `{"targetId":"T"}`},
		{messages.EmulateFocus{}, `{"enabled":true}`},
		{messages.CreateTarget{URL: "about:blank"}, `{"url":"about:blank","background":true}`},
		{messages.CloseTarget{TargetID: "T"}, `{"targetId":"T"}`},
		{messages.AttachToTarget{TargetID: "T"}, `{"targetId":"T","flatten":true}`},
		{messages.DetachFromTarget{SessionID: "S"}, `{"sessionId":"S"}`},
		{messages.SetAutoAttach{Pages: true}, `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,"filter":[{"exclude":false,"type":"page"}]}`},
		{messages.SetAutoAttach{}, `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,"filter":[` +
			`{"exclude":true,"type":"shared_worker"},{"exclude":true,"type":"service_worker"},` +
			`{"exclude":true,"type":"page"},{"exclude":true,"type":"tab"},{"exclude":true,"type":"browser"},{"exclude":false}]}`},
		{messages.PageEnable{}, ``},
		{messages.PageDisable{}, ``},
		{messages.RuntimeEnable{}, ``},
		{messages.RuntimeDisable{}, ``},
		{messages.RunIfWaiting{}, ``},
		{messages.GetFrameTree{}, ``},
		{messages.Navigate{URL: "http://a/?a=1&b=<2>"}, `{"url":"http://a/?a=1&b=<2>"}`},
		{messages.ClosePage{}, ``},
		{messages.HandleDialog{}, `{"accept":false}`},
		{messages.HandleDialog{Accept: true, Text: "a\"\n\xff"}, `{"accept":true,"promptText":"a\"\n\ufffd"}`},
		{messages.GetNavigationHistory{}, ``},
		{messages.ReleaseObjects{Group: "console"}, `{"objectGroup":"console"}`},
		{messages.Raw{Name: "DOM.getDocument"}, ``},
		{messages.Raw{Name: "DOM.getDocument", Params: []byte(` {"depth" : 1} `)}, ` {"depth" : 1} `},
		{messages.FetchEnable{Pattern: "https://x/*"}, `{"patterns":[{"urlPattern":"https://x/*"}]}`},
		{messages.FetchDisable{}, ``},
		{messages.FulfillRequest{RequestID: "i", Status: 200, Headers: [][2]string{{"A", "b"}}, Body: []byte("{}")},
			`{"requestId":"i","responseCode":200,"responseHeaders":[{"name":"A","value":"b"}],"body":"e30="}`},
		{messages.FailRequest{RequestID: "i", Reason: "Aborted"}, `{"requestId":"i","errorReason":"Aborted"}`},
		{messages.ContinueRequest{RequestID: "i"}, `{"requestId":"i"}`},
		{messages.AddScript{Source: "a<b", Now: true}, `{"source":"a<b","runImmediately":true}`},
		{messages.AddScript{Source: "s"}, `{"source":"s","runImmediately":false}`},
		{messages.RemoveScript{Identifier: "1"}, `{"identifier":"1"}`},
		{messages.SetBypassCSP{On: true}, `{"enabled":true}`},
		{messages.SetBypassCSP{}, `{"enabled":false}`},
		{messages.Evaluate{Expression: "1"}, `{"expression":"1","silent":true,"returnByValue":true}`},
		{messages.Evaluate{Expression: "1", UniqueID: "u"}, `{"expression":"1","silent":true,"returnByValue":true,"uniqueContextId":"u"}`},
		{messages.DebuggerEnable{}, ``},
		{messages.DebuggerDisable{}, ``},
		{messages.SetBlackbox{}, `{"patterns":[]}`},
		{messages.SetBlackbox{Patterns: []string{"^https?://"}}, `{"patterns":["^https?://"]}`},
		{messages.SetBlackbox{Patterns: []string{"^a"}, Anonymous: true}, `{"patterns":["^a"],"skipAnonymous":true}`},
		{messages.EvaluateOnCallFrame{CallFrameID: "c", Expression: "q"}, `{"callFrameId":"c","expression":"q","silent":true,"returnByValue":true}`},
		{messages.DebuggerResume{}, ``},
	}
	tested := make(map[string]bool)
	for _, tt := range tests {
		name := strings.TrimPrefix(strings.TrimPrefix(typeName(tt.cmd), "messages."), "*")
		tested[name] = true
		got, err := appendParams(nil, tt.cmd)
		if err != nil || string(got) != tt.params {
			t.Errorf("%s: params %s, %v, want %s", name, got, err, tt.params)
		}
	}
	for _, name := range commandTypes(t) {
		if !tested[name] {
			t.Errorf("no test for the command %s", name)
		}
	}
}

// commandTypes reads from the vocabulary's own source which commands there are.
func commandTypes(t *testing.T) (names []string) {
	t.Helper()
	source, err := os.ReadFile("../messages/commands.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^func \((?:\w+ )?(\w+)\) command\(\)`).FindAllSubmatch(source, -1) {
		names = append(names, string(m[1]))
	}
	if len(names) < 30 {
		t.Fatalf("found only %d commands", len(names))
	}
	return names
}

func TestRawCommandsAreCheckedBeforeTheyAreSent(t *testing.T) {
	for _, params := range []string{`[]`, `null`, `5`, `"x"`, `{`, `{}x`, `{"a":}`, "{\"a\":\"\xff\"}", ` `} {
		if _, err := appendParams(nil, messages.Raw{Name: "A.b", Params: []byte(params)}); !errors.Is(err, ErrParams) {
			t.Errorf("params %q: %v", params, err)
		}
	}
	for _, name := range []string{"", "\xff"} {
		if _, err := appendParams(nil, messages.Raw{Name: name}); !errors.Is(err, messages.ErrInvalid) {
			t.Errorf("method %q: %v", name, err)
		}
	}
}

func TestMessagesAreJSONWhateverTheIDsHold(t *testing.T) {
	got := appendCommand(nil, 7, "S\"\u2028", `A."b`, []byte(`{"x":1}`))
	var m struct {
		ID        int
		Method    string
		SessionID string
		Params    map[string]int
	}
	if err := json.Unmarshal(got, &m); err != nil || m.ID != 7 || m.Method != `A."b` || m.SessionID != "S\"\u2028" || m.Params["x"] != 1 {
		t.Fatalf("%s: %+v, %v", got, m, err)
	}
	if got := string(appendCommand(nil, 1, "", "A.b", nil)); got != `{"id":1,"method":"A.b"}` {
		t.Fatalf("got %s", got)
	}
}

// What is written by hand is what the library of protocol types writes.
func TestAutoAttachAsTheLibraryWritesIt(t *testing.T) {
	on := true
	for want, pages := range map[string]bool{autoAttachPages: true, autoAttachFrames: false} {
		filter := target.Filter{{Type: "page"}}
		if !pages {
			filter = nil
			for _, kind := range []string{
				"shared_worker", "service_worker", "page", "tab", "browser",
			} {
				filter = append(filter, target.FilterEntry{Type: kind, Exclude: true})
			}
			filter = append(filter, target.FilterEntry{})
		}
		got, err := json.Marshal(target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &on, Filter: filter})
		if err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}
