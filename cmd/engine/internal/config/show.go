package config

import (
	"fmt"
	"strings"
)

// Show is the effective configuration as a file would have it, without
// secrets, and with the origin of each value if asked for.
func (c *Config) Show(origin bool) string {
	var b strings.Builder
	b.WriteString(section + ":\n")
	for _, s := range settings() {
		line := fmt.Sprintf("  %s: %s", s.key, s.show(c))
		if origin {
			line = fmt.Sprintf("%-34s # %s", line, c.origins[s.key])
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// Variables lists the environment variables that are read, in the order of the
// file's keys.
func Variables() []string {
	var names []string
	for _, s := range settings() {
		names = append(names, s.env())
	}
	return names
}
