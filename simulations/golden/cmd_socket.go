package golden

import "strings"

// socket breaks the engine's connection.
//
// Example:
//
//	socket drop
//	socket half-open
//	socket refuse
//	socket take
func (s *Story) socket(words []string, _ string) string {
	switch what := strings.Join(words, " "); what {
	case "drop":
		if !s.rig.Drop() {
			return "there is no connection"
		}
	case "half-open":
		s.rig.HalfOpen()
	case "refuse", "take":
		s.rig.Refuse(what == "refuse")
	default:
		return "a socket cannot " + what
	}
	return ""
}

// crash kills the renderer of the page, or of a frame by a part of its URL.
//
// Example:
//
//	crash
//	crash ads.test
func (s *Story) crash(words []string, _ string) string {
	target := s.current()
	if len(words) > 0 {
		target = string(s.frameID(words[0]))
	}
	s.rig.Crash(target)
	return ""
}
