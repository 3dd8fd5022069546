package feed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/simulations/importers"
)

// What starts the stream, how it ends, and what opens a dialog.
const (
	StartExpression  = "'bench-start'"
	EndText          = "bench-end"
	DialogExpression = "'bench-dialog'"
)

// Stream is a sequence of events on the sessions of one page. It is not
// written after it was made.
type Stream struct {
	Name     string
	Messages [][]byte
	Bytes    int
	// Target and Session are the page's.
	Target, Session string
	targetInfo      json.RawMessage
	roots           map[string]string // session → its root frame
}

// header is what the feed must know of a message.
type header struct {
	ID        int64           `json:"id"`
	Method    string          `json:"method"`
	SessionID string          `json:"sessionId"`
	Params    json.RawMessage `json:"params"`
}

type attached struct {
	SessionID  string          `json:"sessionId"`
	TargetInfo json.RawMessage `json:"targetInfo"`
}

type targetInfo struct {
	TargetID string `json:"targetId"`
	Type     string `json:"type"`
}

// Load reads the events of a recording, in any form that the importers know,
// played rounds times. Each round has ids of its own, so that no round undoes
// the one before.
func Load(path string, rounds int) (*Stream, error) {
	t, err := importers.Open(path, importers.Options{})
	if err != nil {
		return nil, err // names the file
	}
	defer func() { _ = t.Close() }() // only read from
	var events [][]byte
	for {
		m, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read the trace %s: %w", path, err)
		}
		if m.Dir == cdpwire.Received {
			events = append(events, bytes.Clone(m.Msg))
		}
	}
	s, err := New(path, events, rounds)
	if skipped := t.Skipped(); err != nil && skipped > 0 {
		return nil, fmt.Errorf("%w; %d of its lines or messages could not be read, which engine replay names", err, skipped)
	}
	return s, err
}

// New makes a stream of raw messages; replies among them are left out.
func New(name string, messages [][]byte, rounds int) (*Stream, error) {
	s := &Stream{Name: name, roots: make(map[string]string)}
	var events [][]byte
	for _, m := range messages {
		var h header
		if err := json.Unmarshal(m, &h); err != nil || h.Method == "" {
			continue
		}
		if s.Session == "" {
			s.findPage(h)
			continue // what comes before the page is attached is its set-up
		}
		if h.SessionID != "" { // the browser's own session is the feed's business
			events = append(events, m)
		}
	}
	if s.Session == "" {
		if events = s.assumePage(messages); s.Session == "" {
			return nil, fmt.Errorf("%s attaches no page and navigates none; name a trace that holds what a page does", name)
		}
	}
	for round := range max(rounds, 1) {
		for _, m := range events {
			s.add(s.renamed(m, round))
		}
		s.endRound(events, round)
	}
	s.finish()
	return s, nil
}

// pageAlone is the session of a log that has none.
const pageAlone = "00000000000000000000000000000001"

// assumePage takes a log that began after its page was attached: the page is
// where the first main frame navigates. What has no session is the page's.
func (s *Stream) assumePage(messages [][]byte) (events [][]byte) {
	for _, m := range messages {
		var h header
		if err := json.Unmarshal(m, &h); err != nil || h.Method == "" {
			continue
		}
		if h.SessionID == "" {
			h.SessionID = pageAlone
			m = fmt.Appendf(bytes.TrimSuffix(bytes.TrimSpace(m), []byte{'}'}), `,"sessionId":%q}`, pageAlone)
		}
		var p struct{ Frame struct{ ID, ParentID string } }
		if s.Session == "" && h.Method == "Page.frameNavigated" && json.Unmarshal(h.Params, &p) == nil && p.Frame.ParentID == "" {
			s.Session, s.Target = h.SessionID, p.Frame.ID
			s.targetInfo = fmt.Appendf(nil, `{"targetId":%q,"type":"page","title":"","url":"about:blank","attached":true,"canAccessOpener":false}`, s.Target)
		}
		events = append(events, m)
	}
	return events
}

func (s *Stream) add(m []byte) {
	if bytes.HasPrefix(m, []byte(`{"method":"Target.attachedToTarget"`)) {
		var h header
		var a attached
		var info targetInfo
		if json.Unmarshal(m, &h) == nil && json.Unmarshal(h.Params, &a) == nil && json.Unmarshal(a.TargetInfo, &info) == nil {
			s.roots[a.SessionID] = info.TargetID
		}
	}
	s.Messages = append(s.Messages, m)
	s.Bytes += len(m)
}

func (s *Stream) findPage(h header) {
	if h.Method != "Target.attachedToTarget" {
		return
	}
	var a attached
	var info targetInfo
	if json.Unmarshal(h.Params, &a) != nil || json.Unmarshal(a.TargetInfo, &info) != nil || info.Type != "page" {
		return
	}
	s.Session, s.Target, s.targetInfo = a.SessionID, info.TargetID, a.TargetInfo
}

var hexID = regexp.MustCompile(`"[0-9A-F]{32}"`)

// renamed gives the ids of a round a name of their own, but for the page's.
func (s *Stream) renamed(m []byte, round int) []byte {
	if round == 0 {
		return m
	}
	mark := fmt.Sprintf("%02X%02X", round>>8&0xff, round&0xff)
	return hexID.ReplaceAllFunc(m, func(id []byte) []byte {
		if name := string(id[1 : len(id)-1]); name == s.Session || name == s.Target {
			return id
		}
		out := slices.Clone(id)
		copy(out[1:], mark)
		return out
	})
}

// endRound detaches what a round has left attached to the page, as a browser
// does before a navigation.
func (s *Stream) endRound(events [][]byte, round int) {
	var live []string
	for _, m := range events {
		var h header
		if json.Unmarshal(m, &h) != nil || h.SessionID != s.Session {
			continue
		}
		var a attached
		switch h.Method {
		case "Target.attachedToTarget":
			if json.Unmarshal(h.Params, &a) == nil {
				live = append(live, a.SessionID)
			}
		case "Target.detachedFromTarget":
			if json.Unmarshal(h.Params, &a) == nil {
				live = slices.DeleteFunc(live, func(id string) bool { return id == a.SessionID })
			}
		}
	}
	for _, id := range live {
		m := fmt.Sprintf(`{"method":"Target.detachedFromTarget","params":{"sessionId":%q},"sessionId":%q}`, id, s.Session)
		s.add(s.renamed([]byte(m), round))
	}
}

// finish adds the last events: a console call on the page's session, for clients
// that look at nothing else, in a context that they know, and the change of the
// page's title to [EndText]. Console events may be dropped under pressure, this
// one may not.
func (s *Stream) finish() {
	s.add(fmt.Appendf(nil, `{"method":"Runtime.executionContextCreated","params":{"context":{"id":999999,"origin":"","name":"","uniqueId":"1.999999","auxData":{"isDefault":true,"type":"default","frameId":%q}}},"sessionId":%q}`, s.Target, s.Session))
	s.add(fmt.Appendf(nil, `{"method":"Runtime.consoleAPICalled","params":{"type":"log","args":[{"type":"string","value":%q}],"executionContextId":999999,"timestamp":1796029660592.66},"sessionId":%q}`, EndText, s.Session))
	s.add(fmt.Appendf(nil, `{"method":"Target.targetInfoChanged","params":{"targetInfo":{"targetId":%q,"type":"page","title":%q,"url":"about:blank","attached":true,"canAccessOpener":false}}}`, s.Target, EndText))
}
