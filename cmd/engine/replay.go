package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rs/zerolog"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/cmd/engine/internal/config"
	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/importers"
	"cdpsupervisor/simulations/replay"
)

const minSpeed, maxSpeed = 0.001, 1_000_000.0

// shownWarnings is how many remarks on a file are printed.
const shownWarnings = 20

// replayCommand is "engine replay": a recorded trace goes through the engine.
type replayCommand struct {
	File   string `arg:"" help:"Recorded trace, or a log of another tool; .zst and .gz are read as well."`
	Format string `default:"auto" placeholder:"FORM" help:"Form of the file, if it is not to be found out: auto, trace, devtoolslog, chromedriver, js-debug, cdt-log-replay, protocol-monitor, playwright, puppeteer, k6, chrome-php, pyppeteer, cdp4j, selenium, rod, chromedp."`

	JSON     bool   `name:"json" help:"Print one JSON object: snapshot, console_errors, stats."`
	Every    bool   `help:"Print each published snapshot as a line of JSON."`
	FullTree bool   `help:"Leave the caps off the frame tree."`
	HTML     string `name:"html" type:"homed" placeholder:"FILE" help:"Write a page that shows the replay as a timeline."`

	Speed   float64  `default:"0" placeholder:"N" help:"Seconds of the trace in a real second; 0 is as fast as it goes."`
	Target  string   `placeholder:"ID" aliases:"target-id" help:"Page target to supervise, instead of the first one."`
	Policy  string   `placeholder:"POLICY" aliases:"dialog-policy" help:"Ask what would have happened to dialogs with must_respond, auto_dismiss or auto_accept."`
	Timeout string   `name:"dialog-timeout" placeholder:"TIME" help:"When an unanswered dialog is dismissed: 300, 300s, 5m."`
	Answer  []string `placeholder:"d-1=accept:text" sep:"none" help:"Answer a dialog as soon as it opens: d-1=accept, d-1=accept:text or d-1=dismiss. May be given several times."`
	Scope   string   `default:"page" enum:"page,browser" help:"What is supervised: the page and its popups, or all pages (${enum})."`
}

// Run replays the file.
func (c *replayCommand) Run(ctx context.Context, a *app) error {
	options, err := c.options(a)
	if err != nil {
		return asUsage(err)
	}
	if err := checkTwice(c.File); err != nil {
		return err
	}
	out := bufio.NewWriter(a.stdout)
	var broken error // standard output takes nothing more
	if c.Every {
		options.Published = func(s *messages.Snapshot) {
			if broken == nil {
				broken = replay.WriteSnapshot(out, s)
			}
		}
	}
	warnings := &warnings{out: a.stderr}
	options.Warn = warnings.take
	result, err := replay.Run(ctx, *options)
	if err == nil {
		err = broken
	}
	if err == nil {
		warnings.end()
		err = c.write(out, a.stderr, result)
	}
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	if errors.Is(err, messages.ErrInvalid) {
		return asUsage(err)
	}
	return err
}

func (c *replayCommand) options(a *app) (*replay.Options, error) {
	o := &replay.Options{
		Path: c.File, Format: importers.Format(c.Format), Speed: c.Speed, Wall: cdpwire.WallClock{},
		Target: messages.TargetID(c.Target), Policy: messages.Policy(c.Policy), Scope: messages.Scope(c.Scope),
		FullTree: c.FullTree, Frames: c.HTML != "", Log: a.log.logger(a.stderr, zerolog.ErrorLevel),
	}
	// Slower, and what the clock waits for overflows.
	if c.Speed != 0 && !(c.Speed >= minSpeed && c.Speed <= maxSpeed) {
		return nil, fmt.Errorf("--speed: found %v; allowed are 0, which is as fast as it goes, and 0.001 to 1000000", c.Speed)
	}
	if c.HTML != "" && isSameFile(c.File, c.HTML) {
		return nil, fmt.Errorf("--html: %s is the trace itself, which would be overwritten; name another file", c.HTML)
	}
	if c.Timeout != "" {
		d, err := config.ParseSeconds(c.Timeout)
		if err != nil {
			return nil, fmt.Errorf("--dialog-timeout: %w", err)
		}
		if d <= 0 {
			return nil, fmt.Errorf("--dialog-timeout: found %q; allowed is a time of more than 0, at most 86400 seconds", c.Timeout)
		}
		o.DialogTimeout = d
	}
	for _, text := range c.Answer {
		answer, err := replay.ParseAnswer(text)
		if err != nil {
			return nil, fmt.Errorf("--answer: %w", err)
		}
		o.Answers = append(o.Answers, answer)
	}
	return o, nil
}

func isSameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// write prints what came of it, and writes the page.
func (c *replayCommand) write(out, remarks io.Writer, result *replay.Result) error {
	name := filepath.Base(c.File)
	if c.HTML != "" {
		if err := writeReport(c.HTML, name, result); err != nil {
			return err
		}
	}
	if c.JSON || c.Every {
		for _, note := range result.Notes {
			_, _ = fmt.Fprintln(remarks, "engine:", note)
		}
	}
	switch {
	case c.JSON:
		return result.WriteJSON(out)
	case c.Every:
		return nil
	}
	return result.WriteSummary(out, name)
}

func writeReport(path, name string, result *replay.Result) error {
	// It shows what pages show and what agents type: it is the owner's.
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	page := bufio.NewWriter(file)
	err = result.WriteReport(page, name)
	if flushed := page.Flush(); err == nil {
		err = flushed
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// warnings prints remarks on a file, up to a number.
type warnings struct {
	out io.Writer
	all int
}

func (w *warnings) take(warning importers.Warning) {
	if w.all++; w.all <= shownWarnings {
		_, _ = fmt.Fprintln(w.out, "engine:", warning)
	}
}

func (w *warnings) end() {
	if more := w.all - shownWarnings; more > 0 {
		_, _ = fmt.Fprintf(w.out, "engine: and %d more lines that were skipped\n", more)
	}
}
