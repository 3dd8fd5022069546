package frametree_test

import (
	"fmt"
	"reflect"
	"testing"

	"cdpsupervisor/actors/frametree"
	"cdpsupervisor/messages"
)

// script reads an op stream: four bytes an op, of few frames and sessions, so
// that they meet.
type script struct{ data []byte }

func (s *script) next() (op, a, b, c byte, ok bool) {
	if len(s.data) < 4 {
		return 0, 0, 0, 0, false
	}
	op, a, b, c = s.data[0], s.data[1], s.data[2], s.data[3]
	s.data = s.data[4:]
	return op, a, b, c, true
}

func frameName(b byte) messages.FrameID {
	if b%12 == 0 {
		return ""
	}
	return messages.FrameID(fmt.Sprint("F", b%12))
}

func sessionName(b byte) messages.SessionID {
	if b%9 == 0 {
		return ""
	}
	return messages.SessionID(fmt.Sprint("S", b%9))
}

// make turns an op into a step; pages come through AddPage.
func (s *script) make(op, a, b, c byte) step {
	f, parent, at := frameName(a), frameName(b), sessionName(c)
	info := frameAt(f, parent, fmt.Sprintf("h%d.test", c%3))
	target := messages.TargetInfo{
		TargetID: messages.TargetID(f), Type: messages.TargetIframe, ParentFrameID: parent, URL: []string{"", "about:blank", info.URL}[c%3],
	}
	switch op % 16 {
	case 0, 1:
		return on(at, attached(f, parent))
	case 2:
		return on(at, &messages.FrameNavigated{Frame: info, Type: messages.NavigationPlain})
	case 3:
		return on(at, &messages.FrameNavigated{Frame: info, Type: messages.NavigationBFCache})
	case 4:
		return on(at, &messages.FrameDetached{FrameID: f, Reason: []messages.DetachReason{"swap", "remove", "", "odd"}[b%4]})
	case 5, 6, 7:
		return on(at, &messages.AttachedToTarget{SessionID: sessionName(b + op), Info: target, Waiting: a%2 == 0})
	case 8:
		return on(at, gone(sessionName(a)))
	case 9:
		return on(at, &messages.TargetInfoChanged{Info: target})
	case 10:
		return on(at, &messages.TargetDestroyed{TargetID: messages.TargetID(f)})
	case 11:
		if b%2 == 0 {
			return on(at, &messages.ContextCreated{FrameID: f, Origin: []string{"https://w.test", "://"}[c%2], IsDefault: true})
		}
		return on(at, &messages.NavigatedWithinDocument{FrameID: f, URL: "x"})
	case 12:
		return on(at, &messages.DocumentOpened{Frame: info})
	case 13:
		return on(at, &messages.FrameStartedNavigating{FrameID: f, LoaderID: info.LoaderID})
	case 14:
		return reply(at, messages.FrameNode{Frame: info, Children: []messages.FrameNode{
			{Frame: frameAt(frameName(b+1), f, "a.test"), Children: []messages.FrameNode{{Frame: frameAt(frameName(c), "", "")}}},
			{Frame: frameAt(frameName(b+2), f, "b.test")},
		}})
	}
	return on(at, pageTarget(sessionName(a), messages.TargetID(frameName(b))))
}

