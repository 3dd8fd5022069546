package jsonscan

import (
	"fmt"
	"strconv"
)

// Message is the outermost layer of a CDP message: a command, a reply or an
// event. What it holds belongs to the text that it was read from.
type Message struct {
	ID      int64
	HasID   bool
	Method  string // "" for a reply
	Session string // "" for the root session
	Params  []byte // nil if there are none
	Result  []byte // of a reply
	Error   []byte // of a reply
}

// IsReply reports whether the message answers a command.
func (m *Message) IsReply() bool { return m.HasID && m.Method == "" }

// IsEvent reports whether the message is an event.
func (m *Message) IsEvent() bool { return !m.HasID && m.Method != "" }

// ReadMessage reads the outermost layer of a message. It is an error if the text
// is no object, or one with neither an id nor a method.
func ReadMessage(raw []byte) (Message, error) {
	var m Message
	err := Object(raw, func(key, value []byte) error {
		switch string(key) {
		case "id":
			id, err := strconv.ParseInt(string(value), 10, 64)
			m.ID, m.HasID = id, err == nil
		case "method":
			m.Method = String(value)
		case "sessionId":
			m.Session = String(value)
		case "params":
			m.Params = value
		case "result":
			m.Result = value
		case "error":
			m.Error = value
		}
		return nil
	})
	if err == nil && !m.HasID && m.Method == "" {
		err = fmt.Errorf("%w: neither an id nor a method", ErrSyntax)
	}
	return m, err
}

// Append writes the message as JSON, in the order of keys that browsers use.
func (m *Message) Append(b []byte) []byte {
	b = append(b, '{')
	if m.HasID {
		b = append(b, `"id":`...)
		b = strconv.AppendInt(b, m.ID, 10)
	}
	member := func(name string, value []byte) {
		if value == nil {
			return
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, name...)
		b = append(b, '"', ':')
		b = append(b, value...)
	}
	if m.Method != "" {
		member("method", Quote(m.Method))
	}
	member("params", m.Params)
	member("result", m.Result)
	member("error", m.Error)
	if m.Session != "" {
		member("sessionId", Quote(m.Session))
	}
	return append(b, '}')
}
