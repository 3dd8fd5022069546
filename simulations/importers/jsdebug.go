package importers

import (
	"strconv"
	"time"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/simulations/jsonscan"
)

func isJSDebug(h *head) bool {
	return h.isObject() && h.lines(func(line []byte) bool { return jsDebugWay(line) != 0 })
}

func jsDebugWay(line []byte) cdpwire.Direction {
	switch jsonscan.String(jsonscan.Field(line, "tag")) {
	case "cdp.send":
		return cdpwire.Sent
	case "cdp.receive":
		return cdpwire.Received
	}
	return 0
}

// jsDebug reads logs of the debugger in Visual Studio Code. They hold other things,
// too, and may hold several connections: the first one that speaks CDP counts.
type jsDebug struct {
	objects    *objects
	connection string
	out        []byte
}

func openJSDebug(in *input, _ *Trace) (source, error) {
	return &jsDebug{objects: &objects{in: in, lines: true}}, nil
}

func (d *jsDebug) next(c *clock) (Message, error) {
	for {
		raw, err := d.objects.next()
		if err != nil {
			return Message{}, err
		}
		dir := jsDebugWay(raw)
		if dir == 0 {
			continue // what the debugger and the editor say to each other
		}
		connection := string(jsonscan.Field(raw, "metadata", "connectionId"))
		if d.connection == "" {
			d.connection = connection
		}
		if connection != d.connection {
			continue
		}
		m, err := jsonscan.ReadMessage(jsonscan.Field(raw, "metadata", "message"))
		if err != nil {
			d.objects.in.skip(d.objects.at, "its message is no CDP message: skipped")
			continue
		}
		if ms, err := strconv.ParseFloat(string(jsonscan.Field(raw, "timestamp")), 64); err == nil && ms > epochFrom && ms < 1e14 {
			c.at(time.UnixMicro(int64(ms * 1e3)))
		}
		if d.out, err = flat(d.out, &m); err != nil {
			d.objects.in.skip(d.objects.at, "it cannot be written on one line: skipped")
			continue
		}
		return Message{T: c.now, Dir: dir, Msg: d.out}, nil
	}
}
