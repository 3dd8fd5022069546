package cdpwire

import (
	"bytes"

	"cdpsupervisor/messages"
)

const (
	// sharedBytes is the longest text of which the decoder looks for an equal
	// one that it made before.
	sharedBytes = 512
	// scratchBytes is how much scratch memory a decoder keeps.
	scratchBytes = 64 << 10
)

// decoder makes typed bodies of params and results. It belongs to the goroutine
// that reads. Its strings are copies: they never point into a message.
type decoder struct {
	ids     interner // sessions, targets, frames, loaders
	texts   interner // URLs, origins, names: what comes again soon
	once    packer   // ids that come once or twice
	last    messages.SessionID
	scratch []byte
}

// session is the session of a message: mostly that of the one before.
func (d *decoder) session(raw []byte) messages.SessionID {
	if string(raw) != string(d.last) {
		d.last = messages.SessionID(d.ids.get(raw))
	}
	return d.last
}

// event decodes the params of an event; nil means malformed. The body may live
// in the arena.
func (d *decoder) event(k kind, params []byte, a *arena) messages.EventBody {
	s := scanner{b: params}
	body, ok := d.scan(k, &s, a)
	if !ok || !s.end() {
		return nil
	}
	return body
}

// scan takes the params of a kind. It reports whether the body has its required
// fields; whether the text was sound, the scanner tells. What comes often has
// its body in the arena.
func (d *decoder) scan(k kind, s *scanner, a *arena) (messages.EventBody, bool) {
	switch k {
	case kindNone:
	case kindTargetCreated:
		body := a.targetCreated.next()
		return body, d.targetParams(s, &body.Info)
	case kindTargetInfoChanged:
		body := a.targetInfoChanged.next()
		return body, d.targetParams(s, &body.Info)
	case kindTargetDestroyed:
		body := a.targetDestroyed.next()
		return body, d.targetDestroyed(s, body)
	case kindTargetCrashed:
		body := targetCrashed(s)
		return body, body != nil
	case kindAttachedToTarget:
		body := a.attachedToTarget.next()
		return body, d.attachedToTarget(s, body)
	case kindDetachedFromTarget:
		body := a.detached.next()
		return body, d.detachedFromTarget(s, body)
	case kindFrameAttached:
		body := a.frameAttached.next()
		return body, d.frameAttached(s, body)
	case kindFrameNavigated:
		body := a.frameNavigated.next()
		return body, d.frameNavigated(s, body)
	case kindFrameDetached:
		body := a.frameDetached.next()
		return body, d.frameDetached(s, body)
	case kindNavigatedWithinDocument:
		body := a.withinDocument.next()
		return body, d.navigatedWithinDocument(s, body)
	case kindDocumentOpened:
		body := new(messages.DocumentOpened)
		return body, d.documentOpened(s, body)
	case kindFrameStartedNavigating:
		body := a.startedNavigating.next()
		return body, d.frameStartedNavigating(s, body)
	case kindDialogOpening:
		body := new(messages.DialogOpening)
		return body, d.dialogOpening(s, body)
	case kindDialogClosed:
		body := new(messages.DialogClosed)
		return body, d.dialogClosed(s, body)
	case kindContextCreated:
		body := a.contextCreated.next()
		return body, d.contextCreated(s, body)
	case kindContextDestroyed:
		body := a.contextDestroyed.next()
		return body, d.contextDestroyed(s, body)
	case kindContextsCleared:
		return &messages.ContextsCleared{}, skipParams(s)
	case kindInspectorCrashed:
		return &messages.InspectorCrashed{}, skipParams(s)
	case kindInspectorReloaded:
		return &messages.InspectorReloaded{}, skipParams(s)
	case kindInspectorDetached:
		body := inspectorDetached(s)
		return body, body != nil
	case kindRequestPaused:
		body := new(messages.RequestPaused)
		return body, d.requestPaused(s, body)
	case kindDebuggerPaused:
		body := new(messages.DebuggerPaused)
		return body, d.debuggerPaused(s, body)
	case kindDebuggerResumed:
		return &messages.DebuggerResumed{}, skipParams(s)
	case kindConsoleMessage:
		body := a.console.next()
		return body, d.consoleMessage(s, body)
	case kindExceptionThrown:
		body := a.exception.next()
		return body, d.exceptionThrown(s, body)
	}
	return nil, false
}

// skipParams takes params of which nothing is needed; there may be none.
func skipParams(s *scanner) bool {
	if len(s.b) > 0 {
		s.skip()
	}
	return true
}

// unneeded reports, by the head alone, whether the engine has no use for an
// event of a kind that it knows: console calls that are no errors.
func unneeded(k kind, params []byte) bool {
	const head = `{"type":"`
	if k != kindConsoleMessage || !bytes.HasPrefix(params, []byte(head)) {
		return false
	}
	word := params[len(head):]
	end := bytes.IndexByte(word, '"')
	return end >= 0 && isPlain(word[:end]) && !isConsoleError(string(word[:end]))
}

// isConsoleError reports whether console calls of the type are kept.
func isConsoleError(typ string) bool { return typ == "error" || typ == "assert" }

// raw takes a string and returns its text, in scratch memory where it is not in
// the message as it stands. At most limit bytes are returned.
func (d *decoder) raw(s *scanner, limit int) (text []byte, cut bool) {
	text, plain := s.text()
	if !plain {
		d.scratch, cut = appendText(d.scratch[:0], text, limit)
		text = d.scratch
		if cap(d.scratch) > scratchBytes {
			d.scratch = nil
		}
		return text, cut
	}
	if len(text) > limit {
		return text[:limit], true
	}
	return text, false
}

// id takes an id. One that is too long makes the event malformed.
func (d *decoder) id(s *scanner) string {
	text, cut := d.raw(s, messages.MaxIDBytes)
	if cut {
		s.fail()
	}
	return d.ids.get(text)
}

// onceID is id for ids that do not come again.
func (d *decoder) onceID(s *scanner) string {
	text, cut := d.raw(s, messages.MaxIDBytes)
	if cut {
		s.fail()
	}
	return d.once.pack(text)
}

// text takes a text and cuts it to limit bytes.
func (d *decoder) text(s *scanner, limit int) (string, bool) {
	text, cut := d.raw(s, limit)
	return string(text), cut
}

// shared is text for what often comes again.
func (d *decoder) shared(s *scanner, limit int) string {
	text, _ := d.raw(s, limit)
	if len(text) > sharedBytes {
		return string(text)
	}
	return d.texts.get(text)
}

// url takes a URL.
func (d *decoder) url(s *scanner) string { return d.shared(s, messages.MaxURLBytes) }
