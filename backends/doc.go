// Package backends says where a task's browser comes from. Each backend is a
// [messages.EndpointSource], as a host's own can be:
//
//   - [Local] launches a Chromium on this machine and ends it with its lease
//   - [Running] finds a browser that a person already has open
//   - [Static] is an endpoint that somebody wrote down (--cdp-url)
//
// A source only says where to dial. It never speaks CDP: that is cdpwire's,
// and keeps this package to the standard library.
//
// # What a launched browser may leave behind
//
// Nothing. All its processes live in one process group (on Windows: one job
// object) that ends with its lease, with the browser's own process, and with
// ours, also when we are killed and run no code any more. See the watchdog in
// group_unix.go for how.
package backends
