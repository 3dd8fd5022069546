package golden

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/fakebrowser"
	"cdpsupervisor/simulations/rig"
)

// task is the one task of a story.
const task = messages.TaskID("shop")

// most bounds the moves of one command; a story that needs more never rests.
const most = 100_000

// Story runs the commands of one transcript.
type Story struct {
	rig     *rig.Rig
	site    map[string]fakebrowser.Response
	names   map[string]string // ids of frames and pages as the story writes them
	log     bytes.Buffer
	talking []*rig.Ask // questions whose answer has not been told
}

// New starts a story: an engine without a task, and a browser with one page.
// quiet is testing/synctest.Wait.
func New(quiet func()) (*Story, error) {
	s := &Story{site: make(map[string]fakebrowser.Response), names: make(map[string]string)}
	r, err := rig.New(rig.Options{Quiet: quiet, Log: &s.log, Browser: fakebrowser.Options{
		SiteIsolation: true, AllowPopups: true,
		Pages: func(url string) (fakebrowser.Response, bool) { p, ok := s.site[url]; return p, ok },
	}})
	if err != nil {
		return nil, err
	}
	s.rig = r
	return s, nil
}

// Close ends the story. The error says what was found wrong in it.
func (s *Story) Close() error { return s.rig.Close() }

// Do runs one command and returns what came of it. words are what stands
// behind the command on its line, input what stands below.
func (s *Story) Do(command string, words []string, input string) string {
	commands := map[string]func([]string, string) string{
		"site": s.serve, "start": s.start, "stop": s.stop, "page": s.page, "frame": s.frame, "popup": s.popup,
		"agent": s.agent, "person": s.person, "socket": s.socket, "advance": s.advance, "snapshot": s.snapshot,
		"heard": s.heard, "log": s.logged, "crash": s.crash,
	}
	f := commands[command]
	if f == nil {
		return fmt.Sprintf("there is no command %q", command)
	}
	out := f(words, input)
	if !s.rig.Settle(most) {
		out += "\nthe engine does not come to rest"
	}
	out = strings.TrimSpace(s.told() + out)
	if err := s.rig.Err(); err != nil {
		out += "\nWRONG: " + err.Error()
	}
	if out == "" {
		out = "ok"
	}
	return s.named(out) + "\n"
}

// told tells the answers to earlier questions.
func (s *Story) told() string {
	var out string
	var open []*rig.Ask
	for _, a := range s.talking {
		answer := a.Answer()
		if answer == nil {
			open = append(open, a)
			continue
		}
		out += fmt.Sprintf("%s -> %s\n", a.Name, rig.Tell(answer))
	}
	s.talking = open
	return out
}

// asked keeps a question until its answer is told.
func (s *Story) asked(a *rig.Ask) string {
	if a == nil {
		return "there is no task"
	}
	s.rig.Settle(most)
	out := s.told()
	if _, answered := a.Took(); answered {
		return out + rig.Tell(a.Answer())
	}
	s.talking = append(s.talking, a)
	return out + "it waits"
}

// current is the task's page, or the browser's first before there is a task.
func (s *Story) current() string {
	if snap := s.rig.Snapshot(task); snap != nil && snap.PageTargetID != "" {
		return string(snap.PageTargetID)
	}
	for _, id := range s.rig.Browser.PageIDs() {
		return id
	}
	return ""
}

// named writes the ids that the browser made as F1, F2, … in the order in which
// they appear.
func (s *Story) named(text string) string {
	id := regexp.MustCompile(`\b[0-9A-F]{32}\b`)
	return id.ReplaceAllStringFunc(text, func(id string) string {
		if s.names[id] == "" {
			s.names[id] = fmt.Sprintf("F%d", len(s.names)+1)
		}
		return s.names[id]
	})
}

// now is the virtual time.
func (s *Story) now() time.Time { return s.rig.Clock.Now() }
