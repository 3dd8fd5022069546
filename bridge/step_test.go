package bridge

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"cdpsupervisor/messages"
)

func newState(cfg Config) *State {
	n := 0
	cfg.Mark = "mark"
	cfg.Secret = func() string { n++; return fmt.Sprintf("secret%d", n) } // secret1 is the canary's
	if cfg.Transport == "" {
		cfg.Transport = messages.TransportAuto
	}
	return New(cfg)
}

// show is what effects look like in a table.
func show(effects []Effect) string {
	var parts []string
	for _, e := range effects {
		switch e := e.(type) {
		case Send:
			parts = append(parts, string(e.Session)+":"+strings.TrimPrefix(strings.TrimPrefix(e.Command.Method(), "Page."), "Debugger."))
		case Asked:
			q := e.Question
			parts = append(parts, fmt.Sprintf("asked(%s %s %s %s %q %s)", q.Session, q.Via.Kind(), q.Frame, q.Type, q.Message, q.Origin))
		case TurnedOn:
			parts = append(parts, "on")
		case Note:
			parts = append(parts, e.Severity)
		}
	}
	return strings.Join(parts, " ")
}

func question(secret, document, typ string) string {
	return fmt.Sprintf(`{"secret":%q,"document":%q,"type":%q,"message":"m\r\nn","url":"https://a.test/"}`, secret, document, typ)
}

// tries is a question of a sandboxed document.
func tries(document, trial, typ string) string {
	return strings.Replace(question("secret2", document, typ), `"message"`, fmt.Sprintf(`"trial":%q,"message"`, trial), 1)
}

func paused(session, frame, body string) Paused {
	return Paused{Session: messages.SessionID(session), Request: &messages.RequestPaused{
		RequestID: "R", URL: URL, Method: "POST", ResourceType: "XHR", FrameID: messages.FrameID(frame), PostData: body,
		Headers: map[string]string{"origin": "https://a.test"},
	}}
}

func broke(frame string) Broke {
	return Broke{Session: "S", Event: &messages.DebuggerPaused{CallFrameID: frame, FunctionName: askFunction}}
}

func replied(method string, err string) Replied {
	in := Replied{Session: "S", Method: method}
	if err != "" {
		in.Err = &messages.ProtocolError{Code: -32000, Message: err}
	}
	return in
}

const (
	installed         = "S:Fetch.enable S:setBypassCSP S:addScriptToEvaluateOnNewDocument"
	installedDebugger = "S:enable S:setBlackboxPatterns S:addScriptToEvaluateOnNewDocument"
	refusedIt         = "S:Fetch.failRequest warn"
)

