package cdpwire

import "strconv"

// maxJSONDepth is how deep arrays and objects may nest, as in encoding/json.
const maxJSONDepth = 10_000

// scanner walks one JSON text without building a tree and without allocating.
// After the first byte that is not JSON, or a value of another kind than was
// asked for, it is bad: every method then returns the zero value, so a decoder
// asks once, at its end. null stands for the zero value of every kind.
type scanner struct {
	b     []byte
	i     int
	depth int
	bad   bool
}

// members is the state of a walk over the members of one object.
type members struct {
	key  []byte // the current key, unescaped; valid until the next member
	more bool   // a member was read already
	done bool
}

// elements is the state of a walk over the elements of one array.
type elements struct {
	more bool
	done bool
}

func (s *scanner) fail() { s.bad = true }

// end reports whether the text was all good and nothing but white space is left.
func (s *scanner) end() bool {
	s.space()
	return !s.bad && s.i == len(s.b)
}

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

// peek skips white space and returns the byte that follows, 0 at the end.
func (s *scanner) peek() byte {
	if s.i < len(s.b) && s.b[s.i] > ' ' {
		return s.b[s.i]
	}
	s.space()
	if s.bad || s.i >= len(s.b) {
		return 0
	}
	return s.b[s.i]
}

func (s *scanner) literal(word string) bool {
	if len(s.b)-s.i < len(word) || string(s.b[s.i:s.i+len(word)]) != word {
		s.fail()
		return false
	}
	s.i += len(word)
	return true
}

func (s *scanner) null() bool { return s.peek() == 'n' && s.literal("null") }

func (s *scanner) open(bracket byte) bool {
	if s.peek() != bracket || s.depth >= maxJSONDepth {
		s.fail()
		return false
	}
	s.i++
	s.depth++
	return true
}

// object begins a walk over an object:
//
//	for m := s.object(); s.member(&m); {
//		switch string(m.key) { case "a": a = s.integer(); default: s.skip() }
//	}
func (s *scanner) object() members {
	return members{done: s.null() || !s.open('{')}
}

// member steps to the next member, whose value the caller must then take.
func (s *scanner) member(m *members) bool {
	if s.bad || m.done {
		return false
	}
	if s.peek() == '}' {
		s.i++
		s.depth--
		m.done = true
		return false
	}
	if m.more {
		if !s.eat(',') {
			return false
		}
		s.space()
	}
	m.more = true
	raw, plain := s.quoted()
	if !plain {
		raw, _ = appendText(nil, raw, len(raw)*3)
	}
	m.key = raw
	return s.eat(':')
}

func (s *scanner) eat(c byte) bool {
	if s.peek() != c {
		s.fail()
		return false
	}
	s.i++
	return true
}

// array begins a walk over an array, as object does.
func (s *scanner) array() elements {
	return elements{done: s.null() || !s.open('[')}
}

// element steps to the next element, which the caller must then take.
func (s *scanner) element(e *elements) bool {
	if s.bad || e.done {
		return false
	}
	if s.peek() == ']' {
		s.i++
		s.depth--
		e.done = true
		return false
	}
	if e.more && !s.eat(',') {
		return false
	}
	e.more = true
	return true
}

// quoted takes a string and returns what stands between its quotes. Plain means
// that this is the text itself: ASCII without escapes.
func (s *scanner) quoted() (raw []byte, plain bool) {
	if s.peek() != '"' {
		s.fail()
		return nil, true
	}
	start := s.i + 1
	end, plain := stringEnd(s.b, start)
	if end < 0 {
		s.fail()
		return nil, true
	}
	s.i = end + 1
	return s.b[start:end], plain
}

// text is quoted that takes null for the empty string.
func (s *scanner) text() (raw []byte, plain bool) {
	if s.null() || s.bad {
		return nil, true
	}
	return s.quoted()
}

// value takes any value and returns its text.
func (s *scanner) value() []byte {
	s.space()
	start := s.i
	s.skip()
	if s.bad {
		return nil
	}
	return s.b[start:s.i]
}

// skip takes any value.
func (s *scanner) skip() {
	switch c := s.peek(); {
	case c == '"':
		s.quoted()
	case c == '{':
		for m := s.object(); s.skipMember(&m); {
			s.skip()
		}
	case c == '[':
		for e := s.array(); s.element(&e); {
			s.skip()
		}
	case c == 't':
		s.literal("true")
	case c == 'f':
		s.literal("false")
	case c == 'n':
		s.literal("null")
	default:
		s.digits()
	}
}

// skipMember is member for a walk that does not look at keys.
func (s *scanner) skipMember(m *members) bool {
	if s.bad || m.done {
		return false
	}
	if s.peek() == '}' {
		s.i++
		s.depth--
		m.done = true
		return false
	}
	if m.more && !s.eat(',') {
		return false
	}
	m.more = true
	s.quoted()
	return s.eat(':')
}

// boolean takes a boolean.
func (s *scanner) boolean() bool {
	switch s.peek() {
	case 't':
		return s.literal("true")
	case 'f':
		s.literal("false")
	default:
		if !s.null() {
			s.fail()
		}
	}
	return false
}

// digits takes a number and returns its text.
func (s *scanner) digits() []byte {
	s.space()
	end := numberEnd(s.b, s.i)
	if s.bad || end < 0 {
		s.fail()
		return nil
	}
	raw := s.b[s.i:end]
	s.i = end
	return raw
}

// integer takes a number that is written as an integer and fits 64 bits.
func (s *scanner) integer() int64 {
	if s.null() || s.bad {
		return 0
	}
	n, ok := parseInt(s.digits())
	if !ok {
		s.fail()
	}
	return n
}

// float takes a number.
func (s *scanner) float() float64 {
	if s.null() || s.bad {
		return 0
	}
	raw := s.digits()
	if s.bad {
		return 0
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		s.fail()
		return 0
	}
	return f
}
