package cdpwire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/chromedp/cdproto/debugger"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"cdpsupervisor/messages"
)

// Errors of a command that is refused before it is sent.
var (
	// ErrTooLarge: the browser would drop the connection at the message.
	ErrTooLarge = errors.New("the command is larger than a browser takes")
	// ErrParams: the params of a raw command are not a JSON object.
	ErrParams = errors.New("params is not a JSON object")
)

// appendParams appends the params object of a command, or nothing if it has
// none.
func appendParams(dst []byte, cmd messages.Command) ([]byte, error) {
	switch c := cmd.(type) {
	case messages.SetAutoAttach: // for each session
		if c.Pages {
			return append(dst, autoAttachPages...), nil
		}
		return append(dst, autoAttachFrames...), nil
	case messages.DetachFromTarget: // for each target that is not ours
		return append(appendJSONString(append(dst, `{"sessionId":`...), string(c.SessionID)), '}'), nil
	}
	params, err := encodeParams(cmd)
	return append(dst, params...), err
}

// encodeParams is appendParams for commands that are not sent all the time.
func encodeParams(cmd messages.Command) ([]byte, error) {
	if raw, ok := cmd.(messages.Raw); ok {
		return rawParams(raw)
	}
	params := commandParams(cmd)
	if params == nil {
		return nil, nil
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // scripts stay readable in a trace
	if err := e.Encode(params); err != nil {
		return nil, fmt.Errorf("encode %s: %w", cmd.Method(), err)
	}
	return bytes.TrimSuffix(text.Bytes(), []byte{'\n'}), nil
}

// rawParams checks the params of an agent: the browser answers broken JSON
// without an id, and the call would never be answered.
func rawParams(raw messages.Raw) ([]byte, error) {
	if raw.Name == "" || !utf8.ValidString(raw.Name) {
		return nil, fmt.Errorf("a raw command needs a method such as Page.reload: %w", messages.ErrInvalid)
	}
	if len(raw.Params) == 0 {
		return inContext(raw)
	}
	if len(raw.Params) > messages.MaxWriteBytes {
		return nil, tooLarge(raw.Name, len(raw.Params))
	}
	s := scanner{b: raw.Params}
	if s.peek() != '{' {
		return nil, fmt.Errorf("%s: %w; pass an object such as {}", raw.Name, ErrParams)
	}
	if s.skip(); !s.end() || !utf8.Valid(raw.Params) {
		return nil, fmt.Errorf("%s: %w: it is not valid JSON in UTF-8", raw.Name, ErrParams)
	}
	return inContext(raw)
}

// inContext adds the execution context that a raw command must run in. Params
// that name another are refused: the command would run in some other frame.
func inContext(raw messages.Raw) ([]byte, error) {
	if raw.Context == "" {
		return raw.Params, nil
	}
	params := make(map[string]json.RawMessage)
	if len(raw.Params) > 0 {
		if err := json.Unmarshal(raw.Params, &params); err != nil {
			return nil, fmt.Errorf("%s: %w: %w", raw.Name, ErrParams, err)
		}
	}
	for _, key := range []string{"contextId", "uniqueContextId", "executionContextId", "objectId"} {
		if _, set := params[key]; set {
			return nil, fmt.Errorf("%s in a frame of its own takes no %s: %w; leave it out", raw.Name, key, messages.ErrInvalid)
		}
	}
	context, err := json.Marshal(raw.Context)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", raw.Name, err)
	}
	params["uniqueContextId"] = context
	return json.Marshal(params)
}

func tooLarge(method string, size int) error {
	return fmt.Errorf("%s: %w: %d bytes, of at most %d; send it in parts", method, ErrTooLarge, size, messages.MaxWriteBytes)
}

// messageRoom is how much a message takes, where nothing in it needs an escape.
func messageRoom(session messages.SessionID, method string, params []byte) int {
	return 64 + len(method) + len(params) + len(session)
}

// appendCommand writes {"id":…,"method":…,"params":…,"sessionId":…}.
func appendCommand(b []byte, id int64, session messages.SessionID, method string, params []byte) []byte {
	b = slices.Grow(b, messageRoom(session, method, params))
	b = strconv.AppendInt(append(b, `{"id":`...), id, 10)
	b = appendJSONString(append(b, `,"method":`...), method)
	if len(params) > 0 {
		b = append(append(b, `,"params":`...), params...)
	}
	if session != "" {
		b = appendJSONString(append(b, `,"sessionId":`...), string(session))
	}
	return append(b, '}')
}

