package fakebrowser

import (
	"encoding/json"
	"fmt"
	"strings"
)

// names gives short names to ids, in order of appearance.
type names struct {
	sessions, frames map[string]string
	sent             map[int64]string
}

func newNames(sent map[int64]string) *names {
	return &names{map[string]string{}, map[string]string{}, sent}
}

func (n *names) session(id string) string {
	if id == "" {
		return "B"
	}
	if n.sessions[id] == "" {
		n.sessions[id] = fmt.Sprintf("S%d", len(n.sessions)+1)
	}
	return n.sessions[id]
}

func (n *names) frame(id string) string {
	if id == "" {
		return "-"
	}
	if n.frames[id] == "" {
		n.frames[id] = fmt.Sprintf("F%d", len(n.frames)+1)
	}
	return n.frames[id]
}

// line tells a message in one line.
func (n *names) line(m msg) string {
	who := n.session(m.Session)
	if m.ID != nil {
		if m.Error != nil {
			return fmt.Sprintf("%s error %s %d %s", who, n.sent[*m.ID], m.Error.Code, m.Error.Message)
		}
		return fmt.Sprintf("%s reply %s", who, n.sent[*m.ID])
	}
	var p struct {
		FrameID   string `json:"frameId"`
		Reason    string `json:"reason"`
		URL       string `json:"url"`
		Type      any    `json:"type"`
		Message   string `json:"message"`
		Result    *bool  `json:"result"`
		SessionID string `json:"sessionId"`
		TargetID  string `json:"targetId"`
		Waiting   *bool  `json:"waitingForDebugger"`
		Frame     struct {
			ID  string `json:"id"`
			URL string `json:"url"`
		} `json:"frame"`
		Info struct {
			TargetID string `json:"targetId"`
			URL      string `json:"url"`
			Attached bool   `json:"attached"`
		} `json:"targetInfo"`
		Context struct {
			ID  int `json:"id"`
			Aux struct {
				FrameID string `json:"frameId"`
			} `json:"auxData"`
		} `json:"context"`
	}
	var env struct {
		Params json.RawMessage `json:"params"`
	}
	if json.Unmarshal([]byte(m.raw), &env) == nil && len(env.Params) > 0 {
		_ = json.Unmarshal(env.Params, &p) // fields of other shapes stay empty
	}
	domain, name, _ := strings.Cut(m.Method, ".")
	out := []string{who, name}
	if domain == "Log" || domain == "Inspector" {
		out[1] = m.Method
	}
	switch m.Method {
	case "Page.frameNavigated":
		out = append(out, n.frame(p.Frame.ID), p.Frame.URL, fmt.Sprint(p.Type))
	case "Target.attachedToTarget":
		out = append(out, n.session(p.SessionID), n.frame(p.Info.TargetID), "url="+p.Info.URL, fmt.Sprint("wait=", *p.Waiting))
	case "Target.detachedFromTarget":
		out = append(out, n.session(p.SessionID), n.frame(p.TargetID))
	case "Target.targetCreated", "Target.targetInfoChanged":
		out = append(out, n.frame(p.Info.TargetID), "url="+p.Info.URL, fmt.Sprint("attached=", p.Info.Attached))
	case "Target.targetDestroyed", "Target.targetCrashed":
		out = append(out, n.frame(p.TargetID))
	case "Runtime.executionContextCreated":
		out = append(out, fmt.Sprint(p.Context.ID), n.frame(p.Context.Aux.FrameID))
	case "Page.javascriptDialogOpening":
		out = append(out, n.frame(p.FrameID), fmt.Sprint(p.Type), p.Message)
	case "Page.javascriptDialogClosed":
		out = append(out, n.frame(p.FrameID), fmt.Sprint(*p.Result))
	case "Page.frameDetached":
		out = append(out, n.frame(p.FrameID), p.Reason)
	case "Page.navigatedWithinDocument", "Page.windowOpen":
		out = append(out, n.frame(p.FrameID), p.URL)
	default:
		if strings.HasPrefix(m.Method, "Page.frame") {
			out = append(out, n.frame(p.FrameID))
		}
		if p.Reason != "" {
			out = append(out, p.Reason)
		}
	}
	return strings.Join(out, " ")
}
