package importers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"cdpsupervisor/simulations/jsonscan"
)

// objects reads JSON objects one by one: the elements of an array, or one a line.
type objects struct {
	in    *input
	lines bool // one a line: a bad one costs nothing but itself
	inner bool // the array stands in an object, whose end follows it
	buf   []byte
	at    int // the line on which the object began
}

// newObjects looks whether the text is an array, or holds an object a line.
func newObjects(in *input) *objects {
	h := in.head()
	o := &objects{in: in}
	if !bytes.HasPrefix(h.text, []byte("{")) {
		return o
	}
	o.lines = h.lines(func(line []byte) bool { return len(line) > 0 && line[0] == '{' && json.Valid(line) })
	return o
}

// next returns the next object; it is valid until the next call. What cannot be
// read is skipped.
func (o *objects) next() ([]byte, error) {
	for {
		raw, err := o.piece()
		if err != nil {
			return nil, err
		}
		if json.Valid(raw) {
			return raw, nil
		}
		o.in.skip(o.at, "not JSON, or cut off: skipped")
	}
}

func (o *objects) piece() ([]byte, error) {
	if !o.lines {
		return o.element()
	}
	for {
		line, err := o.in.readLine()
		if err != nil {
			return nil, err
		}
		o.at = o.in.line
		// An array with one element a line can be read in either way.
		line = bytes.TrimRight(bytes.TrimSpace(line), ",")
		if len(line) > 0 && line[0] == '{' {
			return line, nil
		}
		if len(line) > 0 && !bytes.Equal(line, []byte("[")) && !bytes.Equal(line, []byte("]")) {
			o.in.skip(o.at, "not a JSON object: skipped")
		}
	}
}

// element finds the next object by its brackets.
func (o *objects) element() ([]byte, error) {
	if err := o.toObject(); err != nil {
		return nil, err
	}
	o.at = max(o.in.line, 1)
	if cap(o.buf) > keptBytes {
		o.buf = nil
	}
	o.buf = o.buf[:0]
	depth, inString, escaped := 0, false, false
	for {
		part, err := o.in.text.Peek(1)
		if torn(err) {
			break
		}
		if err != nil {
			return nil, err
		}
		if n := o.in.text.Buffered(); n > 1 {
			part, _ = o.in.text.Peek(n)
		}
		used := len(part)
		for i, c := range part {
			if c == '\n' {
				o.in.line++
			}
			switch {
			case escaped:
				escaped = false
			case inString && c == '\\':
				escaped = true
			case c == '"':
				inString = !inString
			case inString:
			case c == '{' || c == '[':
				depth++
			case c == '}' || c == ']':
				depth--
			}
			if depth == 0 {
				used = i + 1
				break
			}
		}
		o.buf = append(o.buf, part[:used]...)
		_, _ = o.in.text.Discard(used)
		switch {
		case depth == 0:
			return o.buf, nil
		case len(o.buf) > maxPiece:
			o.in.skip(o.at, "an element has no end within %d MiB: the rest is skipped", maxPiece>>20)
			return nil, io.EOF
		}
	}
	o.in.skip(o.at, "the file ends in the middle of a message: skipped")
	return nil, io.EOF
}

// toObject goes to the next opening brace.
func (o *objects) toObject() error {
	o.in.line = max(o.in.line, 1)
	foreign := false
	for {
		c, err := o.in.text.ReadByte()
		switch {
		case torn(err):
			return io.EOF
		case err != nil:
			return err
		case c == '{':
			return o.in.text.UnreadByte()
		case c == '\n':
			o.in.line++
			foreign = false
		case c == '}' && o.inner:
		case c == ' ' || c == '\t' || c == '\r' || c == ',' || c == '[' || c == ']':
		case !foreign:
			foreign = true
			o.in.skip(o.in.line, "not a JSON object: skipped")
		}
	}
}

// fields are the members of one object that the forms are told by.
type fields map[string][]byte

// first returns the members of the first object in the head of a file. The object
// may be longer than the head: then it has those members that are whole.
func (h *head) first() fields {
	text := bytes.TrimLeft(h.text, "[ \t\r\n")
	f := fields{}
	end, err := jsonscan.End(text, 0)
	if err == nil {
		text = text[:end]
	} else if !errors.Is(err, jsonscan.ErrCut) {
		return f
	}
	_ = jsonscan.Object(text, func(key, value []byte) error {
		f[string(key)] = value
		return nil
	})
	return f
}

func (f fields) has(names ...string) bool {
	for _, name := range names {
		if f[name] == nil {
			return false
		}
	}
	return true
}

// isArray reports whether the file is a JSON array.
func (h *head) isArray() bool { return bytes.HasPrefix(h.text, []byte("[")) }

// isObject reports whether the file begins with a JSON object.
func (h *head) isObject() bool { return bytes.HasPrefix(h.text, []byte("{")) }
