package cdpwire

import (
	"encoding/json"
	"errors"
	"fmt"

	"cdpsupervisor/messages"
)

// TargetParam reads targetId out of the parameters of a raw command.
func TargetParam(params []byte) (messages.TargetID, error) {
	var p struct {
		TargetID string `json:"targetId"`
	}
	if err := readParams(params, &p); err != nil {
		return "", err
	}
	if p.TargetID == "" || len(p.TargetID) > messages.MaxIDBytes {
		return "", errors.New("params need a targetId")
	}
	return messages.TargetID(p.TargetID), nil
}

// TargetParams are the parameters of a command about a target.
func TargetParams(id messages.TargetID) []byte {
	b, _ := json.Marshal(map[string]string{"targetId": string(id)}) // strings always encode
	return b
}

// AnswerParams reads the parameters of a raw Page.handleJavaScriptDialog. The
// text is nil when it was not given.
func AnswerParams(params []byte) (accept bool, text *string, err error) {
	var p struct {
		Accept     *bool   `json:"accept"`
		PromptText *string `json:"promptText"`
	}
	if err := readParams(params, &p); err != nil {
		return false, nil, err
	}
	if p.Accept == nil {
		return false, nil, errors.New("params need accept: true or false")
	}
	return *p.Accept, p.PromptText, nil
}

// URLParam reads url out of the parameters of a raw Page.navigate.
func URLParam(params []byte) (string, error) {
	var p struct {
		URL string `json:"url"`
	}
	if err := readParams(params, &p); err != nil {
		return "", err
	}
	if p.URL == "" {
		return "", errors.New("params need a url")
	}
	return p.URL, nil
}

// NavigateJSON is a Page.navigate result as the browser writes it.
func NavigateJSON(r *messages.NavigateReply) []byte {
	if r == nil {
		return []byte("{}")
	}
	out := map[string]any{"frameId": r.FrameID}
	if r.LoaderID != "" {
		out["loaderId"] = r.LoaderID
	}
	if r.ErrorText != "" {
		out["errorText"] = r.ErrorText
	}
	if r.IsDownload {
		out["isDownload"] = true
	}
	b, _ := json.Marshal(out) // strings and a bool always encode
	return b
}

func readParams(params []byte, into any) error {
	if len(params) == 0 {
		return nil
	}
	if err := json.Unmarshal(params, into); err != nil {
		return fmt.Errorf("params are not the JSON object that the method takes: %w", err)
	}
	return nil
}
