// Package registry is the public door of cdpsupervisor for Go hosts.
//
// A host brings its *actor.ActorSystem, makes one [Registry] in it, and asks
// for a [Task] per browser task. A task keeps one long-lived connection to the
// browser's DevTools endpoint and publishes what it sees as a frozen
// [messages.Snapshot] that is read without waiting.
//
// Promises to the host: one named root actor ("cdpsupervisor"); nothing
// global; the actor system is never shut down or changed; no goroutine
// outside sockets, event subscribers and the caller's own; logs go to the
// given logger only; events go to the system's EventStream as pointers to the
// types of [messages.EngineEvent].
package registry
