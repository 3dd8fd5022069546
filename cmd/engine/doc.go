// Command engine supervises browsers over the Chrome DevTools Protocol for AI
// agents. See "engine --help" for its commands.
//
// # Exit codes
//
//	0    everything asked for was done, and held
//	1    something failed; standard error says what
//	2    the command line is wrong
//	3    no browser: demo or doctor found no Chromium-based one to start, and the
//	     message says what to install; or doctor was given no endpoint, and the
//	     message says how to get one
//	130  ended by SIGINT, 143 by SIGTERM, after an orderly stop
//
// The first SIGINT or SIGTERM begins an orderly stop: open dialogs are
// dismissed first, because closing a tab or a browser over an open dialog can
// kill the browser, then tasks end, then browsers that were launched here. A
// second signal ends the process at once.
//
// Results go to standard output, the log to standard error.
package main
