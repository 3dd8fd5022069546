package golden

import (
	"strings"
	"time"
)

// advance lets time pass.
//
// Example:
//
//	advance 300s
func (s *Story) advance(words []string, _ string) string {
	d, err := time.ParseDuration(strings.Join(words, ""))
	if err != nil {
		return err.Error()
	}
	if !s.rig.Advance(d, most) {
		return "the engine does not come to rest"
	}
	return ""
}
