// Command suite is the benchmark behind "make bench": every client on every
// shape of stream, in interleaved rounds, as a table, as JSON and as a page.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"cdpsupervisor/bench/compare"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// errShort says that bounds were missed; which ones was printed.
var errShort = errors.New("some figures fall short of their bounds")

func run(ctx context.Context) error {
	rounds := flag.Int("rounds", 5, "rounds of each shape; medians need 5")
	scale := flag.Float64("scale", 1, "length of the streams, as a factor")
	only := flag.String("only", "", "shapes whose names contain one of these words, separated by commas")
	who := flag.String("clients", "", "clients whose names contain one of these words, separated by commas")
	bin := flag.String("bin", "bin", "folder of the built clients")
	out := flag.String("out", "bench", "folder that report.json and report.html are written to")
	plots := flag.String("plots", "", "folder that plots are written to, for the documentation")
	check := flag.String("check", "", "run nothing: compare the figures of this report.json with the bounds")
	timeout := flag.Duration("timeout", 5*time.Minute, "longest run of one client")
	flag.Parse()
	if *check != "" {
		return checkFile(*check, *plots)
	}
	shapes, err := shapes(*scale)
	if err != nil {
		return err
	}
	all := slices.DeleteFunc(clients(ctx, *bin), func(c compare.Client) bool { return !named(c.Name, *who) })
	runner := &compare.Runner{Rounds: *rounds, Timeout: *timeout, Clients: all, Progress: os.Stderr}
	report := &compare.Report{Machine: machine(), Go: runtime.Version(), Rounds: *rounds, Clients: runner.Clients}
	for _, make := range shapes {
		if !named(make.name, *only) {
			continue
		}
		shape, err := make.build()
		if err != nil {
			return fmt.Errorf("%s: %w", make.name, err)
		}
		done, err := runner.Run(ctx, *shape)
		if err != nil {
			return err
		}
		report.Shapes = append(report.Shapes, done)
	}
	report.Rate()
	if err := write(report, *out); err != nil {
		return err
	}
	if err := writePlots(report, *plots); err != nil {
		return err
	}
	report.Table(os.Stdout)
	fmt.Println()
	report.Check(os.Stdout)
	return nil
}

func named(name, only string) bool {
	if only == "" {
		return true
	}
	for word := range strings.SplitSeq(only, ",") {
		if strings.Contains(name, strings.TrimSpace(word)) {
			return true
		}
	}
	return false
}

func write(report *compare.Report, folder string) error {
	data, err := json.MarshalIndent(report, "", " ")
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "report.json"), append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	page, err := report.HTML()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "report.html"), page, 0o644); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// writePlots writes the plots of a report as files.
func writePlots(report *compare.Report, folder string) error {
	if folder == "" {
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("write the plots: %w", err)
	}
	for name, svg := range report.Plots() {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(svg), 0o644); err != nil {
			return fmt.Errorf("write the plots: %w", err)
		}
	}
	return nil
}

func checkFile(path, plots string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%w; run make bench first", err)
	}
	var report compare.Report
	if err := json.Unmarshal(data, &report); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	report.Rate()
	if err := writePlots(&report, plots); err != nil {
		return err
	}
	if short := report.Check(os.Stdout); short > 0 {
		return fmt.Errorf("%w: %d of %d", errShort, short, len(report.Ratios))
	}
	return nil
}

// machine describes where it ran.
func machine() string {
	model := runtime.GOARCH
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.SplitSeq(string(data), "\n") {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	return fmt.Sprintf("%s, %d CPUs, %s", model, runtime.NumCPU(), runtime.GOOS)
}
