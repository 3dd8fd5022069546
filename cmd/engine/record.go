package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/cmd/engine/internal/config"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/simulations/record"
)

// recordTask is the task whose connection is recorded.
const recordTask = messages.TaskID("record")

// recordCommand is "engine record": live traffic becomes a trace.
type recordCommand struct {
	browserFlags

	Out     string `required:"" placeholder:"FILE" type:"homed" help:"The trace, which must not exist; .zst and .gz are compressed."`
	Listen  string `placeholder:"ADDR" help:"Stand between other CDP clients and the browser: they connect to this address, such as 127.0.0.1:9333, and are recorded, the second one in FILE-2 and so on. Without a host it is this machine only."`
	Once    bool   `help:"With --listen: end when the first client has gone."`
	Raw     bool   `help:"Keep cookies, authorization headers, passwords and the endpoint's secrets in the trace."`
	MaxSize string `placeholder:"SIZE" help:"End at this size of the file: 500000, 100MB, 1GB."`
	MaxTime string `placeholder:"TIME" help:"End after this time: 300, 300s, 5m."`
}

// Run records until a signal comes, a limit is reached, or the browser goes.
func (c *recordCommand) Run(ctx context.Context, a *app) error {
	options, err := c.options()
	if err != nil {
		return asUsage(err)
	}
	if err := c.checkOut(); err != nil {
		return err
	}
	b, err := c.choose()
	if err != nil {
		return err
	}
	source, err := b.source()
	if err != nil {
		return err
	}
	s := &recording{command: c, app: a, options: options, browser: b, source: source, progress: &progressLine{out: a.stderr, live: colourful(a.stderr)}}
	if c.Listen != "" {
		return s.proxy(ctx)
	}
	return s.task(ctx)
}

// source is the browser of the one task that this command has.
func (b *browser) source() (messages.EndpointSource, error) {
	switch {
	case b.noCDP != "":
		return nil, errors.New(b.noCDP)
	case b.endpoint == nil:
		return nil, usage("no browser is named; give --cdp-url, --launch or --auto-connect, or BROWSER_CDP_URL")
	}
	return b.endpoint(recordTask), nil
}

// recording is one run of the command.
type recording struct {
	command  *recordCommand
	app      *app
	options  record.Options
	browser  *browser
	source   messages.EndpointSource
	progress *progressLine
}

func (s *recording) say(format string, args ...any) {
	s.progress.clear()
	_, _ = fmt.Fprintf(s.app.stderr, "engine: "+format+"\n", args...)
}

// create begins the n-th file.
func (s *recording) create(n int, lease *messages.Lease) (*record.Recorder, error) {
	path := s.command.Out
	if n > 1 {
		path = numbered(path, n)
	}
	o := s.options
	o.Redactor = record.NewRedactor(lease)
	header := cdpwire.TraceHeader{Tool: "engine record, " + version()}
	if lease != nil {
		header.Endpoint = lease.Endpoint.String()
	}
	return record.Create(path, header, o)
}

// numbered puts -n before the extension of a path, with .zst and .gz behind it.
func numbered(path string, n int) string {
	packed := ""
	for _, ext := range []string{".zst", ".gz"} {
		if strings.HasSuffix(path, ext) {
			path, packed = strings.TrimSuffix(path, ext), ext
			break
		}
	}
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + "-" + strconv.Itoa(n) + ext + packed
}

// told says how a recording ended.
func (s *recording) told(r *record.Recorder, why error) {
	p := r.Progress()
	text := ""
	if why != nil {
		text = ": " + why.Error()
	}
	s.say("%d messages, %s in %s to %s%s", p.Received+p.Sent, size(p.FileBytes), p.Time.Round(100*time.Millisecond), r.Path(), text)
}

// task records the engine's own connection.
func (s *recording) task(ctx context.Context) error {
	lease, err := s.source.Open(ctx)
	if err != nil {
		return err
	}
	source := &opened{EndpointSource: s.source, lease: lease}
	defer source.giveBack(ctx)
	recorder, err := s.create(1, lease)
	if err != nil {
		return err
	}
	reg, err := startRegistry(s.app.log.logger(s.app.stderr, zerolog.ErrorLevel))
	if err == nil {
		err = s.watch(ctx, reg, source, recorder)
	}
	if closed := recorder.Close(); err == nil && closed != nil {
		err = s.incomplete(ctx, recorder, closed)
	}
	if reg != nil {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*messages.StopTimeout)
		defer cancel()
		err = errors.Join(err, reg.Close(end))
	}
	return errors.Join(err, dropEmpty(recorder, err))
}

