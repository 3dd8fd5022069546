package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/alecthomas/kong"

	"cdpsupervisor/cmd/engine/internal/config"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr, os.Exit))
}

// commandLine holds the flags that all commands have, and the commands. To add
// a command, write a file with a type that has a Run method (it may ask for a
// context.Context and the *app), and add its field here.
type commandLine struct {
	logFlags

	MCP     mcpCommand     `cmd:"" name:"mcp" help:"Offer the browser tools over the Model Context Protocol on stdio."`
	Serve   serveCommand   `cmd:"" help:"The same over HTTP."`
	Bench   benchCommand   `cmd:"" help:"Measure how fast the engine takes a trace, beside a loop that only reads."`
	Call    callCommand    `cmd:"" help:"Call one tool and print its result."`
	Config  configCommand  `cmd:"" help:"Look at the configuration."`
	Demo    demoCommand    `cmd:"" help:"Show on a real browser what the engine does, and check each step from the page's side."`
	Doctor  doctorCommand  `cmd:"" help:"Try what a browser supports, and show it row by row."`
	Record  recordCommand  `cmd:"" help:"Record live traffic of a browser as a trace."`
	Replay  replayCommand  `cmd:"" help:"Run a recorded trace through the engine, in its own time."`
	Trace   traceCommand   `cmd:"" help:"Work on traces."`
	Version versionCommand `cmd:"" help:"Say which build this is."`

	BenchClient benchClientCommand `cmd:"" hidden:"" name:"bench-client"`
}

// app is what every command runs with.
type app struct {
	stdout, stderr io.Writer
	log            logFlags
}

// run executes one command line and returns the exit code. exit is called for
// --help only, which ends the process before any command runs.
func run(ctx context.Context, args []string, stdout, stderr io.Writer, exit func(int)) int {
	var line commandLine
	parser, err := kong.New(&line,
		kong.Name("engine"),
		kong.Description("Supervises browsers over the Chrome DevTools Protocol for AI agents.\n\n"+exitCodes),
		kong.Writers(stdout, stderr),
		kong.Exit(exit),
		kong.UsageOnError(),
		kong.NamedMapper("homed", kong.MapperFunc(homed)),
	)
	if err != nil {
		return report(stderr, err)
	}
	chosen, err := parser.Parse(args)
	if err != nil {
		parser.Errorf("%s", parseError(parser.Model.Node, err))
		return exitUsage
	}
	if err := checkGiven(chosen); err != nil {
		return report(stderr, err)
	}
	if readsConfiguration(chosen) {
		for _, remark := range config.MisspeltEnv(os.Environ()) {
			_, _ = fmt.Fprintln(stderr, "engine:", remark)
		}
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	chosen.BindTo(ctx, (*context.Context)(nil))
	err = chosen.Run(&app{stdout: stdout, stderr: stderr, log: line.logFlags})
	if signalled, ok := errors.AsType[*signalError](context.Cause(ctx)); ok {
		err = signalled // whatever else went wrong went wrong because of it
	}
	return report(stderr, err)
}

// readsConfiguration reports whether the command has a browser, which the
// environment can name.
func readsConfiguration(line *kong.Context) bool {
	return slices.ContainsFunc(line.Flags(), func(f *kong.Flag) bool { return f.Name == "cdp-url" })
}

// report says why a command failed and returns its exit code.
func report(stderr io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	if coded, ok := errors.AsType[*exitError](err); ok {
		if coded.cause != nil {
			_, _ = fmt.Fprintln(stderr, "engine:", coded.cause)
		}
		return coded.code
	}
	if signalled, ok := errors.AsType[*signalError](err); ok {
		_, _ = fmt.Fprintln(stderr, "engine:", signalled)
		return signalled.exitCode()
	}
	_, _ = fmt.Fprintln(stderr, "engine:", err)
	return exitFailed
}
