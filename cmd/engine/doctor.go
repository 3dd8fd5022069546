package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/rs/zerolog"

	"cdpsupervisor/backends"
	"cdpsupervisor/cdpwire"
	"cdpsupervisor/cmd/engine/internal/doctor"
	"cdpsupervisor/registry"
)

// doctorTask is the name under which a service shows the doctor's session.
const doctorTask = "doctor"

// errNoEndpoint says how to get an endpoint.
var errNoEndpoint = errors.New(`no browser is configured. To get one:
  start it yourself   chrome --remote-debugging-port=9222 --user-data-dir=/tmp/agent
                      engine doctor --cdp-url http://127.0.0.1:9222
  let it be started   engine doctor --launch
  take a running one  engine doctor --auto-connect (after chrome://inspect/#remote-debugging)
  rent one            engine doctor --backend browserbase (with BROWSERBASE_API_KEY and BROWSERBASE_PROJECT_ID)
The endpoint can also stand in BROWSER_CDP_URL, or in config.yaml as browser.cdp_url`)

// doctorCommand is "engine doctor".
type doctorCommand struct {
	browserFlags

	JSON bool `help:"Print one object instead of the table: {\"ok\":…,\"endpoint\":…,\"browser\":…,\"rows\":[{\"name\",\"ok\",\"detail\",\"ms\"}]}; ok is null for what was not tried."`
}

// Run prints what the browser supports. The exit code is 0 when all that was
// tried works, where dialogs need one way to be answered, natively or over the
// bridge; 1 when something does not; 3 without an endpoint or a browser.
func (c *doctorCommand) Run(ctx context.Context, a *app) error {
	b, err := c.chosen()
	if err != nil {
		if c.JSON {
			return errors.Join(err, doctor.Refuse(a.stdout, err))
		}
		return err
	}
	log := a.log.logger(a.stderr, zerolog.ErrorLevel)
	bridge := []registry.TaskOption{registry.WithBridgeTransport(b.config.BridgeTransport)}
	if !b.config.BypassCSP {
		bridge = append(bridge, registry.WithoutCSPBypass())
	}
	err = doctor.Run(ctx, doctor.Config{
		Out:      a.stdout,
		Terminal: colourful(a.stdout),
		JSON:     c.JSON,
		Source:   b.endpoint(doctorTask),
		Clock:    cdpwire.WallClock{},
		Bridge:   bridge,
		NewRegistry: func(opts ...registry.Option) (*registry.Registry, error) {
			return startRegistry(log, opts...)
		},
	})
	return doctorExit(err)
}

// doctorExit gives the end of an examination its exit code.
func doctorExit(err error) error {
	switch {
	case errors.Is(err, backends.ErrNotRunning): // it says the way to one itself
		return &exitError{exitNoBrowser, err}
	case errors.Is(err, backends.ErrNoBrowser):
		return &exitError{exitNoBrowser, fmt.Errorf("%w.\n%s", err, installHint(runtime.GOOS, "Or name a browser with --executable-path or "+backends.EnvChromium))}
	case err == doctor.ErrUnsupported: //nolint:errorlint // exactly this: the rows were printed
		return &exitError{code: exitFailed}
	}
	return err
}

// chosen is the browser to examine.
func (c *doctorCommand) chosen() (*browser, error) {
	if c.TargetID != "" {
		return nil, usage("doctor works on tabs of its own; leave --target-id out")
	}
	b, err := c.choose()
	switch {
	case err != nil:
		return nil, err
	case b.noCDP != "":
		return nil, &exitError{exitNoBrowser, errors.New(b.noCDP)}
	case b.endpoint == nil:
		return nil, &exitError{exitNoBrowser, errNoEndpoint}
	}
	return b, nil
}
