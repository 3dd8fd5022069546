package importers

import (
	"bytes"
	"encoding/json"
	"strconv"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/simulations/jsonscan"
)

// rodRoot is how rod prints the root session.
const rodRoot = "00000000"

// rodLine is a line of rod's log, taken apart.
type rodLine struct {
	dir     cdpwire.Direction
	id      int64
	session string // its first eight characters; "" for a reply
	method  string // "" for a reply
	value   []byte
	failed  bool
}

func isRod(h *head) bool {
	return h.lines(func(line []byte) bool {
		_, ok := parseRod(plainLine(line))
		return ok
	})
}

// parseRod reads one of
//
//	=> #1 @00000000 Target.attachToTarget {…}
//	<= #1 {…}
//	<= #1 error: {…}
//	<- @1A2B3C4D Page.frameNavigated {…}
func parseRod(line []byte) (r rodLine, ok bool) {
	at := -1
	for _, arrow := range []string{"=> #", "<= #", "<- @"} {
		if at = bytes.Index(line, []byte(arrow)); at >= 0 && at < 80 {
			break
		}
		at = -1
	}
	if at < 0 {
		return r, false
	}
	words := bytes.SplitN(line[at+3:], []byte(" "), 4)
	arrow := string(line[at : at+2])
	r.dir = cdpwire.Received
	if arrow != "<-" {
		id, err := strconv.ParseInt(string(bytes.TrimPrefix(words[0], []byte("#"))), 10, 64)
		if err != nil {
			return r, false
		}
		r.id = id
	}
	switch {
	case arrow == "=>" && len(words) == 4:
		r.dir, r.session, r.method, r.value = cdpwire.Sent, string(words[1]), string(words[2]), words[3]
	case arrow == "<-" && len(words) >= 3:
		r.session, r.method, r.value = string(words[0]), string(words[1]), bytes.Join(words[2:], []byte(" "))
	case arrow == "<=" && len(words) >= 2:
		r.value = bytes.Join(words[1:], []byte(" "))
		if rest, cut := bytes.CutPrefix(r.value, []byte("error: ")); cut {
			r.value, r.failed = rest, true
		}
	default:
		return r, false
	}
	named := len(r.session) > 1 && r.session[0] == '@' && bytes.ContainsRune([]byte(r.method), '.')
	if arrow != "<=" && !named {
		return r, false
	}
	r.session = string(bytes.TrimPrefix([]byte(r.session), []byte("@")))
	return r, true
}

// rod reads logs of rod, which shorten sessions to eight characters: they are
// completed from Target.attachedToTarget where those are unique.
type rod struct {
	in       *input
	sessions map[string]string // by their first eight characters
	line     []byte
	out      []byte
}

func openRod(in *input, _ *Trace) (source, error) {
	return &rod{in: in, sessions: make(map[string]string)}, nil
}

func (r *rod) next(c *clock) (Message, error) {
	for {
		line, err := r.in.readLine()
		if err != nil {
			return Message{}, err
		}
		r.line = append(r.line[:0], plainLine(line)...)
		parsed, ok := parseRod(r.line)
		switch {
		case !ok && len(bytes.TrimSpace(r.line)) == 0:
			continue
		case !ok:
			r.in.skip(r.in.line, "a line of something else: skipped")
			continue
		case !json.Valid(parsed.value):
			r.in.skip(r.in.line, "not JSON, or cut off: skipped")
			continue
		}
		if t, ok := leadingTime(bytes.TrimPrefix(r.line, []byte("[rod] "))); ok {
			c.at(t)
		} else if c.start.IsZero() {
			c.event(parsed.value)
		}
		if r.out, err = flat(r.out, r.message(&parsed)); err != nil {
			r.in.skip(r.in.line, "it cannot be written on one line: skipped")
			continue
		}
		return Message{T: c.now, Dir: parsed.dir, Msg: r.out}, nil
	}
}

func (r *rod) message(p *rodLine) *jsonscan.Message {
	m := &jsonscan.Message{Method: p.method, Session: r.full(p.session)}
	switch {
	case p.method == "" && p.failed:
		m.HasID, m.ID, m.Error = true, p.id, p.value
	case p.method == "":
		m.HasID, m.ID, m.Result = true, p.id, p.value
	case p.dir == cdpwire.Sent:
		m.HasID, m.ID, m.Params = true, p.id, p.value
	default:
		m.Params = p.value
		if p.method == "Target.attachedToTarget" {
			r.learn(jsonscan.String(jsonscan.Field(p.value, "sessionId")))
		}
	}
	return m
}

func (r *rod) full(short string) string {
	if short == rodRoot {
		return ""
	}
	if full := r.sessions[short]; full != "" {
		return full
	}
	return short
}

func (r *rod) learn(full string) {
	if len(full) < len(rodRoot) || len(r.sessions) >= maxNested {
		return
	}
	short := full[:len(rodRoot)]
	if known, taken := r.sessions[short]; taken && known != full {
		r.sessions[short] = short // two begin alike: both keep the short form
		return
	}
	r.sessions[short] = full
}
