package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"cdpsupervisor/bench/compare"
	"cdpsupervisor/bench/engineclient"
	"cdpsupervisor/bench/feed"
	"cdpsupervisor/bench/measure"
	"cdpsupervisor/bench/rawclient"
)

const (
	// benchTimeout bounds one run of one client.
	benchTimeout = 10 * time.Minute
	// maxBenchEvents is how many events fit into the memory of a usual machine, if
	// they are small.
	maxBenchEvents = 10_000_000
	// maxBenchBytes is up to which size a trace is repeated, whatever its events:
	// those of pages that say much at once are of any size.
	maxBenchBytes = 1 << 30
)

// benchCommand is "engine bench": how fast the engine takes a trace.
type benchCommand struct {
	Trace   string   `arg:"" help:"Recorded trace, or a log of another tool; .zst and .gz are read as well."`
	Against []string `default:"raw" enum:"raw,map" help:"What to compare with: raw, a loop that only reads; map, one that decodes each message into a map."`
	Rounds  int      `default:"5" help:"How often each client runs, in turn."`
	Events  int      `default:"100000" help:"The trace is repeated until it has so many events, or is 1 GB large; each repetition has ids of its own."`
	JSON    bool     `name:"json" help:"Print one JSON object with all runs."`
}

// Run measures. Each client is a process of its own: this program once more.
func (c *benchCommand) Run(ctx context.Context, a *app) error {
	if c.Rounds < 1 || c.Rounds > 1000 || c.Events < 1 || c.Events > maxBenchEvents {
		return usage("--rounds is 1 to 1000, and --events 1 to %d, because all of them are in memory; write smaller numbers", maxBenchEvents)
	}
	if err := checkTwice(c.Trace); err != nil {
		return err
	}
	stream, err := c.stream(maxBenchBytes)
	if err != nil {
		return err
	}
	if len(stream.Messages) < c.Events {
		_, _ = fmt.Fprintf(a.stderr, "engine: the trace is repeated up to %d events only, which are %s, because all of them are in memory\n", len(stream.Messages), size(int64(stream.Bytes)))
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program, which runs each client: %w", err)
	}
	client := func(name, kind, about string) compare.Client {
		return compare.Client{Name: name, About: about, Command: []string{self, "bench-client", kind}}
	}
	clients := []compare.Client{client(compare.Engine, "engine", "this engine whole")}
	for _, kind := range c.Against {
		switch kind {
		case "raw":
			clients = append(clients, client(compare.Raw, kind, "a loop that only reads"))
		case "map":
			clients = append(clients, client(compare.Map, kind, "each message decoded into a map"))
		}
	}
	runner := &compare.Runner{Rounds: c.Rounds, Timeout: benchTimeout, Clients: clients, Progress: a.stderr}
	shape, err := runner.Run(ctx, compare.Shape{Name: filepath.Base(c.Trace), About: "as fast as the client reads", Stream: stream})
	if err != nil {
		return err
	}
	report := &compare.Report{
		Machine: fmt.Sprintf("%s, %d CPUs", runtime.GOARCH, runtime.NumCPU()), Go: runtime.Version(),
		Rounds: c.Rounds, Clients: clients, Shapes: []*compare.ShapeReport{shape},
	}
	if c.JSON {
		err = json.NewEncoder(a.stdout).Encode(report)
	} else {
		var table bytes.Buffer
		report.Table(&table)
		_, err = table.WriteTo(a.stdout)
	}
	if err != nil {
		return err
	}
	return failedRuns(shape)
}

// failedRuns is an error where any run failed: the figures are of fewer rounds
// than was asked for, or of none.
func failedRuns(shape *compare.ShapeReport) error {
	failed, last := 0, ""
	for _, o := range shape.Outcomes {
		if n := len(o.Errors); n > 0 {
			failed, last = failed+n, o.Errors[n-1]
		}
	}
	if failed == 0 {
		return nil
	}
	return fmt.Errorf("%d runs failed, the last one with: %s", failed, last)
}

// stream reads the trace, and repeats it until it is long enough, or as large as
// it may be.
func (c *benchCommand) stream(most int) (*feed.Stream, error) {
	once, err := feed.Load(c.Trace, 1)
	if err != nil {
		return nil, err
	}
	n := len(once.Messages)
	if n >= c.Events || once.Bytes >= most {
		return once, nil
	}
	twice, err := feed.Load(c.Trace, 2)
	if err != nil {
		return nil, err
	}
	// A stream ends with messages of the feed's own, which are not repeated: only
	// the difference tells how long one repetition is.
	each := len(twice.Messages) - n
	if each == 0 {
		return nil, fmt.Errorf("%s has no event behind those that attach its page, so nothing can be repeated; name a trace in which the page does something", c.Trace)
	}
	more := (c.Events - n + each - 1) / each
	return feed.Load(c.Trace, 1+min(more, (most-once.Bytes)/(twice.Bytes-once.Bytes)))
}

// benchClientCommand is one client of "engine bench". It prints what it cost.
type benchClientCommand struct {
	Kind     string `arg:"" enum:"engine,raw,map"`
	Endpoint string `arg:""`
}

// Run follows the feed at the endpoint to its end.
func (c *benchClientCommand) Run(ctx context.Context, a *app) error {
	m := &measure.Meter{}
	var err error
	switch {
	case !strings.HasPrefix(c.Endpoint, "ws://127.0.0.1:"):
		err = &exitError{exitUsage, errors.New("bench-client is started by engine bench")}
	case c.Kind == "engine":
		err = engineclient.Run(ctx, c.Endpoint, engineclient.Options{Tasks: 1}, m)
	case c.Kind == "raw":
		err = rawclient.Read(ctx, c.Endpoint, 1, m)
	default:
		err = rawclient.Map(ctx, c.Endpoint, 1, m)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(a.stdout).Encode(m.Result())
}
