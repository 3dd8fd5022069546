package cdpwire

import (
	"bytes"
	"encoding/json"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"cdpsupervisor/messages"
)

// codeUnreadable is the protocol's own code for text that is not JSON.
const codeUnreadable = -32700

// reply decodes the answer to a command, whose value is known to be sound JSON;
// ok is false where it is not what the command is answered with.
func (d *decoder) reply(e *envelope, call *pendingCall, r *messages.Reply) (ok bool) {
	r.Ref, r.Method = call.ref, call.cmd.Method()
	if e.failed {
		r.Err = d.refusal(e.value)
		return r.Err != nil
	}
	return d.result(e.value, call.cmd, r)
}

// unreadable makes the reply to a command whose answer could not be read, so
// that whoever waits behind it is answered all the same.
func unreadable(call *pendingCall, r *messages.Reply) {
	*r = messages.Reply{Ref: call.ref, Method: call.cmd.Method(), Err: &messages.ProtocolError{
		Code: codeUnreadable, Message: "the browser's answer could not be read; the command may have run",
	}}
}

// refusal decodes the error object of a reply; nil means malformed.
func (d *decoder) refusal(value []byte) *messages.ProtocolError {
	s := scanner{b: value}
	var e messages.ProtocolError
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "code":
			e.Code = s.integer()
		case "message":
			e.Message, _ = d.text(&s, messages.MaxConsoleTextBytes)
		case "data":
			if s.peek() == '"' {
				e.Data, _ = d.text(&s, messages.MaxConsoleTextBytes)
			} else {
				e.Data, _ = messages.Cut(string(s.value()), messages.MaxConsoleTextBytes)
			}
		default:
			s.skip()
		}
	}
	if !s.end() {
		return nil
	}
	return &e
}

// result decodes the result of a command whose result the engine reads, and
// copies that of a raw call.
func (d *decoder) result(value []byte, cmd messages.Command, r *messages.Reply) bool {
	s := scanner{b: value}
	switch cmd.(type) {
	case messages.Raw:
		r.Result = bytes.Clone(value)
		return true
	case messages.GetTargets:
		r.Body = d.targets(&s)
		return s.end()
	case messages.GetTargetInfo:
		var info messages.TargetInfo
		found := d.targetParams(&s, &info)
		r.Body = &messages.TargetInfoReply{Info: info}
		return found && s.end()
	case messages.GetFrameTree:
		var found bool
		r.Body, found = d.frameTree(&s)
		return found && s.end()
	case messages.Evaluate, messages.EvaluateOnCallFrame:
		r.Body = d.evaluated(&s)
		return s.end()
	}
	var ok bool
	r.Body, ok = rareResult(value, cmd)
	return ok
}

// rareResult decodes what comes too rarely to be worth more than the library's
// types; nil is the body of a command whose result nobody reads.
func rareResult(value []byte, cmd messages.Command) (messages.ReplyBody, bool) {
	switch cmd.(type) {
	case messages.GetVersion:
		var v browser.GetVersionResult
		ok := json.Unmarshal(value, &v) == nil
		return &messages.VersionReply{Product: short(v.Product), Protocol: short(v.ProtocolVersion)}, ok
	case messages.CreateTarget:
		var v target.CreateTargetResult
		ok := json.Unmarshal(value, &v) == nil && isID(string(v.TargetID))
		return &messages.CreatedReply{TargetID: messages.TargetID(v.TargetID)}, ok
	case messages.AttachToTarget:
		var v target.AttachToTargetResult
		ok := json.Unmarshal(value, &v) == nil && isID(string(v.SessionID))
		return &messages.AttachedReply{SessionID: messages.SessionID(v.SessionID)}, ok
	case messages.AddScript:
		var v page.AddScriptToEvaluateOnNewDocumentResult
		ok := json.Unmarshal(value, &v) == nil && isID(string(v.Identifier))
		return &messages.ScriptReply{Identifier: string(v.Identifier)}, ok
	case messages.Navigate:
		var v page.NavigateResult
		ok := json.Unmarshal(value, &v) == nil && len(v.FrameID) <= messages.MaxIDBytes && len(v.LoaderID) <= messages.MaxIDBytes
		return &messages.NavigateReply{
			FrameID: messages.FrameID(v.FrameID), LoaderID: messages.LoaderID(v.LoaderID),
			ErrorText: short(v.ErrorText), IsDownload: v.IsDownload,
		}, ok
	}
	return nil, true
}

func isID(id string) bool { return id != "" && len(id) <= messages.MaxIDBytes }

// short cuts a text that should be a few words.
func short(s string) string {
	s, _ = messages.Cut(s, messages.MaxTitleBytes)
	return s
}

func (d *decoder) targets(s *scanner) *messages.TargetsReply {
	body := &messages.TargetsReply{}
	for m := s.object(); s.member(&m); {
		if string(m.key) != "targetInfos" {
			s.skip()
			continue
		}
		body.Targets = nil
		for e := s.array(); s.element(&e); {
			if len(body.Targets) >= messages.MaxTargets {
				s.skip()
				continue
			}
			var info messages.TargetInfo
			d.targetInfo(s, &info)
			if info.TargetID != "" {
				body.Targets = append(body.Targets, info)
			}
		}
	}
	return body
}

func (d *decoder) frameTree(s *scanner) (*messages.FrameTreeReply, bool) {
	body := &messages.FrameTreeReply{}
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "frameTree":
			left := messages.MaxFrames
			body.Root = d.frameNode(s, 1, &left)
		default:
			s.skip()
		}
	}
	return body, body.Root.Frame.ID != ""
}

// frameNode takes a Page.FrameTree, down to MaxFrameDepth and as long as frames
// are left to take.
func (d *decoder) frameNode(s *scanner, depth int, left *int) (node messages.FrameNode) {
	*left--
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "frame":
			d.frame(s, &node.Frame)
		case "childFrames":
			node.Children = d.frameNodes(s, depth+1, left)
		default:
			s.skip()
		}
	}
	return node
}

func (d *decoder) frameNodes(s *scanner, depth int, left *int) (nodes []messages.FrameNode) {
	for e := s.array(); s.element(&e); {
		if depth > messages.MaxFrameDepth || *left <= 0 {
			s.skip()
			continue
		}
		if node := d.frameNode(s, depth, left); node.Frame.ID != "" {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// evaluated takes the result of Runtime.evaluate and of
// Debugger.evaluateOnCallFrame.
func (d *decoder) evaluated(s *scanner) *messages.EvaluateReply {
	body := &messages.EvaluateReply{}
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "result":
			text := clip{limit: messages.MaxEvaluatedBytes}
			text.add(evaluatedValue(s))
			body.Value = string(text.b)
		case "exceptionDetails":
			body.Exception = s.peek() == '{'
			s.skip()
		default:
			s.skip()
		}
	}
	return body
}

// evaluatedValue takes a Runtime.RemoteObject and returns its value, still
// escaped: the inside of a string, or the JSON of anything else.
func evaluatedValue(s *scanner) (value []byte) {
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "value":
			value = s.value()
		default:
			s.skip()
		}
	}
	if len(value) > 1 && value[0] == '"' {
		return value[1 : len(value)-1]
	}
	return value
}
