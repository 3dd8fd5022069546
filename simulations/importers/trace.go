package importers

import (
	"errors"
	"io"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/simulations/jsonscan"
)

// isTrace: any line of the head is a line of a trace. The first one need not be:
// traces are cut and sewn together.
func isTrace(h *head) bool {
	if !h.isObject() {
		return false
	}
	return h.lines(func(line []byte) bool {
		var t, dir, msg, header bool
		err := jsonscan.Object(line, func(key, value []byte) error {
			switch string(key) {
			case "trace":
				header = len(value) > 0 && value[0] >= '0' && value[0] <= '9'
			case "t":
				t = true
			case "dir":
				dir = true
			case "msg", "text":
				msg = true
			}
			return nil
		})
		return err == nil && (header || t && dir && msg)
	})
}

// ownTrace reads the engine's own traces.
type ownTrace struct {
	in    *input
	lines *cdpwire.TraceReader
}

func openTrace(in *input, t *Trace) (source, error) {
	lines, err := cdpwire.NewTraceReader(in.text)
	if err != nil {
		return nil, err
	}
	t.header, _ = lines.Header()
	return &ownTrace{in: in, lines: lines}, nil
}

func (o *ownTrace) next(*clock) (Message, error) {
	for {
		line, err := o.lines.Next()
		switch {
		case err == nil:
			return Message{T: line.T, Dir: line.Dir, Msg: line.Msg}, nil
		case errors.Is(err, cdpwire.ErrTraceLine):
			o.in.skip(0, "%v: skipped", err)
		case errors.Is(err, io.EOF):
			if o.lines.Torn() {
				o.in.skip(0, "the trace ends in the middle of a line, as it does when its recorder was killed")
			}
			return Message{}, io.EOF
		default:
			return Message{}, err
		}
	}
}
