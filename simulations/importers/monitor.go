package importers

import (
	"container/heap"
	"errors"
	"io"
	"slices"
	"strconv"
	"time"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/simulations/jsonscan"
)

// maxWaiting is how many replies wait for their time.
const maxWaiting = 10_000

func isMonitor(h *head) bool { return h.isArray() && h.first().has("method", "requestTime") }

// monitor reads what the DevTools Protocol Monitor saves: one object for a
// command and its reply together, at requestTime, and elapsedTime later, in
// milliseconds. The replies are put back where they belong.
type monitor struct {
	objects *objects
	waiting waitingReplies
	made    int
	held    *Message // read, but a reply comes before it
	end     error
}

func openMonitor(in *input, _ *Trace) (source, error) { return &monitor{objects: newObjects(in)}, nil }

func milliseconds(ms float64) time.Duration {
	return time.Duration(min(ms, 1e12) * float64(time.Millisecond)).Round(time.Microsecond)
}

func (m *monitor) next(c *clock) (Message, error) {
	if m.held == nil && m.end == nil {
		m.held, m.end = m.read(c)
	}
	switch {
	case m.held != nil && (len(m.waiting) == 0 || m.waiting[0].T > m.held.T && len(m.waiting) < maxWaiting):
		msg := *m.held
		m.held = nil
		return msg, nil
	case len(m.waiting) > 0:
		reply, _ := heap.Pop(&m.waiting).(waitingReply)
		return reply.Message, nil
	}
	if m.end == nil {
		m.end = io.EOF
	}
	return Message{}, m.end
}

// read reads one object: its event or command is returned, its reply waits.
func (m *monitor) read(c *clock) (*Message, error) {
	for {
		raw, err := m.objects.next()
		if err != nil {
			return nil, err
		}
		one, err := jsonscan.ReadMessage(raw)
		if err != nil || one.Method == "" {
			m.objects.in.skip(m.objects.at, "an object without a method: skipped")
			continue
		}
		if at, err := strconv.ParseFloat(string(jsonscan.Field(raw, "requestTime")), 64); err == nil && at >= 0 {
			c.forward(milliseconds(at))
		}
		msg, err := m.split(&one, raw, c.now)
		if err != nil {
			m.objects.in.skip(m.objects.at, "it cannot be written on one line: skipped")
			continue
		}
		return msg, nil
	}
}

func (m *monitor) split(one *jsonscan.Message, raw []byte, now time.Duration) (*Message, error) {
	if !one.HasID || one.ID == 0 {
		event := jsonscan.Message{Method: one.Method, Session: one.Session, Params: one.Params}
		if event.Params == nil || string(event.Params) == "{}" && one.Result != nil {
			event.Params = one.Result // where the newer ones keep them
		}
		text, err := flat(nil, &event)
		return &Message{T: now, Dir: cdpwire.Received, Msg: text}, err
	}
	command := jsonscan.Message{ID: one.ID, HasID: true, Method: one.Method, Session: one.Session, Params: one.Params}
	text, err := flat(nil, &command)
	if err != nil {
		return nil, err
	}
	elapsed, err := strconv.ParseFloat(string(jsonscan.Field(raw, "elapsedTime")), 64)
	if one.Result == nil && one.Error == nil || err != nil && !errors.Is(err, strconv.ErrSyntax) {
		return &Message{T: now, Dir: cdpwire.Sent, Msg: text}, nil
	}
	reply := jsonscan.Message{ID: one.ID, HasID: true, Session: one.Session, Result: one.Result, Error: one.Error}
	if reply.Error != nil && string(reply.Error) != "null" {
		reply.Result = nil
	} else {
		reply.Error = nil
	}
	answer, err := flat(nil, &reply)
	if err != nil {
		return nil, err
	}
	m.made++
	heap.Push(&m.waiting, waitingReply{
		Message: Message{T: now + milliseconds(max(0, elapsed)), Dir: cdpwire.Received, Msg: slices.Clone(answer)}, made: m.made,
	})
	return &Message{T: now, Dir: cdpwire.Sent, Msg: text}, nil
}

// waitingReply is a reply whose time has not come.
type waitingReply struct {
	Message
	made int
}

// waitingReplies is a heap by time, then by order in the file.
type waitingReplies []waitingReply

func (h waitingReplies) Len() int { return len(h) }

func (h waitingReplies) Less(i, j int) bool {
	if h[i].T != h[j].T {
		return h[i].T < h[j].T
	}
	return h[i].made < h[j].made
}

func (h waitingReplies) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push is for [heap.Push] alone.
func (h *waitingReplies) Push(x any) {
	if r, ok := x.(waitingReply); ok {
		*h = append(*h, r)
	}
}

// Pop is for [heap.Pop] alone.
func (h *waitingReplies) Pop() any {
	old := *h
	r := old[len(old)-1]
	old[len(old)-1] = waitingReply{}
	*h = old[:len(old)-1]
	return r
}
