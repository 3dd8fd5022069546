package frametree_test

import (
	"fmt"
	"slices"
	"testing"

	"cdpsupervisor/messages"
)

// localFrames lists what a frame tree reply says, one line a frame. URLs that
// the reply leaves empty are "?".
func localFrames(root *messages.FrameNode) map[messages.FrameID]string {
	out := make(map[messages.FrameID]string)
	var walk func(n *messages.FrameNode, parent messages.FrameID)
	walk = func(n *messages.FrameNode, parent messages.FrameID) {
		out[n.Frame.ID] = fmt.Sprintf("parent %s url %s", parent, n.Frame.URL)
		for i := range n.Children {
			walk(&n.Children[i], n.Frame.ID)
		}
	}
	walk(root, root.Frame.ParentID)
	return out
}

// inSession lists what the tree knows in the renderer of one session.
func (t *tree) inSession(session messages.SessionID) map[messages.FrameID]string {
	out := make(map[messages.FrameID]string)
	page, _, _ := t.PageOf(session)
	full := t.FullView(page, true)
	if full == nil {
		return out
	}
	for _, e := range append([]messages.FrameEntry{full.Top}, full.Children...) {
		ref, ok := t.Lookup(e.FrameID)
		if !ok || ref.OwnerSession != session || ref.State == messages.FrameSwapping {
			continue
		}
		out[e.FrameID] = fmt.Sprintf("parent %s url %s", e.ParentFrameID, e.URL)
	}
	return out
}

// TestReplayAgainstFrameTrees replays recordings and holds the tree against the
// browser's own word at each Page.getFrameTree reply, which is only taken in
// where it is the first that we hear of a session.
func TestReplayAgainstFrameTrees(t *testing.T) {
	for _, name := range []string{"oopif-kinds", "oopif-waittrue", "oopif-waitfalse", "seed-attach-loaded"} {
		t.Run(name, func(t *testing.T) {
			tr := newTree()
			compared := 0
			for i, st := range readTrace(t, name) {
				if st.seed == nil {
					tr.do(st)
					check(t, tr)
					continue
				}
				if _, _, ok := tr.PageOf(st.ev.Session); !ok {
					continue
				}
				want := localFrames(st.seed)
				before := tr.inSession(st.ev.Session)
				same(t, fmt.Sprintf("step %d, before the reply", i), before, want)
				tr.do(st)
				check(t, tr)
				after := tr.inSession(st.ev.Session)
				same(t, fmt.Sprintf("step %d, after the reply", i), after, want)
				if root, _ := tr.RootFrame(st.ev.Session); root.Frame != "" && len(before) > 0 && before[root.Frame] == after[root.Frame] {
					compared++
					t.Logf("step %d session %.4s before=%v", i, st.ev.Session, before)
				}
			}
			t.Logf("%d replies compared", compared)
		})
	}
}

func same(t *testing.T, when string, got, want map[messages.FrameID]string) {
	t.Helper()
	ids := make([]messages.FrameID, 0)
	for id := range got {
		ids = append(ids, id)
	}
	for id := range want {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		g, w := got[id], want[id]
		if g != w {
			t.Errorf("%s: frame %s: have %q, browser says %q", when, id, g, w)
		}
	}
}
func check(t *testing.T, tr *tree) {}