func TestStories(t *testing.T) {
	on, auto := Config{Mode: messages.BridgeOn}, Config{Mode: messages.BridgeAuto}
	onXHR := Config{Mode: messages.BridgeOn, Transport: messages.TransportXHR}
	debugger := Config{Mode: messages.BridgeOn, Transport: messages.TransportDebugger}
	attached := Attached{Session: "S"}
	script := Replied{Session: "S", Method: "Page.addScriptToEvaluateOnNewDocument", Script: "7"}
	read := Replied{Session: "S", Method: "Debugger.evaluateOnCallFrame", Value: question("secret2", "d", "prompt")}
	before, after := paused("S", "F", tries("d", "before", "confirm")), paused("S", "F", tries("d", "after", "confirm"))
	opens := func(frame messages.FrameID) Input { return NativeOpened{"S", messages.DialogConfirm, frame, ""} }
	readBefore := Replied{Session: "S", Method: read.Method, Value: tries("d", "before", "confirm")}
	readAfter := Replied{Session: "S", Method: read.Method, Value: tries("d", "after", "confirm")}
	for _, c := range []struct {
		name  string
		cfg   Config
		in    []Input
		want  string // the effects of the last input
		state string
	}{
		{"what holds the question comes before the script", on, []Input{attached}, installed, "unproven"},
		{"the CSP is kept", Config{Mode: messages.BridgeOn, KeepCSP: true}, []Input{attached}, "S:Fetch.enable S:addScriptToEvaluateOnNewDocument", "unproven"},
		{"twice is once", on, []Input{attached, attached}, "", "unproven"},
		{"off", Config{Mode: messages.BridgeOff}, []Input{attached}, "", "off"},
		{"off turns never on", Config{Mode: messages.BridgeOff}, []Input{attached, ClosedUnasked{InARow: 9}}, "", "off"},
		{"auto begins natively", auto, []Input{attached}, "", "off"},
		{"auto, where the backend is known", Config{Mode: messages.BridgeAuto, Hint: messages.BridgeNeeded}, []Input{attached}, installed, "unproven"},
		{"auto, where it was seen before", Config{Mode: messages.BridgeAuto, Detected: true}, []Input{attached}, installed, "unproven"},
		{"one closed dialog is an accident", auto, []Input{attached, ClosedUnasked{InARow: 1}}, "", "off"},
		{"two are a backend", auto, []Input{attached, ClosedUnasked{InARow: 2}}, "on warn " + installed, "unproven"},
		{"a third changes nothing", auto, []Input{attached, ClosedUnasked{InARow: 2}, ClosedUnasked{InARow: 3}}, "", "unproven"},
		{"a question", on, []Input{attached, paused("S", "F", question("secret2", "d", "confirm"))},
			`asked(S xhr F confirm "m\nn" https://a.test)`, "proven"},
		{"a popup asks through its opener", on, []Input{attached, Attached{Session: "P"}, paused("S", "F", question("secret3", "d", "alert"))},
			`asked(P xhr F alert "m\nn" https://a.test)`, "proven"},
		{"a request that is not the bridge's", on, []Input{attached, Paused{Session: "S", Request: &messages.RequestPaused{RequestID: "R", URL: "https://a.test/"}}},
			"S:Fetch.continueRequest", "unproven"},
		{"no JSON", on, []Input{attached, paused("S", "F", "x")}, refusedIt, "unproven"},
		{"another secret", on, []Input{attached, paused("S", "F", question("secret9", "d", "alert"))}, refusedIt, "unproven"},
		{"no secret", on, []Input{attached, paused("S", "F", question("", "d", "alert"))}, refusedIt, "unproven"},
		{"a type of its own", on, []Input{attached, paused("S", "F", question("secret2", "d", "print"))}, refusedIt, "unproven"},
		{"a document of another frame", on, []Input{attached, paused("S", "F", question("secret2", "d", "alert")), paused("S", "G", question("secret2", "d", "alert"))}, refusedIt, "proven"},
		{"the same document again", on, []Input{attached, paused("S", "F", question("secret2", "d", "alert")), paused("S", "F", question("secret2", "d", "alert"))},
			`asked(S xhr F alert "m\nn" https://a.test)`, "proven"},
		{"a session that is over", on, []Input{attached, Ended{"S"}, paused("S", "F", question("secret2", "d", "alert"))}, refusedIt, "unproven"},
		{"the canary", on, []Input{attached, paused("C", "F", question("secret1", "canary", "canary"))}, "C:Fetch.fulfillRequest", "proven"},
		{"a session that sings like it", on, []Input{attached, paused("S", "F", question("secret2", "d", "canary"))}, refusedIt, "unproven"},
		{"a canary that nobody heard", on, []Input{attached, CanaryEnded{}}, "warn warn " + installedDebugger, "unproven"},
		{"and no other way", onXHR, []Input{attached, CanaryEnded{}}, "warn warn S:addScriptToEvaluateOnNewDocument", "failed"},
		{"a canary that was heard", on, []Input{attached, paused("C", "F", question("secret1", "canary", "canary")), CanaryEnded{Value: "ok"}}, "", "proven"},
		{"later sessions take the other way, too", on, []Input{CanaryEnded{}, attached}, installedDebugger, "unproven"},
		{"Fetch.enable is refused", on, []Input{attached, replied("Fetch.enable", "not found")}, "warn " + installedDebugger, "unproven"},
		{"and no other way is allowed", onXHR, []Input{attached, script, replied("Fetch.enable", "not found")},
			"warn S:removeScriptToEvaluateOnNewDocument S:addScriptToEvaluateOnNewDocument", "failed"},
		{"its script comes late, and goes", onXHR, []Input{attached, replied("Fetch.enable", "not found"), script}, "S:removeScriptToEvaluateOnNewDocument", "failed"},
		{"the script is refused", on, []Input{attached, replied("Page.addScriptToEvaluateOnNewDocument", "no")}, "", "failed"},
		{"a native dialog in spite of it", on, []Input{attached, script, NativeOpened{Session: "S", Type: messages.DialogConfirm}},
			"warn S:enable S:setBlackboxPatterns S:removeScriptToEvaluateOnNewDocument S:addScriptToEvaluateOnNewDocument", "unproven"},
		{"which may have opened before it", on, []Input{attached, NativeOpened{Session: "S", Type: messages.DialogConfirm}}, "", "unproven"},
		{"with no other way", onXHR, []Input{attached, script, NativeOpened{Session: "S", Type: messages.DialogConfirm}}, "warn", "failed"},
		{"said once", onXHR, []Input{attached, script, NativeOpened{Session: "S", Type: messages.DialogConfirm}, NativeOpened{Session: "S", Type: messages.DialogAlert}}, "", "failed"},
		{"and taken back by a question", onXHR, []Input{attached, script, NativeOpened{Session: "S", Type: messages.DialogConfirm}, paused("S", "F", question("secret2", "d", "alert"))},
			`asked(S xhr F alert "m\nn" https://a.test)`, "proven"},
		{"beforeunload is always native", onXHR, []Input{attached, script, NativeOpened{Session: "S", Type: messages.DialogBeforeUnload}}, "", "unproven"},
		{"the debugger", debugger, []Input{attached}, installedDebugger, "unproven"},
		{"it stops", debugger, []Input{attached, broke("1.5.0")}, "S:evaluateOnCallFrame", "unproven"},
		{"it asks", debugger, []Input{attached, ContextCreated{"S", 5, "F", "://"}, broke("1.5.0"), read}, `asked(S debugger F prompt "m\nn" null)`, "proven"},
		{"in a context that nobody knows", debugger, []Input{attached, ContextCreated{"S", 5, "F", "https://a.test"}, ContextGone{"S", 5}, broke("1.5.0"), read},
			`asked(S debugger  prompt "m\nn" )`, "proven"},
		{"a statement of the page's own", debugger, []Input{attached, Broke{"S", &messages.DebuggerPaused{CallFrameID: "1.5.0", FunctionName: "f", ScriptURL: "https://a.test/x.js"}}}, "S:resume", "unproven"},
		{"a statement in its name", debugger, []Input{attached, broke("1.5.0"), Replied{Session: "S", Method: read.Method, Value: question("guess", "d", "alert")}}, "S:resume warn", "unproven"},
		{"one that another client let go", debugger, []Input{attached, broke("1.5.0"), replied(read.Method, "no such call frame")}, "S:resume", "unproven"},
		{"a breakpoint of another client's", debugger, []Input{attached, Broke{"S", &messages.DebuggerPaused{CallFrameID: "1.5.0", FunctionName: askFunction, HitBreak: true}}}, "S:resume", "unproven"},
		{"Debugger.enable is refused", debugger, []Input{attached, replied("Debugger.enable", "no")}, "warn S:addScriptToEvaluateOnNewDocument", "failed"},
		{"a sandbox tries", onXHR, []Input{attached, before}, "S:Fetch.fulfillRequest", "proven"},
		{"what it tries is no failure", onXHR, []Input{attached, script, before, opens("F")}, "", "proven"},
		{"dialogs are allowed there", onXHR, []Input{attached, script, before, opens("F"), after}, `asked(S xhr F confirm "m\nn" https://a.test)`, "proven"},
		{"dialogs are not", onXHR, []Input{attached, script, before, after}, "S:Fetch.fulfillRequest", "proven"},
		{"a frame that has shown nothing", onXHR, []Input{attached, script, before, NativeOpened{"S", messages.DialogConfirm, "G", "F"}, after},
			`asked(S xhr F confirm "m\nn" https://a.test)`, "proven"},
		{"the second is no try", onXHR, []Input{attached, script, before, opens("F"), opens("F")}, "warn", "failed"},
		{"nor is another frame's", onXHR, []Input{attached, script, before, opens("G")}, "warn", "failed"},
		{"nor one of another type", onXHR, []Input{attached, script, before, NativeOpened{"S", messages.DialogAlert, "F", ""}}, "warn", "failed"},
		{"a try that nobody knows of", onXHR, []Input{attached, script, after}, "S:Fetch.failRequest", "proven"},
		{"nor of this document", onXHR, []Input{attached, before, opens("F"), paused("S", "F", tries("e", "after", "confirm"))}, "S:Fetch.failRequest", "proven"},
		{"a try is over with the next question", onXHR, []Input{attached, script, before, paused("S", "F", question("secret2", "d", "alert")), opens("F")}, "warn", "failed"},
		{"a popup tries through its opener", onXHR, []Input{attached, Attached{Session: "P"}, Replied{Session: "P", Method: script.Method, Script: "8"},
			paused("S", "F", strings.Replace(tries("d", "before", "confirm"), "secret2", "secret3", 1)), NativeOpened{"P", messages.DialogConfirm, "Q", ""}}, "", "proven"},
		{"an odd try", onXHR, []Input{attached, paused("S", "F", tries("d", "during", "confirm"))}, refusedIt, "unproven"},
		{"a try after a stop", onXHR, []Input{attached, before, Stopped{}, after}, refusedIt, "proven"},
		{"the debugger tries", debugger, []Input{attached, broke("1.5.0"), readBefore}, "S:evaluateOnCallFrame", "proven"},
		{"and goes on", debugger, []Input{attached, broke("1.5.0"), readBefore, Replied{Session: "S", Method: read.Method}}, "S:resume", "proven"},
		{"and asks", debugger, []Input{attached, broke("1.5.0"), readBefore, Replied{Session: "S", Method: read.Method}, opens("F"), broke("1.5.0"), readAfter},
			`asked(S debugger  confirm "m\nn" )`, "proven"},
		{"or goes on again", debugger, []Input{attached, broke("1.5.0"), readBefore, Replied{Session: "S", Method: read.Method}, broke("1.5.0"), readAfter},
			"S:evaluateOnCallFrame", "proven"},
		{"or is let go", debugger, []Input{attached, broke("1.5.0"), readAfter}, "S:resume", "proven"},
		{"stop", on, []Input{attached, script, Stopped{}},
			"S:removeScriptToEvaluateOnNewDocument S:addScriptToEvaluateOnNewDocument S:Fetch.disable S:setBypassCSP", "unproven"},
		{"stop with the debugger", debugger, []Input{attached, Stopped{}}, "S:addScriptToEvaluateOnNewDocument S:disable S:Fetch.disable S:setBypassCSP", "unproven"},
		{"the secret is void after it", on, []Input{attached, Stopped{}, paused("S", "F", question("secret2", "d", "alert"))}, refusedIt, "unproven"},
		{"stop twice", on, []Input{attached, Stopped{}, Stopped{}}, "", "unproven"},
		{"stop where nothing was installed", auto, []Input{attached, Stopped{}}, "", "off"},
		{"nothing begins after it", on, []Input{Stopped{}, attached}, "", "unproven"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, moved := newState(c.cfg), newState(c.cfg)
			var out []Effect
			for i, in := range c.in {
				out = Step(s, in, nil)
				if got := show(Step(moved, in, nil)); got != show(out) {
					t.Errorf("step %d: effects %s\nof one that was compacted %s", i, show(out), got)
				}
				moved.Compact(make(messages.Strings))
			}
			if got := show(out); got != c.want {
				t.Errorf("effects %s\nwant    %s", got, c.want)
			}
			if got, want := moved.Show(), s.Show(); got != want {
				t.Errorf("it shows %+v, one that was compacted %+v", want, got)
			}
			state := s.Show()
			if state.State != c.state || state.Mode != c.cfg.Mode {
				t.Errorf("it shows %+v, want %s", state, c.state)
			}
			if state.State == "failed" && (state.Reason == "" || s.Trouble() == "") {
				t.Error("it has failed and does not say why")
			}
		})
	}
}

