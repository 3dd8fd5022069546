// Package policy turns the same inputs into the same effects: it is the dialog
// machine of one task, a value without clock, goroutine, lock or I/O.
//
// A [State] holds the dialogs that are open and the last that are over. The
// caller feeds it one [Input] at a time with [Step] and performs the [Effect]
// values that come back, in their order. Every input carries its own time;
// timers and commands carry a generation, and a late one is told by its number,
// so nothing ever needs to be cancelled.
//
// What holds after every step:
//
//   - Every [Ask] and every [DismissAll] is answered exactly once, by [Answer]
//     and [Settled], in the step that takes it or in a later one; every command
//     has a deadline, so that later step always comes.
//   - A dialog has at most one command on the wire that is still believed in.
//   - [Closed] is the truth about a dialog and the reply to a command a hint;
//     the reply only decides who closed it.
//   - A dialog whose frame is gone, or that the browser has forgotten, is never
//     answered: Chromium dies of the first and refuses the second.
//   - A page controls no size: texts, dialogs, records and waiting callers have
//     caps.
//
// The life of one dialog stands in STATES.md, drawn from the table in
// transitions.go; a test keeps both equal, and another walks random histories
// and fails when a dialog moves in a way that the table does not know.
package policy
