package scenarios

import (
	"encoding/json"
	"fmt"
	"strings"
)

// message is one message from the browser.
type message struct {
	ID      *int64          `json:"id"`
	Method  string          `json:"method"`
	Session string          `json:"sessionId"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *failure        `json:"error"`

	raw  string
	at   int     // place in what the connection has told
	told details // of the params
}

// failure is an error reply.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// details are the parameters that scenarios look at.
type details struct {
	FrameID   string `json:"frameId"`
	Reason    string `json:"reason"`
	URL       string `json:"url"`
	Type      any    `json:"type"`
	Message   string `json:"message"`
	Result    *bool  `json:"result"`
	SessionID string `json:"sessionId"`
	TargetID  string `json:"targetId"`
	RequestID string `json:"requestId"`
	Waiting   bool   `json:"waitingForDebugger"`
	Frame     struct {
		ID  string `json:"id"`
		URL string `json:"url"`
	} `json:"frame"`
	Info    targetInfo `json:"targetInfo"`
	Context struct {
		ID       int    `json:"id"`
		UniqueID string `json:"uniqueId"`
		Aux      struct {
			FrameID string `json:"frameId"`
		} `json:"auxData"`
	} `json:"context"`
}

// targetInfo is what the browser tells of a target.
type targetInfo struct {
	TargetID      string `json:"targetId"`
	Type          string `json:"type"`
	URL           string `json:"url"`
	Attached      bool   `json:"attached"`
	OpenerID      string `json:"openerId"`
	ParentID      string `json:"parentId"`
	ParentFrameID string `json:"parentFrameId"`
}

// parse reads a message. Events whose parameters have other shapes have no
// details.
func parse(raw []byte) (message, error) {
	m := message{raw: string(raw)}
	if err := json.Unmarshal(raw, &m); err != nil {
		return m, fmt.Errorf("the browser sent what is not CDP: %w", err)
	}
	if len(m.Params) > 0 {
		_ = json.Unmarshal(m.Params, &m.told)
	}
	return m, nil
}

// decode reads the result of a reply or the parameters of an event.
func (m message) decode(r *run, into any) {
	r.Helper()
	body := m.Params
	if m.ID != nil {
		body = m.Result
	}
	if err := json.Unmarshal(body, into); err != nil {
		r.Fatalf("%s: %v", m.raw, err)
	}
}

// failedWith reports whether a reply is an error with the given text.
func (m message) failedWith(code int, text string) bool {
	return m.Error != nil && m.Error.Code == code && m.Error.Message == text
}

// line tells a message in one line: the event without its domain, or the
// reply, and what identifies it. A page's own frame is "top", others "sub".
func (c *client) line(m message) string {
	if m.ID != nil {
		if m.Error != nil {
			return fmt.Sprintf("error %s %d %s", c.sent[*m.ID], m.Error.Code, m.Error.Message)
		}
		return "reply " + c.sent[*m.ID]
	}
	p := m.told
	domain, name, _ := strings.Cut(m.Method, ".")
	if domain == "Log" || domain == "Inspector" {
		return strings.TrimSpace(m.Method + " " + p.Reason)
	}
	out := []string{name}
	switch m.Method {
	case "Page.frameNavigated":
		out = append(out, c.which(p.Frame.ID), p.Frame.URL, fmt.Sprint(p.Type))
	case "Target.attachedToTarget":
		out = append(out, c.which(p.Info.TargetID), "url="+p.Info.URL, fmt.Sprint("wait=", p.Waiting))
	case "Target.targetCreated", "Target.targetInfoChanged":
		out = append(out, c.which(p.Info.TargetID), "url="+p.Info.URL, fmt.Sprint("attached=", p.Info.Attached))
	case "Target.detachedFromTarget", "Target.targetDestroyed", "Target.targetCrashed":
		out = append(out, c.which(p.TargetID))
	case "Runtime.executionContextCreated":
		out = append(out, c.which(p.Context.Aux.FrameID))
	case "Page.javascriptDialogOpening":
		out = append(out, c.which(p.FrameID), fmt.Sprint(p.Type), p.Message)
	case "Page.javascriptDialogClosed":
		out = append(out, c.which(p.FrameID), fmt.Sprint(p.Result != nil && *p.Result))
	case "Page.navigatedWithinDocument":
		out = append(out, c.which(p.FrameID), p.URL)
	case "Page.windowOpen":
		out = append(out, p.URL)
	default:
		if strings.HasPrefix(m.Method, "Page.frame") {
			out = append(out, c.which(p.FrameID))
		}
		if p.Reason != "" {
			out = append(out, p.Reason)
		}
	}
	return strings.Join(out, " ")
}

// kind is what messages of one sort have in common: the event's name, or the
// command that a reply is for.
func kind(line string) string {
	first, rest, _ := strings.Cut(line, " ")
	if first == "reply" || first == "error" {
		first, _, _ = strings.Cut(rest, " ")
	}
	return first
}

// fits reports whether a line begins with the words of another.
func fits(line, want string) bool { return strings.HasPrefix(line+" ", want+" ") }

// which tells a page's own frame from others.
func (c *client) which(frame string) string {
	switch {
	case frame == "":
		return "-"
	case c.tops[frame]:
		return "top"
	}
	return "sub"
}
