package bridge

import (
	"strings"
	"testing"

	"cdpsupervisor/messages"
)

// yes is the answer to whatever is asked.
const yes = `reply = '{"accept":true,"text":""}';`

// TestScriptInALaterDocument: a document may take over the window of the one
// before it, with its functions and without its listeners.
func TestScriptInALaterDocument(t *testing.T) {
	w := bridged(t)
	w.run(yes + `confirm("first"); happens("pagehide")`)
	w.is(`confirm("late")`, false)
	w.run(`shown = new Document(); listeners = {}`)
	w.is(`confirm("second")`, true)
	w.is(`asked.map(q => JSON.parse(q.split(" ").slice(3).join(" "))).map(q => q.message + q.document).join()`, "first1-2-3-4,second2-2-3-4")
	w.run(`happens("pagehide")`)
	w.is(`confirm("late")`, false)
	w.run(`forbidden = "Assignment is forbidden for sandboxed iframes."; shown = new Document(); asked.length = 0; reply = '{"accept":false,"text":"","native":true}'`)
	w.is(`confirm("third")`, false)
	w.is(`asked.map(q => JSON.parse(q.split(" ").slice(3).join(" "))).map(q => q.trial).join()`, "before,after")
}

// TestScriptIsNotLeft: only the browser says that a document is left, and it
// is heard also after a document.open, which takes listeners away.
func TestScriptIsNotLeft(t *testing.T) {
	w := bridged(t)
	w.run(yes + `dispatchEvent(new Event("pagehide"))`)
	w.is(`confirm("the page said so")`, true)
	w.run(`happens("pagehide"); dispatchEvent(new Event("pageshow"))`)
	w.is(`confirm("the page said so")`, false)
	w.run(`happens("pageshow")`)
	w.is(`confirm("it is back")`, true)
	for _, event := range []string{"pagehide", "unload"} {
		w.run(`listeners = {}; running = new Event("` + event + `", true)`)
		w.is(`confirm("in `+event+`")`, false)
		w.run(`running = new Event("` + event + `")`)
		w.is(`confirm("in a `+event+` of the page's own")`, true)
	}
	w.run(`running = undefined; listeners = {}; confirm("after document.open"); happens("pagehide")`)
	w.is(`confirm("left")`, false)

	w = newWindow(t)
	w.nativesPrint()
	w.run(`Object.defineProperty(globalThis, "event", {value: "the page's", configurable: true})`)
	w.run(scriptFor(messages.TransportXHR, "s3cret"))
	w.run(yes)
	w.is(`confirm("the page has an event of its own")`, true)
}

// TestScriptOnAnotherWindow: what is called on a window is asked where a native
// would show, and left to the native elsewhere.
func TestScriptOnAnotherWindow(t *testing.T) {
	w := bridged(t)
	w.run(yes + `var other = {isWindow: true, own: new Document()}, gone = {isWindow: true, own: new Document()}; gone.own.shown = false`)
	w.is(`confirm.call(other, "m") && native.length === 0`, true)
	w.is(`confirm.call(gone, "m") || confirm.call({}, "m")`, false)
	w.is(`native.length`, int64(2))
}

// TestScriptIsWrapped: what the page has put around the functions keeps no later
// script from those that it holds.
func TestScriptIsWrapped(t *testing.T) {
	wrapped := func() *window {
		w := newWindow(t)
		w.nativesPrint()
		w.run(scriptFor(messages.TransportXHR, "s3cret"))
		w.run(`for (const name of ["alert", "confirm", "prompt"]) { const f = globalThis[name]; globalThis[name] = function () { return f.apply(this, arguments) } }`)
		w.run(yes)
		w.is(`confirm("m")`, true)
		w.run(`asked.length = 0`)
		return w
	}
	w := wrapped()
	w.run(scriptFor(messages.TransportDebugger, "s3cret"))
	w.is(`confirm("nobody debugs") + asked.length`, int64(0))
	w.run(scriptFor(messages.TransportXHR, "s3cret"))
	w.is(`confirm("m") + asked.length`, int64(2))

	w = wrapped()
	s := New(Config{Mode: messages.BridgeOn, Mark: "mark", Secret: func() string { return "s3cret" }})
	w.run(s.restoring(&session{secret: "another"}))
	w.is(`confirm("m")`, true)
	w.run(`asked.length = 0`)
	w.run(s.restoring(&session{secret: "s3cret"}))
	w.is(`confirm("m") + asked.length`, int64(0))
}

// TestScriptHasAName: one that may ask by debugger later is no script without
// a name, which the debugger skips.
func TestScriptHasAName(t *testing.T) {
	for setting, named := range map[messages.BridgeTransport]bool{messages.TransportXHR: false, messages.TransportAuto: true} {
		s := New(Config{Mode: messages.BridgeOn, Transport: setting, Mark: "mark", Secret: func() string { return "s3cret" }})
		if got := strings.HasSuffix(s.installed(&session{transport: messages.TransportXHR, secret: "s3cret"}), "\n//# sourceURL=b-s3cret"); got != named {
			t.Errorf("with the transport %s it has a name: %v", setting, got)
		}
	}
}

// TestSecrets: a target keeps its secret over connections, until what knows it
// is gone or put back.
func TestSecrets(t *testing.T) {
	secrets := make(Secrets)
	n := 0
	cfg := Config{Mode: messages.BridgeOn, Transport: messages.TransportXHR, Secrets: secrets, Secret: func() string { n++; return string(rune('a' + n)) }}
	connect := func() *State {
		s := New(cfg)
		for _, id := range []string{"one", "two"} {
			Step(s, Attached{Session: messages.SessionID(id), Target: messages.TargetID(id)}, nil)
		}
		return s
	}
	of := func(s *State, id messages.SessionID) string { return s.sessions.Get(id).secret }
	first := connect()
	second := connect()
	if of(first, "one") != of(second, "one") || of(first, "one") == of(first, "two") {
		t.Errorf("the secrets are %s, %s, and then %s", of(first, "one"), of(first, "two"), of(second, "one"))
	}
	Step(second, Attached{Session: "again", Target: "one"}, nil)
	if of(second, "again") == of(second, "one") {
		t.Error("two sessions share a secret")
	}
	Step(second, Ended{Session: "one"}, nil) // it is not the session's that came later
	if third := connect(); of(third, "one") != of(second, "again") {
		t.Error("the end of a session took the secret of another")
	}
	third := connect()
	Step(third, Ended{Session: "one"}, nil)
	Step(third, Stopped{}, nil)
	if len(secrets) != 0 {
		t.Errorf("secrets are left: %v", secrets)
	}
	for i := range 2 * messages.MaxSessions {
		Step(New(cfg), Attached{Session: "s", Target: messages.TargetID(rune(i))}, nil)
	}
	if len(secrets) > messages.MaxSessions {
		t.Errorf("%d secrets are kept", len(secrets))
	}
}
