package importers

import (
	"strconv"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/simulations/jsonscan"
)

// nestedIDs is where the ids begin that commands get which had one of their own
// space; ids of a browser's own connection stay far below.
const nestedIDs = 1 << 30

// maxNested is how many commands are remembered until their replies come.
const maxNested = 100_000

// nestedLinesOf opens a log of a client that speaks the old protocol, in which
// messages of a session travel inside others, as text, with ids of their own.
func nestedLinesOf(find finder) func(in *input, t *Trace) (source, error) {
	return func(in *input, _ *Trace) (source, error) {
		return &nested{lines: lines{in: in, find: find}, ids: make(map[string]int64), hulls: make(map[int64]bool)}, nil
	}
}

// nested unwraps what such a client sends and gets.
type nested struct {
	lines
	ids   map[string]int64 // by session and id inside
	hulls map[int64]bool   // commands that carried others; their replies say nothing
	last  int64
}

func (n *nested) next(c *clock) (Message, error) {
	for {
		m, err := n.lines.next(c)
		if err != nil {
			return m, err
		}
		outer, err := jsonscan.ReadMessage(m.Msg)
		if err != nil {
			continue // it was read before
		}
		switch {
		case outer.Method == "Target.sendMessageToTarget" && m.Dir == cdpwire.Sent:
			if len(n.hulls) < maxNested {
				n.hulls[outer.ID] = true
			}
		case outer.Method == "Target.receivedMessageFromTarget":
		case outer.IsReply() && n.hulls[outer.ID]:
			delete(n.hulls, outer.ID)
			continue
		default:
			return m, nil
		}
		if m.Msg = n.unwrap(&outer, m.Dir); m.Msg != nil {
			return m, nil
		}
		n.in.skip(n.in.line, "what %s carries cannot be read: skipped", outer.Method)
	}
}

func (n *nested) unwrap(outer *jsonscan.Message, dir cdpwire.Direction) []byte {
	inner, err := jsonscan.ReadMessage([]byte(jsonscan.String(jsonscan.Field(outer.Params, "message"))))
	if err != nil {
		return nil
	}
	inner.Session = jsonscan.String(jsonscan.Field(outer.Params, "sessionId"))
	if inner.HasID {
		key := inner.Session + " " + strconv.FormatInt(inner.ID, 10)
		if dir == cdpwire.Sent {
			n.last++
			if len(n.ids) < maxNested {
				n.ids[key] = nestedIDs + n.last
			}
			inner.ID = nestedIDs + n.last
		} else if id, known := n.ids[key]; known {
			delete(n.ids, key)
			inner.ID = id
		} else {
			n.last++
			inner.ID = nestedIDs + n.last // to no command that we saw
		}
	}
	out, err := flat(n.out, &inner)
	if err != nil {
		return nil
	}
	n.out = out
	return out
}
