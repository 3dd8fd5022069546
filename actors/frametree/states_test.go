package frametree_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"cdpsupervisor/messages"
)

var update = flag.Bool("update", false, "write STATES.md anew")

// The phases of a frame, as an owner of the tree can tell them apart.
const (
	unknown   = "unknown"
	ghost     = "ghost"
	local     = "local"
	announced = "announced"
	arriving  = "arriving"
	remote    = "remote"
	swapping  = "swapping"
)

// phase is where frame F stands. A ghost shows in its child K only.
func phase(tr *tree) string {
	r, ok := tr.Lookup("F")
	switch {
	case !ok && tr.has("K"):
		return ghost
	case !ok:
		return unknown
	case r.State == messages.FrameSwapping:
		return swapping
	case r.HasSession && tr.StillHere("F"):
		return announced
	case r.HasSession && r.URL == "":
		return arriving
	case r.HasSession:
		return remote
	}
	return local
}

// ways lists how to get frame F, a child of M, into each phase.
var ways = map[string][][]step{
	unknown: {
		{},
		{on("P", attached("F", "M")), on("P", removed("F"))},
		{on("P", session("I", "F", "M")), on("P", removed("F")), on("P", gone("I"))},
		{on("P", session("I", "F", "M")), on("P", gone("I")), on("P", removed("F"))},
	},
	ghost: {{on("P", attached("K", "F"))}},
	local: {
		{on("P", attached("F", "M"))},
		{on("P", navigated("F", "M", "a.test"))},
		{on("P", session("I", "F", "M")), on("P", gone("I")), on("P", attached("F", "M"))},
		{on("P", attached("F", "M")), on("P", session("I", "F", "M")), on("P", gone("I"))},
	},
	announced: {
		{on("P", attached("F", "M")), on("P", session("I", "F", "M"))},
		{on("P", attached("F", "M")), on("P", session("I", "F", "M")), reply("I", notYet("F", "M"))},
		{on("P", session("I", "F", "M")), on("P", attached("F", "M"))},
	},
	arriving: {
		{on("P", session("I", "F", "M"))},
		{on("P", attached("F", "M")), on("P", swapped("F")), on("P", session("I", "F", "M"))},
		{on("P", attached("F", "M")), on("P", session("I", "F", "M")), on("P", swapped("F"))},
	},
	remote: {
		{on("P", session("I", "F", "M")), on("I", navigated("F", "M", "b.test"))},
		{on("P", attached("F", "M")), on("P", session("I", "F", "M")), on("P", changed("F", "https://b.test/"))},
		{on("P", attached("F", "M")), on("P", session("I", "F", "M")), on("I", navigated("F", "M", "b.test")), on("P", swapped("F"))},
	},
	swapping: {
		{on("P", attached("F", "M")), on("P", swapped("F"))},
		{on("P", session("I", "F", "M")), on("P", gone("I"))},
		{on("P", attached("F", "M")), on("P", session("I", "F", "M")), on("P", swapped("F")), on("P", gone("I"))},
	},
}

// notYet is the reply of a session whose document is yet to come.
func notYet(frame, parent messages.FrameID) messages.FrameNode {
	return messages.FrameNode{Frame: messages.FrameInfo{ID: frame, ParentID: parent, LoaderID: "none"}}
}

// inputs lists what can happen to F, and table where that leads from each phase.
var inputs = []struct {
	name string
	step step
}{
	{"frameAttached", on("P", attached("F", "M"))},
	{"frameNavigated", on("P", navigated("F", "M", "a2.test"))},
	{"listed in a frame tree", reply("P", messages.FrameNode{
		Frame: frameAt("M", "", "a.test"), Children: []messages.FrameNode{{Frame: messages.FrameInfo{ID: "F", ParentID: "M"}}},
	})},
	{"named as a parent", on("P", attached("K", "F"))},
	{"attachedToTarget", on("P", session("J", "F", "M"))},
	{"detachedFromTarget", on("P", gone("I"))},
	{"frameDetached swap", on("P", swapped("F"))},
	{"frameDetached remove", on("P", removed("F"))},
	{"navigated by its own session", on("I", navigated("F", "M", "c.test"))},
	{"parent commits", on("P", navigated("M", "", "z.test"))},
	{"parent is restored", on("P", restored("M", "z.test"))},
	{"session above ends", on("", gone("P"))},
}

