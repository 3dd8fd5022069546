// Package feed plays a stream of CDP events to a client as fast as the client
// reads, and answers its set-up as a browser would. What it plays is a recorded
// trace or a generated one; every client gets the same bytes.
//
// A client connects, sets itself up on the one page, and calls
// Runtime.evaluate with the expression [StartExpression] on the page's session.
// The feed answers and plays the stream. The last event but one is a
// console call of [EndText] on the page's session, the last changes the title of
// the page to it.
package feed
