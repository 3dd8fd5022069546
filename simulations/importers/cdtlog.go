package importers

import (
	"strconv"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/simulations/jsonscan"
)

// isCDTLog: an array of objects that name their direction. Older exports of the
// DevTools Protocol Monitor look the same.
func isCDTLog(h *head) bool {
	f := h.first()
	if !h.isArray() || !f.has("type") {
		return false
	}
	switch jsonscan.String(f["type"]) {
	case "send", "recv", "evt":
		return f.has("method") || f.has("id")
	}
	return false
}

// cdtLog reads what cdt-log-replay keeps: commands as "send", replies as "recv",
// events as "evt" or "recv". There is no clock. Behind some proxies commands have
// no session though their replies do; then the session is that of the reply, and
// the command is left as it was written.
type cdtLog struct {
	objects *objects
	out     []byte
}

func openCDTLog(in *input, _ *Trace) (source, error) { return &cdtLog{objects: newObjects(in)}, nil }

func (l *cdtLog) next(c *clock) (Message, error) {
	for {
		raw, err := l.objects.next()
		if err != nil {
			return Message{}, err
		}
		m, err := jsonscan.ReadMessage(raw)
		if err != nil {
			l.objects.in.skip(l.objects.at, "an object with neither a method nor an id: skipped")
			continue
		}
		dir := cdpwire.Received
		switch jsonscan.String(jsonscan.Field(raw, "type")) {
		case "send":
			dir = cdpwire.Sent
		case "recv", "evt":
			if m.Result != nil || m.Error != nil {
				m.Method, m.Params = "", nil // some repeat what was asked
			}
		default:
			l.objects.in.skip(l.objects.at, `its "type" is none of send, recv, evt: skipped`)
			continue
		}
		if at, err := strconv.ParseFloat(string(jsonscan.Field(raw, "requestTime")), 64); err == nil && at >= 0 {
			c.forward(milliseconds(at))
		}
		c.event(m.Params)
		if l.out, err = flat(l.out, &m); err != nil {
			l.objects.in.skip(l.objects.at, "it cannot be written on one line: skipped")
			continue
		}
		return Message{T: c.now, Dir: dir, Msg: l.out}, nil
	}
}