var table = map[string]map[string]string{
	"frameAttached":                {unknown: local, ghost: local, local: local, announced: announced, arriving: announced, remote: remote, swapping: local},
	"frameNavigated":               {unknown: local, ghost: local, local: local, announced: announced, arriving: announced, remote: remote, swapping: local},
	"listed in a frame tree":       {unknown: local, ghost: local, local: local, announced: announced, arriving: announced, remote: remote, swapping: local},
	"named as a parent":            {unknown: ghost, ghost: ghost, local: local, announced: announced, arriving: arriving, remote: remote, swapping: swapping},
	"attachedToTarget":             {unknown: arriving, ghost: arriving, local: announced, announced: announced, arriving: arriving, remote: remote, swapping: arriving},
	"detachedFromTarget":           {unknown: unknown, ghost: ghost, local: local, announced: local, arriving: swapping, remote: swapping, swapping: swapping},
	"frameDetached swap":           {unknown: unknown, ghost: ghost, local: swapping, announced: arriving, arriving: arriving, remote: remote, swapping: swapping},
	"frameDetached remove":         {unknown: unknown, ghost: unknown, local: unknown, announced: unknown, arriving: unknown, remote: unknown, swapping: unknown},
	"navigated by its own session": {unknown: unknown, ghost: ghost, local: local, announced: remote, arriving: remote, remote: remote, swapping: swapping},
	"parent commits":               {unknown: unknown, ghost: unknown, local: unknown, announced: unknown, arriving: unknown, remote: unknown, swapping: unknown},
	"parent is restored":           {unknown: unknown, ghost: unknown, local: unknown, announced: announced, arriving: arriving, remote: remote, swapping: unknown},
	"session above ends":           {unknown: unknown, ghost: unknown, local: unknown, announced: unknown, arriving: unknown, remote: unknown, swapping: unknown},
}

func phases() []string { return []string{unknown, ghost, local, announced, arriving, remote, swapping} }

func TestEveryPhaseTakesEveryInput(t *testing.T) {
	for _, from := range phases() {
		for i, way := range ways[from] {
			for _, in := range inputs {
				t.Run(fmt.Sprintf("%s %d/%s", from, i, in.name), func(t *testing.T) {
					tr := onPage(t, way...)
					if got := phase(tr); got != from {
						t.Fatalf("the way leads to %s", got)
					}
					to, ok := table[in.name][from]
					if !ok {
						t.Fatal("not in the table")
					}
					tr.tell(t, in.step)
					if got := phase(tr); got != to {
						t.Fatalf("leads to %s, want %s", got, to)
					}
					tr.tell(t, in.step)
					want := table[in.name][to]
					if got := phase(tr); got != want {
						t.Fatalf("a second time leads to %s, want %s", got, want)
					}
				})
			}
		}
	}
}

// diagram draws the table.
func diagram() string {
	var w strings.Builder
	w.WriteString("# The life of a frame\n\n" +
		"Drawn from the table in states_test.go, which says for each phase and each input where it leads;\n" +
		"what is not drawn changes nothing. `go test ./actors/frametree -run Diagram -update` draws it anew.\n\n" +
		"- **unknown**: never announced, or gone; nothing is kept of it.\n" +
		"- **ghost**: named as a parent only. It collects its children and is shown nowhere.\n" +
		"- **local**: in the renderer of the session that placed it. Not an OOPIF, no session.\n" +
		"- **announced**: local still; where it is about to go, it has a session already.\n" +
		"- **arriving**: has a session that has shown nothing yet, and no renderer has it still.\n" +
		"- **remote**: has a session of its own (`is_oopif`).\n" +
		"- **swapping**: given away by its renderer, or its session has ended, and nobody has said\n" +
		"  yet where it went. It has no session now and is no OOPIF.\n\n" +
		"```mermaid\nstateDiagram-v2\n    [*] --> unknown\n")
	for _, from := range phases() {
		for _, to := range phases() {
			var names []string
			for _, in := range inputs {
				if from != to && table[in.name][from] == to {
					names = append(names, in.name)
				}
			}
			if len(names) > 0 {
				fmt.Fprintf(&w, "    %s --> %s: %s\n", from, to, strings.Join(names, ", "))
			}
		}
	}
	w.WriteString("```\n")
	return w.String()
}

func TestDiagramIsTheTable(t *testing.T) {
	for name := range table {
		if !slices.ContainsFunc(inputs, func(in struct {
			name string
			step step
		}) bool {
			return in.name == name
		}) {
			t.Errorf("the table has an input %q that is never tried", name)
		}
	}
	want := diagram()
	if *update {
		if err := os.WriteFile("STATES.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("STATES.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("STATES.md is not the table; run with -update. Want:\n%s", want)
	}
}
