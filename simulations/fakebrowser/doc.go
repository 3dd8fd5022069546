// Package fakebrowser is a Chromium that is not there: it speaks as much of
// the DevTools protocol as the engine and its tests use, over an in-memory
// transport and over a real WebSocket, and behaves as the rules of
// docs/chromium.md say that Chromium does, down to what hangs while a dialog
// is open and what kills the browser.
//
// # Model
//
// A [Browser] has pages, a page has frames, a frame shows a document, and a
// document lives in a renderer: one per site within a group of pages that can
// script each other. Pages are HTML from a [Site], their scripts run in a
// JavaScript engine with a small DOM, one per frame.
//
// One goroutine does everything. It takes one input at a time (a message, a
// timer, a socket, a call of the API) and works it off to the end before it
// takes the next. A renderer's main thread is a coroutine of that goroutine: a
// script that calls alert stands still inside the call while the browser goes
// on, and the renderer's other work queues up behind it. So what a client
// sees depends on the order of its inputs and never on their timing; two runs
// with one history give the same bytes. Time is the [messages.Clock] that was
// passed in, or the browser's own, which [Browser.Advance] moves.
//
// Its encoder and decoder are its own, so that a mistake in the engine's wire
// is not made twice.
//
// # Tests against it
//
//	b := fakebrowser.New(fakebrowser.Options{Pages: site, SiteIsolation: true})
//	defer b.Close()
//	tr := b.Transport() // or b.Serve(listener) and b.Endpoint()
//	…
//	err := b.Settle(ctx) // nothing happens any more without input or time
//
// [Browser.Frames], [Browser.OpenDialogs] and [Browser.Calls] tell the truth
// to compare a client's view with; [Browser.Inject] and its neighbours make
// things go wrong; [Browser.Crashed] says of what the process died.
//
// # One scenario, fake and real
//
// Package scenarios is the table that the fake and real Chromium play alike;
// each scenario names the rules that it shows, and a test fails for a rule
// without one. What the fake tells beyond that, to the byte and in one order
// across sessions, is compared with recorded traffic by TestRecordings and
// with the text of TestRules.
//
// # What it leaves out
//
// Layout (each element has a row of its own, or the place that its style
// gives it), CSS, workers, prerendering, fenced frames, PDF, cookies, file
// choosers, script modules, and every domain that is not listed in
// methodTable. Loops that never look at the clock are not interrupted.
// Commits that are in flight when a dialog opens do not cancel it by chance;
// [Browser.SetAutoDismiss] does what they do.
package fakebrowser
