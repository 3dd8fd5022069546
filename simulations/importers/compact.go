package importers

import (
	"bytes"
	"encoding/json"
)

// compact puts JSON on one line.
func compact(raw []byte) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// escapeControls escapes control characters inside strings, which some loggers
// write as they are.
func escapeControls(raw []byte) []byte {
	out := make([]byte, 0, len(raw)+16)
	inString, escaped := false, false
	for _, c := range raw {
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		case inString && c < ' ':
			const hex = "0123456789abcdef"
			out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			continue
		}
		out = append(out, c)
	}
	return out
}
