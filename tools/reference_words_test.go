package tools

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// referenceWords is the part of docs/tools.md on the words that stand in results.
const referenceWords = `
## Words in results

A dialog of ` + "`pending_dialogs`" + ` that simply waits for its answer has no ` + "`state`" + `:

| state | meaning |
|---|---|
| ` + "`answering`" + ` | an answer is on its way to the browser |
| ` + "`unanswerable`" + ` | the browser takes no answer, as to a dialog that opened while another was open in its tab, or that a navigation of its page waits for; ` + "`supervisor.ways_out`" + ` says what ends it |

A dialog of ` + "`recent_dialogs`" + ` says who closed it and, where there is more to say, why:

| closed_by | meaning |
|---|---|
| ` + "`agent`" + ` | an answer to it, or a command that closes its page |
| ` + "`auto_policy`" + ` | the dialog policy, a stop of the task, or the limit of 32 open dialogs |
| ` + "`watchdog`" + ` | nobody answered before ` + "`deadline_at`" + `: it was dismissed |
| ` + "`remote`" + ` | anybody or anything else: a person, another client, the backend, the page |

| reason | meaning |
|---|---|
| ` + "`answered_elsewhere`" + ` | a person or another client of the browser answered it |
| ` + "`auto_dismissed`" + ` | the backend closed it within 100 ms, before anybody could have read it; see [bridge.md](bridge.md) |
| ` + "`navigation`" + ` | its page or frame went to another document |
| ` + "`target_closed`" + ` | its page was closed; with ` + "`agent`" + `, it was dismissed first so that the page could be closed |
| ` + "`crashed`" + ` | its page's renderer crashed |
| ` + "`disconnected`" + ` | the connection to the browser, or to its page, ended while it was open |
| ` + "`superseded`" + ` | another dialog opened in its place |
| ` + "`frame_removed`" + ` | its frame was taken out of the page while it was open |
| ` + "`stopped`" + ` | the task was stopped |

` + "`result`" + ` is what the page got: true for OK, false for Cancel. ` + "`count`" + ` is how many equal dialogs came in a row, from 2 on: in
` + "`recent_dialogs`" + ` those that also ended alike share one record, under the last one's id and times; in ` + "`pending_dialogs`" + ` it
says which of the row this one is.

A frame of ` + "`frame_tree`" + ` that cannot be reached right now has a ` + "`state`" + `:

| state | meaning |
|---|---|
| ` + "`swapping`" + ` | it is moving to another process |
| ` + "`pending`" + ` | its session is being set up |
| ` + "`unresponsive`" + ` | its renderer does not answer |
| ` + "`crashed`" + ` | its renderer crashed |

` + "`supervisor`" + ` is in a result only when something is wrong. Its ` + "`reason`" + ` is a sentence, ` + "`ways_out`" + ` lists what helps.

| supervisor.status | meaning |
|---|---|
| ` + "`connecting`" + ` | the task is starting |
| ` + "`reconnecting`" + ` | the connection to the browser was lost, and is dialled again |
| ` + "`degraded`" + ` | the task works, and a part of it does not: ` + "`capabilities`" + `, ` + "`bridge`" + ` or ` + "`dropped`" + ` says which |
| ` + "`blocked`" + ` | the page or a popup does not answer: a dialog opened before the engine saw it, its script is busy, or a dialog is ` + "`unanswerable`" + ` |
| ` + "`poisoned`" + ` | a frame was removed under its open dialog; an answer would end the browser, and is not given |
| ` + "`crashed`" + ` | the renderer of the page or of a popup has crashed |
| ` + "`tab_gone`" + ` | the task's tab was closed; browser_navigate opens another |
| ` + "`expired`" + ` | the task is over: the endpoint refuses the connection, also after it was renewed |
| ` + "`failed`" + ` | the task is over: the browser could not be reached (again), or the engine gave up |
| ` + "`stopped`" + ` | the task was stopped |
`

// a word that an agent can get is explained.
func TestReferenceNamesEveryWord(t *testing.T) {
	for _, c := range []struct {
		file, kind, heading string
		least               int
		never               string // no snapshot has it
	}{
		{"enums.go", "DialogState", "state", 2, ""},
		{"enums.go", "ClosedBy", "closed_by", 4, ""},
		{"enums.go", "CloseReason", "reason", 9, ""},
		{"enums.go", "Status", "supervisor.status", 11, "unresponsive"},
		{"snapshot.go", "FrameState", "state", 4, ""},
	} {
		source, err := os.ReadFile("../messages/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		words := regexp.MustCompile(`\t\w+\s+`+c.kind+` += "([a-z_]+)"`).FindAllSubmatch(source, -1)
		if len(words) < c.least {
			t.Fatalf("found only %d words of %s in messages/%s", len(words), c.kind, c.file)
		}
		var explained strings.Builder // by the tables with the heading
		for _, table := range regexp.MustCompile(`(?m)^\| `+regexp.QuoteMeta(c.heading)+` \| meaning \|\n(\|.*\n)+`).FindAllString(referenceWords, -1) {
			explained.WriteString(table)
		}
		for _, word := range words {
			if w := string(word[1]); w != c.never && !strings.Contains(explained.String(), "| `"+w+"` |") {
				t.Errorf("%s %s is not in docs/tools.md", c.kind, w)
			}
		}
	}
}
