package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"cdpsupervisor/bench/feed"
	"cdpsupervisor/bench/measure"
)

// Client is one way to follow a browser, as a process of its own: it is started
// with the endpoint as its last argument and prints a [measure.Result] as its
// last line.
type Client struct {
	Name string `json:"name"`
	// About says what of its normal work it does.
	About   string   `json:"about"`
	Command []string `json:"-"`
	Dir     string   `json:"-"`
}

// Shape is one workload.
type Shape struct {
	Name  string
	About string
	// Stream is what the feed plays on each connection.
	Stream *feed.Stream
	Pace   feed.Pace
	// Tasks is how many connections the client makes; 0 is one.
	Tasks int
	// Args come before the endpoint.
	Args []string
	// Clients are the names of those that run it; nil is all that follow a page.
	Clients []string
	// Memory says that memory per task is what counts, not CPU.
	Memory bool
}

// Outcome is all runs of one client on one shape.
type Outcome struct {
	Client string           `json:"client"`
	Runs   []measure.Result `json:"runs"` // one for each round that worked
	Errors []string         `json:"errors,omitempty"`
}

// ShapeReport is what came out of one shape.
type ShapeReport struct {
	Name     string    `json:"name"`
	About    string    `json:"about"`
	Events   int       `json:"events"` // of all connections together
	Bytes    int       `json:"bytes"`
	Tasks    int       `json:"tasks"`
	Memory   bool      `json:"memory,omitempty"`
	Outcomes []Outcome `json:"outcomes"`
}

// Runner runs shapes.
type Runner struct {
	Rounds   int
	Timeout  time.Duration // of one run
	Clients  []Client
	Progress io.Writer
}

// Run plays a shape to each of its clients in turn, round by round. A client
// that fails is noted and goes on to the next round.
func (r *Runner) Run(ctx context.Context, shape Shape) (*ShapeReport, error) {
	server, err := feed.Serve(shape.Stream, shape.Pace)
	if err != nil {
		return nil, err
	}
	defer func() { _ = server.Close() }() // nothing of it is needed any more
	tasks := max(shape.Tasks, 1)
	report := &ShapeReport{
		Name: shape.Name, About: shape.About, Tasks: tasks, Memory: shape.Memory,
		Events: len(shape.Stream.Messages) * tasks, Bytes: shape.Stream.Bytes * tasks,
	}
	var clients []Client
	for _, c := range r.Clients {
		if shape.wants(c.Name) {
			clients = append(clients, c)
			report.Outcomes = append(report.Outcomes, Outcome{Client: c.Name})
		}
	}
	for round := range r.Rounds {
		for i := range clients {
			// Each round begins with another, so that none is always first.
			at := (i + round) % len(clients)
			result, err := r.one(ctx, clients[at], shape, server.URL())
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			o := &report.Outcomes[at]
			if err != nil {
				o.Errors = append(o.Errors, err.Error())
				r.say("%s round %d: %s: %v\n", shape.Name, round+1, clients[at].Name, err)
				continue
			}
			o.Runs = append(o.Runs, *result)
			r.say("%s round %d: %-22s %8.3f s CPU %8.3f s wall\n", shape.Name, round+1, clients[at].Name, result.CPU, result.Wall)
		}
	}
	return report, nil
}

func (r *Runner) say(format string, args ...any) {
	if r.Progress != nil {
		_, _ = fmt.Fprintf(r.Progress, format, args...)
	}
}

func (s *Shape) wants(client string) bool {
	if s.Clients == nil {
		return client != Conns // which follows nothing
	}
	for _, name := range s.Clients {
		if name == client {
			return true
		}
	}
	return false
}

// one runs one client once.
func (r *Runner) one(ctx context.Context, c Client, s Shape, url string) (*measure.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	args := append([]string(nil), c.Command[1:]...)
	args = append(append(args, s.Args...), url)
	cmd := exec.CommandContext(ctx, c.Command[0], args...)
	cmd.Dir = c.Dir
	// Telemetry of peers has no place in a measurement.
	cmd.Env = append(os.Environ(), "CDPSUPERVISOR_BENCH_TASKS="+strconv.Itoa(max(s.Tasks, 1)), "PWDEBUG=", "DEBUG=")
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = fmt.Errorf("not done after %s", r.Timeout)
		}
		return nil, fmt.Errorf("%s: %w: %s", c.Name, err, lastLine(complaint.String()))
	}
	var result measure.Result
	if err := json.Unmarshal([]byte(lastLine(out.String())), &result); err != nil {
		return nil, fmt.Errorf("%s printed no result: %w", c.Name, err)
	}
	return &result, nil
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
