// Package rig runs the whole engine against the fake browser on one goroutine,
// in virtual time, one move after the other, so that the same choices give the
// same run.
//
//	           ┌──────────────── Rig.Step: one of the moves ────────────────┐
//	           ▼                                                            │
//	run one actor   hand one command to the browser   hand one message to   │
//	                                                  the engine's reader   │
//	           │                    │                          │            │
//	           └──────── Quiet: every other goroutine rests ───┴────────────┘
//
// What may happen next is a list; who chooses from it decides the schedule. A
// [Rig] without Options.Choose takes the first each time, which is the order of
// a machine that nothing disturbs. The engine is built by registry.New: only
// its clock, its dispatcher and its socket are others.
//
// The rig watches every message before its actor handles it, and checks what
// must always hold; see [Rig.Err].
package rig
