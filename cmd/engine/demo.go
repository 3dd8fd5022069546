package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/rs/zerolog"

	"cdpsupervisor/backends"
	"cdpsupervisor/cdpwire"
	"cdpsupervisor/cmd/engine/internal/demo"
	"cdpsupervisor/registry"
)

// demoCommand is "engine demo".
type demoCommand struct {
	JSON       bool   `help:"Print one last line of JSON: {\"ok\":…,\"browser\":…,\"steps\":[…]}."`
	Sim        bool   `help:"Run the same steps on the built-in fake browser. Never done unless asked for."`
	Executable string `placeholder:"PATH" type:"homed" help:"Browser to launch. Default: $$CDPSUPERVISOR_CHROMIUM, else the first one found."`
}

// Run shows all steps.
func (c *demoCommand) Run(ctx context.Context, a *app) error {
	if c.Sim && c.Executable != "" {
		return usage("--sim and --executable exclude each other: the fake browser is built in; leave one out")
	}
	log := a.log.logger(a.stderr, zerolog.ErrorLevel)
	err := demo.Run(ctx, demo.Config{
		Out:         a.stdout,
		Terminal:    colourful(a.stdout),
		JSON:        c.JSON,
		Sim:         c.Sim,
		Executable:  c.Executable,
		Clock:       cdpwire.WallClock{},
		NewRegistry: func() (*registry.Registry, error) { return startRegistry(log) },
	})
	switch {
	case errors.Is(err, backends.ErrNoBrowser):
		return &exitError{exitNoBrowser, fmt.Errorf("%w.\n%s", err, installHint(runtime.GOOS, "Or name a browser with --executable or "+backends.EnvChromium+", or run the steps on the built-in fake: engine demo --sim"))}
	case err == demo.ErrNotHeld: //nolint:errorlint // exactly this: each step that did not hold was printed
		return &exitError{code: exitFailed}
	}
	return err
}

// installHint says what to install where, and what else the command offers.
func installHint(goos, others string) string {
	switch goos {
	case "darwin":
		return "Install one: brew install --cask chromium, or Google Chrome from google.com/chrome.\n" + others
	case "windows":
		return "Install one: winget install Google.Chrome (Microsoft Edge, which Windows brings, does too).\n" + others
	default:
		return "Install one: apt-get install chromium (Debian), snap install chromium (Ubuntu), " +
			"dnf install chromium (Fedora), pacman -S chromium (Arch), apk add chromium (Alpine).\n" + others
	}
}