// incomplete is the error of a recording whose file could not be written to the
// end. Where a signal has ended it this says so itself: what is reported then is
// the signal alone.
func (s *recording) incomplete(ctx context.Context, r *record.Recorder, failed error) error {
	err := fmt.Errorf("the recording is not whole: %w; what came before is in %s; make room, or record to another place", failed, r.Path())
	if signalCause(ctx) != nil {
		s.say("%v", err)
	}
	return err
}

// dropEmpty removes the file of a recording that failed before anything was
// recorded: the same command would find it there, and refuse to write.
func dropEmpty(r *record.Recorder, failed error) error {
	if p := r.Progress(); failed == nil || p.Received+p.Sent > 0 {
		return nil
	}
	return os.Remove(r.Path())
}

// watch starts the task and records until something ends it.
func (s *recording) watch(ctx context.Context, reg *registry.Registry, source messages.EndpointSource, recorder *record.Recorder) error {
	task, err := reg.GetOrStart(ctx, recordTask, source, append(s.taskOptions(), registry.WithTap(recorder.Tap))...)
	if err != nil {
		return err
	}
	s.say("recording to %s; ^C ends it", recorder.Path())
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		last, err := task.Wait(ctx, func(s *messages.Snapshot) bool {
			return s.Epoch > 1 || s.Supervisor != nil && lost(s.Supervisor.Status)
		})
		if err == nil && last.Supervisor != nil {
			stop(errors.New(last.Supervisor.Reason))
		}
		stop(errors.New("the connection was lost"))
	}()
	why := recorder.Watch(ctx, s.progress.show)
	switch {
	case why != nil && !atLimit(why):
		why = nil // the file cannot be written, as its Close says again
	case why == nil && signalCause(ctx) == nil:
		why = context.Cause(ctx)
	}
	stop(nil)
	<-gone
	s.told(recorder, why)
	return nil
}

// atLimit reports whether a recording ended because it was as large or as long as
// it may be.
func atLimit(why error) bool { return errors.Is(why, record.ErrSize) || errors.Is(why, record.ErrTime) }

// lost reports whether the connection is over: another one would not belong in
// the same trace.
func lost(s messages.Status) bool {
	switch s {
	case messages.StatusReconnecting, messages.StatusExpired, messages.StatusFailed, messages.StatusStopped:
		return true
	case messages.StatusConnecting, messages.StatusDegraded, messages.StatusBlocked, messages.StatusUnresponsive,
		messages.StatusPoisoned, messages.StatusCrashed, messages.StatusTabGone:
	}
	return false
}

// signalCause is the signal that ended a context, or nil.
func signalCause(ctx context.Context) error {
	if s, ok := errors.AsType[*signalError](context.Cause(ctx)); ok {
		return s
	}
	return nil
}

// taskOptions leave the browser as it is, unless a flag or the configuration says
// otherwise: dialogs are for whoever uses it, and every page is recorded.
func (s *recording) taskOptions() []registry.TaskOption {
	c := s.browser.config
	options := s.browser.taskOptions(true)
	byDefault := func(key string) bool { return c.Origin(key).Kind == config.FromDefault }
	if byDefault("dialog_timeout_s") {
		options = append(options, registry.WithDialogTimeout(messages.MaxDialogTimeout))
	}
	if byDefault("bridge") {
		options = append(options, registry.WithBridge(messages.BridgeOff))
	}
	if byDefault("on_stop") {
		options = append(options, registry.WithOnStop(messages.OnStopLeave))
	}
	if byDefault("scope") {
		options = append(options, registry.WithScope(messages.ScopeBrowser))
	}
	return options
}

// opened is a source whose first lease was opened before.
type opened struct {
	messages.EndpointSource
	lease *messages.Lease
	taken atomic.Bool // by the goroutine that dials
}

// Open gives that lease once.
func (o *opened) Open(ctx context.Context) (*messages.Lease, error) {
	if o.taken.Swap(true) {
		return o.EndpointSource.Open(ctx)
	}
	return o.lease, nil
}

// giveBack closes the lease if nobody has taken it over.
func (o *opened) giveBack(ctx context.Context) {
	if o.taken.Load() || o.lease.Close == nil {
		return
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_ = o.lease.Close(end)
}

// progressLine shows how far a recording has come, on a terminal.
type progressLine struct {
	out  io.Writer
	live bool
}

func (p *progressLine) show(now record.Progress) {
	if !p.live {
		return
	}
	_, _ = fmt.Fprintf(p.out, "\r\x1b[K%s  %d received, %d sent, %s", now.Time.Round(time.Second), now.Received, now.Sent, size(now.FileBytes))
}

func (p *progressLine) clear() {
	if p.live {
		_, _ = io.WriteString(p.out, "\r\x1b[K")
	}
}

// size is a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.2f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f KB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d B", n)
}
