package tools

import (
	"encoding/json"

	"cdpsupervisor/messages"
)

// guardURL asks the host's guard for a URL. A guard that panics denies.
func (b *Toolbox) guardURL(url string) (err error) {
	if b.options.Guard == nil {
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = messages.Fail(messages.CodeDenied, "the host's guard failed: %v", r)
		}
	}()
	if denied := b.options.Guard(url); denied != nil {
		return messages.Fail(messages.CodeDenied, "the host's guard denies this page: %v", denied)
	}
	return nil
}

// guardOpens asks the guard for the URL that a raw command would open or load,
// whichever frame it is sent to. The registry asks for the frame itself. It
// returns the params with each key once, and those are to be sent: a reader that
// takes another of two equal keys would open what nobody was asked about.
func (b *Toolbox) guardOpens(method string, params json.RawMessage) (json.RawMessage, error) {
	switch method {
	case "Page.navigate", "Target.createTarget", "Network.loadNetworkResource", "Storage.runURLFetch", "PWA.launch":
	default:
		return params, nil
	}
	if b.options.Guard == nil || len(params) == 0 {
		return params, nil
	}
	// A map, because a struct would take "URL" for "url", and a browser does not.
	var opens map[string]json.RawMessage
	url := ""
	if json.Unmarshal(params, &opens) != nil || len(opens["url"]) > 0 && json.Unmarshal(opens["url"], &url) != nil {
		return nil, invalid("params.url of %s must be a string", method)
	}
	sent, err := json.Marshal(opens)
	if err != nil {
		return nil, invalid("params of %s: %v", method, err)
	}
	if url == "" {
		return sent, nil // the browser refuses it, or opens about:blank
	}
	return sent, b.guardURL(url)
}

const hiddenText = "[hidden: the host's guard denies this page]"

// hideDenied takes the text of denied pages out of the dialogs that a result
// shows. That they are open stays visible: they freeze the tab.
func (b *Toolbox) hideDenied(r *Result) {
	if b.options.Guard == nil {
		return
	}
	for name, value := range r.Fields {
		switch v := value.(type) {
		case []messages.Dialog:
			r.Fields[name] = mapped(v, b.hideDialog)
		case []messages.DialogRecord:
			r.Fields[name] = mapped(v, b.hideRecord)
		case []dialogHead:
			r.Fields[name] = mapped(v, b.hideHead)
		case *messages.Dialog:
			d := b.hideDialog(*v)
			r.Fields[name] = &d
		case *messages.DialogRecord:
			d := b.hideRecord(*v)
			r.Fields[name] = &d
		case messages.DialogRecord:
			r.Fields[name] = b.hideRecord(v)
		case []messages.ConsoleError:
			r.Fields[name] = mapped(v, b.hideConsole)
		}
	}
}

func (b *Toolbox) hideDialog(d messages.Dialog) messages.Dialog {
	if b.guardURL(d.URL) != nil {
		d.Message, d.DefaultPrompt = hiddenText, ""
	}
	return d
}

func (b *Toolbox) hideRecord(d messages.DialogRecord) messages.DialogRecord {
	if b.guardURL(d.URL) != nil {
		d.Message, d.DefaultPrompt, d.PromptText = hiddenText, "", nil
	}
	return d
}

func (b *Toolbox) hideHead(d dialogHead) dialogHead {
	if b.guardURL(d.URL) != nil {
		d.Message = hiddenText
	}
	return d
}

func (b *Toolbox) hideConsole(e messages.ConsoleError) messages.ConsoleError {
	if b.guardURL(e.URL) != nil {
		e.Text = hiddenText
	}
	return e
}

func mapped[T any](list []T, f func(T) T) []T {
	out := make([]T, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}
