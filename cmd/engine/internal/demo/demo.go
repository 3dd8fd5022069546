package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// Config says how to run the demo. All but Executable must be set.
type Config struct {
	// Out gets the lines for people, and with JSON one last line.
	Out io.Writer
	// Terminal turns on colour and progress.
	Terminal bool
	// JSON adds the last line: {"ok":…,"browser":…,"steps":[…]}.
	JSON bool
	// Sim takes the built-in fake browser instead of Chromium.
	Sim bool
	// Executable is the browser to launch; empty means what is found.
	Executable string
	// Clock measures the steps.
	Clock messages.Clock
	// NewRegistry makes the registry, which the demo closes.
	NewRegistry func() (*registry.Registry, error)
}

// ErrNotHeld says that a step did not hold; which one was printed.
var ErrNotHeld = errors.New("not every step held")

// Bounds of waiting, so that nothing hangs.
const (
	startLimit = 90 * time.Second
	stepLimit  = 45 * time.Second
	closeLimit = 20 * time.Second
)

// report is the last line of --json.
type report struct {
	OK      bool     `json:"ok"`
	Browser string   `json:"browser"`
	Steps   []result `json:"steps"`
	// Error says why the demo could not begin.
	Error string `json:"error,omitempty"`
}

// result is how one step ended.
type result struct {
	Name  string  `json:"name"`
	OK    bool    `json:"ok"`
	MS    float64 `json:"ms"`
	Error string  `json:"error,omitempty"`
}

// Run runs all steps. It returns nil when every step held, [ErrNotHeld] when
// one did not, [backends.ErrNoBrowser] in the chain when there is none, and
// the cause of the context when that ended first. A step has 45 s; nothing of
// the browsers is left when Run returns.
func Run(ctx context.Context, cfg Config) (err error) {
	p := printer{out: cfg.Out, terminal: cfg.Terminal}
	all := report{Steps: []result{}}
	w := &world{clock: cfg.Clock}
	defer func() {
		if closing := w.close(context.WithoutCancel(ctx)); closing != nil {
			err = errors.Join(err, closing)
		}
		all.OK = err == nil
		p.summary(all)
		if !cfg.JSON {
			return
		}
		if writing := json.NewEncoder(cfg.Out).Encode(all); writing != nil {
			err = errors.Join(err, writing)
		}
	}()
	p.progress("starting a browser")
	if err := w.start(ctx, cfg); err != nil {
		p.progress("")
		all.Error = err.Error()
		return err
	}
	all.Browser = w.browser(ctx)
	p.begin(all.Browser, cfg.Sim)
	held := true
	for _, s := range steps() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		p.progress(s.name)
		r := w.take(ctx, s)
		all.Steps = append(all.Steps, r)
		p.step(s, r, w.shown)
		held = held && r.OK
	}
	if !held {
		return ErrNotHeld
	}
	return nil
}

// start brings up the first browser, the registry and the task.
func (w *world) start(ctx context.Context, cfg Config) (err error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if w.stage, err = newStage(ctx, cfg); err != nil {
		return err
	}
	first, err := newStand(ctx, w.stage)
	if err != nil {
		return err
	}
	w.stands = append(w.stands, first)
	if w.registry, err = cfg.NewRegistry(); err != nil {
		return err
	}
	w.task, err = w.registry.GetOrStart(ctx, taskID, first.source)
	return err
}

// browser is what the browser says it is.
func (w *world) browser(ctx context.Context) string {
	result, err := w.task.Call(ctx, messages.CallRequest{Method: "Browser.getVersion"})
	if err != nil {
		return "unknown"
	}
	var version struct{ Product string }
	if err := json.Unmarshal(result.Result, &version); err != nil {
		return "unknown"
	}
	return version.Product
}

// take runs one step within its time.
func (w *world) take(ctx context.Context, s step) result {
	ctx, cancel := context.WithTimeoutCause(ctx, stepLimit, fmt.Errorf("the step's %s are over", stepLimit))
	defer cancel()
	w.shown = nil
	start := w.clock.Now()
	err := func() error {
		if s.page != "" {
			if err := w.open(ctx, s.page); err != nil {
				return err
			}
		}
		return s.run(ctx, w)
	}()
	r := result{Name: s.name, OK: err == nil, MS: float64(w.clock.Now().Sub(start).Microseconds()) / 1000}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

// close ends the task before the browsers, so that open dialogs are dismissed
// while that is still possible.
func (w *world) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closeLimit)
	defer cancel()
	var all []error
	if w.registry != nil {
		all = append(all, w.registry.Close(ctx))
	}
	for _, s := range w.stands {
		all = append(all, s.close(ctx))
	}
	if w.stage != nil {
		w.stage.close()
	}
	return errors.Join(all...)
}