func appendJSONString(b []byte, s string) []byte {
	if isPlain([]byte(s)) {
		return append(append(append(b, '"'), s...), '"')
	}
	quoted, err := json.Marshal(s)
	if err != nil { // cannot be: every string can be written
		return append(b, `""`...)
	}
	return append(b, quoted...)
}

// The params of Target.setAutoAttach, which goes to every session: for pages on
// the browser's session, for frames on those of pages and frames. The first
// entry of a filter that matches decides. Workers and worklets are not wanted,
// and yet not excluded: Chromium makes one wait that the filter excludes, and
// then nobody can let it go. They are let go and detached as they come.
const (
	autoAttachPages  = `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,"filter":[{"exclude":false,"type":"page"}]}`
	autoAttachFrames = `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,"filter":[` +
		`{"exclude":true,"type":"shared_worker"},{"exclude":true,"type":"service_worker"},` +
		`{"exclude":true,"type":"page"},{"exclude":true,"type":"tab"},{"exclude":true,"type":"browser"},{"exclude":false}]}`
)

func yes() *bool {
	v := true
	return &v
}

// commandParams is what a command's params are encoded from; nil means none.
func commandParams(cmd messages.Command) any {
	switch c := cmd.(type) {
	case messages.SetDiscoverTargets:
		return target.SetDiscoverTargetsParams{Discover: true}
	case messages.GetTargetInfo:
		return target.GetTargetInfoParams{TargetID: target.ID(c.TargetID)}
	case messages.CreateTarget:
		return target.CreateTargetParams{URL: c.URL, Background: yes()}
	case messages.CloseTarget:
		return target.CloseTargetParams{TargetID: target.ID(c.TargetID)}
	case messages.AttachToTarget:
		return target.AttachToTargetParams{TargetID: target.ID(c.TargetID), Flatten: yes()}
	case messages.EmulateFocus:
		return emulation.SetFocusEmulationEnabledParams{Enabled: true}
	case messages.Navigate:
		return page.NavigateParams{URL: c.URL}
	case messages.HandleDialog:
		return page.HandleJavaScriptDialogParams{Accept: c.Accept, PromptText: c.Text}
	case messages.AddScript:
		return page.AddScriptToEvaluateOnNewDocumentParams{Source: c.Source, RunImmediately: &c.Now}
	case messages.RemoveScript:
		return page.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: page.ScriptIdentifier(c.Identifier)}
	case messages.SetBypassCSP:
		return page.SetBypassCSPParams{Enabled: c.On}
	case messages.ReleaseObjects:
		return runtime.ReleaseObjectGroupParams{ObjectGroup: c.Group}
	case messages.Evaluate:
		return runtime.EvaluateParams{Expression: c.Expression, Silent: yes(), ReturnByValue: yes(), UniqueContextID: c.UniqueID}
	case messages.SetBlackbox:
		params := debugger.SetBlackboxPatternsParams{Patterns: nonNil(c.Patterns)}
		if c.Anonymous {
			params.SkipAnonymous = yes()
		}
		return params
	case messages.EvaluateOnCallFrame:
		return debugger.EvaluateOnCallFrameParams{
			CallFrameID: debugger.CallFrameID(c.CallFrameID), Expression: c.Expression, Silent: yes(), ReturnByValue: yes(),
		}
	}
	return fetchParams(cmd)
}

// fetchParams is commandParams for the Fetch domain.
func fetchParams(cmd messages.Command) any {
	switch c := cmd.(type) {
	case messages.FetchEnable:
		return fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: c.Pattern}}}
	case messages.FulfillRequest:
		return fetch.FulfillRequestParams{
			RequestID: fetch.RequestID(c.RequestID), ResponseCode: int64(c.Status), ResponseHeaders: headerEntries(c.Headers), Body: c.Body,
		}
	case messages.FailRequest:
		return fetch.FailRequestParams{RequestID: fetch.RequestID(c.RequestID), ErrorReason: network.ErrorReason(c.Reason)}
	case messages.ContinueRequest:
		return fetch.ContinueRequestParams{RequestID: fetch.RequestID(c.RequestID)}
	}
	return nil
}

func headerEntries(headers [][2]string) []*fetch.HeaderEntry {
	entries := make([]*fetch.HeaderEntry, len(headers))
	for i, h := range headers {
		entries[i] = &fetch.HeaderEntry{Name: h[0], Value: h[1]}
	}
	return entries
}

func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
