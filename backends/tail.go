package backends

import (
	"strings"
	"sync"
	"unicode"
)

// tail keeps the end of what a browser writes to stderr, for the error that
// says why it did not start.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

// tailBytes bounds what is kept, tailLines what is shown of it.
const (
	tailBytes = 4 << 10
	tailLines = 5
)

// Write never fails: a browser must not stop over its log.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - tailBytes; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(p), nil
}

// String returns the last lines in one, without control characters and
// without the line that holds the endpoint, which is a secret.
func (t *tail) String() string {
	t.mu.Lock()
	text := string(t.kept)
	t.mu.Unlock()
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.Map(printable, strings.TrimSpace(line))
		if line != "" && !strings.Contains(line, "ws://") {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return "it wrote nothing to stderr"
	}
	return "its stderr ends with: " + strings.Join(lines[max(0, len(lines)-tailLines):], " | ")
}

func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return '?'
}
