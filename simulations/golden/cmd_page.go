package golden

import (
	"slices"
	"strings"
)

// page has the page's own script do something, as soon as it is idle. After
// alert, confirm and prompt stand their arguments; else it is a script, on the
// line or below it.
//
// Example:
//
//	page confirm "Delete?"
//	page location.reload()
func (s *Story) page(words []string, input string) string {
	if !s.rig.Page.Top(s.current(), script(words, input)) {
		return "no script runs there"
	}
	return ""
}

// frame is page for a frame, found by a part of its URL or by its name.
//
// Example:
//
//	frame ads.test alert "Buy!"
func (s *Story) frame(words []string, input string) string {
	if len(words) == 0 {
		return "frame needs a part of its URL"
	}
	page := s.current()
	for _, f := range s.rig.Browser.Frames(page) {
		if f.ParentID != "" && (strings.Contains(f.URL, words[0]) || f.Name == words[0]) {
			if s.rig.Page.Eval(page, f.ID, script(words[1:], input)) {
				return ""
			}
		}
	}
	return "no script runs there"
}

// popup is page for the newest page of the browser.
//
// Example:
//
//	popup alert "Welcome"
func (s *Story) popup(words []string, input string) string {
	ids := s.rig.Browser.PageIDs()
	if !s.rig.Page.Top(ids[len(ids)-1], script(words, input)) {
		return "no script runs there"
	}
	return ""
}

// script is the script of a command line. What a dialog returned is kept for
// heard.
func script(words []string, input string) string {
	line := strings.Join(words, " ") + input
	if len(words) > 0 && slices.Contains([]string{"alert", "confirm", "prompt"}, words[0]) {
		arguments := strings.TrimSpace(strings.TrimPrefix(line, words[0]))
		line = "top.heard = String(" + words[0] + "(" + strings.ReplaceAll(arguments, `" "`, `", "`) + "))"
		if words[0] == "alert" {
			line = "alert(" + arguments + ")"
		}
	}
	return "setTimeout(() => { " + line + " }, 0); 1"
}
