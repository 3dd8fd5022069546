package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cdpsupervisor/messages"
)

// Question is a dialog that a page wants to show. Its texts are cut to their
// caps.
type Question struct {
	// Session is the session whose script asked; its page opened the dialog. It
	// is not always the one that Via names: a popup's first document asks
	// through its opener.
	Session messages.SessionID
	Via     messages.Via
	// Frame is the frame as the browser names it, "" when it does not. For a
	// frame that has shown nothing but its initial document it is the
	// creator's.
	Frame         messages.FrameID
	Type          messages.DialogType
	Message       string
	DefaultPrompt string
	URL           string // of the document, in its own words
	Origin        string // in the browser's words; "" when it gave none
	Truncated     bool
}

// From reports whether the question is of a document at this URL, as far as the
// document says; a fragment does not count.
func (q *Question) From(url string) bool {
	own, _, _ := strings.Cut(q.URL, "#")
	url, _, _ = strings.Cut(url, "#")
	url, _ = messages.Cut(url, messages.MaxURLBytes)
	return own == url
}

// asked is the question in the script's words.
type asked struct {
	Secret    string              `json:"secret"`
	Document  string              `json:"document"`
	Type      messages.DialogType `json:"type"`
	Trial     trial               `json:"trial"`
	Message   string              `json:"message"`
	Default   string              `json:"default"`
	URL       string              `json:"url"`
	Truncated bool                `json:"truncated"`
}

// typeCanary is the type of the engine's own question.
const typeCanary messages.DialogType = "canary"

// errForged: this did not come from the script.
var errForged = errors.New("not a question of the bridge")

// decodeQuestion reads what the script wrote. A lone surrogate becomes U+FFFD,
// as it does in a native dialog.
func decodeQuestion(text string) (asked, error) {
	var q asked
	if len(text) > messages.MaxPostDataBytes {
		return asked{}, fmt.Errorf("%w: it has %d bytes", errForged, len(text))
	}
	if err := json.Unmarshal([]byte(text), &q); err != nil {
		return asked{}, fmt.Errorf("%w: %w", errForged, err)
	}
	if !slices.Contains([]messages.DialogType{messages.DialogAlert, messages.DialogConfirm, messages.DialogPrompt, typeCanary}, q.Type) {
		return asked{}, fmt.Errorf("%w: it has an unknown type", errForged)
	}
	if q.Trial != "" && q.Trial != trialBefore && q.Trial != trialAfter {
		return asked{}, fmt.Errorf("%w: it tries something unknown", errForged)
	}
	if q.Secret == "" || q.Document == "" || len(q.Document) > messages.MaxIDBytes {
		return asked{}, fmt.Errorf("%w: it has no secret, or no document", errForged)
	}
	var cutMessage, cutDefault bool
	q.Message, cutMessage = messages.Cut(plainLines(q.Message), messages.MaxDialogMessageBytes)
	q.Default, cutDefault = messages.Cut(q.Default, messages.MaxDefaultPromptBytes)
	q.URL, _ = messages.Cut(q.URL, messages.MaxURLBytes)
	q.Truncated = q.Truncated || cutMessage || cutDefault
	return q, nil
}

// plainLines ends lines as Chromium's dialogs do.
func plainLines(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// ours reports whether a held request is one of the bridge: anything else goes
// on as if nobody had looked.
func ours(r *messages.RequestPaused) bool { return strings.HasPrefix(r.URL, URL) }

// shaped reports whether a held request has the shape that the script's have.
func shaped(r *messages.RequestPaused) bool {
	return r.URL == URL && r.Method == "POST" && r.ResourceType == "XHR"
}
