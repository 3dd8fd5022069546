package cdpwire

import "cdpsupervisor/messages"

// frame takes a Page.Frame.
func (d *decoder) frame(s *scanner, f *messages.FrameInfo) {
	*f = messages.FrameInfo{}
	var fragment string
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "id":
			f.ID = messages.FrameID(d.id(s))
		case "parentId":
			f.ParentID = messages.FrameID(d.id(s))
		case "loaderId":
			f.LoaderID = messages.LoaderID(d.id(s))
		case "name":
			f.Name = d.shared(s, messages.MaxFrameNameBytes)
		case "url":
			f.URL = d.url(s)
		case "urlFragment":
			fragment = d.url(s)
		case "securityOrigin":
			f.Origin = d.url(s)
		case "domainAndRegistry":
			f.Domain = d.shared(s, messages.MaxFrameNameBytes)
		default:
			s.skip()
		}
	}
	if fragment != "" {
		f.URL, _ = messages.Cut(f.URL+fragment, messages.MaxURLBytes)
	}
}

func (d *decoder) frameAttached(s *scanner, body *messages.FrameAttached) bool {
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "frameId":
			body.FrameID = messages.FrameID(d.id(s))
		case "parentFrameId":
			body.ParentID = messages.FrameID(d.id(s))
		default:
			s.skip()
		}
	}
	return body.FrameID != ""
}

func (d *decoder) frameNavigated(s *scanner, body *messages.FrameNavigated) bool {
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "frame":
			d.frame(s, &body.Frame)
		case "type":
			body.Type = messages.NavigationType(d.shared(s, messages.MaxFrameNameBytes))
		default:
			s.skip()
		}
	}
	return body.Frame.ID != ""
}

func (d *decoder) documentOpened(s *scanner, body *messages.DocumentOpened) bool {
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "frame":
			d.frame(s, &body.Frame)
		default:
			s.skip()
		}
	}
	return body.Frame.ID != ""
}

func (d *decoder) frameDetached(s *scanner, body *messages.FrameDetached) bool {
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "frameId":
			body.FrameID = messages.FrameID(d.id(s))
		case "reason":
			body.Reason = messages.DetachReason(d.shared(s, messages.MaxFrameNameBytes))
		default:
			s.skip()
		}
	}
	return body.FrameID != ""
}

func (d *decoder) navigatedWithinDocument(s *scanner, body *messages.NavigatedWithinDocument) bool {
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "frameId":
			body.FrameID = messages.FrameID(d.id(s))
		case "url":
			body.URL = d.url(s)
		default:
			s.skip()
		}
	}
	return body.FrameID != ""
}

func (d *decoder) frameStartedNavigating(s *scanner, body *messages.FrameStartedNavigating) bool {
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "frameId":
			body.FrameID = messages.FrameID(d.id(s))
		case "loaderId":
			body.LoaderID = messages.LoaderID(d.id(s))
		case "navigationType":
			body.Type = d.shared(s, messages.MaxFrameNameBytes)
		default:
			s.skip()
		}
	}
	return body.FrameID != ""
}

func (d *decoder) dialogOpening(s *scanner, body *messages.DialogOpening) bool {
	var message, prompt bool
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "frameId":
			body.FrameID = messages.FrameID(d.id(s))
		case "url":
			body.URL = d.url(s)
		case "type":
			body.Type = messages.DialogType(d.shared(s, messages.MaxFrameNameBytes))
		case "message":
			body.Message, message = d.text(s, messages.MaxDialogMessageBytes)
		case "defaultPrompt":
			body.DefaultPrompt, prompt = d.text(s, messages.MaxDefaultPromptBytes)
		default:
			s.skip()
		}
	}
	body.Truncated = message || prompt
	return true // old browsers leave out what newer ones require
}

func (d *decoder) dialogClosed(s *scanner, body *messages.DialogClosed) bool {
	for m := s.object(); s.member(&m); {
		switch string(m.key) {
		case "frameId":
			body.FrameID = messages.FrameID(d.id(s))
		case "result":
			body.Result = s.boolean()
		case "userInput":
			body.UserInput, _ = d.text(s, messages.MaxPromptTextBytes)
		default:
			s.skip()
		}
	}
	return true
}
