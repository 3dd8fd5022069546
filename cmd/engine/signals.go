package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// signalError is the cause of a context that a signal ended.
type signalError struct{ signal os.Signal }

// Error names the signal.
func (e *signalError) Error() string { return fmt.Sprintf("stopped by %s", e.signal) }

// exitCode is what a shell makes of the signal.
func (e *signalError) exitCode() int {
	if number, ok := e.signal.(syscall.Signal); ok {
		return 128 + int(number)
	}
	return exitFailed
}

// untilSignal returns a context that the first SIGINT or SIGTERM ends. From
// then on signals have their usual effect again, so that a second one ends the
// process even if the orderly stop hangs. The returned function gives up
// waiting; it must be called.
func untilSignal(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer signal.Stop(signals)
		select {
		case s := <-signals:
			cancel(&signalError{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(context.Canceled) }
}
