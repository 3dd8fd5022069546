package golden

import (
	"encoding/json"
	"fmt"
	"strings"

	"cdpsupervisor/messages"
)

// snapshot tells what the engine shows: what is wrong, the dialogs that are
// open and those that are over, and the frames.
//
// Example:
//
//	snapshot
//	snapshot frames
func (s *Story) snapshot(words []string, _ string) string {
	snap := s.rig.Snapshot(task)
	if snap == nil {
		return "there is no task"
	}
	if len(words) > 0 && words[0] == "frames" {
		return frames(snap)
	}
	return s.shown(snap)
}

func (s *Story) shown(snap *messages.Snapshot) string {
	var out strings.Builder
	if st := snap.Supervisor; st != nil {
		fmt.Fprintf(&out, "status %s: %s\n", st.Status, st.Reason)
		for _, w := range st.WaysOut {
			fmt.Fprintf(&out, "  way out: %s\n", w)
		}
	}
	for _, d := range snap.PendingDialogs {
		fmt.Fprintf(&out, "open %s %s %s", d.ID, d.Type, quote(d.Message))
		if d.Type == messages.DialogPrompt {
			fmt.Fprintf(&out, " default %s", quote(d.DefaultPrompt))
		}
		fmt.Fprintf(&out, " of %s", d.URL)
		if d.State != "" {
			fmt.Fprintf(&out, ", %s", d.State)
		}
		if d.DeadlineAt != 0 {
			fmt.Fprintf(&out, ", dismissed in %s", d.DeadlineAt.Time().Sub(s.now()))
		}
		out.WriteString("\n")
	}
	for _, d := range snap.RecentDialogs {
		fmt.Fprintf(&out, "over %s %s %s: closed by %s", d.ID, d.Type, quote(d.Message), d.ClosedBy)
		if d.Reason != "" {
			fmt.Fprintf(&out, "/%s", d.Reason)
		}
		fmt.Fprintf(&out, ", result %v", d.Result)
		if d.PromptText != nil {
			fmt.Fprintf(&out, ", text %s", quote(*d.PromptText))
		}
		if d.Count > 1 {
			fmt.Fprintf(&out, ", %d times", d.Count)
		}
		out.WriteString("\n")
	}
	if out.Len() == 0 {
		return "all is well, no dialog"
	}
	return out.String()
}

func frames(snap *messages.Snapshot) string {
	t := snap.FrameTree
	if t == nil {
		return "no frames are known"
	}
	var out strings.Builder
	depth := map[messages.FrameID]int{}
	for _, f := range append([]messages.FrameEntry{t.Top}, t.Children...) {
		if f.ParentFrameID != "" {
			depth[f.FrameID] = depth[f.ParentFrameID] + 1
		}
		fmt.Fprintf(&out, "%s%s", strings.Repeat("  ", depth[f.FrameID]), f.URL)
		if f.OOPIF != nil && *f.OOPIF {
			out.WriteString(", a process of its own")
		}
		if f.State != "" {
			fmt.Fprintf(&out, ", %s", f.State)
		}
		out.WriteString("\n")
	}
	if t.Truncated {
		fmt.Fprintf(&out, "and %d more\n", t.Omitted)
	}
	return out.String()
}

func quote(text string) string {
	q, err := json.Marshal(text)
	if err != nil {
		return err.Error()
	}
	return string(q)
}
