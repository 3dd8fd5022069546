// Package record writes traces of live CDP traffic: of the engine's own
// connection, through the tap of a task, or of any client that connects through
// a [Proxy].
//
// A trace holds what pages show and what people type. Credentials are left out
// unless asked for, as far as they can be told by where they stand: see
// [Redactor].
package record
