// Package jsonscan finds its way through JSON text without building a tree: the
// simulations read and rewrite recorded messages with it, byte for byte, and
// independently of the engine's own decoder.
//
// It tells apart where values begin and end; that a value is sound JSON in every
// detail is for [encoding/json.Valid] to say.
package jsonscan

import (
	"encoding/json"
	"errors"
	"fmt"
)

// maxDepth is how deep values may be nested.
const maxDepth = 10_000

// Errors of this package.
var (
	// ErrCut: the text ends inside a value. More text may complete it.
	ErrCut = errors.New("the JSON ends too early")
	// ErrSyntax: the text is no JSON, or not the sort of value that was asked
	// for.
	ErrSyntax = errors.New("not JSON of the expected shape")
	// ErrStop is returned by a callback to end a walk; the walk then returns nil.
	ErrStop = errors.New("stop")
)

func syntax(raw []byte, at int) error {
	if at >= len(raw) {
		return ErrCut
	}
	return fmt.Errorf("%w at byte %d", ErrSyntax, at)
}

func space(raw []byte, at int) int {
	for at < len(raw) && (raw[at] == ' ' || raw[at] == '\n' || raw[at] == '\t' || raw[at] == '\r') {
		at++
	}
	return at
}

// End returns where the value ends that begins at raw[at], or behind blanks from
// there on.
func End(raw []byte, at int) (int, error) {
	at = space(raw, at)
	if at >= len(raw) {
		return at, ErrCut
	}
	switch raw[at] {
	case '"':
		return stringEnd(raw, at)
	case '{', '[':
		return nestedEnd(raw, at)
	}
	end := at
	for end < len(raw) && isScalar(raw[end]) {
		end++
	}
	if end == at {
		return at, syntax(raw, at)
	}
	return end, nil
}

func isScalar(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '+' || c == '-' || c == '.' || c == 'E'
}

func stringEnd(raw []byte, at int) (int, error) {
	for i := at + 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1, nil
		}
	}
	return len(raw), ErrCut
}

// nestedEnd skips an object or array. Its brackets must match.
func nestedEnd(raw []byte, at int) (int, error) {
	open := make([]byte, 0, 64)
	for i := at; i < len(raw); i++ {
		switch c := raw[i]; c {
		case '"':
			end, err := stringEnd(raw, i)
			if err != nil {
				return end, err
			}
			i = end - 1
		case '{', '[':
			if len(open) >= maxDepth {
				return i, fmt.Errorf("%w: nested deeper than %d", ErrSyntax, maxDepth)
			}
			open = append(open, c+2) // '{'+2 is '}', '['+2 is ']'
		case '}', ']':
			if open[len(open)-1] != c {
				return i, syntax(raw, i)
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return i + 1, nil
			}
		}
	}
	return len(raw), ErrCut
}

// Object calls f with each member of the object raw: its key, unescaped, and its
// value as it stands. Both belong to raw and are valid as long as it is; a key
// with an escape in it is a copy.
func Object(raw []byte, f func(key, value []byte) error) error {
	at := space(raw, 0)
	if at >= len(raw) || raw[at] != '{' {
		return syntax(raw, at)
	}
	at = space(raw, at+1)
	if at < len(raw) && raw[at] == '}' {
		return trailing(raw, at+1)
	}
	for {
		if at >= len(raw) || raw[at] != '"' {
			return syntax(raw, at)
		}
		end, err := stringEnd(raw, at)
		if err != nil {
			return err
		}
		key := raw[at:end]
		if at = space(raw, end); at >= len(raw) || raw[at] != ':' {
			return syntax(raw, at)
		}
		at = space(raw, at+1)
		if end, err = End(raw, at); err != nil {
			return err
		}
		switch err := f(plainKey(key), raw[at:end]); {
		case errors.Is(err, ErrStop):
			return nil
		case err != nil:
			return err
		}
		var more bool
		if at, more, err = next(raw, end, '}'); err != nil || !more {
			return err
		}
	}
}

// Array calls f with each element of the array raw.
func Array(raw []byte, f func(value []byte) error) error {
	at := space(raw, 0)
	if at >= len(raw) || raw[at] != '[' {
		return syntax(raw, at)
	}
	at = space(raw, at+1)
	if at < len(raw) && raw[at] == ']' {
		return trailing(raw, at+1)
	}
	for {
		end, err := End(raw, at)
		if err != nil {
			return err
		}
		switch err := f(raw[at:end]); {
		case errors.Is(err, ErrStop):
			return nil
		case err != nil:
			return err
		}
		var more bool
		if at, more, err = next(raw, end, ']'); err != nil || !more {
			return err
		}
	}
}

// next goes from the end of a member to the next one.
func next(raw []byte, at int, closing byte) (int, bool, error) {
	at = space(raw, at)
	switch {
	case at >= len(raw):
		return at, false, ErrCut
	case raw[at] == ',':
		return space(raw, at+1), true, nil
	case raw[at] == closing:
		return at, false, trailing(raw, at+1)
	}
	return at, false, syntax(raw, at)
}

// trailing reports text behind a whole value.
func trailing(raw []byte, at int) error {
	if at = space(raw, at); at < len(raw) {
		return syntax(raw, at)
	}
	return nil
}

func plainKey(quoted []byte) []byte {
	inner := quoted[1 : len(quoted)-1]
	for _, c := range inner {
		if c == '\\' {
			return []byte(String(quoted))
		}
	}
	return inner
}

// String returns the text of a JSON string, or "" if raw is none.
func String(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return ""
	}
	inner := raw[1 : len(raw)-1]
	plain := true
	for _, c := range inner {
		if c == '\\' || c < ' ' {
			plain = false
			break
		}
	}
	if plain {
		return string(inner)
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// Field returns the value at a path of keys, or nil. The last of equal keys
// counts.
func Field(raw []byte, path ...string) []byte {
	for _, name := range path {
		var found []byte
		if Object(raw, func(key, value []byte) error {
			if string(key) == name {
				found = value
			}
			return nil
		}) != nil || found == nil {
			return nil
		}
		raw = found
	}
	return raw
}

// Quote returns s as a JSON string.
func Quote(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil { // a string can always be written
		return []byte(`""`)
	}
	return b
}
