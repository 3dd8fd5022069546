package importers

import (
	"bytes"
	"strconv"
	"time"

	"cdpsupervisor/simulations/jsonscan"
)

// epochFrom is the least timestamp that is taken for milliseconds since 1970, and
// not for seconds of a monotonic clock: some CDP events have the one, some the
// other.
const epochFrom = 1e11

// maxSpan is the longest recording that is believed: a time that is further from
// the first one is taken for a mistake.
const maxSpan = 366 * 24 * time.Hour

// clock turns the times that a file shows into times since its start.
type clock struct {
	start time.Time     // when the recording began, where that is known
	now   time.Duration // the last time

	based bool    // base is set
	base  float64 // the monotonic time, in seconds, at now zero
	lanes map[string]time.Duration
}

// at takes an absolute time.
func (c *clock) at(t time.Time) {
	if c.start.IsZero() {
		c.start = t.Add(-c.now)
	}
	c.forward(t.Sub(c.start))
}

// since takes a time that passed since the last message in the same lane; a lane
// begins at the time of its first message. Loggers that print such times keep one
// clock for each kind of line.
func (c *clock) since(lane string, d time.Duration) {
	if c.lanes == nil {
		c.lanes = make(map[string]time.Duration)
	}
	last, known := c.lanes[lane]
	if !known {
		c.lanes[lane] = c.now
		return
	}
	c.lanes[lane] = last + d
	c.forward(last + d)
}

// monotonic takes a time, in seconds, of a clock that began at some moment.
func (c *clock) monotonic(seconds float64) {
	if !c.based {
		c.based, c.base = true, seconds-c.now.Seconds()
	}
	c.forward(time.Duration((seconds - c.base) * float64(time.Second)))
}

// forward moves on, never back, and never by a span that nobody records. Traces
// hold microseconds, so that is what counts.
func (c *clock) forward(t time.Duration) {
	if t = t.Round(time.Microsecond); t > c.now && t < maxSpan {
		c.now = t
	}
}

// event takes the times that the parameters of an event show: seconds of a
// monotonic clock, and sometimes the time of day that goes with it.
func (c *clock) event(params []byte) {
	if !bytes.Contains(params, []byte(`"timestamp"`)) {
		return
	}
	var monotonic, wall float64
	_ = jsonscan.Object(params, func(key, value []byte) error {
		switch string(key) {
		case "timestamp":
			monotonic, _ = strconv.ParseFloat(string(value), 64)
		case "wallTime":
			wall, _ = strconv.ParseFloat(string(value), 64)
		}
		return nil
	})
	if !(monotonic > 0 && monotonic < epochFrom) {
		return
	}
	c.monotonic(monotonic)
	if wall > 0 && wall < epochFrom && c.start.IsZero() {
		c.start = time.UnixMicro(int64((wall - (monotonic - c.base)) * 1e6))
	}
}

// leadingTime reads the time with which a line of a log begins.
func leadingTime(line []byte) (time.Time, bool) {
	line = bytes.TrimLeft(line, " \t")
	line = bytes.TrimPrefix(line, []byte(`time="`))
	line = bytes.TrimPrefix(line, []byte("["))
	if len(line) < 19 || line[0] < '0' || line[0] > '9' {
		return time.Time{}, false
	}
	end := 0
	for blanks := 0; end < len(line) && end < 40; end++ {
		if c := line[end]; c == '"' || c == ']' {
			break
		} else if c == ' ' {
			if blanks++; blanks == 2 || end > 10 {
				break
			}
		}
	}
	text := string(bytes.Replace(line[:end], []byte(","), []byte("."), 1))
	for _, layout := range []string{time.RFC3339Nano, "2006/01/02 15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// trailingDiff reads the "+12ms" with which lines of the debug package end.
func trailingDiff(tail []byte) (time.Duration, bool) {
	tail = bytes.TrimRight(tail, " \t")
	plus := bytes.LastIndexByte(tail, '+')
	if plus < 0 || plus > 0 && tail[plus-1] != ' ' {
		return 0, false
	}
	text := string(tail[plus+1:])
	if days, ok := bytes.CutSuffix(tail[plus+1:], []byte("d")); ok {
		n, err := strconv.ParseFloat(string(days), 64)
		return time.Duration(n * float64(24*time.Hour)), err == nil && n >= 0 && n < 400
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d >= 0
}
