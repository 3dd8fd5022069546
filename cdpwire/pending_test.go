package cdpwire

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"cdpsupervisor/messages"
)

// A call that is never answered waits for the end of its session, and so would
// the script in it.
func TestAPendingCallKeepsNoParams(t *testing.T) {
	var p pendingCalls
	id := p.add(pendingCall{session: "S", cmd: messages.Raw{Name: "Runtime.evaluate", Params: make([]byte, 1<<20), Context: "c"}})
	call, _ := p.settle(id)
	if raw, ok := call.cmd.(messages.Raw); !ok || raw.Name != "Runtime.evaluate" || raw.Params != nil {
		t.Errorf("it is kept as %T", call.cmd)
	}
}

// The chains of the sessions and the table of ids agree, whatever is added,
// settled and forgotten, in any order.
func TestPendingModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p pendingCalls
		model := make(map[int64]messages.SessionID)
		sessions := rapid.SampledFrom([]messages.SessionID{"", "A", "B", "C"})
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0, 1:
				s := sessions.Draw(t, "session")
				id := p.add(pendingCall{session: s, ref: messages.Ref{N: 7}})
				if _, twice := model[id]; twice {
					t.Fatalf("id %d was given twice", id)
				}
				model[id] = s
			case 2:
				id := int64(rapid.IntRange(0, 40).Draw(t, "id"))
				call, lot := p.settle(id)
				session, pending := model[id]
				if pending != (lot == replyMatched) || pending && call.session != session {
					t.Fatalf("settle(%d) = %v, %v; pending: %v on %q", id, call, lot, pending, session)
				}
				delete(model, id)
			case 3:
				s := sessions.Draw(t, "session")
				p.forget(s)
				for id, of := range model {
					if of == s {
						delete(model, id)
					}
				}
			}
			if err := p.agree(model); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// agree compares both indexes with a plain map.
func (p *pendingCalls) agree(model map[int64]messages.SessionID) error {
	if p.calls.Len() != len(model) {
		return fmt.Errorf("%d calls, want %d", p.calls.Len(), len(model))
	}
	chained := 0
	for session, e := range p.sessions.All() {
		var ids []int64
		var before *pendingEntry
		for ; e != nil; before, e = e, e.next {
			if e.prev != before || e.session != session || p.calls.Get(e.id) != e || model[e.id] != session {
				return fmt.Errorf("the chain of %q is broken at %d", session, e.id)
			}
			ids = append(ids, e.id)
		}
		if len(ids) == 0 || len(ids) != len(slices.Compact(slices.Sorted(slices.Values(ids)))) {
			return fmt.Errorf("the chain of %q is empty or a circle", session)
		}
		chained += len(ids)
	}
	if chained != len(model) {
		return fmt.Errorf("%d calls are chained, want %d", chained, len(model))
	}
	return nil
}
