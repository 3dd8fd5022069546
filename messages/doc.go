// Package messages is the ground floor of cdpsupervisor: the vocabulary that
// every other package speaks.
//
// It holds ids and enums, the events decoded from the wire, the commands sent
// to it, one sealed family of messages per receiving actor, the domain values
// (dialogs, frames, console errors), the frozen [Snapshot] with its JSON
// contract, the classes of raw CDP methods, every limit, the sentinel errors,
// and the small interfaces that are passed in ([Clock], [EndpointSource]).
//
// It imports nothing but the standard library and starts nothing: no
// goroutine, no channel, no lock. A message never carries a PID, a channel, a
// context or an error of a library, so that a history of messages can be
// written down and replayed.
package messages
