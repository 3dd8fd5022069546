package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/importers"
	"cdpsupervisor/simulations/vclock"
)

// longestWait is the longest silence in a trace through which every timer is
// fired at its time; a longer one is cut short. It is longer than any watchdog.
const longestWait = messages.MaxDialogTimeout + time.Hour

// Run replays a trace and returns what came of it. It blocks until the trace is at
// its end or the context is. The file is read twice.
func Run(ctx context.Context, o Options) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	trace, err := importers.Open(o.Path, importers.Options{Format: o.Format})
	if err != nil {
		return nil, err
	}
	p, err := survey(trace, o.Target)
	if closed := trace.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	if trace, err = importers.Open(o.Path, importers.Options{Format: p.format, Warn: o.Warn}); err != nil {
		return nil, err
	}
	defer func() { _ = trace.Close() }()
	r := &run{options: &o, plan: p, trace: trace, start: time.Unix(0, 0), tally: newTally()}
	if p.header.Start != 0 {
		r.start = p.header.Start.Time()
	}
	return r.run(ctx)
}

// run is one replay.
type run struct {
	options *Options
	plan    *plan
	trace   *importers.Trace
	start   time.Time // the moment at which the trace's times begin

	clock   *vclock.Clock
	engine  *engine
	browser *browser
	tally   *tally
	dialogs dialogBook
	frames  frameBook
	console consoleBook
	answers map[messages.DialogID]Answer
	notes   []string
}

func (r *run) run(ctx context.Context) (result *Result, err error) {
	r.clock = vclock.New(r.start.Add(r.plan.begin))
	r.answers = make(map[messages.DialogID]Answer)
	for _, a := range r.options.Answers {
		r.answers[a.Dialog] = a
	}
	if r.engine, err = startEngine(r.options, r.plan, r.clock, r.published); err != nil {
		return nil, err
	}
	unwatch := context.AfterFunc(ctx, func() { r.engine.wire.fail(context.Cause(ctx)) })
	defer unwatch()
	r.browser = newBrowser(r.plan, r.engine.wire)
	if err = r.play(ctx); err == nil {
		result, err = r.result()
	}
	if stopped := r.engine.stop(); err == nil && stopped != nil {
		err = fmt.Errorf("stop the engine: %w", stopped)
	}
	return result, err
}

// published takes each snapshot.
func (r *run) published(s *messages.Snapshot) {
	r.dialogs.note(s)
	r.console.note(s, r.start)
	if r.options.Published != nil {
		r.options.Published(s)
	}
}

// play connects the engine and plays the trace.
func (r *run) play(ctx context.Context) error {
	if err := r.settled(r.engine.wire.settle()); err != nil {
		return err
	}
	if r.plan.implied {
		if err := r.settled(r.browser.introduce()); err != nil {
			return err
		}
	}
	for {
		m, err := r.trace.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read trace: %w", err)
		}
		r.tally.count(&m)
		if err := r.advance(ctx, m.T); err != nil {
			return err
		}
		if m.Dir == cdpwire.Sent {
			err = r.browser.sent(&m)
		} else {
			err = r.browser.received(&m)
		}
		if err := r.settled(err); err != nil {
			return err
		}
	}
}

// settled follows up what a step has brought about: the engine's commands are
// answered, and dialogs for which there is an answer.
func (r *run) settled(err error) error {
	for err == nil {
		if err = r.browser.serve(); err != nil {
			break
		}
		var asked bool
		if asked, err = r.answerDialogs(); !asked {
			break
		}
	}
	if err == nil && r.options.Frames {
		err = r.frames.look(r.engine, r.clock.Now().Sub(r.start))
	}
	return err
}

// advance moves the clock to a time of the trace and fires what is due.
func (r *run) advance(ctx context.Context, t time.Duration) error {
	if err := r.pace(ctx, t); err != nil {
		return err
	}
	to := r.start.Add(t)
	if r.plan.layout == layoutNone || !to.After(r.clock.Now()) {
		return nil // without a page the engine would give up waiting for one
	}
	if near := r.clock.Now().Add(longestWait); to.After(near) {
		if err := r.fire(near); err != nil {
			return err
		}
		r.clock.Jump(to)
	}
	return r.fire(to)
}

func (r *run) fire(until time.Time) error {
	for {
		due := r.clock.Next(until)
		if due == nil {
			return nil
		}
		due()
		r.browser.now = max(r.browser.now, r.clock.Now().Sub(r.start))
		if err := r.settled(r.engine.wire.settle()); err != nil {
			return err
		}
	}
}

// pace waits for the real time at which a message is due.
func (r *run) pace(ctx context.Context, t time.Duration) error {
	if ctx.Err() != nil || r.options.Speed == 0 {
		return context.Cause(ctx)
	}
	wait := time.Duration(float64(t-r.tally.paced) / r.options.Speed)
	r.tally.paced = max(r.tally.paced, t)
	if wait <= 0 {
		return nil
	}
	due := make(chan struct{})
	timer := r.options.Wall.AfterFunc(wait, func() { close(due) })
	defer timer.Stop()
	select {
	case <-due:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// answerDialogs gives the answers whose dialogs are open.
func (r *run) answerDialogs() (asked bool, err error) {
	if len(r.answers) == 0 {
		return false, nil
	}
	s := r.engine.snapshot()
	if s == nil {
		return false, nil
	}
	for _, d := range s.PendingDialogs {
		a, wanted := r.answers[d.ID]
		if !wanted {
			continue
		}
		delete(r.answers, d.ID)
		reply, err := r.engine.ask(&messages.DialogRequest{Action: a.Action, DialogID: a.Dialog, PromptText: a.Text})
		if err != nil {
			return true, err
		}
		if f, failed := reply.(*messages.Failure); failed {
			r.note("the answer to %s was refused: %s", d.ID, f.Message)
		}
		return true, nil
	}
	return false, nil
}

// note keeps something that the user has to know.
func (r *run) note(format string, args ...any) {
	if len(r.notes) < 100 {
		r.notes = append(r.notes, fmt.Sprintf(format, args...))
	}
}

// unanswered names the answers whose dialogs never opened.
func (r *run) unanswered() {
	ids := slices.Sorted(maps.Keys(r.answers))
	if len(ids) == 0 {
		return
	}
	names := make([]string, 0, len(ids))
	for _, id := range ids {
		names = append(names, string(id))
	}
	r.note("no dialog %s opened", strings.Join(names, ", "))
}
