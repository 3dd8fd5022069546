// Package compare runs clients against a feed, one process each and in turn, and
// says how their costs relate.
//
// A machine is never quiet: what is compared is CPU time of the client's
// process, always as a ratio of two clients in the same round, and of several
// rounds the median.
package compare
