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
	id := messages.DialogID("")
	switch name {
	case nameDialog:
		if c.args.text(argAction) != string(messages.ActionAccept) {
			return messages.Dialog{}, false
		}
		id = messages.DialogID(c.args.text(argDialog))
	case nameCDP:
		if !acceptsRaw(c.args.text(argMethod), c.args.object(argParams)) {
			return messages.Dialog{}, false
		}
	default:
		return messages.Dialog{}, false
	}
	t, running := b.engine.get(c.task)
	if !running {
		return messages.Dialog{}, false
	}
	open := t.Snapshot().PendingDialogs
	for _, d := range open {
		if d.ID == id || id == "" && len(open) == 1 {
			return b.hideDialog(d), d.Type != messages.DialogAlert
		}
	}
	return messages.Dialog{}, false
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