// TestEveryQuestionEnds: whatever a page does, each request that is held is
// passed on, refused, answered or asked about, exactly once, and each stop of
// the debugger goes on or is asked about.
func TestEveryQuestionEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := Config{
			Mode:      rapid.SampledFrom([]messages.BridgeMode{messages.BridgeOn, messages.BridgeAuto, messages.BridgeOff}).Draw(t, "mode"),
			Transport: rapid.SampledFrom([]messages.BridgeTransport{messages.TransportAuto, messages.TransportXHR, messages.TransportDebugger}).Draw(t, "transport"),
		}
		s, moved := newState(cfg), newState(cfg) // the second is compacted now and then
		word := func(of ...string) string { return rapid.SampledFrom(of).Draw(t, "word") }
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			body := question(word("secret1", "secret2", "secret3", ""), word("d", "e"), word("alert", "prompt", "canary", "?"))
			body = strings.Replace(body, `"message"`, fmt.Sprintf(`"trial":%q,"message"`, word("", "before", "after", "?")), 1)
			var in Input
			switch rapid.IntRange(0, 10).Draw(t, "input") {
			case 0:
				in = Attached{Session: messages.SessionID(word("S", "T"))}
			case 1:
				in = Ended{Session: messages.SessionID(word("S", "T"))}
			case 2:
				in = ContextCreated{Session: "S", Context: 5, Frame: "F", Origin: "https://f.test"}
			case 3:
				in = replied(word("Fetch.enable", "Debugger.enable", "Page.addScriptToEvaluateOnNewDocument"), word("", "no"))
			case 4:
				in = NativeOpened{Session: "S", Type: messages.DialogAlert}
			case 5:
				in = ClosedUnasked{InARow: 2}
			case 6:
				in = CanaryEnded{Value: word("", "ok")}
			case 7:
				in = Stopped{}
			case 8:
				in = broke("1.5.0")
			case 9:
				in = Replied{Session: "S", Method: "Debugger.evaluateOnCallFrame", Value: body}
			default:
				in = paused(word("S", "T"), word("F", "G"), body)
			}
			ends, effects := 0, Step(s, in, nil)
			if got := show(Step(moved, in, nil)); got != show(effects) {
				t.Fatalf("%T: effects %s\nof one that was compacted %s", in, show(effects), got)
			}
			if rapid.Bool().Draw(t, "compact") {
				moved.Compact(make(messages.Strings))
			}
			for _, e := range effects {
				switch e := e.(type) {
				case Asked:
					ends++
				case Send:
					switch e.Command.(type) {
					case messages.ContinueRequest, messages.FailRequest, messages.FulfillRequest, messages.DebuggerResume, messages.EvaluateOnCallFrame:
						ends++
					}
				}
			}
			switch in.(type) {
			case Paused, Broke:
				if ends != 1 {
					t.Fatalf("%T ended %d times", in, ends)
				}
			default:
				if ends > 1 {
					t.Fatalf("%T ended %d things", in, ends)
				}
			}
		}
	})
}

