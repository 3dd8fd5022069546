package cdpwire

import (
	"time"

	"cdpsupervisor/messages"
)

func (d *decoder) contextCreated(s *scanner, body *messages.ContextCreated) bool {
	var found bool
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "context":
			found = d.context(s, body)
		default:
			s.skip()
		}
	}
	return found
}

// context takes a Runtime.ExecutionContextDescription.
func (d *decoder) context(s *scanner, body *messages.ContextCreated) (found bool) {
	*body = messages.ContextCreated{}
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "id":
			body.ID, found = messages.ContextID(s.integer()), true
		case "uniqueId":
			body.UniqueID = d.onceID(s)
		case "origin":
			body.Origin = d.url(s)
		case "auxData":
			d.auxData(s, body)
		default:
			s.skip()
		}
	}
	return found
}

// auxData takes what the embedder says of a context: any object, or none.
func (d *decoder) auxData(s *scanner, body *messages.ContextCreated) {
	body.FrameID, body.IsDefault = "", false
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "frameId":
			body.FrameID = messages.FrameID(d.id(s))
		case "isDefault":
			body.IsDefault = s.boolean()
		default:
			s.skip()
		}
	}
}

func (d *decoder) contextDestroyed(s *scanner, body *messages.ContextDestroyed) bool {
	var found bool
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "executionContextId":
			body.ID, found = messages.ContextID(s.integer()), true
		case "executionContextUniqueId":
			body.UniqueID = d.onceID(s)
		default:
			s.skip()
		}
	}
	return found || body.UniqueID != ""
}

// consoleMessage takes a Runtime.consoleAPICalled. The caller drops types that
// are not kept.
func (d *decoder) consoleMessage(s *scanner, body *messages.ConsoleMessage) bool {
	var args []byte
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "type":
			body.Type = d.shared(s, messages.MaxFrameNameBytes)
		case "args":
			args = s.value()
		case "executionContextId":
			body.ContextID = messages.ContextID(s.integer())
		case "timestamp":
			body.At = epochMillis(s.float())
		case "stackTrace":
			body.URL, body.Line = d.topFrame(s)
		default:
			s.skip()
		}
	}
	if isConsoleError(body.Type) && !s.bad && len(args) > 0 {
		body.Text, body.Truncated = d.joinArgs(args, s)
	}
	return body.Type != ""
}

// joinArgs is the text of a console call: its arguments, with blanks between.
// What is of the wrong kind fails the outer scanner.
func (d *decoder) joinArgs(args []byte, outer *scanner) (string, bool) {
	s := scanner{b: args}
	text := clip{b: d.scratch[:0], limit: messages.MaxConsoleTextBytes}
	for e := s.array(); s.element(&e); {
		arg := remoteObject(&s)
		if len(text.b) > 0 {
			text.add([]byte{' '})
		}
		text.add(arg)
	}
	if s.bad {
		outer.fail()
	}
	d.scratch = text.b
	return string(text.b), text.cut
}

// clip is a text that grows up to a limit.
type clip struct {
	b     []byte
	limit int
	cut   bool
}

// add appends the inside of a string token, or another token.
func (c *clip) add(raw []byte) {
	if c.cut || len(raw) == 0 {
		return
	}
	c.b, c.cut = appendText(c.b, raw, c.limit-len(c.b))
}

// remoteObject takes a Runtime.RemoteObject and returns what a person would
// read of it, still escaped.
func remoteObject(s *scanner) []byte {
	var typ, value, word, description []byte
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "type":
			typ, _ = s.text()
		case "value":
			value = s.value()
		case "unserializableValue":
			word, _ = s.text()
		case "description":
			description, _ = s.text()
		default:
			s.skip()
		}
	}
	switch {
	case len(value) > 1 && value[0] == '"':
		return value[1 : len(value)-1]
	case len(word) > 0:
		return word
	case len(description) > 0:
		return description
	case len(value) > 0:
		return value
	}
	return typ
}

// topFrame takes a Runtime.StackTrace and returns where its first frame is;
// lines count from 1.
func (d *decoder) topFrame(s *scanner) (url string, line int64) {
	for m := s.object(); s.member(&m); {
		if string(m.key) != "callFrames" {
			s.skip()
			continue
		}
		url, line = "", 0
		first := true
		for e := s.array(); s.element(&e); first = false {
			if !first {
				s.skip()
				continue
			}
			for m := s.object(); s.member(&m); {
				switch string(m.key) {
				case "url":
					url = d.url(s)
				case "lineNumber":
					line = s.integer() + 1
				default:
					s.skip()
				}
			}
		}
	}
	return url, line
}

func (d *decoder) exceptionThrown(s *scanner, body *messages.ExceptionThrown) bool {
	var found bool
	var at time.Time
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "timestamp":
			at = epochMillis(s.float())
		case "exceptionDetails":
			found = s.peek() == '{'
			d.exceptionDetails(s, body)
		default:
			s.skip()
		}
	}
	body.At = at
	return found
}

// exceptionDetails takes a Runtime.ExceptionDetails.
func (d *decoder) exceptionDetails(s *scanner, body *messages.ExceptionThrown) {
	*body = messages.ExceptionThrown{}
	var text, object []byte
	var stackURL string
	var stackLine int64
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "text":
			text, _ = s.text()
		case "url":
			body.URL = d.url(s)
		case "lineNumber":
			body.Line = s.integer() + 1
		case "stackTrace":
			stackURL, stackLine = d.topFrame(s)
		case "exception":
			object = remoteObject(s)
		case "executionContextId":
			body.ContextID = messages.ContextID(s.integer())
		default:
			s.skip()
		}
	}
	if body.URL == "" && stackURL != "" {
		body.URL, body.Line = stackURL, stackLine
	}
	all := clip{b: d.scratch[:0], limit: messages.MaxConsoleTextBytes}
	all.add(text)
	if len(all.b) > 0 && len(object) > 0 {
		all.add([]byte{' '})
	}
	all.add(object)
	d.scratch = all.b
	body.Text, body.Truncated = string(all.b), all.cut
}

// epochMillis is the time of a Runtime.Timestamp, milliseconds since the Unix
// epoch; the zero time for what is no such time.
func epochMillis(ms float64) time.Time {
	if !(ms > 0 && ms < 1e15) {
		return time.Time{}
	}
	return time.UnixMicro(int64(ms * 1000))
}
