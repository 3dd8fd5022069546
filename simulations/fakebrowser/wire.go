package fakebrowser

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
)

// object is a JSON object whose keys keep their order: name, value, name,
// value. Chromium's order is part of what a client sees.
type object []any

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var buf bytes.Buffer
	buf.WriteByte('{')
	for i := 0; i+1 < len(o); i += 2 {
		if i > 0 {
			buf.WriteByte(',')
		}
		if err := appendJSON(&buf, o[i]); err != nil {
			return nil, err
		}
		buf.WriteByte(':')
		if err := appendJSON(&buf, o[i+1]); err != nil {
			return nil, err
		}
	}
	buf.WriteByte('}')
	return buf.Bytes(), nil
}

// appendJSON writes v without escaping HTML and without a final newline.
func appendJSON(buf *bytes.Buffer, v any) error {
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("fakebrowser: a message could not be encoded: %w", err)
	}
	buf.Truncate(buf.Len() - 1)
	return nil
}

// encode is the JSON text of v.
func encode(v any) []byte {
	var buf bytes.Buffer
	if err := appendJSON(&buf, v); err != nil {
		return []byte(`{"error":{"code":-32603,"message":"Internal error"}}`)
	}
	return buf.Bytes()
}

// envelope is one message from a client, as far as the dispatcher reads it.
type envelope struct {
	id      int64
	hasID   bool
	method  string
	session string
	params  json.RawMessage
}

// cdpError is an error reply.
type cdpError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    string `json:"data,omitempty"`
}

// The codes of JSON-RPC, and the one for a session that is gone.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeServer         = -32000
	codeNoSession      = -32001
)

// parseEnvelope reads a message. The error is what the client is told; an
// envelope with hasID says under which id.
func parseEnvelope(raw []byte) (envelope, *cdpError) {
	var e envelope
	if !json.Valid(raw) {
		return e, &cdpError{codeParse, "JSON: invalid token at position 0", ""}
	}
	if t := bytes.TrimLeft(raw, " \t\r\n"); len(t) == 0 || t[0] != '{' {
		return e, &cdpError{codeInvalidRequest, "Message must be an object", ""}
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return e, &cdpError{codeParse, "JSON: invalid token at position 0", ""}
	}
	if e.id, e.hasID = int32Of(m["id"]); !e.hasID {
		return e, &cdpError{codeInvalidRequest, "Message must have integer 'id' property", ""}
	}
	if json.Unmarshal(m["method"], &e.method) != nil || e.method == "" {
		return e, &cdpError{codeInvalidRequest, "Message must have string 'method' property", ""}
	}
	if s, ok := m["sessionId"]; ok && json.Unmarshal(s, &e.session) != nil {
		return e, &cdpError{codeInvalidRequest, "Message may have string 'sessionId' property", ""}
	}
	for k := range m {
		switch k {
		case "id", "method", "sessionId", "params":
		default:
			return e, &cdpError{codeInvalidRequest,
				"Message has property other than 'id', 'method', 'sessionId', 'params'", ""}
		}
	}
	e.params = m["params"]
	return e, nil
}

// int32Of reads an id: an integer that fits 32 bits, or nothing.
func int32Of(raw json.RawMessage) (int64, bool) {
	var f float64
	if len(raw) == 0 || json.Unmarshal(raw, &f) != nil {
		return 0, false
	}
	if f != math.Trunc(f) || f < math.MinInt32 || f > math.MaxInt32 {
		return 0, false
	}
	return int64(f), true
}

// bindError says in Chromium's words why params do not fit.
func bindError(err error) *cdpError {
	var t *json.UnmarshalTypeError
	if errors.As(err, &t) {
		return &cdpError{codeInvalidParams, "Invalid parameters",
			fmt.Sprintf("Failed to deserialize params.%s - BINDINGS: %s value expected", t.Field, kindName(t.Type.String()))}
	}
	return &cdpError{codeInvalidParams, "Invalid parameters", "Failed to deserialize params"}
}

func kindName(goType string) string {
	switch {
	case strings.Contains(goType, "string"):
		return "string"
	case strings.Contains(goType, "bool"):
		return "bool"
	case strings.Contains(goType, "int"):
		return "int32"
	case strings.Contains(goType, "float"):
		return "double"
	case strings.HasPrefix(goType, "[]"):
		return "array"
	}
	return "object"
}

// missing is the error for a mandatory parameter that is not there.
func missing(field string) *cdpError {
	return &cdpError{codeInvalidParams, "Invalid parameters",
		"Failed to deserialize params." + field + " - BINDINGS: mandatory field missing"}
}
