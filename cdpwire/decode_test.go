package cdpwire

import (
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"cdpsupervisor/messages"
)

// bench is a connection without goroutines: messages are put in by hand, and
// events lie in the open batch.
func bench() *Conn {
	c := &Conn{o: Options{Epoch: 7, Clock: WallClock{}}}
	c.out = newOutbox(nil, func(*messages.Batch) {}, func(*messages.Cause) {})
	c.out.free.Store(0) // nothing leaves the open batch
	c.at = time.Unix(1_800_000_000, 0)
	return c
}

// feed decodes one message; nil means that there is no event.
func feed(c *Conn, msg []byte) *messages.Event {
	b := c.batch()
	b.reset()
	c.take(msg)
	switch b = c.batch(); {
	case len(b.State) > 0:
		return &b.State[0]
	case len(b.Bulk) > 0:
		return &b.Bulk[0]
	}
	return nil
}

// checkEvent compares what becomes of an event with encoding/json.
func checkEvent(t *testing.T, c *Conn, msg []byte) {
	t.Helper()
	if head, ok := scanHead(msg); ok && !head.isReply() && (kindOf(head.method) == kindNone || unneeded(kindOf(head.method), head.value)) {
		return // dropped by its head, which is all that was promised
	}
	before := c.seen
	got := feed(c, msg)
	e, tree, ok := envelopeOf(msg)
	if ok && (e.hasID || e.failed) {
		if got != nil {
			t.Fatalf("%q is a reply to nothing and became %+v", msg, got.Body)
		}
		return
	}
	if !ok || len(e.session) > messages.MaxIDBytes {
		if got != nil || c.seen.Malformed != before.Malformed+1 {
			t.Fatalf("%q is malformed and became %+v, counts %+v", msg, got, c.seen)
		}
		return
	}
	if kindOf(e.method) == kindNone {
		if got != nil || c.seen.Unknown != before.Unknown+1 {
			t.Fatalf("%q is unknown and became %+v, counts %+v", msg, got, c.seen)
		}
		return
	}
	want, unsure := bodyOf(string(e.method), tree["params"])
	if unsure {
		return
	}
	if want == nil {
		if got != nil {
			t.Fatalf("%q became %+v, encoding/json refuses it", msg, got.Body)
		}
		return
	}
	if got == nil || !reflect.DeepEqual(got.Body, want) || string(got.Session) != string(e.session) {
		t.Fatalf("%q\n got %+v\nwant %+v", msg, got, want)
	}
}

func TestDecodeAgreesWithEncodingJSON(t *testing.T) {
	c := bench()
	for _, msg := range corpus(t) {
		checkEvent(t, c, msg)
	}
}

func FuzzDecode(f *testing.F) {
	for _, msg := range corpus(f) {
		f.Add(msg)
	}
	c := bench()
	f.Fuzz(func(t *testing.T, msg []byte) { checkEvent(t, c, msg) })
}

func at(ms int64) time.Time { return time.UnixMilli(ms) }

