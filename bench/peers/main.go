// Command peers runs one of the Go libraries that a user would pick instead
// against a feed, and prints what it cost, as one JSON line. They live in a
// module of their own so that the engine's needs none of them.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"cdpsupervisor/bench/measure"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	peers := map[string]func(context.Context, string, *measure.Meter) error{
		"chromedp": chromedpClient, "chromedp-all": chromedpDecode,
		"rod":     func(ctx context.Context, url string, m *measure.Meter) error { return rodClient(ctx, url, false, m) },
		"rod-all": func(ctx context.Context, url string, m *measure.Meter) error { return rodClient(ctx, url, true, m) },
	}
	if len(args) < 2 || peers[args[0]] == nil {
		return fmt.Errorf("usage: peers chromedp|chromedp-all|rod|rod-all ws://HOST/…")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	m := &measure.Meter{}
	if err := peers[args[0]](ctx, args[len(args)-1], m); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(m.Result())
}
