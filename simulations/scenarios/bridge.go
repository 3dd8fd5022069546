package scenarios

import (
	"cdpsupervisor/bridge"
	"cdpsupervisor/messages"
)

// sandboxWords is what a document hears that gives itself a domain.
const (
	sandboxWords = `(()=>{try{document.domain='';return 'taken'}catch(e){return e.name+(/sandbox/i.test(e.message)?' of a sandbox':'')}})()`
	goOn         = `{"accept":false,"text":"","native":true}` // the bridge's answer to a try
)

// bridgeScript is the real script of the dialog bridge.
func bridgeScript(transport messages.BridgeTransport) string {
	machine := bridge.New(bridge.Config{
		Mode: messages.BridgeOn, Transport: transport, Mark: "mark", Secret: func() string { return "secret" },
	})
	for _, e := range bridge.Step(machine, bridge.Attached{Session: "S"}, nil) {
		if send, ok := e.(bridge.Send); ok {
			if add, ok := send.Command.(messages.AddScript); ok {
				return add.Source
			}
		}
	}
	return ""
}

// scripted opens a page that has the bridge's script in it.
func (r *run) scripted(url string, transport messages.BridgeTransport) *session {
	r.Helper()
	p := r.open("")
	if transport == messages.TransportDebugger {
		p.ok("Debugger.enable", "")
	} else {
		p.ok("Fetch.enable", params(`{"patterns":[{"urlPattern":%q}]}`, bridge.URL+"*"))
	}
	p.ok("Page.addScriptToEvaluateOnNewDocument", params(`{"runImmediately":true,"source":%s}`, quote(bridgeScript(transport))))
	p.load(url)
	return p
}

// sandboxed is a page with a frame f in a sandbox of the same process.
func sandboxed(allow string) Site {
	return pages(map[string]string{"http://a.test/top": `<iframe id="f" sandbox="allow-scripts allow-same-origin ` + allow + `" src="http://a.test/plain"></iframe>`})
}

func bridgeScenarios() []Scenario {
	const inFrame = "f.contentWindow.eval(`confirm('q')`)"
	return []Scenario{
		{Name: "the bridge's script asks", Covers: []string{"bridge.asks"}, Site: sandboxed(""), run: func(r *run) {
			p := r.scripted(plain, messages.TransportXHR)
			for _, c := range []struct{ call, question, answer, want string }{
				{"prompt('m','d')", `\"type\":\"prompt\",\"trial\":\"\",\"message\":\"m\",\"default\":\"d\"`, `{"accept":true,"text":"typed"}`, `"typed"`},
				{"prompt('m')", `\"default\":\"\"`, `{"accept":false,"text":""}`, "null"},
				{"confirm(1)", `\"type\":\"confirm\",\"trial\":\"\",\"message\":\"1\"`, `{"accept":true,"text":""}`, "true"},
				{"typeof alert()", `\"type\":\"alert\",\"trial\":\"\",\"message\":\"\"`, `{"accept":true,"text":""}`, `"undefined"`},
			} {
				id, m := p.asksBridge(c.call)
				m.has(r, `"method":"POST"`, `"resourceType":"XHR"`, c.question)
				p.fulfil(m, c.answer)
				p.gives(id, c.want)
			}
			p.not("javascriptDialogOpening")
			p.want("alert.toString()+confirm.length+prompt.name", `"function () { [native code] }0prompt"`)
		}},
		{Name: "the bridge's script gets no answer", Covers: []string{"bridge.falls-back"}, Site: pages(nil), run: func(r *run) {
			p := r.scripted(plain, messages.TransportXHR)
			id, m := p.asksBridge("confirm('q')")
			p.ok("Fetch.failRequest", params(`{"requestId":%q,"errorReason":"NameNotResolved"}`, m.told.RequestID))
			p.await("javascriptDialogOpening top confirm q")
			p.ok(handle, accept)
			p.gives(id, "true")
		}},
		{Name: "the bridge's script in a sandbox with dialogs", Covers: []string{"bridge.sandbox", "sandbox.words"}, Site: sandboxed("allow-modals"), run: func(r *run) {
			p := r.scripted("http://a.test/top", messages.TransportXHR)
			p.want(sandboxWords, `"SecurityError"`)
			p.want("f.contentWindow.eval(`"+sandboxWords+"`)", `"SecurityError of a sandbox"`)
			id, m := p.asksBridge(inFrame)
			m.has(r, `\"trial\":\"before\"`)
			p.fulfil(m, goOn)
			p.await("javascriptDialogOpening sub confirm q")
			p.ok(handle, dismiss)
			p.await("javascriptDialogClosed") // before it asks
			m = p.await("requestPaused")
			m.has(r, `\"trial\":\"after\"`)
			p.fulfil(m, `{"accept":true,"text":""}`)
			p.gives(id, "true")
			id, m = p.asksBridge(inFrame) // it knows now
			m.has(r, `\"trial\":\"\"`)
			p.fulfil(m, `{"accept":true,"text":""}`)
			p.gives(id, "true")
			p.not("javascriptDialogOpening")
		}},
		{Name: "the bridge's script in a sandbox without dialogs", Covers: []string{"bridge.sandbox", "dialog.sandbox-silent"}, Site: sandboxed(""), run: func(r *run) {
			p := r.scripted("http://a.test/top", messages.TransportXHR)
			id, m := p.asksBridge(inFrame)
			p.fulfil(m, goOn)
			p.fulfil(p.await("requestPaused"), goOn)
			p.gives(id, "false")
			p.want(inFrame, "false") // it knows now
			p.not("requestPaused")
			p.not("javascriptDialogOpening")
		}},
		{Name: "a dialog opens while a question holds up a commit", Covers: []string{"dialog.commit-cancels"}, Site: oneFrame("http://b.test/plain"), run: func(r *run) {
			p := r.scripted("http://a.test/top", messages.TransportXHR)
			sub := p.frame("b.test/plain")
			_, m := p.asksBridge("location.reload();confirm('q')")
			sub.start("confirm('meanwhile')")
			p.await("javascriptDialogOpening sub confirm meanwhile")
			p.not("frameNavigated")
			p.fulfil(m, `{"accept":true,"text":""}`)
			p.expect("javascriptDialogClosed", "frameDetached", "frameNavigated top http://a.test/top")
			p.loaded()
			r.lives()
		}},
		{Name: "the bridge's script and a debugger", Covers: []string{"bridge.debugger"}, Site: pages(nil), run: func(r *run) {
			p := r.scripted(plain, messages.TransportDebugger)
			id := p.start("prompt('m','d')")
			var at struct {
				Frames []struct {
					ID   string `json:"callFrameId"`
					Name string `json:"functionName"`
				} `json:"callFrames"`
			}
			p.await("paused").decode(r, &at)
			if len(at.Frames) == 0 || at.Frames[0].Name != "askDebugger" {
				r.Fatalf("it stops in %+v", at.Frames)
			}
			on := func(expression string) message {
				return p.ok("Debugger.evaluateOnCallFrame", params(`{"callFrameId":%q,"expression":%q,"returnByValue":true}`, at.Frames[0].ID, expression))
			}
			on("question").has(r, `\"secret\":\"secret\"`, `\"type\":\"prompt\"`, `\"default\":\"d\"`)
			on(`answer = '{"accept":true,"text":"typed"}'`)
			p.ok("Debugger.resume", "")
			p.gives(id, `"typed"`)
			p.not("javascriptDialogOpening")
		}},
	}
}
