package tools

import (
	"encoding/json"

	"cdpsupervisor/messages"
)

// Confirmation returns the dialog that this call would accept, when accepting
// it decides something: a confirm, a prompt, or leaving a page. A host that
// wants a person to have that word asks before it calls. It does no I/O, and
// says no for calls that are invalid or will find no such dialog.
func (b *Toolbox) Confirmation(caller Caller, name string, raw json.RawMessage) (messages.Dialog, bool) {
	c, _, failure := b.admit(caller, name, raw)
	if failure != nil {
		return messages.Dialog{}, false
	}
	var pick func(*messages.Snapshot) (messages.Dialog, bool)
	switch {
	case name == nameDialog && c.args.text(argAction) == string(messages.ActionAccept):
		pick = func(s *messages.Snapshot) (messages.Dialog, bool) {
			return dialogByID(s.PendingDialogs, messages.DialogID(c.args.text(argDialog)))
		}
	case name == nameCDP && acceptsRaw(c.args.text(argMethod), c.args.object(argParams)):
		pick = func(s *messages.Snapshot) (messages.Dialog, bool) {
			return dialogOfPage(s, c.args.text(argFrame)+c.args.text(argTarget)) // one of them at most
		}
	default:
		return messages.Dialog{}, false
	}
	t, running := b.engine.get(c.task)
	if !running {
		return messages.Dialog{}, false
	}
	d, ok := pick(t.Snapshot())
	if !ok {
		return messages.Dialog{}, false
	}
	return b.hideDialog(d), d.Type != messages.DialogAlert
}

// Confirmed is the caller of a call whose dialog a person was asked about: it may
// accept that one, and what decides nothing, but none that opened since. asked is
// "" when [Toolbox.Confirmation] found nothing to ask about.
func (b *Toolbox) Confirmed(caller Caller, raw json.RawMessage, asked messages.DialogID) Caller {
	caller.Accept = []messages.DialogID{}
	if asked != "" {
		caller.Accept = append(caller.Accept, asked)
	}
	if t, running := b.engine.get(taskOf(caller, raw)); running {
		for _, d := range t.Snapshot().PendingDialogs {
			if d.Type == messages.DialogAlert {
				caller.Accept = append(caller.Accept, d.ID)
			}
		}
	}
	return caller
}

// dialogByID is the dialog that browser_dialog would answer.
func dialogByID(open []messages.Dialog, id messages.DialogID) (messages.Dialog, bool) {
	for _, d := range open {
		if d.ID == id || id == "" && len(open) == 1 {
			return d, true
		}
	}
	return messages.Dialog{}, false
}

// dialogOfPage is the dialog that a raw answer would reach: the first that is
// open in the page of the frame or target. When it is not known which page that
// is, it is taken for the first one that decides something.
func dialogOfPage(s *messages.Snapshot, at string) (messages.Dialog, bool) {
	page := pageWith(s, at)
	for _, d := range s.PendingDialogs {
		if d.TargetID == page || page == "" && d.Type != messages.DialogAlert {
			return d, true
		}
	}
	return messages.Dialog{}, false
}

// pageWith is the page of a frame or target, or "" when it is not known.
func pageWith(s *messages.Snapshot, at string) messages.TargetID {
	if at == "" {
		return s.PageTargetID
	}
	if tree := s.FrameTree; tree != nil {
		for _, f := range append([]messages.FrameEntry{tree.Top}, tree.Children...) {
			if string(f.FrameID) == at {
				return s.PageTargetID
			}
		}
	}
	for _, d := range s.PendingDialogs {
		if string(d.TargetID) == at || string(d.FrameID) == at {
			return d.TargetID
		}
	}
	return ""
}

func acceptsRaw(method string, params json.RawMessage) bool {
	var answer struct {
		Accept bool `json:"accept"`
	}
	return messages.Class(method).Rewrite == messages.RewriteAnswer && json.Unmarshal(params, &answer) == nil && answer.Accept
}

// WithDialog returns the arguments of a browser_dialog call with its dialog_id
// set, so that an answer that a person confirmed reaches that dialog only.
func WithDialog(raw json.RawMessage, id messages.DialogID) (json.RawMessage, error) {
	args, failure := decodeObject(nameDialog, raw)
	if failure != nil {
		return nil, failure
	}
	quotedID, err := json.Marshal(id)
	if err != nil {
		return nil, invalid("dialog_id: %v", err)
	}
	args[argDialog] = quotedID
	pinned, err := json.Marshal(args)
	if err != nil {
		return nil, invalid("the arguments of %s: %v", nameDialog, err)
	}
	return pinned, nil
}
