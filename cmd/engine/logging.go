package main

import (
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/mattn/go-isatty"
	"github.com/rs/zerolog"

	"cdpsupervisor/registry"
)

// logFlags say how to log. The log goes to standard error.
type logFlags struct {
	Log      string `enum:"text,json" default:"text" help:"Form of the log on standard error: ${enum}."`
	LogLevel string `enum:"debug,info,warn,error,default" default:"default" help:"Least level that is logged: ${enum}. The default is info; for demo, which tells everything itself, error."`
}

// logger returns the process's logger; usual is the level when no flag says
// another.
func (f logFlags) logger(stderr io.Writer, usual zerolog.Level) zerolog.Logger {
	level := usual
	if l, err := zerolog.ParseLevel(f.LogLevel); err == nil {
		level = l
	}
	out := stderr
	if f.Log != "json" {
		out = zerolog.ConsoleWriter{Out: stderr, NoColor: !colourful(stderr), FormatTimestamp: clockTime(colourful(stderr))}
	}
	return zerolog.New(out).Level(level).With().Timestamp().Logger()
}

// clockTime prints the time to the millisecond. What the logger hands over has
// whole seconds, in a form that is one for the whole process; a line is written
// while its event is logged, so that the time is now.
func clockTime(colour bool) zerolog.Formatter {
	before, behind := "", ""
	if colour {
		before, behind = "\x1b[90m", "\x1b[0m"
	}
	return func(any) string { return before + time.Now().Format(time.TimeOnly+".000") + behind }
}

// startRegistry makes the one actor system of this process and the registry in
// it. The actor library's own log is of interest from warnings on only.
func startRegistry(log zerolog.Logger, opts ...registry.Option) (*registry.Registry, error) {
	library := log.Level(max(log.GetLevel(), zerolog.WarnLevel))
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(zerolog.NewSlogHandler(library))
	}))
	return registry.New(system, append([]registry.Option{registry.WithLogger(log)}, opts...)...)
}

// colourful reports whether w is a terminal whose user wants colours.
func colourful(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd()) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