func FuzzFrameTree(f *testing.F) {
	f.Add([]byte{15, 1, 1, 0, 2, 1, 0, 1, 0, 2, 1, 1, 5, 2, 2, 1, 8, 2, 0, 1, 4, 2, 1, 1})
	f.Add([]byte{15, 1, 1, 0, 0, 3, 2, 1, 0, 2, 3, 1, 14, 1, 2, 1, 3, 1, 0, 1})
	f.Add([]byte{15, 9, 1, 0, 14, 1, 2, 9, 5, 2, 3, 9, 7, 4, 2, 1, 10, 1, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4*400 {
			data = data[:4*400]
		}
		s := script{data}
		tr, twin := newTree(), newTree() // the twin is compacted now and then
		live := map[messages.SessionID]bool{}
		for {
			op, a, b, c, ok := s.next()
			if !ok {
				break
			}
			st := s.make(op, a, b, c)
			attaches := 0
			effects := tr.do(st)
			compactedToo(t, twin, st, effects, (int(op)+int(c))%3 == 0)
			for _, e := range effects {
				switch e := e.(type) {
				case *frametree.SessionAttached:
					if live[e.Session] {
						t.Fatalf("%v: session %s is attached twice", st, e.Session)
					}
					live[e.Session] = true
					attaches++
				case *frametree.SessionEnded:
					if !live[e.Session] {
						t.Fatalf("%v: session %s ends twice", st, e.Session)
					}
					delete(live, e.Session)
				case *frametree.FramesRemoved:
					goneFor(t, tr, st, e.Frames)
				case *frametree.FramesPruned:
					goneFor(t, tr, st, e.Frames)
				case *frametree.Reseed:
					if !live[e.Session] {
						t.Fatalf("%v: asks for the tree of session %s, which is not there", st, e.Session)
					}
				}
			}
			if err := tr.Verify(); err != nil {
				t.Fatalf("after %v: %v", st, err)
			}
			if len(live) != tr.SessionCount() {
				t.Fatalf("after %v: %d sessions live by their effects, %d in the tree", st, len(live), tr.SessionCount())
			}
			look(t, tr)
			look(t, twin)
			for _, p := range tr.Pages(nil) {
				if got, want := twin.FullView(p, true), tr.FullView(p, true); !reflect.DeepEqual(got, want) {
					t.Fatalf("after %v the compacted tree shows\n%+v, want\n%+v", st, got, want)
				}
			}
		}
	})
}

// compactedToo does the same step to a tree that was moved now and then, which
// must make no difference.
func compactedToo(t *testing.T, twin *tree, st step, want []frametree.Effect, compact bool) {
	t.Helper()
	if got := twin.do(st); !reflect.DeepEqual(got, want) {
		t.Fatalf("%v: a tree that was compacted says\n%v, want\n%v", st, got, want)
	}
	if compact {
		twin.Compact(make(messages.Strings))
	}
	if err := twin.Verify(); err != nil {
		t.Fatalf("compacted %t after %v: %v", compact, st, err)
	}
}

// goneFor checks that frames that were told to be gone are. One that was
// announced again in the same step, by an event that had waited, may be there.
func goneFor(t *testing.T, tr *tree, st step, frames []messages.FrameID) {
	if _, waited := st.ev.Body.(*messages.AttachedToTarget); waited {
		return
	}
	for _, f := range frames {
		if tr.has(f) {
			t.Fatalf("%v: frame %s is told to be gone, and is there", st, f)
		}
	}
}

// look asks everything that can be asked.
func look(t *testing.T, tr *tree) {
	shown := 0
	for _, p := range tr.Pages(nil) {
		v, full := tr.View(p, true), tr.FullView(p, true)
		if v == nil {
			continue
		}
		shown += 1 + len(full.Children)
		if len(v.Children)+v.Omitted != len(full.Children) || v.Truncated != (v.Omitted > 0) || full.Truncated {
			t.Fatalf("page %s shows %d, omits %d, has %d", p, len(v.Children), v.Omitted, len(full.Children))
		}
		seen := map[messages.FrameID]bool{full.Top.FrameID: true}
		for _, e := range full.Children {
			if !seen[e.ParentFrameID] || seen[e.FrameID] {
				t.Fatalf("page %s: frame %s comes before its parent %s, or twice", p, e.FrameID, e.ParentFrameID)
			}
			seen[e.FrameID] = true
			r, ok := tr.Lookup(e.FrameID)
			if !ok || r.Page != p || r.OOPIF() != *e.OOPIF || r.Parent != e.ParentFrameID || *e.OOPIF != (e.SessionID != "" || r.HasSession) {
				t.Fatalf("page %s: %+v, but %+v", p, e, r)
			}
		}
		for _, s := range tr.Sessions(p, nil) {
			if q, _, ok := tr.PageOf(s); !ok || q != p || !tr.SameRenderer(s, s) {
				t.Fatalf("session %s of page %s is of %s", s, p, q)
			}
		}
	}
	if shown > tr.Frames() {
		t.Fatalf("%d frames are shown, %d tracked", shown, tr.Frames())
	}
}
