package replay

import (
	"strings"
	"time"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/importers"
	"cdpsupervisor/simulations/jsonscan"
)

// Stats count what a trace holds and what became of it.
type Stats struct {
	Messages  int            `json:"messages"`  // all of the trace, both ways
	Events    int            `json:"events"`    // messages from the browser that are no replies
	ByMethod  map[string]int `json:"by_method"` // events
	Unknown   uint64         `json:"unknown"`   // events of methods that the engine has no use for
	Dropped   uint64         `json:"dropped"`   // events that the engine could not take
	Malformed uint64         `json:"malformed"` // messages and lines that could not be read
	Sessions  int            `json:"sessions"`  // supervised at the end
	Frames    int            `json:"frames"`    // tracked at the end
	Dialogs   int            `json:"dialogs"`   // that opened
	Duration  float64        `json:"duration_s"`
}

// maxMethods is how many methods are counted apart.
const maxMethods = 10_000

// maxMethodBytes is the longest name of a method that is counted under its name.
const maxMethodBytes = 128

// tally counts the messages of a trace as they pass.
type tally struct {
	messages int
	events   int
	sent     int
	methods  map[string]int
	seconds  map[int]int // events by second of the trace
	last     time.Duration
	paced    time.Duration
}

func newTally() *tally { return &tally{methods: make(map[string]int), seconds: make(map[int]int)} }

func (t *tally) count(m *importers.Message) {
	t.messages++
	t.last = m.T
	if m.Dir == cdpwire.Sent {
		t.sent++
		return
	}
	e, err := jsonscan.ReadMessage(m.Msg)
	if err != nil || !e.IsEvent() {
		return
	}
	t.events++
	if len(t.seconds) < 1_000_000 {
		t.seconds[int(m.T/time.Second)]++
	}
	name := e.Method
	if len(name) > maxMethodBytes {
		name = "(a name that is too long)"
	}
	// The key of a map must not hold on to the message.
	if _, known := t.methods[name]; !known && len(t.methods) >= maxMethods {
		name = "(others)"
	}
	t.methods[strings.Clone(name)]++
}

// lost is what the engine says it could not take, but for what it could not read.
func lost(s *messages.SupervisorState) (n uint64) {
	if s == nil {
		return 0
	}
	for name, count := range s.Dropped {
		if name != "malformed" {
			n += count
		}
	}
	return n
}
