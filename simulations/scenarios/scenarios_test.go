package scenarios

import (
	"os"
	"regexp"
	"testing"
)

// Every rule has a scenario, which is played by the fake and by Chromium, or a
// reason why not; and every scenario has its rules.
func TestRulesAreCovered(t *testing.T) {
	text, err := os.ReadFile("../../docs/chromium.md")
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\d+\\. `([a-z0-9.-]+)`").FindAllStringSubmatch(string(text), -1) {
		rules[m[1]] = true
	}
	if len(rules) < 100 {
		t.Fatalf("%d rules in the document", len(rules))
	}
	names, covered := map[string]bool{}, map[string]bool{}
	for _, s := range All() {
		if names[s.Name] {
			t.Errorf("two scenarios are named %q", s.Name)
		}
		names[s.Name] = true
		if s.Site == nil || s.run == nil || len(s.Covers) == 0 {
			t.Errorf("%q has no site, no story or no rule", s.Name)
		}
		for _, id := range s.Covers {
			covered[id] = true
			if !rules[id] {
				t.Errorf("%q covers %s, which docs/chromium.md does not have", s.Name, id)
			}
		}
	}
	exempt := Exempt()
	for id := range rules {
		switch why := exempt[id]; {
		case !covered[id] && why == "":
			t.Errorf("rule %s has no scenario and no reason to have none", id)
		case covered[id] && why != "":
			t.Errorf("rule %s has a scenario, and a reason to have none", id)
		}
	}
	for id := range exempt {
		if !rules[id] {
			t.Errorf("%s is exempt, and docs/chromium.md does not have it", id)
		}
	}
}
