// Package golden tells the main stories of the engine as conversations between
// a page, an agent and people, and runs them against the whole engine on a fake
// browser in virtual time. The stories stand in testdata; reading them is the
// quickest way to learn what happens to a dialog.
//
// A story is a list of commands, each with what the engine said to it:
//
//	page confirm "Delete?"        the page's own script does something
//	frame ads alert "Buy!"        the same in a frame, found by a part of its URL
//	popup alert "Hi"              the same in the newest page
//	agent accept                  the agent answers, calls, navigates
//	person close                  somebody at the browser does something
//	socket drop                   the connection breaks, or comes back
//	advance 300s                  time passes
//	snapshot                      what the engine shows now
//	heard                         what the page got as its answer
//
// Each command stands in a file of its own, with examples at its method. The
// expected texts are rewritten with
//
//	go test ./simulations/golden -rewrite
//
// after which every changed line has to be understood before it is kept.
package golden
