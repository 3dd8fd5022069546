package sim

// entry is one kind of action: how often it comes and what it does. It returns
// what it did, in words, or "" if there was nothing to do it to.
type entry struct {
	name   string
	weight int
	do     func(*run, *draw) string
}

// actions is the table of everything that can happen.
func actions() []entry {
	return []entry{
		// What pages do.
		{"dialog", 14, (*run).dialog},
		{"dialogs in a row", 2, (*run).storm},
		{"long dialog", 1, (*run).longDialog},
		{"add frame", 6, (*run).addFrame},
		{"remove frame", 4, (*run).removeFrame},
		{"move frame", 5, (*run).moveFrame},
		{"rewrite body", 2, (*run).rewrite},
		{"script navigates", 4, (*run).scriptNavigates},
		{"history", 5, (*run).history},
		{"open popup", 4, (*run).openPopup},
		{"flood", 2, (*run).flood},
		// What people do.
		{"person navigates", 5, (*run).personNavigates},
		{"person opens a tab", 1, (*run).opensTab},
		{"person closes a tab", 2, (*run).closesTab},
		{"other debugger", 2, (*run).otherDebugger},
		// What agents do.
		{"answer", 12, (*run).answer},
		{"answer twice", 2, (*run).answerTwice},
		{"evaluate", 6, (*run).evaluate},
		{"evaluate a dialog", 3, (*run).evaluateDialog},
		{"navigate", 5, (*run).navigate},
		{"call", 4, (*run).call},
		{"policy", 2, (*run).policy},
		{"focus", 1, (*run).focus},
		// What goes wrong.
		{"crash", 3, (*run).crash},
		{"socket drops", 3, (*run).drop},
		{"socket half open", 1, (*run).halfOpen},
		{"no connection for a while", 1, (*run).refuse},
		{"browser restarts", 1, (*run).restart},
		{"fault", 6, (*run).fault},
		{"double message", 3, (*run).double},
		{"message of another epoch", 2, (*run).stale},
		{"actor panics", 3, (*run).panics},
		{"noise", 1, (*run).noise},
		{"stop and start", 1, (*run).stopAndStart},
		// Time, and a look.
		{"time passes", 10, (*run).timePasses},
		{"silence", 4, (*run).silence},
		{"look", 4, (*run).look},
	}
}
