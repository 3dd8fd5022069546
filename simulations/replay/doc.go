// Package replay feeds a recorded trace through the engine: through the same
// supervisor, sessions, dialogs and snapshots as live traffic, which the public
// door [registry.New] sets up. Only three things differ, and all three are passed
// in: the transport plays the trace, the clock is the trace's, and the dispatcher
// runs one actor at a time, in an order that is always the same. So the same file
// gives the same bytes, always.
//
// The engine sends commands of its own while a trace plays. The recording client
// did so, too, and what the browser answered then is what the engine gets: see
// [browser] for the rules.
package replay
