package cdpwire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"cdpsupervisor/messages"
)

// The decoder once more, slow and plain, over encoding/json: what the real one is
// compared with. Of keys that come twice the last counts; null is the zero value.

type tree = map[string]any

// parseTree reads one JSON object and nothing behind it.
func parseTree(text []byte) (tree, bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil, false
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, false
	}
	t, ok := v.(tree)
	return t, ok
}

// reading takes fields out of trees and notes what has the wrong kind.
type reading struct{ bad bool }

func field[T any](r *reading, t tree, key string) (v T) {
	switch x := t[key].(type) {
	case nil:
	case T:
		v = x
	default:
		r.bad = true
	}
	return v
}

func (r *reading) text(t tree, key string, limit int) (string, bool) {
	return messages.Cut(field[string](r, t, key), limit)
}

func (r *reading) cut(t tree, key string, limit int) string {
	s, _ := r.text(t, key, limit)
	return s
}

func (r *reading) word(t tree, key string) string { return r.cut(t, key, messages.MaxFrameNameBytes) }
func (r *reading) url(t tree, key string) string  { return r.cut(t, key, messages.MaxURLBytes) }

func (r *reading) id(t tree, key string) string {
	s, cut := r.text(t, key, messages.MaxIDBytes)
	r.bad = r.bad || cut
	return s
}

func (r *reading) integer(t tree, key string) int64 {
	n := field[json.Number](r, t, key)
	if n == "" {
		return 0
	}
	i, err := strconv.ParseInt(string(n), 10, 64)
	r.bad = r.bad || err != nil
	return i
}

func (r *reading) float(t tree, key string) float64 {
	n := field[json.Number](r, t, key)
	if n == "" {
		return 0
	}
	f, err := strconv.ParseFloat(string(n), 64)
	r.bad = r.bad || err != nil
	return f
}

// envelopeOf is what scanWhole should find.
func envelopeOf(msg []byte) (e envelope, t tree, ok bool) {
	t, ok = parseTree(msg)
	if !ok {
		return e, nil, false
	}
	var r reading
	e.method = []byte(field[string](&r, t, "method"))
	e.session = []byte(field[string](&r, t, "sessionId"))
	e.id = r.integer(t, "id")
	e.hasID = t["id"] != nil
	e.failed = t["error"] != nil
	return e, t, !r.bad && (e.hasID || e.failed || len(e.method) > 0)
}

func (r *reading) targetInfo(t tree) messages.TargetInfo {
	return messages.TargetInfo{
		TargetID: messages.TargetID(r.id(t, "targetId")), Type: messages.TargetType(r.word(t, "type")),
		Subtype: r.word(t, "subtype"), Title: r.cut(t, "title", messages.MaxTitleBytes), URL: r.url(t, "url"),
		Attached: field[bool](r, t, "attached"), OpenerID: messages.TargetID(r.id(t, "openerId")),
		OpenerFrameID: messages.FrameID(r.id(t, "openerFrameId")), CanAccessOpener: field[bool](r, t, "canAccessOpener"), ParentID: messages.TargetID(r.id(t, "parentId")),
		ParentFrameID: messages.FrameID(r.id(t, "parentFrameId")), BrowserContextID: r.id(t, "browserContextId"),
	}
}

func (r *reading) frame(t tree) messages.FrameInfo {
	url, fragment := r.url(t, "url"), r.url(t, "urlFragment")
	url, _ = messages.Cut(url+fragment, messages.MaxURLBytes)
	return messages.FrameInfo{
		ID: messages.FrameID(r.id(t, "id")), ParentID: messages.FrameID(r.id(t, "parentId")),
		LoaderID: messages.LoaderID(r.id(t, "loaderId")), Name: r.word(t, "name"), URL: url,
		Origin: r.url(t, "securityOrigin"), Domain: r.word(t, "domainAndRegistry"),
	}
}

// topFrame is where the first frame of a stack is.
func (r *reading) topFrame(t tree) (url string, line int64) {
	if frames := field[[]any](r, t, "callFrames"); len(frames) > 0 {
		top := r.tree(frames[0])
		if url = r.url(top, "url"); top["lineNumber"] != nil || hasKey(top, "lineNumber") {
			line = r.integer(top, "lineNumber") + 1
		}
	}
	return url, line
}

func hasKey(t tree, key string) bool {
	_, ok := t[key]
	return ok
}

func (r *reading) tree(v any) tree {
	t, ok := v.(tree)
	r.bad = r.bad || !ok && v != nil
	return t
}

// spoken is what a person reads of a remote object; raw is its JSON.
func (r *reading) spoken(v any) string {
	t := r.tree(v)
	typ, word, description := field[string](r, t, "type"), field[string](r, t, "unserializableValue"), field[string](r, t, "description")
	value, has := t["value"]
	switch s, ok := value.(string); {
	case ok && s != "":
		return s
	case ok: // an empty string is a value
		return ""
	case word != "":
		return word
	case description != "":
		return description
	case has:
		if n, ok := value.(json.Number); ok {
			return string(n)
		}
		if value == nil {
			return "null"
		}
		if b, ok := value.(bool); ok {
			return strconv.FormatBool(b)
		}
		return "?" // objects by value: their text depends on white space
	}
	return typ
}

