package fakebrowser

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"cdpsupervisor/simulations/scenarios"
)

// ruleTests are what the shared scenarios do not say of a rule, by its id: the
// fake's whole answer in its order, what it tells of itself, and what no
// client can make Chromium do. Each rule's own scenario is in package
// scenarios, which fails for a rule without one.
func ruleTests() map[string]func(*testing.T) {
	all := map[string]func(*testing.T){}
	for _, part := range []map[string]func(*testing.T){
		dialogRules(), lateDialogRules(), hangRules(), frameRules(), swapRules(), cacheRules(), targetRules(), popupRules(),
		runtimeRules(), fetchRules(), tabRules(), wireRules(),
	} {
		maps.Copy(all, part)
	}
	return all
}

func TestRules(t *testing.T) {
	all := ruleTests()
	for _, id := range slices.Sorted(maps.Keys(all)) {
		t.Run(id, all[id])
	}
}

// Each test has a rule, and each rule that no scenario shows has a test.
func TestRulesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/chromium.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\d+\\. `([a-z0-9.-]+)`").FindAllStringSubmatch(string(text), -1) {
		if documented[m[1]] {
			t.Errorf("rule %s is written down twice", m[1])
		}
		documented[m[1]] = true
	}
	all := ruleTests()
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if !documented[id] {
			t.Errorf("test %s has no rule in docs/chromium.md", id)
		}
	}
	for id := range scenarios.Exempt() {
		if all[id] == nil {
			t.Errorf("rule %s has neither a scenario nor a test", id)
		}
	}
}
