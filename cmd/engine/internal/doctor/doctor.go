package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// Config says what to examine. All but the last four must be set.
type Config struct {
	// Out gets the table, or with JSON the one object.
	Out io.Writer
	// Source is where the browser comes from. It is opened once and closed in
	// the end.
	Source messages.EndpointSource
	// Clock measures.
	Clock messages.Clock
	// NewRegistry makes the registry, which the doctor closes.
	NewRegistry func(...registry.Option) (*registry.Registry, error)

	// Terminal turns on colour.
	Terminal bool
	// JSON writes one object instead of the table.
	JSON bool
	// Bridge are options for the task that tries the dialog bridge, such as
	// its transport.
	Bridge []registry.TaskOption
	// Limits replaces the bounds; zero fields mean the usual ones.
	Limits Limits
}

// Limits are the bounds of the checks.
type Limits struct {
	// Check is how long one check may take; 20 s. The checks that move large
	// messages have six times that.
	Check time.Duration
	// Leave is how long a dialog is left open, to see whether somebody else
	// closes it; 3 s.
	Leave time.Duration
	// Sizes are the sizes of messages to try, in bytes, ascending; 1, 8 and
	// 32 MiB.
	Sizes []int
}

// ErrUnsupported says that something does not work; the rows say what.
var ErrUnsupported = errors.New("not everything is supported")

// closeLimit bounds the way out.
const closeLimit = 20 * time.Second

// Run examines the browser and prints what it finds. It returns nil when all
// that was tried works, [ErrUnsupported] when something does not, and the cause
// of the context when that ended first. Where no browser can be had from the
// source, the source's error is in the chain.
func Run(ctx context.Context, cfg Config) (err error) {
	cfg.Limits.fill()
	x := &examination{cfg: cfg, source: &sharedLease{inner: cfg.Source}, way: &way{}}
	p := printer{out: cfg.Out, terminal: cfg.Terminal, quiet: cfg.JSON}
	all := report{Rows: []row{}}
	defer func() {
		if left := x.close(ctx); left != nil {
			err = errors.Join(err, fmt.Errorf("clean up: %w", left))
		}
		all.OK = err == nil
		if err != nil && !errors.Is(err, ErrUnsupported) {
			all.Error = err.Error()
		}
		all.Endpoint, all.Browser = x.source.shown(), x.browser
		if writing := p.end(all, cfg.JSON); writing != nil {
			err = errors.Join(err, writing)
		}
	}()
	if err := x.begin(ctx); err != nil {
		return err
	}
	for _, c := range checks() {
		r := x.try(ctx, c)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if c.name == rowReachable {
			p.begin(x.source.shown())
		}
		all.Rows = append(all.Rows, r)
		p.row(r)
	}
	return verdict(all.Rows, x.refused)
}

func (l *Limits) fill() {
	if l.Check == 0 {
		l.Check = 20 * time.Second
	}
	if l.Leave == 0 {
		l.Leave = 3 * time.Second
	}
	if l.Sizes == nil {
		l.Sizes = []int{1 << 20, 8 << 20, 32 << 20}
	}
}

// verdict is nil when every row that was tried holds. Dialogs need one way in
// which they can be answered: natively, or through the bridge. Where the
// source itself failed, its error says more than a row.
func verdict(rows []row, source error) error {
	if source != nil {
		return source
	}
	held := make(map[string]bool)
	for _, r := range rows {
		held[r.Name] = r.OK != nil && *r.OK
	}
	answerable := held[rowResponse] || held[rowBridge]
	for _, r := range rows {
		if r.OK == nil || *r.OK || answerable && (r.Name == rowResponse || r.Name == rowBridge) {
			continue
		}
		return ErrUnsupported
	}
	return nil
}
