package frametree_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"cdpsupervisor/messages"
)

// pick chooses a frame of the browser that fits, or nil.
func (b *browser) pick(fits func(*frame) bool) *frame {
	var list []*frame
	for _, p := range b.pages {
		for _, f := range p.main.all() {
			if fits(f) {
				list = append(list, f)
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[b.rng.IntN(len(list))]
}

// act lets one thing happen in the browser.
func (b *browser) act() {
	any := func(*frame) bool { return true }
	child := func(f *frame) bool { return f.parent != nil }
	local := func(f *frame) bool { return f.parent != nil && f.session == "" }
	remote := func(f *frame) bool { return f.parent != nil && f.session != "" }
	acts := []struct {
		weight int
		fits   func(*frame) bool
		do     func(*frame)
	}{
		{6, any, b.addLocal},
		{6, any, b.addRemote},
		{2, local, b.toRemote},
		{2, remote, b.toLocal},
		{2, any, b.navigate},
		{1, any, b.push},
		{1, local, b.open},
		{2, child, b.remove},
		{1, local, b.goNowhere},
		{1, remote, b.blink},
		{1, func(f *frame) bool { return f.session != "" }, b.seed},
	}
	n := b.rng.IntN(29)
	switch {
	case n == 25 || n == 26:
		b.goBack(b.pages[b.rng.IntN(len(b.pages))])
		return
	case n == 27 && len(b.pages) < 4:
		b.openPage(b.pages[0])
		return
	case n == 28 && len(b.pages) > 1:
		b.closePage(b.pages[1+b.rng.IntN(len(b.pages)-1)])
		return
	}
	for _, a := range acts {
		if n -= a.weight; n < 0 {
			if f := b.pick(a.fits); f != nil {
				a.do(f)
			}
			return
		}
	}
}

// interleave tells a history in another order. Each session keeps its own. A
// reply comes when its session is known, since somebody has asked; unless wild,
// that is true for events as well.
func (b *browser) interleave(seed uint64, wild bool) []step {
	rng := rand.New(rand.NewPCG(seed, 2))
	rest := make(map[messages.SessionID][]step, len(b.streams))
	ids := slices.Sorted(maps.Keys(b.streams))
	for id, list := range b.streams {
		rest[id] = list
	}
	announced := map[messages.SessionID]messages.SessionID{} // session → where, once that is told
	var known func(id messages.SessionID) bool
	known = func(id messages.SessionID) bool {
		on, ok := announced[id]
		return id == "" || ok && known(on)
	}
	var out []step
	for len(out) < len(b.all) {
		var ready []messages.SessionID
		for _, id := range ids {
			if len(rest[id]) > 0 && (known(id) || wild && rest[id][0].seed == nil) {
				ready = append(ready, id)
			}
		}
		id := ready[rng.IntN(len(ready))]
		for n := 1 + rng.IntN(6); n > 0 && len(rest[id]) > 0 && (known(id) || wild && rest[id][0].seed == nil); n-- {
			st := rest[id][0]
			rest[id] = rest[id][1:]
			out = append(out, st)
			if a, ok := st.ev.Body.(*messages.AttachedToTarget); ok {
				announced[a.SessionID] = id
			}
		}
	}
	return out
}

// truth is what the views of all pages must show, as lines.
func (b *browser) truth() []string {
	var lines []string
	for _, p := range b.pages {
		for _, f := range p.main.all() {
			parent, session := messages.FrameID(""), messages.SessionID("")
			if f.parent != nil {
				parent, session = f.parent.id, f.session
			}
			lines = append(lines, line(p.target, f.id, parent, f.url, f.origin(), session, f.parent != nil && session != ""))
		}
	}
	slices.Sort(lines)
	return lines
}

func line(p messages.TargetID, f, parent messages.FrameID, url, origin string, s messages.SessionID, oopif bool) string {
	return fmt.Sprintf("%s: %s under %s at %s of %s, session %s oopif %t", p, f, parent, url, origin, s, oopif)
}

// lines is what the views of all pages show, in their order.
func (t *tree) lines() []string {
	var lines []string
	for _, p := range t.Pages(nil) {
		v := t.FullView(p, true)
		if v == nil {
			continue
		}
		for _, e := range append([]messages.FrameEntry{v.Top}, v.Children...) {
			lines = append(lines, line(p, e.FrameID, e.ParentFrameID, e.URL, e.Origin, e.SessionID, e.OOPIF != nil && *e.OOPIF))
			if e.State == messages.FrameSwapping {
				lines = append(lines, fmt.Sprintf("%s is swapping", e.FrameID))
			}
		}
	}
	return lines
}

func (st step) String() string {
	if st.seed != nil {
		return fmt.Sprintf("%s: frame tree %+v", st.ev.Session, *st.seed)
	}
	return fmt.Sprintf("%s: %T %+v", st.ev.Session, st.ev.Body, st.ev.Body)
}

func (t *tree) run(fail func(string, ...any), steps []step) {
	for i, st := range steps {
		t.do(st)
		if err := t.Verify(); err != nil {
			fail("after step %d, %v: %v", i, st, err)
		}
	}
}

func history(steps []step) string {
	var w strings.Builder
	for _, st := range steps {
		fmt.Fprintln(&w, st)
	}
	return w.String()
}

// TestEveryOrderEndsInTheSameTree lets a model of a browser live, tells its
// history in the order in which it happened and in others that keep the order
// within each session, and holds the tree against the model's truth each time.
func TestEveryOrderEndsInTheSameTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		b := newBrowser(seed)
		b.openPage(nil)
		for range rapid.IntRange(5, 60).Draw(t, "actions") {
			b.act()
		}
		want := b.truth()
		var first []string
		for round, order := range [][]step{
			b.all, b.interleave(seed, false), b.interleave(seed+1, false), b.interleave(seed, true), b.interleave(seed+1, true),
		} {
			tr := newTree()
			tr.run(t.Fatalf, order)
			got := tr.lines()
			if round == 0 {
				first = got
			} else if !slices.Equal(got, first) {
				t.Fatalf("order %d shows\n%s\nthe first order\n%s\nhistory\n%s",
					round, strings.Join(got, "\n"), strings.Join(first, "\n"), history(order))
			}
			got = slices.Sorted(slices.Values(got))
			if !slices.Equal(got, want) {
				t.Fatalf("order %d shows\n%s\nthe browser has\n%s\nhistory\n%s",
					round, strings.Join(got, "\n"), strings.Join(want, "\n"), history(order))
			}
			if n := tr.Frames(); n != len(want) {
				t.Fatalf("order %d: %d frames are tracked, the browser has %d\nhistory\n%s", round, n, len(want), history(order))
			}
			if n := tr.Early(); n != 0 {
				t.Fatalf("order %d: %d early events are left\nhistory\n%s", round, n, history(order))
			}
		}
	})
}
