package tools

import (
	"cdpsupervisor/messages"
)

// guardURL asks the host's guard for a URL, in each way to read it. A guard
// that panics denies.
func (b *Toolbox) guardURL(url string) (err error) {
	if b.options.Guard == nil {
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = messages.Fail(messages.CodeDenied, "the host's guard failed: %v", r)
		}
	}()
	for _, reading := range readings(url) {
		if denied := b.options.Guard(reading); denied != nil {
			return messages.Fail(messages.CodeDenied, "the host's guard denies this page: %v", denied)
		}
	}
	return nil
}

// guardOpens asks the guard for a URL that a call would open, and returns the
// spelling that it was asked about: that one is to be opened, since a browser
// may read another one in another way.
func (b *Toolbox) guardOpens(url string) (string, error) {
	if b.options.Guard == nil {
		return url, nil
	}
	read, err := canonicalURL(url)
	if err != nil {
		return "", invalid("the URL %s cannot be shown to the host's guard: %v", quoted(url), err)
	}
	return read, b.guardURL(read)
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
