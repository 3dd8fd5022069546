// Package sim runs the whole engine against a browser that does, in a seeded
// order, everything that a browser can do: pages come and go, frames change
// their processes, dialogs open at the worst moment, renderers crash, sockets
// break, replies are late, double or lost, and now and then an actor panics.
//
//	seed ──▶ plan: a list of actions ──▶ run ──▶ after each move: what must always hold
//	                    ▲                  └──▶ at rest: engine == browser, and the way out leads out
//	                    └── shrink: fewer actions that still fail
//
// A quarter of the seeds runs with the dialog bridge on, over each of its
// transports.
//
// One seed is one run: its actions, the order of every message in it and the
// bytes on its sockets are the same each time. A run that fails says its seed;
//
//	make sim SEED=n
//
// runs it again, drops the actions that the fault does not need, and keeps the
// trace of what is left. `make sim SEEDS=n` runs n seeds on all cores.
//
// A new kind of trouble is one function in the table of actions; a new law is
// one line in the checks.
package sim