func TestDocumentsAreBounded(t *testing.T) {
	s := newState(Config{Mode: messages.BridgeOn})
	Step(s, Attached{Session: "S"}, nil)
	for i := range maxDocuments + 10 {
		Step(s, paused("S", "F", question("secret2", fmt.Sprint(i), "alert")), nil)
	}
	if n := len(s.sessions.Get("S").documents); n != maxDocuments {
		t.Errorf("%d documents are kept", n)
	}
}

func TestAnswers(t *testing.T) {
	session, commands := Answer(messages.XHRVia{Session: "S", Request: "R"}, true, "a\"\u2028</script>")
	fulfil, ok := commands[0].(messages.FulfillRequest)
	if !ok || session != "S" || len(commands) != 1 || fulfil.RequestID != "R" || fulfil.Status != 200 ||
		string(fulfil.Body) != `{"accept":true,"text":"a\"\u2028\u003c/script\u003e"}` {
		t.Errorf("%s %+v", session, commands)
	}
	_, commands = Answer(messages.DebuggerVia{Session: "S", CallFrame: "C"}, false, "")
	evaluate, ok := commands[0].(messages.EvaluateOnCallFrame)
	if !ok || len(commands) != 1 || evaluate.Expression != `answer = "{\"accept\":false,\"text\":\"\"}"` {
		t.Errorf("%+v", commands)
	}
	for _, via := range []messages.Via{messages.NativeVia{}, nil} {
		if _, commands := Answer(via, true, ""); commands != nil {
			t.Errorf("%v is answered by %v", via, commands)
		}
		if _, commands := Release(via); commands != nil {
			t.Errorf("%v is released by %v", via, commands)
		}
	}
}