// Each event, as its layout and its caps make it. The order of keys is not
// Chromium's on purpose in half of them.
func TestEvents(t *testing.T) {
	long := strings.Repeat("é", messages.MaxURLBytes)
	tests := []struct {
		name, method, params string
		want                 messages.EventBody
	}{
		{"target created", "Target.targetCreated",
			`{"targetInfo":{"targetId":"T","type":"page","title":"a","url":"b","attached":true,"openerId":"O","openerFrameId":"F","canAccessOpener":true,"browserContextId":"C","subtype":"prerender"}}`,
			&messages.TargetCreated{Info: messages.TargetInfo{
				TargetID: "T", Type: "page", Title: "a", URL: "b", Attached: true, OpenerID: "O", OpenerFrameID: "F", CanAccessOpener: true, BrowserContextID: "C", Subtype: "prerender"}}},
		{"target info changed", "Target.targetInfoChanged", `{"targetInfo":{"parentFrameId":"P","parentId":"Q","targetId":"T","type":"iframe"}}`,
			&messages.TargetInfoChanged{Info: messages.TargetInfo{TargetID: "T", Type: "iframe", ParentID: "Q", ParentFrameID: "P"}}},
		{"target title cut", "Target.targetInfoChanged", `{"targetInfo":{"targetId":"T","title":"` + strings.Repeat("x", 2000) + `"}}`,
			&messages.TargetInfoChanged{Info: messages.TargetInfo{TargetID: "T", Title: strings.Repeat("x", messages.MaxTitleBytes)}}},
		{"target destroyed", "Target.targetDestroyed", `{"targetId":"T"}`, &messages.TargetDestroyed{TargetID: "T"}},
		{"target crashed", "Target.targetCrashed", `{"targetId":"T","status":"crashed","errorCode":11}`,
			&messages.TargetCrashed{TargetID: "T", Status: "crashed", ErrorCode: 11}},
		{"attached", "Target.attachedToTarget", `{"sessionId":"S2","targetInfo":{"targetId":"T","type":"page"},"waitingForDebugger":true}`,
			&messages.AttachedToTarget{SessionID: "S2", Info: messages.TargetInfo{TargetID: "T", Type: "page"}, Waiting: true}},
		{"detached", "Target.detachedFromTarget", `{"targetId":"T","sessionId":"S2"}`, &messages.DetachedFromTarget{SessionID: "S2", TargetID: "T"}},
		{"frame attached", "Page.frameAttached", `{"frameId":"F","parentFrameId":"P","stack":{"callFrames":[{"functionName":"f","url":"u"}]}}`,
			&messages.FrameAttached{FrameID: "F", ParentID: "P"}},
		{"frame navigated", "Page.frameNavigated",
			`{"frame":{"id":"F","parentId":"P","loaderId":"L","name":"n","url":"http://a/","urlFragment":"#x","domainAndRegistry":"a","securityOrigin":"http://a","securityOriginDetails":{"isLocalhost":false},"unreachableUrl":"u","gatedAPIFeatures":[]},"type":"BackForwardCacheRestore"}`,
			&messages.FrameNavigated{Type: messages.NavigationBFCache, Frame: messages.FrameInfo{
				ID: "F", ParentID: "P", LoaderID: "L", Name: "n", URL: "http://a/#x", Origin: "http://a", Domain: "a"}}},
		{"frame url cut", "Page.frameNavigated", `{"frame":{"id":"F","url":"` + long + `","name":"` + long + `"}}`,
			&messages.FrameNavigated{Frame: messages.FrameInfo{ID: "F", URL: long[:messages.MaxURLBytes], Name: long[:messages.MaxFrameNameBytes]}}},
		{"frame detached", "Page.frameDetached", `{"reason":"swap","frameId":"F"}`, &messages.FrameDetached{FrameID: "F", Reason: messages.DetachSwap}},
		{"frame detached by an old browser", "Page.frameDetached", `{"frameId":"F"}`, &messages.FrameDetached{FrameID: "F"}},
		{"within document", "Page.navigatedWithinDocument", `{"frameId":"F","url":"u#x","navigationType":"fragment"}`,
			&messages.NavigatedWithinDocument{FrameID: "F", URL: "u#x"}},
		{"document opened", "Page.documentOpened", `{"frame":{"id":"F","url":"u"}}`, &messages.DocumentOpened{Frame: messages.FrameInfo{ID: "F", URL: "u"}}},
		{"started navigating", "Page.frameStartedNavigating", `{"frameId":"F","url":"u","loaderId":"L","navigationType":"sameDocument"}`,
			&messages.FrameStartedNavigating{FrameID: "F", LoaderID: "L", Type: "sameDocument"}},
		{"dialog", "Page.javascriptDialogOpening", `{"url":"u","frameId":"F","message":"m","type":"prompt","hasBrowserHandler":true,"defaultPrompt":"d"}`,
			&messages.DialogOpening{FrameID: "F", URL: "u", Type: messages.DialogPrompt, Message: "m", DefaultPrompt: "d"}},
		{"dialog of an unknown type", "Page.javascriptDialogOpening", `{"message":"m","type":"print"}`,
			&messages.DialogOpening{Type: "print", Message: "m"}},
		{"dialog behind half a surrogate pair", "Page.javascriptDialogOpening", `{"url":"u\udfff","message":"a\ud800b","type":"confirm","defaultPrompt":"\ud83d"}`,
			&messages.DialogOpening{URL: "u\ufffd", Type: messages.DialogConfirm, Message: "a\ufffdb", DefaultPrompt: "\ufffd"}},
		{"dialog message cut", "Page.javascriptDialogOpening", `{"message":"` + strings.Repeat(`\u00e9`, messages.MaxDialogMessageBytes) + `","type":"alert"}`,
			&messages.DialogOpening{Type: "alert", Message: strings.Repeat("é", messages.MaxDialogMessageBytes/2), Truncated: true}},
		{"dialog default cut", "Page.javascriptDialogOpening", `{"defaultPrompt":"` + strings.Repeat("x", messages.MaxDefaultPromptBytes+1) + `","type":"prompt"}`,
			&messages.DialogOpening{Type: "prompt", DefaultPrompt: strings.Repeat("x", messages.MaxDefaultPromptBytes), Truncated: true}},
		{"dialog message just fits", "Page.javascriptDialogOpening", `{"message":"` + strings.Repeat("x", messages.MaxDialogMessageBytes) + `"}`,
			&messages.DialogOpening{Message: strings.Repeat("x", messages.MaxDialogMessageBytes)}},
		{"dialog closed", "Page.javascriptDialogClosed", `{"frameId":"F","result":true,"userInput":"i"}`, &messages.DialogClosed{FrameID: "F", Result: true, UserInput: "i"}},
		{"context", "Runtime.executionContextCreated",
			`{"context":{"id":3,"origin":"http://a","name":"","uniqueId":"-1.2","auxData":{"isDefault":true,"type":"default","frameId":"F"}}}`,
			&messages.ContextCreated{ID: 3, UniqueID: "-1.2", FrameID: "F", IsDefault: true, Origin: "http://a"}},
		{"context of a worker", "Runtime.executionContextCreated", `{"context":{"id":1,"origin":"","name":"","uniqueId":"u"}}`, &messages.ContextCreated{ID: 1, UniqueID: "u"}},
		{"context gone", "Runtime.executionContextDestroyed", `{"executionContextId":4,"executionContextUniqueId":"u"}`, &messages.ContextDestroyed{ID: 4, UniqueID: "u"}},
		{"contexts cleared", "Runtime.executionContextsCleared", `{}`, &messages.ContextsCleared{}},
		{"renderer crashed", "Inspector.targetCrashed", `{}`, &messages.InspectorCrashed{}},
		{"renderer back", "Inspector.targetReloadedAfterCrash", `{}`, &messages.InspectorReloaded{}},
		{"inspector detached", "Inspector.detached", `{"reason":"target_closed"}`, &messages.InspectorDetached{Reason: "target_closed"}},
		{"request paused", "Fetch.requestPaused",
			`{"requestId":"i-1","request":{"url":"https://x/","method":"POST","headers":{"A":"b"},"postData":"{\"q\":\"\ud800\"}","hasPostData":true,"postDataEntries":[{"bytes":"eA=="}]},"frameId":"F","resourceType":"XHR"}`,
			&messages.RequestPaused{RequestID: "i-1", URL: "https://x/", Method: "POST", Headers: map[string]string{"A": "b"},
				PostData: "{\"q\":\"\ufffd\"}", HasPostData: true, FrameID: "F", ResourceType: "XHR"}},
		{"request paused, body in entries", "Fetch.requestPaused", `{"requestId":"i","request":{"hasPostData":true,"postDataEntries":[{"bytes":"YWI="},{},{"bytes":"Yw=="}]}}`,
			&messages.RequestPaused{RequestID: "i", HasPostData: true, PostData: "abc"}},
		{"debugger paused", "Debugger.paused",
			`{"callFrames":[{"callFrameId":"c1","functionName":"f","url":"s","location":{}},{"callFrameId":"c2","url":"t"}],"reason":"other","hitBreakpoints":["b"]}`,
			&messages.DebuggerPaused{Reason: "other", CallFrameID: "c1", FunctionName: "f", ScriptURL: "s", HitBreak: true}},
		{"debugger paused at a statement", "Debugger.paused", `{"callFrames":[{"callFrameId":"c1","url":""}],"reason":"other","hitBreakpoints":[]}`,
			&messages.DebuggerPaused{Reason: "other", CallFrameID: "c1"}},
		{"debugger resumed", "Debugger.resumed", `{}`, &messages.DebuggerResumed{}},
		{"console error", "Runtime.consoleAPICalled",
			`{"type":"error","args":[{"type":"string","value":"a\u00e9"},{"type":"number","value":1.5,"description":"1.5"},{"type":"number","unserializableValue":"NaN","description":"NaN"},` +
				`{"type":"object","className":"Foo","description":"Foo","objectId":"1"},{"type":"undefined"},{"type":"object","subtype":"null","value":null},{"type":"boolean","value":true},{"type":"symbol","description":"Symbol(s)"}],` +
				`"executionContextId":2,"timestamp":1796029663058.754,"stackTrace":{"callFrames":[{"functionName":"","url":"http://a/s.js","lineNumber":4},{"url":"no","lineNumber":9}]}}`,
			&messages.ConsoleMessage{Type: "error", Text: "aé 1.5 NaN Foo undefined null true Symbol(s)", URL: "http://a/s.js", Line: 5, ContextID: 2, At: time.UnixMicro(1796029663058754)}},
		{"console assert without a stack", "Runtime.consoleAPICalled", `{"args":[{"type":"string","value":"x"}],"timestamp":1000,"type":"assert"}`,
			&messages.ConsoleMessage{Type: "assert", Text: "x", At: at(1000)}},
		{"console text cut", "Runtime.consoleAPICalled", `{"type":"error","args":[{"type":"string","value":"` + strings.Repeat("x", messages.MaxConsoleTextBytes-1) + `"},{"type":"string","value":"yz"}]}`,
			&messages.ConsoleMessage{Type: "error", Text: strings.Repeat("x", messages.MaxConsoleTextBytes-1) + " ", Truncated: true}},
		{"exception", "Runtime.exceptionThrown",
			`{"timestamp":1796029656429.94,"exceptionDetails":{"exceptionId":1,"text":"Uncaught","lineNumber":0,"columnNumber":1,"url":"http://a/","exception":{"type":"object","description":"Error: x\n    at y"},"executionContextId":1}}`,
			&messages.ExceptionThrown{Text: "Uncaught Error: x\n    at y", URL: "http://a/", Line: 1, ContextID: 1, At: time.UnixMicro(1796029656429940)}},
		{"exception, thrown string, place in the stack", "Runtime.exceptionThrown",
			`{"exceptionDetails":{"text":"Uncaught","exception":{"type":"string","value":"s"},"lineNumber":7,"stackTrace":{"callFrames":[{"url":"t","lineNumber":2}]}}}`,
			&messages.ExceptionThrown{Text: "Uncaught s", URL: "t", Line: 3}},
	}
	c := bench()
	seen := make(map[kind]bool)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			seen[kindOf([]byte(tt.method))] = true
			for _, msg := range []string{
				`{"method":"` + tt.method + `","params":` + tt.params + `,"sessionId":"S"}`,
				` {"sessionId":"S", "params" : ` + tt.params + `,"method":"` + tt.method + `"}`,
			} {
				got := feed(c, []byte(msg))
				if got == nil {
					t.Fatalf("no event, counts %+v", c.seen)
				}
				if !reflect.DeepEqual(got.Body, tt.want) {
					t.Errorf("got  %+v\nwant %+v", got.Body, tt.want)
				}
				if got.Session != "S" || got.Epoch != 7 || got.At != c.at || got.Seq != c.seq {
					t.Errorf("event is %+v", got)
				}
			}
		})
	}
	for k := kindTargetCreated; k <= kindExceptionThrown; k++ {
		if !seen[k] {
			t.Errorf("no test for kind %d", k)
		}
	}
}

