package cdpwire

import (
	"encoding/json"

	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/target"

	"cdpsupervisor/messages"
)

// targetInfo takes a Target.TargetInfo.
func (d *decoder) targetInfo(s *scanner, t *messages.TargetInfo) {
	*t = messages.TargetInfo{}
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "targetId":
			t.TargetID = messages.TargetID(d.id(s))
		case "type":
			t.Type = messages.TargetType(d.shared(s, messages.MaxFrameNameBytes))
		case "subtype":
			t.Subtype = d.shared(s, messages.MaxFrameNameBytes)
		case "title":
			t.Title = d.shared(s, messages.MaxTitleBytes)
		case "url":
			t.URL = d.url(s)
		case "attached":
			t.Attached = s.boolean()
		case "openerId":
			t.OpenerID = messages.TargetID(d.id(s))
		case "openerFrameId":
			t.OpenerFrameID = messages.FrameID(d.id(s))
		case "canAccessOpener":
			t.CanAccessOpener = s.boolean()
		case "parentId":
			t.ParentID = messages.TargetID(d.id(s))
		case "parentFrameId":
			t.ParentFrameID = messages.FrameID(d.id(s))
		case "browserContextId":
			t.BrowserContextID = d.id(s)
		default:
			s.skip()
		}
	}
}

// targetParams takes {"targetInfo":…}.
func (d *decoder) targetParams(s *scanner, t *messages.TargetInfo) bool {
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "targetInfo":
			d.targetInfo(s, t)
		default:
			s.skip()
		}
	}
	return t.TargetID != ""
}

func (d *decoder) targetDestroyed(s *scanner, body *messages.TargetDestroyed) bool {
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "targetId":
			body.TargetID = messages.TargetID(d.id(s))
		default:
			s.skip()
		}
	}
	return body.TargetID != ""
}

func (d *decoder) attachedToTarget(s *scanner, body *messages.AttachedToTarget) bool {
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "sessionId":
			body.SessionID = messages.SessionID(d.id(s))
		case "targetInfo":
			d.targetInfo(s, &body.Info)
		case "waitingForDebugger":
			body.Waiting = s.boolean()
		default:
			s.skip()
		}
	}
	return body.SessionID != "" && body.Info.TargetID != ""
}

func (d *decoder) detachedFromTarget(s *scanner, body *messages.DetachedFromTarget) bool {
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "sessionId":
			body.SessionID = messages.SessionID(d.id(s))
		case "targetId":
			body.TargetID = messages.TargetID(d.id(s))
		default:
			s.skip()
		}
	}
	return body.SessionID != ""
}

// What comes once in the life of a target is decoded by the library. The
// decoder of encoding/json takes a lone surrogate for U+FFFD and lets keys come
// twice, where the library's own refuses both.

func targetCrashed(s *scanner) messages.EventBody {
	var e target.EventTargetCrashed
	if json.Unmarshal(s.value(), &e) != nil || e.TargetID == "" || len(e.TargetID) > messages.MaxIDBytes {
		return nil
	}
	status, _ := messages.Cut(e.Status, messages.MaxFrameNameBytes)
	return &messages.TargetCrashed{TargetID: messages.TargetID(e.TargetID), Status: status, ErrorCode: e.ErrorCode}
}

func inspectorDetached(s *scanner) messages.EventBody {
	var e inspector.EventDetached
	if json.Unmarshal(s.value(), &e) != nil {
		return nil
	}
	reason, _ := messages.Cut(e.Reason, messages.MaxTitleBytes)
	return &messages.InspectorDetached{Reason: reason}
}
