package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"cdpsupervisor/bench/compare"
	"cdpsupervisor/bench/feed"
)

// tracesVariable names a folder, or one file, of logs that are not in the
// repository.
const tracesVariable = "CDPSUPERVISOR_TRACES"

type maker struct {
	name  string
	build func() (*compare.Shape, error)
}

// shapes are the workloads. Streams are made when their turn comes, since some
// are large.
func shapes(scale float64) ([]maker, error) {
	n := func(count int) int { return max(int(float64(count)*scale), 1) }
	ours := []string{compare.Raw, compare.Engine}
	withMap := []string{compare.Raw, compare.Engine, compare.Map}
	recorded := func(file string, rounds int) func(name, about string) (*compare.Shape, error) {
		return func(name, about string) (*compare.Shape, error) {
			s, err := feed.Load("bench/testdata/"+file, rounds)
			return &compare.Shape{Name: name, About: about, Stream: s}, err
		}
	}
	dialogs := []string{"dialogs"}
	mixed := func(m feed.Mix, clients []string, args ...string) func(name, about string) (*compare.Shape, error) {
		return func(name, about string) (*compare.Shape, error) {
			return &compare.Shape{Name: name, About: about, Stream: feed.Generate(name, m), Clients: clients, Args: args}, nil
		}
	}
	var list []maker
	add := func(name, about string, build func(name, about string) (*compare.Shape, error)) {
		list = append(list, maker{name, func() (*compare.Shape, error) { return build(name, about) }})
	}

	add(compare.Burst, "a recorded page with 110 ad slots, nested frames in many processes, played again and again", recorded("adheavy-main.jsonl.zst", n(20)))
	add(compare.BurstLarge, "the same stream written in pieces of 256 KiB, so that reading costs next to nothing: the hardest case for whoever does more than read", func(name, about string) (*compare.Shape, error) {
		s, err := feed.Load("bench/testdata/adheavy-main.jsonl.zst", n(30))
		return &compare.Shape{Name: name, About: about, Stream: s, Pace: feed.Pace{Gather: true}}, err
	})
	add(compare.OneProcess, "generated: 300 frames of 60 sites in one process, a quarter of the events console calls, in large pieces: what every client can follow whole, also those that attach to the page alone", func(name, about string) (*compare.Shape, error) {
		s := feed.Generate(name, feed.Mix{Seed: 9, Events: n(150_000), Frames: 300, Depth: 4, Origins: 60, Console: 0.25, Errors: 0.05, Noise: 0.35, Text: 160})
		return &compare.Shape{Name: name, About: about, Stream: s, Pace: feed.Pace{Gather: true}}, nil
	})
	add(compare.Small, "a recorded page with a few ad slots", recorded("adheavy-small.jsonl.zst", n(60)))
	add(compare.Generated, "generated: 300 frames of 60 sites, 35 % of them remote, a quarter of the events console calls", mixed(feed.Mix{
		Seed: 1, Events: n(100_000), Frames: 300, Depth: 4, Origins: 60, Remote: 0.35, Console: 0.25, Errors: 0.05, Noise: 0.35, Text: 160,
	}, withMap))
	flood := feed.Mix{
		Seed: 2, Events: n(100_000), Frames: 20, Depth: 2, Origins: 5, Remote: 0.2, Console: 0.95, Errors: 0.95, Text: 160, DialogEvery: 500,
	}
	add(compare.Flood, "generated: nineteen of twenty events are console errors, and a dialog every 500 events; 50 000 events a second", func(name, about string) (*compare.Shape, error) {
		pace := feed.Pace{Tick: time.Millisecond, Events: 50}
		return &compare.Shape{Name: name, About: about, Stream: feed.Generate(name, flood), Pace: pace, Clients: ours, Args: dialogs}, nil
	})
	add(compare.FloodFull, "the same as fast as the client reads, which takes both of two cores", mixed(flood, ours, dialogs...))
	add(compare.Quiet, "dialogs and little else, one event per 2 ms", func(name, about string) (*compare.Shape, error) {
		s := feed.Generate(name, feed.Mix{Seed: 3, Events: n(600), Frames: 20, Depth: 2, Origins: 5, Remote: 0.2, Noise: 1, DialogEvery: 3})
		return &compare.Shape{Name: name, About: about, Stream: s, Pace: feed.Pace{Tick: 2 * time.Millisecond}, Clients: ours, Args: dialogs}, nil
	})
	add(compare.Churn, "generated: 300 frames in the page's own process that come, navigate and go, nothing else", mixed(feed.Mix{
		Seed: 4, Events: n(200_000), Frames: 300, Depth: 4, Origins: 60,
	}, withMap))
	for _, frames := range []int{100, 1_000, 3_000, 9_990} {
		name := map[int]string{100: "100 frames", 1_000: compare.Frames1000, 3_000: "3 000 frames", 9_990: compare.Frames10000}[frames]
		add(name, fmt.Sprintf("generated: churn among %d frames, a tenth of them remote", frames), mixed(feed.Mix{
			Seed: 5, Events: n(150_000), Frames: frames, Depth: 5, Origins: 200, Remote: 0.1, Console: 0.1, Errors: 0.02, Noise: 0.2, Text: 160,
		}, ours))
	}
	add(compare.Trickle, "100 quiet pages at once, each with one event per write and 20 ms: half of them loading and lifecycle, three of ten console calls, the rest frames", func(name, about string) (*compare.Shape, error) {
		s := feed.Generate(name, feed.Mix{Seed: 6, Events: n(400), Frames: 5, Depth: 2, Origins: 5, Remote: 0.1, Console: 0.3, Errors: 0.05, Noise: 0.5, Text: 160})
		return &compare.Shape{Name: name, About: about, Stream: s, Pace: feed.Pace{Tick: 20 * time.Millisecond}, Tasks: 100, Clients: withMap}, nil
	})
	for _, sessions := range []int{10, 100, 500, 1_500} {
		name := map[int]string{10: "10 sessions", 100: "100 sessions", 500: "500 sessions", 1_500: "1 500 sessions"}[sessions]
		add(name, "generated: churn among remote frames, each with a session of its own", mixed(feed.Mix{
			Seed: 8, Events: n(60_000), Frames: sessions, Depth: 3, Origins: 200, Remote: 1, Console: 0.2, Errors: 0.02, Noise: 0.4, Text: 160,
		}, ours))
	}
	for _, tasks := range []int{1, 10, 50} {
		name := map[int]string{1: "1 task", 10: "10 tasks", 50: "50 tasks"}[tasks]
		add(name, "the small recorded page in a burst on each task at once", func(name, about string) (*compare.Shape, error) {
			s, err := feed.Load("bench/testdata/adheavy-small.jsonl.zst", max(n(60)/tasks, 1))
			return &compare.Shape{Name: name, About: about, Stream: s, Tasks: tasks, Clients: ours}, err
		})
	}
	add(compare.Idle, "2 000 connected tasks that do nothing; then a burst on each, and nothing again", func(name, about string) (*compare.Shape, error) {
		s := feed.Generate(name, feed.Mix{Seed: 7, Events: 300, Frames: 10, Depth: 2, Origins: 5, Console: 0.25, Errors: 0.05, Noise: 0.35, Text: 160})
		return &compare.Shape{Name: name, About: about, Stream: s, Tasks: n(2_000), Args: []string{"idle"}, Clients: []string{compare.Conns, compare.Engine}, Memory: true}, nil
	})
	add(compare.Slow, "the console flood, with a consumer that is held up for 1 ms at each batch", func(name, about string) (*compare.Shape, error) {
		s := feed.Generate(name, feed.Mix{Seed: 2, Events: n(100_000), Frames: 20, Depth: 2, Origins: 5, Remote: 0.2, Console: 0.8, Errors: 0.8, Text: 160, DialogEvery: 500})
		return &compare.Shape{Name: name, About: about, Stream: s, Args: []string{"slow"}, Clients: []string{compare.Engine}}, nil
	})
	foreign, err := foreign()
	return append(list, foreign...), err
}

// foreign are logs of public pages, given by path.
func foreign() ([]maker, error) {
	path := os.Getenv(tracesVariable)
	if path == "" {
		return nil, nil
	}
	files := []string{path}
	if info, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("%s: %w", tracesVariable, err)
	} else if info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(path, "*.json*")); err != nil {
			return nil, fmt.Errorf("%s: %w", tracesVariable, err)
		}
	}
	var list []maker
	for _, file := range files {
		list = append(list, maker{compare.Foreign + " " + filepath.Base(file), func() (*compare.Shape, error) {
			s, err := feed.Load(file, 20)
			return &compare.Shape{Name: compare.Foreign + " " + filepath.Base(file), About: "a log of a public page, played 20 times", Stream: s, Clients: []string{compare.Raw, compare.Engine, compare.Map}}, err
		}})
	}
	return list, nil
}
