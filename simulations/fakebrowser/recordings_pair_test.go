package fakebrowser

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// pairing ties the ids of a recording to those of the fake.
type pairing struct {
	ids      map[string]string // frames and targets
	sessions map[string]string
}

// pair extends the pairing by what both have told.
func (p *pairing) pair(rec, fake *side) {
	for changed := true; changed; {
		changed = false
		for rs, fs := range maps.Clone(p.sessions) {
			changed = p.pairFrames(rec.on(rs), fake.on(fs)) || changed
			changed = p.pairSessions(rec.on(rs), fake.on(fs)) || changed
		}
	}
}

func (p *pairing) pairFrames(rec, fake []msg) bool {
	ids := func(all []msg) (out []string) {
		for _, m := range all {
			id := ""
			switch {
			case m.Method == "Page.frameAttached":
				id = m.param("frameId")
			case m.Method == "Target.attachedToTarget" && m.param("targetInfo", "type") == "page":
				id = m.param("targetInfo", "targetId")
			}
			if id != "" && !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
		return out
	}
	r, f := ids(rec), ids(fake)
	changed := false
	for i := range min(len(r), len(f)) {
		if p.ids[r[i]] == "" {
			p.ids[r[i]], changed = f[i], true
		}
	}
	return changed
}

func (p *pairing) pairSessions(rec, fake []msg) bool {
	changed := false
	used := map[string]bool{}
	for _, f := range p.sessions {
		used[f] = true
	}
	for _, r := range rec {
		if r.Method != "Target.attachedToTarget" {
			continue
		}
		rs := r.param("sessionId")
		if p.sessions[rs] != "" {
			continue
		}
		for _, f := range fake {
			if f.Method != "Target.attachedToTarget" || used[f.param("sessionId")] {
				continue
			}
			at, want := f.param("targetInfo", "targetId"), p.ids[r.param("targetInfo", "targetId")]
			url := r.param("targetInfo", "url")
			if want == at || want == "" && url != "" && url == f.param("targetInfo", "url") {
				p.ids[r.param("targetInfo", "targetId")] = at
				p.sessions[rs] = f.param("sessionId")
				used[f.param("sessionId")], changed = true, true
				break
			}
		}
	}
	return changed
}

// translate replaces recorded ids.
func (p *pairing) translate(text string) string {
	var all []string
	for r, f := range p.ids {
		all = append(all, r, f)
	}
	for r, f := range p.sessions {
		if r != "" {
			all = append(all, r, f)
		}
	}
	return strings.NewReplacer(all...).Replace(text)
}

// tidy drops what depends on when a real process was started: the stop of
// loading that a fresh page tells as the Page domain is enabled.
func tidy(all []string) []string {
	if len(all) > 0 && all[0] == "frameStoppedLoading" {
		all = all[1:]
	}
	return all
}

func withoutLoad(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool {
		return s == "frameStoppedLoading" || s == "domContentEventFired" || s == "loadEventFired"
	})
}

func sessionOrder(s *side) []string {
	out := []string{""}
	for _, m := range s.all {
		if m.Method != "Target.attachedToTarget" {
			continue
		}
		if id := m.param("sessionId"); !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// pairCreated pairs the targets that commands made.
func pairCreated(p *pairing, rec, fake *side) {
	ids := func(s *side) (out []string) {
		for _, m := range s.all {
			if m.ID != nil && s.sent[*m.ID] == "Target.createTarget" {
				var id string
				_ = json.Unmarshal(m.Result["targetId"], &id) // empty for an error
				out = append(out, id)
			}
		}
		return out
	}
	r, f := ids(rec), ids(fake)
	for i := range min(len(r), len(f)) {
		p.ids[r[i]] = f[i]
	}
}

// pairRequests pairs held requests by their order.
func pairRequests(p *pairing, rec, fake *side) {
	ids := func(s *side) (out []string) {
		for _, m := range s.all {
			if m.Method == "Fetch.requestPaused" {
				out = append(out, m.param("requestId"))
			}
		}
		return out
	}
	r, f := ids(rec), ids(fake)
	for i := range min(len(r), len(f)) {
		p.ids[`"`+r[i]+`"`] = `"` + f[i] + `"`
	}
}

// translateEntry finds the history entry at the same place.
func translateEntry(t *testing.T, rec, fake *side, params string) string {
	entries := func(s *side) (out []string) {
		for _, m := range s.all {
			if m.ID != nil && s.sent[*m.ID] == "Page.getNavigationHistory" {
				var h []struct {
					ID int `json:"id"`
				}
				if err := json.Unmarshal(m.Result["entries"], &h); err != nil {
					t.Fatal(err)
				}
				out = nil
				for _, e := range h {
					out = append(out, fmt.Sprintf(`{"entryId":%d}`, e.ID))
				}
			}
		}
		return out
	}
	if i := slices.Index(entries(rec), params); i >= 0 && i < len(entries(fake)) {
		return entries(fake)[i]
	}
	return params
}
