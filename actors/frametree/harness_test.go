package frametree_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"cdpsupervisor/actors/frametree"
	"cdpsupervisor/messages"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tree wraps a state the way its owner uses it: every page is taken.
type tree struct {
	*frametree.State
	effects []frametree.Effect
}

func newTree() *tree { return &tree{State: frametree.New()} }

// do applies one step and returns its effects.
func (t *tree) do(st step) []frametree.Effect {
	t.effects = t.effects[:0]
	if st.seed != nil {
		t.effects = t.Seed(st.ev.Session, st.seed, t.effects)
		return t.effects
	}
	t.effects = t.Apply(&st.ev, t.effects)
	for i := 0; i < len(t.effects); i++ {
		if u, ok := t.effects[i].(*frametree.SessionUnclaimed); ok &&
			u.Why == frametree.UnclaimedType && u.Info.Type == messages.TargetPage {
			t.effects = t.AddPage(u.Session, &u.Info, u.Waiting, t.effects)
		}
	}
	return t.effects
}

// tell applies steps and checks the invariants after each.
func (t *tree) tell(tb testing.TB, steps ...step) []frametree.Effect {
	tb.Helper()
	var all []frametree.Effect
	for i, st := range steps {
		all = append(all, t.do(st)...)
		if err := t.Verify(); err != nil {
			tb.Fatalf("after step %d, %v: %v", i, st, err)
		}
	}
	return all
}

// The words of a browser, short. A session is named by what it is the root of:
// "P" for the page with target "T" and main frame "M".

func on(session messages.SessionID, body messages.EventBody) step {
	return step{ev: messages.Event{Session: session, Body: body}}
}

func reply(session messages.SessionID, root messages.FrameNode) step {
	return step{ev: messages.Event{Session: session}, seed: &root}
}

func attached(frame, parent messages.FrameID) *messages.FrameAttached {
	return &messages.FrameAttached{FrameID: frame, ParentID: parent}
}

// frameAt is a frame at a URL of a host, with a loader of the same name.
func frameAt(frame, parent messages.FrameID, host string) messages.FrameInfo {
	return messages.FrameInfo{
		ID: frame, ParentID: parent, LoaderID: messages.LoaderID("L-" + string(frame) + "-" + host),
		URL: "https://" + host + "/", Origin: "https://" + host, Domain: host,
	}
}

func navigated(frame, parent messages.FrameID, host string) *messages.FrameNavigated {
	return &messages.FrameNavigated{Frame: frameAt(frame, parent, host), Type: messages.NavigationPlain}
}

func restored(frame messages.FrameID, host string) *messages.FrameNavigated {
	return &messages.FrameNavigated{Frame: frameAt(frame, "", host), Type: messages.NavigationBFCache}
}

func swapped(frame messages.FrameID) *messages.FrameDetached {
	return &messages.FrameDetached{FrameID: frame, Reason: messages.DetachSwap}
}

func removed(frame messages.FrameID) *messages.FrameDetached {
	return &messages.FrameDetached{FrameID: frame, Reason: messages.DetachRemove}
}

func session(id messages.SessionID, frame, parent messages.FrameID) *messages.AttachedToTarget {
	return &messages.AttachedToTarget{SessionID: id, Waiting: true, Info: messages.TargetInfo{
		TargetID: messages.TargetID(frame), Type: messages.TargetIframe, ParentFrameID: parent,
	}}
}

func gone(id messages.SessionID) *messages.DetachedFromTarget {
	return &messages.DetachedFromTarget{SessionID: id}
}

func changed(frame messages.FrameID, url string) *messages.TargetInfoChanged {
	return &messages.TargetInfoChanged{Info: messages.TargetInfo{
		TargetID: messages.TargetID(frame), Type: messages.TargetIframe, URL: url,
	}}
}

func pageTarget(id messages.SessionID, target messages.TargetID) *messages.AttachedToTarget {
	return &messages.AttachedToTarget{SessionID: id, Info: messages.TargetInfo{TargetID: target, Type: messages.TargetPage}}
}

// onPage is a tree with page T, session P and main frame M at a.test.
func onPage(tb testing.TB, steps ...step) *tree {
	tb.Helper()
	tr := newTree()
	tr.tell(tb, on("", pageTarget("P", "T")), on("P", navigated("M", "", "a.test")))
	tr.tell(tb, steps...)
	return tr
}

// ref looks a frame up that must be there.
func (t *tree) ref(tb testing.TB, frame messages.FrameID) frametree.Ref {
	tb.Helper()
	r, ok := t.Lookup(frame)
	if !ok {
		tb.Fatalf("frame %s is not there", frame)
	}
	return r
}

// has reports whether a frame is tracked.
func (t *tree) has(frame messages.FrameID) bool {
	_, ok := t.Lookup(frame)
	return ok
}

// all picks the effects of one type.
func all[E frametree.Effect](list []frametree.Effect) []E {
	var out []E
	for _, e := range list {
		if x, ok := e.(E); ok {
			out = append(out, x)
		}
	}
	return out
}

func sameEffects(a, b []frametree.Effect) bool {
	return slices.EqualFunc(a, b, func(x, y frametree.Effect) bool { return reflect.DeepEqual(x, y) })
}

func show(list []frametree.Effect) string {
	out := ""
	for _, e := range list {
		out += fmt.Sprintf("%T %+v\n", e, e)
	}
	return out
}
