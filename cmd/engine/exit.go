package main

import "fmt"

// The exit codes of all commands, beside 128 + n for signal n.
const (
	exitOK        = 0
	exitFailed    = 1
	exitUsage     = 2
	exitNoBrowser = 3
)

const exitCodes = `Exit codes: 0 done, and everything held; 1 something failed; 2 wrong command line; ` +
	`3 no browser (demo and doctor): none is found to start, none runs that could be taken, or doctor has no endpoint to try; 130 and 143 stopped by SIGINT and SIGTERM.`

// exitError makes the process end with a code of its own. A nil cause means
// that the command has said everything itself.
type exitError struct {
	code  int
	cause error
}

// Error returns the cause's text.
func (e *exitError) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.cause.Error()
}

// Unwrap returns the cause.
func (e *exitError) Unwrap() error { return e.cause }