func TestWhoseQuestion(t *testing.T) {
	for _, c := range []struct {
		own, url string
		want     bool
	}{
		{"https://a.test/x", "https://a.test/x", true},
		{"https://a.test/x#here", "https://a.test/x", true},
		{"https://a.test/x", "https://a.test/x#there", true},
		{"https://a.test/x?1", "https://a.test/x", false},
		{"about:blank", "https://a.test/x", false},
		{"https://a.test/x", "", false},
	} {
		if got := (&Question{URL: c.own}).From(c.url); got != c.want {
			t.Errorf("of %s, at %s: %v", c.own, c.url, got)
		}
	}
}

func FuzzQuestion(f *testing.F) {
	f.Add(question("s", "d", "alert"))
	f.Add(`{"secret":"s","document":"d","type":"prompt","message":"\ud800","default":"\u0000"}`)
	f.Fuzz(func(t *testing.T, text string) {
		q, err := decodeQuestion(text)
		if err != nil {
			if !errors.Is(err, errForged) {
				t.Fatalf("%v is no forgery", err)
			}
			return
		}
		if q.Secret == "" || q.Document == "" || len(q.Message) > messages.MaxDialogMessageBytes ||
			len(q.Default) > messages.MaxDefaultPromptBytes || len(q.URL) > messages.MaxURLBytes {
			t.Fatalf("%+v", q)
		}
	})
}