// bodyOf is what the decoder should make of an event; nil means malformed or not
// kept. Unsure means that this decoder does not say.
func bodyOf(method string, params any) (body messages.EventBody, unsure bool) {
	var r reading
	if params == nil {
		switch method {
		case "Runtime.executionContextsCleared":
			return &messages.ContextsCleared{}, false
		case "Inspector.targetCrashed":
			return &messages.InspectorCrashed{}, false
		case "Inspector.targetReloadedAfterCrash":
			return &messages.InspectorReloaded{}, false
		case "Debugger.resumed":
			return &messages.DebuggerResumed{}, false
		}
	}
	p, isObject := params.(tree)
	need := func(b messages.EventBody, required bool) messages.EventBody {
		if r.bad || !required {
			return nil
		}
		return b
	}
	switch method {
	case "Runtime.executionContextsCleared":
		return &messages.ContextsCleared{}, false
	case "Inspector.targetCrashed":
		return &messages.InspectorCrashed{}, false
	case "Inspector.targetReloadedAfterCrash":
		return &messages.InspectorReloaded{}, false
	case "Debugger.resumed":
		return &messages.DebuggerResumed{}, false
	}
	if !isObject {
		return nil, true
	}
	switch method {
	case "Target.targetCreated":
		info := r.targetInfo(r.tree(p["targetInfo"]))
		return need(&messages.TargetCreated{Info: info}, info.TargetID != ""), false
	case "Target.targetInfoChanged":
		info := r.targetInfo(r.tree(p["targetInfo"]))
		return need(&messages.TargetInfoChanged{Info: info}, info.TargetID != ""), false
	case "Target.targetDestroyed":
		b := &messages.TargetDestroyed{TargetID: messages.TargetID(r.id(p, "targetId"))}
		return need(b, b.TargetID != ""), false
	case "Target.attachedToTarget":
		b := &messages.AttachedToTarget{
			SessionID: messages.SessionID(r.id(p, "sessionId")), Info: r.targetInfo(r.tree(p["targetInfo"])),
			Waiting: field[bool](&r, p, "waitingForDebugger"),
		}
		return need(b, b.SessionID != "" && b.Info.TargetID != ""), false
	case "Target.detachedFromTarget":
		b := &messages.DetachedFromTarget{SessionID: messages.SessionID(r.id(p, "sessionId")), TargetID: messages.TargetID(r.id(p, "targetId"))}
		return need(b, b.SessionID != ""), false
	case "Page.frameAttached":
		b := &messages.FrameAttached{FrameID: messages.FrameID(r.id(p, "frameId")), ParentID: messages.FrameID(r.id(p, "parentFrameId"))}
		return need(b, b.FrameID != ""), false
	case "Page.frameNavigated":
		b := &messages.FrameNavigated{Frame: r.frame(r.tree(p["frame"])), Type: messages.NavigationType(r.word(p, "type"))}
		return need(b, b.Frame.ID != ""), false
	case "Page.documentOpened":
		b := &messages.DocumentOpened{Frame: r.frame(r.tree(p["frame"]))}
		return need(b, b.Frame.ID != ""), false
	case "Page.frameDetached":
		b := &messages.FrameDetached{FrameID: messages.FrameID(r.id(p, "frameId")), Reason: messages.DetachReason(r.word(p, "reason"))}
		return need(b, b.FrameID != ""), false
	case "Page.navigatedWithinDocument":
		b := &messages.NavigatedWithinDocument{FrameID: messages.FrameID(r.id(p, "frameId")), URL: r.url(p, "url")}
		return need(b, b.FrameID != ""), false
	case "Page.frameStartedNavigating":
		b := &messages.FrameStartedNavigating{
			FrameID: messages.FrameID(r.id(p, "frameId")), LoaderID: messages.LoaderID(r.id(p, "loaderId")),
			Type: r.word(p, "navigationType"),
		}
		return need(b, b.FrameID != ""), false
	case "Page.javascriptDialogOpening":
		b := &messages.DialogOpening{
			FrameID: messages.FrameID(r.id(p, "frameId")), URL: r.url(p, "url"), Type: messages.DialogType(r.word(p, "type")),
		}
		var message, prompt bool
		b.Message, message = r.text(p, "message", messages.MaxDialogMessageBytes)
		b.DefaultPrompt, prompt = r.text(p, "defaultPrompt", messages.MaxDefaultPromptBytes)
		b.Truncated = message || prompt
		return need(b, true), false
	case "Page.javascriptDialogClosed":
		b := &messages.DialogClosed{
			FrameID: messages.FrameID(r.id(p, "frameId")), Result: field[bool](&r, p, "result"),
			UserInput: r.cut(p, "userInput", messages.MaxPromptTextBytes),
		}
		return need(b, true), false
	case "Runtime.executionContextCreated":
		c := r.tree(p["context"])
		aux := r.tree(c["auxData"])
		b := &messages.ContextCreated{
			ID: messages.ContextID(r.integer(c, "id")), UniqueID: r.id(c, "uniqueId"), Origin: r.url(c, "origin"),
			FrameID: messages.FrameID(r.id(aux, "frameId")), IsDefault: field[bool](&r, aux, "isDefault"),
		}
		return need(b, hasKey(c, "id")), false
	case "Runtime.executionContextDestroyed":
		b := &messages.ContextDestroyed{
			ID: messages.ContextID(r.integer(p, "executionContextId")), UniqueID: r.id(p, "executionContextUniqueId"),
		}
		return need(b, hasKey(p, "executionContextId") || b.UniqueID != ""), false
	case "Runtime.consoleAPICalled":
		return consoleOf(&r, p)
	case "Runtime.exceptionThrown":
		return exceptionOf(&r, p)
	case "Fetch.requestPaused":
		return requestOf(&r, p)
	case "Debugger.paused":
		b := &messages.DebuggerPaused{Reason: r.word(p, "reason"), HitBreak: len(field[[]any](&r, p, "hitBreakpoints")) > 0}
		if frames := field[[]any](&r, p, "callFrames"); len(frames) > 0 {
			top := r.tree(frames[0])
			b.CallFrameID, b.FunctionName, b.ScriptURL = r.id(top, "callFrameId"), r.word(top, "functionName"), r.url(top, "url")
		}
		return need(b, b.CallFrameID != ""), false
	}
	return nil, true // the library's decoder is the decoder
}

