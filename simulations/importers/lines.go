package importers

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/simulations/jsonscan"
)

// maxJoined is how many lines a message may be spread over that an editor or a
// forum has wrapped.
const maxJoined = 50

// hit is what a line of a log turned out to be.
type hit struct {
	dir  cdpwire.Direction
	json int    // where the message begins in the line; -1 if the line has none of its own
	lane string // the clock of lines of this sort
	// quote is the quote that the message stands in; 0 if in none. With "\"" it is
	// a Go string, with any other a JavaScript one.
	quote byte
	// newline stands in for the end of a line inside a message.
	newline string
}

// finder recognises the lines of one form. The line holds no colour codes.
type finder func(line []byte) (hit, bool)

// noise is a line that belongs to the form and holds no message of its own.
func noise() (hit, bool) { return hit{json: -1}, true }

// lineIs reports whether any line of a head holds a message of the form.
func lineIs(find finder) func(h *head) bool {
	return func(h *head) bool {
		return h.lines(func(line []byte) bool {
			found, ok := find(plainLine(line))
			return ok && found.json >= 0
		})
	}
}

// linesOf opens a log in which a line is a message.
func linesOf(find finder) func(in *input, t *Trace) (source, error) {
	return func(in *input, _ *Trace) (source, error) { return &lines{in: in, find: find}, nil }
}

// lines reads a log line by line.
type lines struct {
	in   *input
	find finder
	line []byte // the current one, in memory of its own
	out  []byte
}

func (l *lines) next(c *clock) (Message, error) {
	for {
		dir, raw, err := l.message(c)
		if err != nil {
			return Message{}, err
		}
		if raw == nil {
			continue
		}
		if raw, err = l.oneLine(raw); err != nil {
			l.in.skip(l.in.line, "it cannot be written on one line: skipped")
			continue
		}
		return Message{T: c.now, Dir: dir, Msg: raw}, nil
	}
}

func (l *lines) oneLine(raw []byte) ([]byte, error) {
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return raw, nil
	}
	return compact(raw)
}

// message reads the next line. raw is nil where it held no message.
func (l *lines) message(c *clock) (dir cdpwire.Direction, raw []byte, err error) {
	line, err := l.in.readLine()
	if err != nil {
		return 0, nil, err
	}
	l.line = append(l.line[:0], plainLine(line)...)
	at := l.in.line
	found, ok := l.find(l.line)
	if !ok {
		if len(bytes.TrimSpace(l.line)) > 0 {
			l.in.skip(at, "a line of something else: skipped")
		}
		return 0, nil, nil
	}
	if t, ok := leadingTime(l.line); ok {
		c.at(t)
	} else if t, ok := levelTime(l.line); ok {
		c.forward(t)
	}
	if found.json < 0 {
		if d, ok := trailingDiff(l.line); ok && found.lane != "" {
			c.since(found.lane, d)
		}
		return 0, nil, nil
	}
	raw, tail, why := l.value(found)
	if why != "" {
		l.in.skip(at, "%s: %s: skipped", methodOf(l.line[found.json:]), why)
		return 0, nil, nil
	}
	m, err := jsonscan.ReadMessage(raw)
	if err != nil {
		l.in.skip(at, "its JSON is no CDP message: skipped")
		return 0, nil, nil
	}
	if d, ok := trailingDiff(tail); ok {
		c.since(found.lane, d)
	} else if c.start.IsZero() && len(c.lanes) == 0 {
		c.event(m.Params)
	}
	return found.dir, raw, nil
}

