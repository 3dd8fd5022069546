package golden

import "strings"

// person has somebody at the browser, or another debugger, do something.
//
// Example:
//
//	person goes http://shop.test/other
//	person closes
//	person opens http://shop.test/other
//	person watches
//	person accepts
//	person dismisses
func (s *Story) person(words []string, _ string) string {
	if len(words) == 0 {
		return "person needs to know what to do"
	}
	page := s.current()
	switch words[0] {
	case "goes":
		s.rig.Page.Navigate(page, strings.Join(words[1:], " "))
	case "opens":
		s.rig.Page.Open(strings.Join(words[1:], " "))
	case "closes":
		s.rig.Page.CloseTab(page)
	case "watches":
		s.rig.Page.Watch(page)
	case "accepts", "dismisses":
		if err := s.rig.Page.Answer(page, words[0] == "accepts", ""); err != nil {
			return err.Error()
		}
	default:
		return "a person cannot " + words[0]
	}
	return ""
}
