package attach

import (
	"slices"
	"strings"

	"cdpsupervisor/messages"
)

// choose picks the page. Never by position alone: a page that is known by id
// comes first, and pages of other tasks and of the browser itself never.
func (r *Root) choose(targets []messages.TargetInfo) (messages.TargetInfo, bool) {
	w := r.want
	find := func(id messages.TargetID) (messages.TargetInfo, bool) {
		i := slices.IndexFunc(targets, func(t messages.TargetInfo) bool {
			return id != "" && t.TargetID == id && t.Type == messages.TargetPage
		})
		if i < 0 {
			return messages.TargetInfo{}, false
		}
		return targets[i], true
	}
	if info, ok := find(w.Prefer); ok && !slices.Contains(r.taken, w.Prefer) {
		return info, true // where the task was, whatever it asked for in the beginning
	}
	if r.lost(targets) {
		return messages.TargetInfo{}, false
	}
	if w.TargetID != "" {
		info, ok := find(w.TargetID)
		return info, ok && !slices.Contains(r.taken, w.TargetID)
	}
	if info, ok := find(w.Owned); ok {
		return info, true
	}
	if w.Own {
		return messages.TargetInfo{}, false
	}
	for _, t := range targets {
		if RealPage(t) && !slices.Contains(r.taken, t.TargetID) {
			return t, true
		}
	}
	return messages.TargetInfo{}, false
}

// lost reports whether the task's page was closed, before the connection broke
// or since, in a browser that is still the same. Another page would be
// somebody else's.
func (r *Root) lost(targets []messages.TargetInfo) bool {
	w := r.want
	if !w.Again || w.Prefer == "" {
		return w.Again
	}
	return slices.ContainsFunc(targets, func(t messages.TargetInfo) bool { return slices.Contains(w.Known, t.TargetID) })
}

// RealPage reports whether a target is a page that a task may adopt: a tab
// with web content, not a page of the browser, of DevTools or an extension.
func RealPage(t messages.TargetInfo) bool {
	if t.Type != messages.TargetPage || t.Subtype != "" {
		return false
	}
	scheme, _, _ := strings.Cut(strings.ToLower(t.URL), ":")
	switch scheme {
	case "chrome", "chrome-untrusted", "devtools", "chrome-extension", "edge", "brave", "chrome-search", "view-source":
		return false
	}
	return true
}
