package frametree_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"cdpsupervisor/messages"
)

// localFrames is what a frame tree reply says, one line a frame.
func localFrames(root *messages.FrameNode) map[messages.FrameID]string {
	out := make(map[messages.FrameID]string)
	var walk func(n *messages.FrameNode, parent messages.FrameID)
	walk = func(n *messages.FrameNode, parent messages.FrameID) {
		out[n.Frame.ID] = fmt.Sprintf("under %s at %s", parent, n.Frame.URL)
		for i := range n.Children {
			walk(&n.Children[i], n.Frame.ID)
		}
	}
	walk(root, root.Frame.ParentID)
	return out
}

// inSession is what the tree has in the renderer of one session.
func (t *tree) inSession(session messages.SessionID) map[messages.FrameID]string {
	out := make(map[messages.FrameID]string)
	page, _, _ := t.PageOf(session)
	full := t.FullView(page, true)
	if full == nil {
		return out
	}
	for _, e := range append([]messages.FrameEntry{full.Top}, full.Children...) {
		if ref, ok := t.Lookup(e.FrameID); ok && ref.OwnerSession == session && ref.State != messages.FrameSwapping {
			out[e.FrameID] = fmt.Sprintf("under %s at %s", e.ParentFrameID, e.URL)
		}
	}
	return out
}

// TestReplayAgainstTheBrowsersWord replays recordings of Chromium 156 and holds
// the tree against every Page.getFrameTree reply in them: before the reply is
// taken in, when the tree has only what events told it, and after.
func TestReplayAgainstTheBrowsersWord(t *testing.T) {
	tests := []struct {
		trace   string
		replies int
		holes   map[messages.FrameID]string // what no event tells
	}{
		{"oopif-kinds", 27, map[messages.FrameID]string{
			"7A1F33D5": "a javascript: frame never commits",
			"F7FD9F98": "in the renderer of a page that came out of the back/forward cache",
			"71E53AA3": "the same",
		}},
		{"oopif-waittrue", 12, nil},
		{"oopif-waitfalse", 12, nil},
		{"seed-attach-loaded", 11, map[messages.FrameID]string{
			"A7F10719": "attached to a page that was there", "E4DA6C32": "the same", "F5FBACBC": "the same",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.trace, func(t *testing.T) {
			tr := newTree()
			replies := 0
			for i, st := range readTrace(t, tt.trace) {
				var before, want map[messages.FrameID]string
				_, _, known := tr.PageOf(st.ev.Session)
				asked := st.seed != nil && known
				if asked {
					replies++
					before, want = tr.inSession(st.ev.Session), localFrames(st.seed)
					for f := range tt.holes {
						if before[f] == "" || tr.ref(t, f).URL == "" {
							before[f] = want[f]
						}
						if before[f] == "" {
							delete(before, f)
						}
					}
				}
				tr.tell(t, st)
				if !asked {
					continue
				}
				compare(t, fmt.Sprintf("step %d, before the reply", i), before, want)
				compare(t, fmt.Sprintf("step %d, after the reply", i), tr.inSession(st.ev.Session), want)
			}
			if replies != tt.replies {
				t.Errorf("%d replies were compared, want %d", replies, tt.replies)
			}
			if d := tr.Dropped(); d.Frames+d.Sessions+d.Early != 0 || tr.Early() != 0 {
				t.Errorf("dropped %+v, %d early", d, tr.Early())
			}
		})
	}
}

func compare(t *testing.T, when string, got, want map[messages.FrameID]string) {
	t.Helper()
	ids := slices.AppendSeq(slices.Collect(maps.Keys(got)), maps.Keys(want))
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if got[id] != want[id] {
			t.Errorf("%s: frame %s: have %q, the browser says %q", when, id, got[id], want[id])
		}
	}
}
