// Package attach holds the two set-up machines: [Setup] arms one page or
// iframe session, [Root] arms one connection and finds the task's page. Same
// inputs, same effects; no clock, no I/O.
//
// A session's whole set-up is sent at once and only then are the replies
// collected: a paused target must never wait for us, whatever fails on the
// way, because it would freeze the page for every other client too.
package attach
