package cdpwire

import (
	"encoding/base64"

	"cdpsupervisor/messages"
)

func (d *decoder) requestPaused(s *scanner, body *messages.RequestPaused) bool {
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "requestId":
			body.RequestID = messages.RequestID(d.onceID(s))
		case "request":
			d.request(s, body)
		case "frameId":
			body.FrameID = messages.FrameID(d.id(s))
		case "resourceType":
			body.ResourceType = d.shared(s, messages.MaxFrameNameBytes)
		default:
			s.skip()
		}
	}
	return body.RequestID != ""
}

// request takes a Network.Request. The body stands in postData, and in browsers
// that have given it up in postDataEntries, in base64.
func (d *decoder) request(s *scanner, body *messages.RequestPaused) {
	*body = messages.RequestPaused{RequestID: body.RequestID, FrameID: body.FrameID, ResourceType: body.ResourceType}
	var entries string
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "url":
			body.URL = d.url(s)
		case "method":
			body.Method = d.shared(s, messages.MaxFrameNameBytes)
		case "headers":
			body.Headers = d.headers(s)
		case "postData":
			body.PostData, _ = d.text(s, messages.MaxPostDataBytes)
		case "hasPostData":
			body.HasPostData = s.boolean()
		case "postDataEntries":
			entries = d.postDataEntries(s)
		default:
			s.skip()
		}
	}
	if body.PostData == "" {
		body.PostData = entries
	}
}

// headers takes Network.Headers.
func (d *decoder) headers(s *scanner) map[string]string {
	var headers map[string]string
	for m := s.object(); s.member(&m); {
		if len(headers) >= messages.MaxHeaders {
			s.skip()
			continue
		}
		if headers == nil {
			headers = make(map[string]string)
		}
		name, _ := messages.Cut(string(m.key), messages.MaxFrameNameBytes)
		headers[name] = d.url(s)
	}
	return headers
}

// postDataEntries takes a list of Network.PostDataEntry.
func (d *decoder) postDataEntries(s *scanner) string {
	var data []byte
	for e := s.array(); s.element(&e); {
		room := messages.MaxPostDataBytes - len(data)
		var coded []byte
		for m := s.object(); s.member(&m); {
			switch string(m.key) {
			case "bytes":
				coded, _ = d.raw(s, base64.StdEncoding.EncodedLen(room))
			default:
				s.skip()
			}
		}
		grown, err := base64.StdEncoding.AppendDecode(data, coded)
		if err != nil {
			s.fail()
			return ""
		}
		data = grown[:min(len(grown), messages.MaxPostDataBytes)]
	}
	return string(data)
}

// debuggerPaused takes a Debugger.paused, of which only the topmost call frame
// matters.
func (d *decoder) debuggerPaused(s *scanner, body *messages.DebuggerPaused) bool {
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "reason":
			body.Reason = d.shared(s, messages.MaxFrameNameBytes)
		case "callFrames":
			d.topCallFrame(s, body)
		case "hitBreakpoints":
			body.HitBreak = false
			for e := s.array(); s.element(&e); {
				body.HitBreak = true
				s.skip()
			}
		default:
			s.skip()
		}
	}
	return body.CallFrameID != ""
}

func (d *decoder) topCallFrame(s *scanner, body *messages.DebuggerPaused) {
	body.CallFrameID, body.FunctionName, body.ScriptURL = "", "", ""
	first := true
	for e := s.array(); s.element(&e); first = false {
		if !first {
			s.skip()
			continue
		}
		for m := s.object(); s.member(&m); {
			switch string(m.key) {
			case "callFrameId":
				body.CallFrameID = d.onceID(s)
			case "functionName":
				body.FunctionName = d.shared(s, messages.MaxFrameNameBytes)
			case "url":
				body.ScriptURL = d.url(s)
			default:
				s.skip()
			}
		}
	}
}
