package golden

import (
	"strings"
	"time"

	"cdpsupervisor/messages"
)

// agent asks the task for something and tells the answer, now or when it comes.
//
// Example:
//
//	agent accept
//	agent accept "a text" d-2
//	agent dismiss
//	agent evaluate document.title
//	agent evaluate-in ads.test location.href
//	agent navigate http://shop.test/
//	agent call Page.reload
//	agent policy auto_accept
//	agent policy must_respond 10s
func (s *Story) agent(words []string, input string) string {
	if len(words) == 0 {
		return "agent needs to know what to do"
	}
	what, rest := words[0], words[1:]
	name := "agent " + strings.Join(words, " ")
	line := strings.Join(rest, " ")
	switch what {
	case "accept", "dismiss":
		return s.asked(s.rig.Ask(task, name, answer(what, rest)))
	case "evaluate":
		return s.asked(s.rig.Ask(task, name, evaluation("", line)))
	case "evaluate-in":
		if len(rest) < 2 {
			return "evaluate-in needs a part of the frame's URL, and a script"
		}
		return s.asked(s.rig.Ask(task, name, evaluation(s.frameID(rest[0]), strings.Join(rest[1:], " "))))
	case "navigate":
		return s.asked(s.rig.Ask(task, name, &messages.NavigateRequest{URL: line}))
	case "call":
		return s.asked(s.rig.Ask(task, name, &messages.CallRequest{Method: line, Params: []byte(input)}))
	case "policy":
		return s.policy(name, rest)
	}
	return "an agent cannot " + what
}

func (s *Story) policy(name string, rest []string) string {
	q := &messages.PolicyRequest{}
	if len(rest) > 0 {
		q.Policy = messages.Policy(rest[0])
	}
	if len(rest) > 1 {
		d, err := time.ParseDuration(rest[1])
		if err != nil {
			return err.Error()
		}
		q.Timeout = d
	}
	return s.asked(s.rig.Ask(task, name, q))
}

func answer(action string, rest []string) *messages.DialogRequest {
	q := &messages.DialogRequest{Action: messages.DialogAction(action)}
	if n := len(rest); n > 0 && strings.HasPrefix(rest[n-1], "d-") {
		q.DialogID, rest = messages.DialogID(rest[n-1]), rest[:n-1]
	}
	if len(rest) > 0 {
		text := strings.Trim(strings.Join(rest, " "), `"`)
		q.PromptText = &text
	}
	return q
}

func evaluation(frame messages.FrameID, script string) *messages.CallRequest {
	return &messages.CallRequest{Method: "Runtime.evaluate", FrameID: frame, Params: []byte(`{"returnByValue":true,"expression":` + quote(script) + `}`)}
}

// frameID is a frame of the task's page by a part of its URL.
func (s *Story) frameID(part string) messages.FrameID {
	for _, f := range s.rig.Browser.Frames(s.current()) {
		if strings.Contains(f.URL, part) && f.ParentID != "" {
			return messages.FrameID(f.ID)
		}
	}
	return messages.FrameID("no frame " + part)
}
