// Command client runs one Go client against a feed and prints what it cost, as
// one JSON line: the bare read loop, the engine whole, the naive way, and
// connections that do nothing.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"cdpsupervisor/bench/engineclient"
	"cdpsupervisor/bench/measure"
	"cdpsupervisor/bench/rawclient"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("usage: client raw|map|conns|engine [idle|slow|dialogs] ws://HOST/…")
	}
	tasks, err := strconv.Atoi(os.Getenv("CDPSUPERVISOR_BENCH_TASKS"))
	if err != nil {
		tasks = 1
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	m := &measure.Meter{}
	url := args[len(args)-1]
	switch args[0] {
	case "raw":
		err = rawclient.Read(ctx, url, tasks, m)
	case "map":
		err = rawclient.Map(ctx, url, tasks, m)
	case "conns":
		err = rawclient.Conns(ctx, url, tasks, m)
	case "engine":
		m.Profile, m.Allocations = os.Getenv("CDPSUPERVISOR_CPUPROFILE"), os.Getenv("CDPSUPERVISOR_MEMPROFILE")
		o := engineclient.Options{Tasks: tasks}
		switch args[1] {
		case "idle":
			o.Idle = true
		case "slow":
			o.Slow, o.Dialogs = time.Millisecond, true
		case "dialogs":
			o.Dialogs = true
		}
		err = engineclient.Run(ctx, url, o, m)
	default:
		err = fmt.Errorf("no client %q", args[0])
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(m.Result())
}
