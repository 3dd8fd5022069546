package bridge

import (
	_ "embed" // the scripts are files of their own, to be read
	"encoding/json"
	"fmt"

	"cdpsupervisor/messages"
)

//go:embed script.js
var bridgeScript string

//go:embed restore.js
var restoreScript string

const (
	// URL is where the script asks. No name server knows it, and it never
	// leaves the browser: the Fetch domain answers before any look-up. It is
	// https because an https page may not ask anything less.
	URL = "https://hermes-dialog-bridge.invalid/"
	// pattern is what the Fetch domain holds: nothing but the bridge's own.
	pattern = URL + "*"
	// maxText is how many UTF-16 units of a text are carried; Chromium shows no
	// more of a native dialog either.
	maxText = 10_240
	// askFunction is the function of the script that stops for an answer.
	askFunction = "askDebugger"
)

// scriptConfig is the argument of the scripts.
type scriptConfig struct {
	URL       string                   `json:"url,omitempty"`
	Transport messages.BridgeTransport `json:"transport,omitempty"`
	Secret    string                   `json:"secret"`
	Mark      string                   `json:"mark"`
	Limit     int                      `json:"limit,omitempty"`
}

// installed is the source that a session adds to its documents. Its name is
// what the debugger tells it from the page's scripts by.
func (s *State) installed(on *session) string {
	source := call(bridgeScript, scriptConfig{
		URL: URL, Transport: on.transport, Secret: on.secret, Mark: s.cfg.Mark, Limit: maxText,
	})
	if on.transport == messages.TransportDebugger {
		source += "\n//# sourceURL=" + on.scriptName()
	}
	return source
}

// restoring is the source that puts the natives back.
func (s *State) restoring(on *session) string {
	return call(restoreScript, scriptConfig{Secret: on.secret, Mark: s.cfg.Mark})
}

func call(function string, config scriptConfig) string {
	argument, err := json.Marshal(config)
	if err != nil { // cannot be: strings and a number always have a JSON form
		argument = []byte("{}")
	}
	return function + "(" + string(argument) + ");"
}

// CanaryExpression asks once, as the script would, and is "ok" when the answer
// came. It is evaluated on a blank page of the engine's own.
func (s *State) CanaryExpression() string {
	return fmt.Sprintf(`(() => {
	const request = new XMLHttpRequest();
	request.open("POST", %q, false);
	request.send(JSON.stringify({secret: %q, document: "canary", type: "canary"}));
	return JSON.parse(request.responseText).accept === true ? "ok" : "an odd answer came";
})()`, URL, s.canary)
}
