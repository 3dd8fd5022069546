package cdpwire

import (
	"bytes"
	"encoding/binary"
)

// envelope is what every CDP message has in common. The slices point into the
// message.
type envelope struct {
	method  []byte // of an event
	session []byte // "" is the root
	id      int64  // of a reply, where hasID
	hasID   bool
	// value is an event's params, a reply's result, or with failed its error;
	// empty where there is none. It is one JSON value, or null.
	value  []byte
	failed bool
	// checked says that the whole message was read. Else only its head and its
	// tail were, and value may hold more than one value or none: whoever reads
	// value must find its end where value ends, or read the message again with
	// scanWhole.
	checked bool
}

// The layouts in which Chromium writes.
const (
	headEvent   = `{"method":"`
	headParams  = `","params":`
	headReply   = `{"id":`
	headResult  = `,"result":`
	headError   = `,"error":`
	tailSession = `,"sessionId":"`
	// sessionBytes is how long a session id of Chromium's is; it is looked for
	// there first.
	sessionBytes = 32
)

// scanHead reads a message in Chromium's own layout by its first and its last
// bytes: {"method":M,"params":{…},"sessionId":S} and {"id":N,"result":{…},
// "sessionId":S}, or with "error". It says no to anything else.
func scanHead(msg []byte) (e envelope, ok bool) {
	rest := msg
	switch {
	case bytes.HasPrefix(msg, []byte(headEvent)):
		rest = msg[len(headEvent):]
		end := bytes.IndexByte(rest, '"')
		if end <= 0 || !isPlain(rest[:end]) || !bytes.HasPrefix(rest[end:], []byte(headParams)) {
			return e, false
		}
		e.method, rest = rest[:end], rest[end+len(headParams):]
	case bytes.HasPrefix(msg, []byte(headReply)):
		rest = msg[len(headReply):]
		end := bytes.IndexByte(rest, ',')
		if end < 0 || numberEnd(rest, 0) != end {
			return e, false
		}
		if e.id, ok = parseInt(rest[:end]); !ok {
			return e, false
		}
		e.hasID = true
		switch rest = rest[end:]; {
		case bytes.HasPrefix(rest, []byte(headResult)):
			rest = rest[len(headResult):]
		case bytes.HasPrefix(rest, []byte(headError)):
			rest, e.failed = rest[len(headError):], true
		default:
			return e, false
		}
	default:
		return e, false
	}
	e.value, e.session, ok = cutTail(rest)
	return e, ok
}

// cutTail takes `}` or `,"sessionId":"S"}` from the end of rest, which must
// leave an object.
//
// A page cannot write this tail: it writes into strings only, where a quote
// comes with a backslash before it. So in JSON the tail's quotes end strings.
func cutTail(rest []byte) (value, session []byte, ok bool) {
	if len(rest) < len(`{}}`) || rest[0] != '{' || rest[len(rest)-1] != '}' {
		return nil, nil, false
	}
	rest = rest[:len(rest)-1]
	if rest[len(rest)-1] == '}' {
		return rest, nil, true
	}
	if rest[len(rest)-1] != '"' {
		return nil, nil, false
	}
	rest = rest[:len(rest)-1]
	start := len(rest) - sessionBytes
	if start < 0 || !bytes.HasSuffix(rest[:start], []byte(tailSession)) {
		start = bytes.LastIndexByte(rest, '"') + 1
		if !bytes.HasSuffix(rest[:start], []byte(tailSession)) {
			return nil, nil, false
		}
	}
	if session = rest[start:]; !isPlain(session) {
		return nil, nil, false
	}
	value = rest[:start-len(tailSession)]
	return value, session, len(value) > 1 && value[len(value)-1] == '}'
}

// isPlain reports whether b is the inside of a string that means itself.
func isPlain(b []byte) bool {
	for ; len(b) >= 8; b = b[8:] {
		if specialBytes(binary.LittleEndian.Uint64(b)) != 0 {
			return false
		}
	}
	for _, c := range b {
		if c < ' ' || c >= 0x80 || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// scanWhole reads any JSON object that is a CDP message: any order of keys, any
// white space, unknown keys; of keys that come twice the last counts. It says
// no to what is not JSON, and to keys of the wrong kind.
func scanWhole(msg []byte) (e envelope, ok bool) {
	s := scanner{b: msg}
	var params, result, refusal []byte
	if s.peek() != '{' {
		return e, false
	}
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "id":
			e.hasID = s.peek() != 'n'
			e.id = s.integer()
		case "method":
			e.method = wholeText(&s)
		case "sessionId":
			e.session = wholeText(&s)
		case "params":
			params = s.value()
		case "result":
			result = s.value()
		case "error":
			refusal = s.value()
		default:
			s.skip()
		}
	}
	if !s.end() {
		return envelope{}, false
	}
	e.checked = true
	e.failed = len(refusal) > 0 && string(refusal) != "null"
	switch {
	case e.failed:
		e.value = refusal
	case e.hasID:
		e.value = result
	default:
		e.value = params
	}
	return e, e.hasID || e.failed || len(e.method) > 0
}

func wholeText(s *scanner) []byte {
	raw, plain := s.text()
	if !plain {
		raw, _ = appendText(nil, raw, len(raw)*3)
	}
	return raw
}

// isReply reports whether the message answers a command; a refusal without an
// id answers one that the browser could not read.
func (e *envelope) isReply() bool { return e.hasID || e.failed }

// sound reports whether value is one value and nothing else.
func (e *envelope) sound() bool {
	if e.checked || string(e.value) == "{}" {
		return true
	}
	s := scanner{b: e.value}
	s.skip()
	return s.end()
}
