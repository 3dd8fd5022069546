// Package reconnect decides when a task dials, waits, renews its endpoint, or
// gives up. Same inputs, same effects: chance and time come with the inputs.
//
// A lost connection is an ordinary input. The delay doubles from
// [messages.ReconnectMin] to [messages.ReconnectMax] with full jitter; after
// [messages.ReconnectBudget] failures in a row the machine gives up; a
// connection that held for [messages.StableAfter] resets the count. The first
// connection is not retried: who starts a task wants to hear what is wrong.
package reconnect
