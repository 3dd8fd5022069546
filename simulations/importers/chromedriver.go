package importers

import (
	"bytes"
	"strconv"
	"time"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/simulations/jsonscan"
)

func isChromedriver(h *head) bool {
	if f := h.first(); f.has("message", "level", "timestamp") {
		return bytes.Contains(f["message"], []byte(`\"method\"`)) || bytes.Contains(f["message"], []byte(`\"webview\"`))
	}
	// What the WebDriver command answers is wrapped once more.
	return h.isObject() && bytes.HasPrefix(bytes.ReplaceAll(h.text[:min(len(h.text), 64)], []byte(" "), nil), []byte(`{"value":[`))
}

// chromedriver reads performance logs of chromedriver: entries whose message is
// JSON in a string, with the event inside and the target that it came from as
// webview. A target stands for a session: there is no other in these logs.
type chromedriver struct {
	objects *objects
	out     []byte
}

func openChromedriver(in *input, _ *Trace) (source, error) {
	if h := in.head(); h.isObject() && !h.first().has("message") {
		// Past {"value": to the array in it.
		if _, err := in.text.ReadSlice('['); err != nil {
			return nil, err
		}
		return &chromedriver{objects: &objects{in: in, inner: true}}, nil
	}
	return &chromedriver{objects: newObjects(in)}, nil
}

func (d *chromedriver) next(c *clock) (Message, error) {
	for {
		raw, err := d.objects.next()
		if err != nil {
			return Message{}, err
		}
		inner := []byte(jsonscan.String(jsonscan.Field(raw, "message")))
		m, err := jsonscan.ReadMessage(jsonscan.Field(inner, "message"))
		if err != nil || !m.IsEvent() {
			d.objects.in.skip(d.objects.at, "an entry without an event: skipped")
			continue
		}
		if ms, err := strconv.ParseFloat(string(jsonscan.Field(raw, "timestamp")), 64); err == nil && ms > epochFrom && ms < 1e14 {
			c.at(time.UnixMicro(int64(ms * 1e3)))
		}
		if m.Session == "" {
			m.Session = jsonscan.String(jsonscan.Field(inner, "webview"))
		}
		if d.out, err = flat(d.out, &m); err != nil {
			d.objects.in.skip(d.objects.at, "it cannot be written on one line: skipped")
			continue
		}
		return Message{T: c.now, Dir: cdpwire.Received, Msg: d.out}, nil
	}
}
