package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// heard tells what the page's script got from its last confirm or prompt.
//
// Example:
//
//	heard
func (s *Story) heard([]string, string) string {
	v := s.rig.Page.Value(s.current(), "top.heard")
	if v == "" {
		return "nothing: the script waits"
	}
	return v
}

// logged tells what the engine has logged since it was last asked, from info on.
//
// Example:
//
//	log
func (s *Story) logged([]string, string) string {
	var out bytes.Buffer
	for _, line := range bytes.Split(s.log.Bytes(), []byte("\n")) {
		var entry struct{ Level, Message string }
		if json.Unmarshal(line, &entry) == nil && entry.Level != "debug" {
			fmt.Fprintf(&out, "%s: %s\n", entry.Level, entry.Message)
		}
	}
	s.log.Reset()
	return out.String()
}
