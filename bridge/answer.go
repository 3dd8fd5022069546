package bridge

import (
	"encoding/json"
	"strconv"

	"cdpsupervisor/messages"
)

// answer is what the script reads.
type answer struct {
	Accept bool   `json:"accept"`
	Text   string `json:"text"`
	// Native: what the native function returned stands.
	Native bool `json:"native,omitempty"`
}

func encodeAnswer(accept bool, text string) []byte {
	return encode(answer{Accept: accept, Text: text})
}

func encode(a answer) []byte {
	body, err := json.Marshal(a)
	if err != nil { // cannot be: bools and a string always have a JSON form
		return nil
	}
	return body
}

// Answer words an answer to a dialog that the bridge holds: the commands, and
// the session that takes them. The first one's reply tells whether the dialog
// was still there. A dialog that came another way has no commands.
func Answer(via messages.Via, accept bool, text string) (messages.SessionID, []messages.Command) {
	body := encodeAnswer(accept, text)
	switch v := via.(type) {
	case messages.XHRVia:
		return v.Session, []messages.Command{fulfil(v.Request, body)}
	case messages.DebuggerVia:
		// Nothing behind it: a Debugger.resume overtakes what stands before it,
		// so the script goes on by a Release when this one has been answered.
		return v.Session, []messages.Command{
			told(v.CallFrame, body),
		}
	}
	return "", nil
}

// Release lets a script go on whose dialog is over. One that got no answer
// calls the native function. Where the document is gone, the browser refuses
// it, and nothing is lost.
func Release(via messages.Via) (messages.SessionID, []messages.Command) {
	switch v := via.(type) {
	case messages.XHRVia:
		return v.Session, []messages.Command{refuse(v.Request)}
	case messages.DebuggerVia:
		return v.Session, []messages.Command{messages.DebuggerResume{}}
	}
	return "", nil
}

// fulfil answers a held request. The asking document may be of any origin, and
// opaque.
func fulfil(id messages.RequestID, body []byte) messages.FulfillRequest {
	return messages.FulfillRequest{RequestID: id, Status: 200, Body: body, Headers: [][2]string{
		{"Access-Control-Allow-Origin", "*"},
		{"Content-Type", "application/json"},
		{"Cache-Control", "no-store"},
	}}
}

// refuse makes the host look like what it is to everybody else: not there.
func refuse(id messages.RequestID) messages.FailRequest {
	return messages.FailRequest{RequestID: id, Reason: "NameNotResolved"}
}

// told sets the answer of a script that the debugger holds.
func told(callFrame string, body []byte) messages.EvaluateOnCallFrame {
	return messages.EvaluateOnCallFrame{CallFrameID: callFrame, Expression: "answer = " + jsString(body)}
}

// jsString is JSON text as a literal of JavaScript.
func jsString(text []byte) string {
	quoted, err := json.Marshal(string(text))
	if err != nil { // cannot be: every string has a JSON form
		return strconv.Quote("")
	}
	return string(quoted)
}

// Hold is the command that has a session hold the bridge's requests.
func Hold() messages.Command { return messages.FetchEnable{Pattern: pattern} }
