package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/simulations/importers"
)

// traceCommand is "engine trace".
type traceCommand struct {
	Convert convertCommand `cmd:"" help:"Turn a log of another tool into a trace."`
}

// convertCommand is "engine trace convert".
type convertCommand struct {
	From   string `arg:"" name:"from" help:"The log; .zst and .gz are read as well."`
	To     string `arg:"" name:"to" help:"The trace, which must not exist; .zst and .gz are compressed; - is standard output."`
	Format string `default:"auto" placeholder:"FORM" help:"Form of the log, if it is not to be found out: auto, trace, devtoolslog, chromedriver, js-debug, cdt-log-replay, protocol-monitor, playwright, puppeteer, k6, chrome-php, pyppeteer, cdp4j, selenium, rod, chromedp."`
}

// Run converts the file.
func (c *convertCommand) Run(ctx context.Context, a *app) error {
	warnings := &warnings{out: a.stderr}
	from, err := importers.Open(c.From, importers.Options{Format: importers.Format(c.Format), Warn: warnings.take})
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	to, err := c.create(from, a.stdout)
	if err != nil {
		return err
	}
	n, err := copyTrace(ctx, to, from)
	if closed := to.Close(); err == nil {
		err = closed
	}
	if err != nil {
		if c.To != "-" { // a part of a trace looks like a whole one
			err = errors.Join(err, os.Remove(c.To))
		}
		return err
	}
	warnings.end()
	_, err = fmt.Fprintf(a.stderr, "engine: %d messages, from %s\n", n, from.Format())
	return err
}

func (c *convertCommand) create(from *importers.Trace, stdout io.Writer) (*cdpwire.TraceWriter, error) {
	header := from.Header()
	header.Tool = fmt.Sprintf("engine trace convert (%s of %s)", from.Format(), filepath.Base(c.From))
	if header.Start == 0 {
		// Without a start the writer would take now for it; the epoch is what a
		// trace without one counts from.
		header.Start = epochStart
	}
	if c.To == "-" {
		return cdpwire.NewTraceWriter(stdout, header, cdpwire.WallClock{})
	}
	return cdpwire.CreateTrace(c.To, header, cdpwire.WallClock{})
}

// epochStart is the Unix epoch, to the microsecond, and not zero.
const epochStart = 1e-9

func copyTrace(ctx context.Context, to *cdpwire.TraceWriter, from *importers.Trace) (n int, err error) {
	start := from.Header().Start.Time()
	for ctx.Err() == nil {
		m, err := from.Next()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		to.Tap(m.Dir, start.Add(m.T), m.Msg)
		n++
	}
	return n, context.Cause(ctx)
}

// checkTwice refuses what can be read only once, such as a pipe: the second time
// it would be empty, and look like a trace in which nothing happens.
func checkTwice(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() || info.IsDir() {
		return nil // what is wrong with it, opening it tells
	}
	return fmt.Errorf("%s is no file, and a trace is read twice; write it into a file first", path)
}