func TestEventsWithoutTheirRequiredFieldsAreMalformed(t *testing.T) {
	tooLong := `"` + strings.Repeat("x", messages.MaxIDBytes+1) + `"`
	tests := map[string][]string{
		"Target.targetCreated":              {`{}`, `{"targetInfo":{}}`, `{"targetInfo":{"targetId":1}}`, `{"targetInfo":{"targetId":` + tooLong + `}}`},
		"Target.targetInfoChanged":          {`{}`, `[]`, `5`},
		"Target.targetDestroyed":            {`{}`, `{"targetId":""}`},
		"Target.targetCrashed":              {`{}`, `{"targetId":` + tooLong + `}`},
		"Target.attachedToTarget":           {`{"sessionId":"S"}`, `{"targetInfo":{"targetId":"T"}}`, `{"sessionId":` + tooLong + `,"targetInfo":{"targetId":"T"}}`},
		"Target.detachedFromTarget":         {`{"targetId":"T"}`},
		"Page.frameAttached":                {`{}`, `{"frameId":{}}`},
		"Page.frameNavigated":               {`{}`, `{"frame":{"url":"u"}}`},
		"Page.frameDetached":                {`{}`},
		"Page.navigatedWithinDocument":      {`{"url":"u"}`},
		"Page.documentOpened":               {`{"frame":null}`},
		"Page.frameStartedNavigating":       {`{"url":"u"}`},
		"Page.javascriptDialogOpening":      {`5`, `{"message":5}`},
		"Page.javascriptDialogClosed":       {`{"result":"yes"}`},
		"Runtime.executionContextCreated":   {`{}`, `{"context":{}}`, `{"context":{"id":"1"}}`},
		"Runtime.executionContextDestroyed": {`{}`, `{"executionContextId":1.5}`},
		"Runtime.consoleAPICalled":          {`{}`, `{"type":"error","args":[5]}`},
		"Runtime.exceptionThrown":           {`{}`, `{"exceptionDetails":5}`},
		"Fetch.requestPaused":               {`{}`, `{"requestId":"i","request":{"postDataEntries":[{"bytes":"!"}]}}`},
		"Debugger.paused":                   {`{}`, `{"callFrames":[]}`},
	}
	for method, list := range tests {
		for _, params := range list {
			c := bench()
			if got := feed(c, []byte(`{"method":"`+method+`","params":`+params+`}`)); got != nil || c.seen.Malformed != 1 {
				t.Errorf("%s %.80s: event %+v, counts %+v", method, params, got, c.seen)
			}
		}
	}
}

