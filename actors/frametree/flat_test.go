package frametree_test

import (
	"fmt"
	"slices"
	"testing"

	"cdpsupervisor/messages"
)

// flat is the dumbest tree: one record a frame, no pointers, everything found by
// going through all of them. It takes histories in the order in which they
// happened, and knows no caps.
type flat struct {
	frames map[messages.FrameID]*record
	up     map[messages.SessionID]messages.SessionID // live sessions and where they were announced
	seq    int
}

type record struct {
	parent   messages.FrameID
	by       messages.SessionID // who announced it
	session  messages.SessionID // its own
	main     bool
	url      string
	spoken   bool // its own session has told of a document
	here     bool // who announced it has it, or had it before it got its session
	shown    bool // its own session or its target has told of a document
	swapping bool
	order    int
}

func newFlat() *flat {
	return &flat{frames: map[messages.FrameID]*record{}, up: map[messages.SessionID]messages.SessionID{}}
}

func (f *flat) put(id, parent messages.FrameID, by messages.SessionID) *record {
	r := f.frames[id]
	if r == nil {
		f.seq++
		r = &record{order: f.seq}
		f.frames[id] = r
	}
	r.here = r.here && r.by == by
	r.parent, r.by = parent, by
	return r
}

// sweep removes what cannot be, until nothing changes.
func (f *flat) sweep() {
	for again := true; again; {
		again = false
		for id, r := range f.frames {
			_, live := f.up[r.by]
			_, hung := f.frames[r.parent]
			if !live || !r.main && !hung {
				delete(f.frames, id)
				if r.session != "" {
					delete(f.up, r.session)
				}
				again = true
			}
		}
		for id, on := range f.up {
			if _, live := f.up[on]; on != "" && !live {
				delete(f.up, id)
				again = true
			}
		}
	}
	for _, r := range f.frames {
		if _, live := f.up[r.session]; r.session != "" && !live {
			r.session, r.spoken, r.swapping = "", false, r.shown || !r.here
		}
	}
}

func (f *flat) navigated(on messages.SessionID, b *messages.FrameNavigated) {
	id := b.Frame.ID
	for c, r := range f.frames {
		if r.parent == id && c != id && (r.by == on || f.frames[id].session == on) {
			if r.session != "" && r.by == on && b.Type != messages.NavigationPlain {
				continue
			}
			delete(f.frames, c)
			delete(f.up, r.session)
		}
	}
	r := f.frames[id]
	if r == nil || r.session != on {
		r = f.put(id, b.Frame.ParentID, on)
		r.swapping, r.here = false, true
		if b.Frame.ParentID == "" {
			r.main, r.session = true, on
		}
	}
	r.url = b.Frame.URL
	r.spoken = r.session == on
	r.shown = r.shown || r.spoken
}

func (f *flat) apply(on messages.SessionID, body messages.EventBody) {
	if a, ok := body.(*messages.AttachedToTarget); ok && a.Info.Type == messages.TargetPage {
		f.up[a.SessionID] = ""
		return
	}
	if _, live := f.up[on]; !live && on != "" {
		return
	}
	switch b := body.(type) {
	case *messages.AttachedToTarget:
		if b.Info.Type != messages.TargetIframe {
			break
		}
		r := f.put(messages.FrameID(b.Info.TargetID), b.Info.ParentFrameID, on)
		r.session, r.swapping, r.spoken = b.SessionID, false, false
		r.shown = b.Info.URL != ""
		f.up[b.SessionID] = on
		if b.Info.URL != "" {
			r.url = b.Info.URL
		}
	case *messages.DetachedFromTarget:
		delete(f.up, b.SessionID)
	case *messages.TargetInfoChanged:
		if r := f.frames[messages.FrameID(b.Info.TargetID)]; r != nil && r.session != "" && b.Info.URL != "" {
			r.url, r.shown = b.Info.URL, true
		}
	case *messages.FrameAttached:
		if p := f.frames[b.ParentID]; p != nil && p.session != "" && p.session != on && p.spoken {
			break
		}
		r := f.put(b.FrameID, b.ParentID, on)
		r.swapping, r.here = false, true
		if p := f.frames[b.ParentID]; p != nil && p.session == on {
			p.spoken = true
		}
	case *messages.FrameNavigated:
		f.navigated(on, b)
	case *messages.FrameDetached:
		r := f.frames[b.FrameID]
		switch {
		case r == nil:
		case b.Reason == messages.DetachSwap:
			r.swapping, r.here = r.session == "", false
		default:
			delete(f.frames, b.FrameID)
			delete(f.up, r.session)
		}
	}
	f.sweep()
}

func (f *flat) lines() []string {
	var out []string
	for id, r := range f.frames {
		session := r.session
		if r.main {
			session = ""
		}
		out = append(out, fmt.Sprintf("%s under %s at %s session %s swapping %t", id, r.parent, r.url, session, r.swapping))
	}
	slices.Sort(out)
	return out
}

func (t *tree) flatLines() []string {
	var out []string
	for _, p := range t.Pages(nil) {
		v := t.FullView(p, true)
		if v == nil {
			continue
		}
		for _, e := range append([]messages.FrameEntry{v.Top}, v.Children...) {
			out = append(out, fmt.Sprintf("%s under %s at %s session %s swapping %t",
				e.FrameID, e.ParentFrameID, e.URL, e.SessionID, e.State == messages.FrameSwapping))
		}
	}
	slices.Sort(out)
	return out
}

// TestAgainstAFlatMap replays an ad-heavy page, where frames come, move and go,
// and holds the tree after every event against the dumb one.
func TestAgainstAFlatMap(t *testing.T) {
	for _, trace := range []string{"adheavy-small", "oopif-waittrue"} {
		t.Run(trace, func(t *testing.T) {
			tr, dumb := newTree(), newFlat()
			most := 0
			for i, st := range readTrace(t, trace) {
				if st.seed != nil {
					continue
				}
				dumb.apply(st.ev.Session, st.ev.Body)
				tr.tell(t, st)
				got, want := tr.flatLines(), dumb.lines()
				if !slices.Equal(got, want) {
					t.Fatalf("after step %d, %v:\nhave %q\nwant %q", i, st, got, want)
				}
				most = max(most, len(want))
			}
			if most < 8 {
				t.Errorf("only %d frames at most", most)
			}
			t.Logf("%d frames at most, %d at the end, %d sessions", most, tr.Frames(), tr.SessionCount())
		})
	}
}
