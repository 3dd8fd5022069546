package fakebrowser

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"
)

// ruleTests are the scenarios, by the id of the rule that each one shows.
func ruleTests() map[string]func(*testing.T) {
	all := map[string]func(*testing.T){}
	for _, part := range []map[string]func(*testing.T){
		dialogRules(), lateDialogRules(), hazardRules(), hangRules(), frameRules(), swapRules(), cacheRules(), targetRules(), popupRules(),
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

// Each rule of the document has a scenario, and each scenario a rule.
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
	for _, id := range slices.Sorted(maps.Keys(documented)) {
		if all[id] == nil {
			t.Errorf("rule %s has no scenario", id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if !documented[id] {
			t.Errorf("scenario %s has no rule in docs/chromium.md", id)
		}
	}
}
