package replay_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/replay"
)

// wireTree is the result of Page.getFrameTree.
type wireTree struct {
	Frame struct {
		ID          messages.FrameID
		URL         string
		URLFragment string
	}
	ChildFrames []wireTree
}

// said lists the frames of a reply, with their parents and URLs.
func (w *wireTree) said(parent messages.FrameID, into map[messages.FrameID]string) {
	into[w.Frame.ID] = fmt.Sprintf("below %s: %s", parent, w.Frame.URL+w.Frame.URLFragment)
	for i := range w.ChildFrames {
		w.ChildFrames[i].said(w.Frame.ID, into)
	}
}

// local lists the frames in the process of one session as the engine shows them.
func local(tree *messages.FrameTree, session messages.SessionID, page bool) map[messages.FrameID]string {
	all := map[messages.FrameID]string{}
	if tree == nil {
		return all
	}
	root := tree.Top.FrameID
	if !page {
		i := slices.IndexFunc(tree.Children, func(f messages.FrameEntry) bool { return f.SessionID == session })
		if i < 0 {
			return all
		}
		root = tree.Children[i].FrameID
		all[root] = "below : " + tree.Children[i].URL
	} else {
		all[root] = "below : " + tree.Top.URL
	}
	in := map[messages.FrameID]bool{root: true}
	for _, f := range tree.Children { // parents come first
		if in[f.ParentFrameID] && f.OOPIF != nil && !*f.OOPIF && f.State == "" {
			in[f.FrameID] = true
			all[f.FrameID] = fmt.Sprintf("below %s: %s", f.ParentFrameID, f.URL)
		}
	}
	return all
}

// TestFramesAgainstTheBrowser plays recordings up to each Page.getFrameTree reply
// in them, which is the browser's own word, and holds the engine's tree against
// it. The engine itself has been given the first reply of each session only.
func TestFramesAgainstTheBrowser(t *testing.T) {
	for _, name := range []string{"oopif-kinds", "oopif-waittrue", "oopif-waitfalse", "seed-attach-loaded"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := load(t, own(name))
			asked := map[int64]string{} // id → session
			page, compared := "", 0
			for i, m := range all {
				switch {
				case m.dir == cdpwire.Sent:
					if m.msg.Method == "Page.getFrameTree" {
						asked[*m.msg.ID] = m.msg.SessionID
					}
				case m.msg.Method == "Target.attachedToTarget" && page == "":
					var p struct{ SessionID string }
					_ = json.Unmarshal(m.msg.Params, &p)
					page = p.SessionID
				case m.msg.ID != nil:
					session, ok := asked[*m.msg.ID]
					if !ok || m.msg.Result == nil {
						continue
					}
					compared += compare(t, all[:i+1], session, session == page, m.msg.Result)
				}
			}
			if compared < 3 {
				t.Errorf("only %d replies could be compared", compared)
			}
			t.Logf("%d replies", compared)
		})
	}
}

func compare(t *testing.T, prefix []recorded, session string, page bool, result []byte) int {
	var reply struct{ FrameTree wireTree }
	if err := json.Unmarshal(result, &reply); err != nil {
		t.Fatal(err)
	}
	want := map[messages.FrameID]string{}
	reply.FrameTree.said("", want)
	r := run(t, replay.Options{Path: save(t, prefix), FullTree: true})
	have := local(r.Snapshot.FrameTree, messages.SessionID(session), page)
	if len(have) == 0 {
		return 0 // a session of another page
	}
	// No event tells of the empty document in which a frame begins.
	for id, frame := range have {
		if frame+"about:blank" == want[id] {
			have[id] = want[id]
		}
	}
	if !maps.Equal(have, want) {
		t.Errorf("at message %d, session %s:\nhave %v\nwant %v", len(prefix), session, have, want)
	}
	return 1
}

// TestDialogsAgainstTheEvents holds the dialogs of a replay against the events of
// its trace on the page's session.
func TestDialogsAgainstTheEvents(t *testing.T) {
	for _, name := range []string{
		"dialogs-native", "dialogs-iframes", "dialogs-concurrency", "dialogs-two-clients-A", "dialogs-client-disconnect-A",
		"browserbase-replica", "dialog-hang-matrix", "crash-oopif-dialog-close",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := load(t, own(name))
			r := run(t, replay.Options{Path: own(name)})
			page := ""
			type event struct {
				kind, message string
				at            float64
				result        *bool
			}
			var told []event
			for _, m := range all {
				var p struct {
					SessionID  string
					TargetInfo struct{ TargetID messages.TargetID }
					Type       string
					Message    string
					Result     bool
				}
				_ = json.Unmarshal(m.msg.Params, &p)
				switch {
				case m.msg.Method == "Target.attachedToTarget" && p.TargetInfo.TargetID == r.Snapshot.PageTargetID && page == "":
					page = p.SessionID
				case m.msg.SessionID != page || page == "":
				case m.msg.Method == "Page.javascriptDialogOpening":
					told = append(told, event{kind: p.Type, message: p.Message, at: m.t})
				case m.msg.Method == "Page.javascriptDialogClosed":
					for i := range told {
						if told[i].result == nil {
							told[i].result = &p.Result
							break
						}
					}
				}
			}
			if len(told) == 0 || len(told) != len(r.Dialogs) {
				t.Fatalf("%d dialogs, the trace has %d", len(r.Dialogs), len(told))
			}
			for i, d := range r.Dialogs {
				want := told[i]
				if e := d.Ended; e != nil {
					// Of dialogs whose frame went the browser says nothing more.
					result := want.result != nil && *want.result
					if string(e.Type) != want.kind || !near(float64(e.OpenedAt), want.at) || e.Result != result || e.ClosedBy != messages.ClosedByRemote {
						t.Errorf("dialog %d is %+v, the trace says %+v", i, *e, want)
					}
					continue
				}
				if want.result != nil || string(d.Open.Type) != want.kind || !near(float64(d.Open.OpenedAt), want.at) {
					t.Errorf("dialog %d is open: %+v, the trace says %+v", i, *d.Open, want)
				}
			}
			open := 0
			for _, d := range r.Dialogs {
				if d.Ended == nil {
					open++
				}
			}
			if open != len(r.Snapshot.PendingDialogs) {
				t.Errorf("%d dialogs are pending, %d are open", len(r.Snapshot.PendingDialogs), open)
			}
		})
	}
}

func near(a, b float64) bool { return a-b < 1e-5 && b-a < 1e-5 }

// TestStates: what was wrong in a recording is wrong in its replay.
func TestStates(t *testing.T) {
	for name, want := range map[string]messages.Status{
		"dialogs-attach-while-open":  messages.StatusBlocked, // a dialog opened before anybody came
		"crash-dialog-frame-removed": messages.StatusPoisoned,
		"crash-oopif-dialog-close":   messages.StatusPoisoned,
		"tab-target-prerender":       messages.StatusTabGone,
		"prerender":                  "",
		"browserbase-replica":        "",
		"adheavy-small":              "",
	} {
		if r := run(t, replay.Options{Path: own(name)}); status(r.Snapshot) != want {
			t.Errorf("%s: status %q, want %q", name, status(r.Snapshot), want)
		}
	}
}
