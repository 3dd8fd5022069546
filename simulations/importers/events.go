package importers

import (
	"bytes"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/simulations/jsonscan"
)

// isDevtoolsLog: objects with a method and its parameters, and nothing that
// another form has.
func isDevtoolsLog(h *head) bool {
	f := h.first()
	return (h.isArray() || h.isObject()) && f.has("method", "params") && !f.has("requestTime") && !f.has("dir")
}

// eventLog reads events as Lighthouse (devtoolslog), chrome-har and browser-trace
// keep them: an array or lines of objects with method, params and, in newer ones,
// sessionId. Lines with an id are taken for what they are. There are no commands,
// and time stands in the parameters of some events only.
type eventLog struct {
	objects *objects
	out     []byte
}

func openDevtoolsLog(in *input, _ *Trace) (source, error) {
	return &eventLog{objects: newObjects(in)}, nil
}

func (e *eventLog) next(c *clock) (Message, error) {
	for {
		raw, err := e.objects.next()
		if err != nil {
			return Message{}, err
		}
		m, err := jsonscan.ReadMessage(raw)
		if err != nil {
			e.objects.in.skip(e.objects.at, "an object without a method: skipped")
			continue
		}
		c.event(m.Params)
		dir := cdpwire.Received
		if m.HasID && m.Method != "" {
			dir = cdpwire.Sent
		}
		if e.out, err = flat(e.out, &m); err != nil {
			e.objects.in.skip(e.objects.at, "it cannot be written on one line: skipped")
			continue
		}
		return Message{T: c.now, Dir: dir, Msg: e.out}, nil
	}
}

// flat writes a message on one line into the memory of b.
func flat(b []byte, m *jsonscan.Message) ([]byte, error) {
	if cap(b) > keptBytes {
		b = nil
	}
	b = m.Append(b[:0])
	if bytes.IndexByte(b, '\n') < 0 && bytes.IndexByte(b, '\r') < 0 {
		return b, nil
	}
	return compact(b)
}
