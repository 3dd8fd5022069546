package tools

import (
	"encoding/json"

	"cdpsupervisor/messages"
	"cdpsupervisor/pageurl"
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
	for _, reading := range pageurl.Readings(url) {
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
	read, err := pageurl.Canonical(url)
	if err != nil {
		return "", invalid("the URL %s cannot be shown to the host's guard: %v", quoted(url), err)
	}
	return read, b.guardURL(read)
}

const hiddenText = "[hidden: the host's guard denies this page]"

// hideDenied takes the text of denied pages out of what a result shows: their
// dialogs, titles, names and what of their URLs is not the place. That they and
// their dialogs are there stays visible: they freeze the tab.
func (b *Toolbox) hideDenied(r *Result) {
	if b.options.Guard == nil {
		return
	}
	tree, _ := r.Fields["frame_tree"].(*messages.FrameTree)
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
			r.Fields[name] = mapped(v, func(e messages.ConsoleError) messages.ConsoleError { return b.hideConsole(e, tree) })
		case *messages.FrameTree:
			r.Fields[name] = b.hideTree(v)
		}
	}
	if url, _ := r.Fields["url"].(string); url != "" && b.guardURL(url) != nil {
		r.Fields["url"] = pageurl.Place(url)
		if title, _ := r.Fields["title"].(string); title != "" {
			r.Fields["title"] = hiddenText
		}
	}
}

func (b *Toolbox) hideDialog(d messages.Dialog) messages.Dialog {
	if b.guardURL(d.URL) != nil {
		d.Message, d.DefaultPrompt, d.URL = hiddenText, "", pageurl.Place(d.URL)
	}
	return d
}

func (b *Toolbox) hideRecord(d messages.DialogRecord) messages.DialogRecord {
	if b.guardURL(d.URL) != nil {
		d.Message, d.DefaultPrompt, d.PromptText, d.URL = hiddenText, "", nil, pageurl.Place(d.URL)
	}
	return d
}

func (b *Toolbox) hideHead(d dialogHead) dialogHead {
	if b.guardURL(d.URL) != nil {
		d.Message, d.URL = hiddenText, pageurl.Place(d.URL)
	}
	return d
}

// hideConsole goes by the frame, too: what a denied page logs may come out of a
// script of an allowed place.
func (b *Toolbox) hideConsole(e messages.ConsoleError, tree *messages.FrameTree) messages.ConsoleError {
	denied := b.guardURL(e.URL) != nil
	if tree != nil && e.FrameID != "" {
		for _, f := range append([]messages.FrameEntry{tree.Top}, tree.Children...) {
			denied = denied || f.FrameID == e.FrameID && b.guardURL(f.URL) != nil
		}
	}
	if denied {
		e.Text, e.URL = hiddenText, pageurl.Place(e.URL)
	}
	return e
}

func (b *Toolbox) hideTree(tree *messages.FrameTree) *messages.FrameTree {
	if tree == nil {
		return nil
	}
	shown := *tree
	shown.Top, shown.Children = b.hideFrame(tree.Top), mapped(tree.Children, b.hideFrame)
	return &shown
}

func (b *Toolbox) hideFrame(f messages.FrameEntry) messages.FrameEntry {
	if b.guardURL(f.URL) != nil {
		f.URL, f.Name = pageurl.Place(f.URL), ""
	}
	return f
}

// hideRaw does the same to the browser's lists of pages and frames.
func (b *Toolbox) hideRaw(method string, result json.RawMessage) json.RawMessage {
	switch method {
	case "Target.getTargets", "Target.getTargetInfo", "Page.getNavigationHistory", "Page.getFrameTree", "Page.getResourceTree":
	default:
		return result
	}
	if b.options.Guard == nil {
		return result
	}
	value, err := decoded(result)
	if err != nil {
		return result // no JSON, which the caller is told
	}
	b.hideListed(value)
	shown, err := json.Marshal(value)
	if err != nil {
		return result
	}
	return shown
}

func (b *Toolbox) hideListed(value any) {
	switch v := value.(type) {
	case []any:
		for _, inner := range v {
			b.hideListed(inner)
		}
	case map[string]any:
		for _, inner := range v {
			b.hideListed(inner)
		}
		url, ok := v["url"].(string)
		if !ok || b.guardURL(url) == nil {
			return
		}
		v["url"] = pageurl.Place(url)
		for _, key := range []string{"title", "name", "userTypedURL", "urlFragment", "unreachableUrl"} {
			if text, _ := v[key].(string); text != "" {
				v[key] = hiddenText
			}
		}
	}
}

func mapped[T any](list []T, f func(T) T) []T {
	out := make([]T, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}
