package policy

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func phases() []phase {
	return []phase{phaseNone, phaseOpen, phaseAnswering, phaseSettling, phaseUnanswerable, phaseClosed}
}

func events() []event {
	list := make([]event, 0, onEpochEnded+1)
	for e := onNothing; e <= onEpochEnded; e++ {
		list = append(list, e)
	}
	return list
}

// diagram draws the table of transitions.go.
func diagram() string {
	name := func(p phase) string {
		if p == phaseNone || p == phaseClosed {
			return "[*]"
		}
		return p.String()
	}
	var b strings.Builder
	b.WriteString("```mermaid\nstateDiagram-v2\n")
	for _, from := range phases() {
		for _, to := range phases() {
			var on []string
			for _, e := range events() {
				for _, p := range moves(from, e) {
					if p == to {
						on = append(on, e.String())
					}
				}
			}
			if len(on) > 0 {
				fmt.Fprintf(&b, "    %s --> %s: %s\n", name(from), name(to), strings.Join(on, ", "))
			}
		}
	}
	b.WriteString("```\n")
	return b.String()
}

func TestDiagramIsTheTable(t *testing.T) {
	text := string(must(os.ReadFile("STATES.md"))(t))
	begin := strings.Index(text, "```mermaid")
	end := strings.LastIndex(text, "```\n")
	if begin < 0 || end < begin {
		t.Fatalf("STATES.md has no diagram; it must hold\n%s", diagram())
	}
	if got := text[begin : end+4]; got != diagram() {
		t.Errorf("STATES.md draws\n%s\nthe table is\n%s", got, diagram())
	}
}

func TestNamesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range phases() {
		seen[p.String()] = true
	}
	for _, e := range events() {
		seen["on "+e.String()] = true
	}
	if want := len(phases()) + len(events()); len(seen) != want || seen["invalid"] || seen["on invalid"] {
		t.Errorf("%d names for %d phases and events", len(seen), want)
	}
	if phase(99).String() != "invalid" || event(99).String() != "invalid" || moves(99, 99) != nil {
		t.Error("a phase or event that does not exist has a name or a move")
	}
}
