package tools

import (
	"maps"

	"cdpsupervisor/messages"
)

// MergeSnapshot returns a host's own snapshot with the supervisor's fields
// added: pending_dialogs and recent_dialogs always, frame_tree as soon as a
// top frame is known, page_target_id as soon as the task has a page, and
// supervisor only when something is wrong or degraded. With no snapshot, which
// is when there is no supervisor, nothing is added. existing is not changed
// and may be nil.
func MergeSnapshot(existing map[string]any, snap *messages.Snapshot) map[string]any {
	out := maps.Clone(existing)
	if out == nil {
		out = map[string]any{}
	}
	if snap == nil {
		return out
	}
	out["pending_dialogs"] = orEmpty(snap.PendingDialogs)
	out["recent_dialogs"] = orEmpty(snap.RecentDialogs)
	if snap.FrameTree != nil {
		out["frame_tree"] = snap.FrameTree
	}
	if snap.PageTargetID != "" {
		out["page_target_id"] = snap.PageTargetID
	}
	if snap.Supervisor != nil {
		out["supervisor"] = snap.Supervisor
	}
	return out
}

// orEmpty keeps a list from being null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