// value takes the message out of the line, and what stands behind it; why says
// what is wrong with it.
func (l *lines) value(h hit) (raw, tail []byte, why string) {
	for joined := 0; ; joined++ {
		end, err := l.end(h)
		if err == nil {
			raw, tail = l.line[h.json:end], l.line[end:]
			break
		}
		if !errors.Is(err, jsonscan.ErrCut) {
			return nil, nil, "not JSON, or cut off"
		}
		if bytes.Contains(l.line, []byte("LOG TRUNCATED")) || joined >= maxJoined || len(l.line) > maxPiece || !l.join(h.newline) {
			return nil, nil, "cut off"
		}
	}
	if h.quote != 0 {
		text, ok := unquote(raw, h.quote)
		if !ok {
			return nil, nil, "cut off inside its quotes"
		}
		raw = bytes.TrimPrefix(bytes.TrimPrefix(text, []byte("-> ")), []byte("<- "))
	}
	if json.Valid(raw) {
		return raw, tail, ""
	}
	if raw = escapeControls(raw); json.Valid(raw) {
		return raw, tail, ""
	}
	return nil, nil, "not JSON, or cut off"
}

// end is where the message ends in the line, with its quotes.
func (l *lines) end(h hit) (int, error) {
	if h.quote == 0 {
		return jsonscan.End(l.line, h.json)
	}
	for i := h.json + 1; i < len(l.line); i++ {
		switch l.line[i] {
		case '\\':
			i++
		case h.quote:
			return i + 1, nil
		}
	}
	return 0, jsonscan.ErrCut
}

// join appends the next line, unless that is one in its own right.
func (l *lines) join(newline string) bool {
	line, err := l.in.readLine()
	if err != nil {
		return false // the end; the next call says so again
	}
	plain := plainLine(line)
	found, ok := l.find(plain)
	_, timed := leadingTime(plain)
	if ok && found.json >= 0 || timed || len(plain) == 0 {
		l.in.unread(line)
		return false
	}
	l.line = append(append(l.line, newline...), plain...)
	return true
}

// unquote reads a string as Go or JavaScript print it.
func unquote(raw []byte, quote byte) ([]byte, bool) {
	if len(raw) < 2 {
		return nil, false
	}
	if quote == '"' {
		if s := jsonscan.String(raw); s != "" {
			return []byte(s), true
		}
		s, err := strconv.Unquote(string(raw))
		return []byte(s), err == nil
	}
	inner := raw[1 : len(raw)-1]
	out := make([]byte, 0, len(inner))
	for i := 0; i < len(inner); i++ {
		c := inner[i]
		if c != '\\' || i+1 >= len(inner) {
			out = append(out, c)
			continue
		}
		i++
		switch c := inner[i]; c {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		default: // \\ and the quote itself
			out = append(out, c)
		}
	}
	return out, true
}

// plainLine cuts colour codes out of a line.
func plainLine(line []byte) []byte {
	if bytes.IndexByte(line, 0x1B) < 0 {
		return bytes.TrimRight(line, " \t\r")
	}
	out := make([]byte, 0, len(line))
	for i := 0; i < len(line); i++ {
		if line[i] != 0x1B || i+1 >= len(line) || line[i+1] != '[' {
			out = append(out, line[i])
			continue
		}
		for i += 2; i < len(line) && (line[i] >= '0' && line[i] <= '9' || line[i] == ';'); i++ {
		}
	}
	return bytes.TrimRight(out, " \t\r")
}

// methodOf names the method of a message that cannot be read as a whole.
func methodOf(text []byte) string {
	const key = `"method":"`
	_, after, ok := bytes.Cut(text, []byte(key))
	if !ok {
		return "a message"
	}
	name, _, ok := bytes.Cut(after, []byte(`"`))
	if !ok || len(name) > 80 {
		return "a message"
	}
	for _, c := range name {
		if !(c == '.' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			return "a message"
		}
	}
	return string(name)
}

// levelTime reads the seconds since the start with which lines of logrus begin on
// a terminal: DEBU[0003].
func levelTime(line []byte) (time.Duration, bool) {
	if len(line) < 7 || line[4] != '[' {
		return 0, false
	}
	digits, _, ok := bytes.Cut(line[5:], []byte("]"))
	n, err := strconv.Atoi(string(digits))
	return time.Duration(n) * time.Second, ok && err == nil && n >= 0 && n < 1e7
}