func TestWhatNobodyNeedsIsCountedAndCostsNoAllocation(t *testing.T) {
	c := bench()
	unknown := []byte(`{"method":"Network.dataReceived","params":{"requestId":"1","dataLength":5},"sessionId":"S"}`)
	log := []byte(`{"method":"Runtime.consoleAPICalled","params":{"type":"log","args":[{"type":"string","value":"x"}]},"sessionId":"S"}`)
	c.batch()
	if n := testing.AllocsPerRun(200, func() { c.take(unknown); c.take(log) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if c.seen.Unknown == 0 || c.seen.Unknown != c.seen.Ignored || c.seen.Unknown+c.seen.Ignored != c.seen.Messages || c.seen.Malformed != 0 {
		t.Errorf("counts %+v", c.seen)
	}
}

// Whatever a page writes, what is kept is short and valid text.
func TestEverythingKeptIsBoundedText(t *testing.T) {
	huge := strings.Repeat(`\ud800é`, 1<<18)
	c := bench()
	for _, msg := range []string{
		`{"method":"Page.javascriptDialogOpening","params":{"url":"` + huge + `","message":"` + huge + `","defaultPrompt":"` + huge + `","type":"` + huge + `"}}`,
		`{"method":"Page.frameNavigated","params":{"frame":{"id":"F","url":"` + huge + `","name":"` + huge + `","securityOrigin":"` + huge + `"},"type":"` + huge + `"}}`,
		`{"method":"Runtime.exceptionThrown","params":{"exceptionDetails":{"text":"` + huge + `","url":"` + huge + `"}}}`,
		`{"method":"Runtime.consoleAPICalled","params":{"type":"error","args":[{"type":"string","value":"` + huge + `"}]}}`,
		`{"method":"Fetch.requestPaused","params":{"requestId":"i","request":{"url":"` + huge + `","postData":"` + huge + `","headers":{"` + huge + `":"` + huge + `"}}}}`,
	} {
		got := feed(c, []byte(msg))
		if got == nil {
			t.Fatalf("%.60s: no event", msg)
		}
		walkStrings(reflect.ValueOf(got.Body), func(s string) {
			if len(s) > messages.MaxPostDataBytes || !utf8.ValidString(s) {
				t.Errorf("%.60s: kept %d bytes, valid %v", msg, len(s), utf8.ValidString(s))
			}
		})
	}
	if cap(c.decode.scratch) > 2*scratchBytes {
		t.Errorf("the decoder keeps %d bytes of scratch", cap(c.decode.scratch))
	}
}

func walkStrings(v reflect.Value, f func(string)) {
	switch v.Kind() {
	case reflect.String:
		f(v.String())
	case reflect.Pointer:
		walkStrings(v.Elem(), f)
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			f(it.Key().String())
			f(it.Value().String())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				walkStrings(v.Field(i), f)
			}
		}
	}
}
