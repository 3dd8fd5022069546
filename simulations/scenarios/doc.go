// Package scenarios is the table of what a client sees of a browser, run
// against the fake browser and against real Chromium alike. Where the two
// disagree, the fake is wrong, or docs/chromium.md is.
//
// A [Scenario] names the rules of docs/chromium.md that it shows. A rule that
// no scenario shows stands in [Exempt] with the reason; the package's test
// fails for a rule that is in neither. [Play] runs one scenario in a [Lab].
//
// # How a scenario tells the truth on both
//
// It speaks raw CDP, with none of the engine's care and none of its code.
// What must come is waited for, as long as the context lasts. That something
// is not answered is told by what is: the commands of a barrier, sent later,
// have their replies; and by order, for the reply comes after the event that
// ended the wait. No scenario waits for time to pass. Order is compared within
// a session and among the events that a scenario names, for Chromium keeps no
// other, and tells more than any rule mentions.
package scenarios
