// Command client runs one Go client against a feed and prints what it cost, as
// one JSON line: the bare read loop, the engine whole, and the naive way.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/backends"
	"cdpsupervisor/bench/measure"
	"cdpsupervisor/bench/rawclient"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"

	"cdpsupervisor/bench/feed"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: client raw|map|engine ws://HOST/…")
		os.Exit(2)
	}
	clients := map[string]func(context.Context, string, *measure.Meter) error{
		"raw": rawclient.Read, "map": rawclient.Map, "engine": engine,
	}
	run := clients[os.Args[1]]
	if run == nil {
		fmt.Fprintf(os.Stderr, "no client %q\n", os.Args[1])
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	m := &measure.Meter{Profile: os.Getenv("CDPSUPERVISOR_CPUPROFILE")}
	if err := run(ctx, os.Args[2], m); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(m.Result()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// engine is the whole engine: real actors, real state, a published snapshot.
func engine(ctx context.Context, url string, m *measure.Meter) error {
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }))
	r, err := registry.New(system)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close(ctx) }()
	task, err := r.GetOrStart(ctx, "bench", backends.Static(messages.Endpoint(url)))
	if err != nil {
		return err
	}
	m.Start()
	if _, err := task.Call(ctx, messages.CallRequest{Method: "Runtime.evaluate", Params: fmt.Appendf(nil, `{"expression":%q}`, feed.StartExpression)}); err != nil {
		return err
	}
	last, err := task.Wait(ctx, func(s *messages.Snapshot) bool {
		return s.Page.Title == feed.EndText || s.Supervisor != nil && s.Supervisor.Status == messages.StatusFailed
	})
	m.Stop()
	if err != nil {
		return err
	}
	if last.Supervisor != nil && last.Supervisor.Status == messages.StatusFailed {
		return errors.New(last.Supervisor.Reason)
	}
	if last.FrameTree == nil {
		return errors.New("the engine shows no frame tree")
	}
	m.Note("frames", len(last.FrameTree.Children)+last.FrameTree.Omitted)
	if last.Supervisor != nil {
		m.Note("dropped", last.Supervisor.Dropped)
	}
	return nil
}