func consoleOf(r *reading, p tree) (messages.EventBody, bool) {
	b := &messages.ConsoleMessage{
		Type: r.word(p, "type"), ContextID: messages.ContextID(r.integer(p, "executionContextId")), At: epochMillis(r.float(p, "timestamp")),
	}
	b.URL, b.Line = r.topFrame(r.tree(p["stackTrace"]))
	if !isConsoleError(b.Type) {
		return nil, r.bad
	}
	var words []string
	var unsure bool
	for _, arg := range field[[]any](r, p, "args") {
		word := r.spoken(arg)
		unsure = unsure || word == "?" || word == "" // where the blanks stand is not worth a promise
		words = append(words, word)
	}
	b.Text, b.Truncated = messages.Cut(strings.Join(words, " "), messages.MaxConsoleTextBytes)
	if r.bad {
		return nil, unsure
	}
	return b, unsure
}

func exceptionOf(r *reading, p tree) (messages.EventBody, bool) {
	d, ok := p["exceptionDetails"].(tree)
	if !ok {
		return nil, true
	}
	b := &messages.ExceptionThrown{
		URL: r.url(d, "url"), ContextID: messages.ContextID(r.integer(d, "executionContextId")), At: epochMillis(r.float(p, "timestamp")),
	}
	if hasKey(d, "lineNumber") {
		b.Line = r.integer(d, "lineNumber") + 1
	}
	if url, line := r.topFrame(r.tree(d["stackTrace"])); b.URL == "" && url != "" {
		b.URL, b.Line = url, line
	}
	text := field[string](r, d, "text")
	var thrown string
	if hasKey(d, "exception") {
		thrown = r.spoken(d["exception"])
	}
	if text != "" && thrown != "" {
		text += " "
	}
	b.Text, b.Truncated = messages.Cut(text+thrown, messages.MaxConsoleTextBytes)
	if r.bad {
		return nil, thrown == "?"
	}
	return b, thrown == "?"
}

func requestOf(r *reading, p tree) (messages.EventBody, bool) {
	q := r.tree(p["request"])
	b := &messages.RequestPaused{
		RequestID: messages.RequestID(r.id(p, "requestId")), FrameID: messages.FrameID(r.id(p, "frameId")),
		ResourceType: r.word(p, "resourceType"), URL: r.url(q, "url"), Method: r.word(q, "method"),
		PostData: r.cut(q, "postData", messages.MaxPostDataBytes), HasPostData: field[bool](r, q, "hasPostData"),
	}
	headers := field[tree](r, q, "headers")
	if len(headers) > messages.MaxHeaders {
		return nil, true // which are kept is not promised
	}
	for name := range headers {
		if len(name) > messages.MaxFrameNameBytes {
			return nil, true
		}
		if b.Headers == nil {
			b.Headers = make(map[string]string)
		}
		b.Headers[name] = r.url(headers, name)
	}
	var entries strings.Builder
	for _, e := range field[[]any](r, q, "postDataEntries") {
		coded := field[string](r, r.tree(e), "bytes")
		data, err := base64.StdEncoding.DecodeString(coded)
		r.bad = r.bad || err != nil
		entries.Write(data)
	}
	if b.PostData == "" {
		b.PostData = entries.String()
	}
	if r.bad || b.RequestID == "" {
		return nil, false
	}
	return b, false
}
