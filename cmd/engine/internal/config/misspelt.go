package config

import (
	"fmt"
	"slices"
	"strings"
)

// MisspeltEnv returns a remark for each variable of an environment, as
// [os.Environ] has it, whose name is nearly that of a setting: nobody reads it,
// and whoever set it believes that it counts. Other programs have variables that
// begin with BROWSER_, too, so a name that is not near to one of ours is left
// alone, and so is an empty variable.
func MisspeltEnv(environ []string) []string {
	var known []string
	for _, s := range settings() {
		known = append(known, s.env())
	}
	var remarks []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if value == "" || !strings.HasPrefix(name, envPrefix) || slices.Contains(known, name) {
			continue
		}
		if near := nearest(name, known); near != "" {
			remarks = append(remarks, fmt.Sprintf("the environment variable %s is not read; did you mean %s?", name, near))
		}
	}
	slices.Sort(remarks)
	return remarks
}

// nearest is the known name that a few letters make of the other, or "". A short
// key is soon made of another word: there it is one letter.
func nearest(name string, known []string) string {
	best, found := 3, ""
	for _, k := range known {
		most := 2
		if len(k)-len(envPrefix) < 8 {
			most = 1
		}
		if longer := len(name) - len(k); longer > most || -longer > most {
			continue
		}
		if d := distance(name, k); d <= most && d < best {
			best, found = d, k
		}
	}
	return found
}

// distance is how many letters must be put in, taken out or changed to make one
// word of the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
