package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/rs/zerolog"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/cmd/engine/internal/mcpserver"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
	"cdpsupervisor/tools"
)

// mcpFlags are those of both commands that speak MCP.
type mcpFlags struct {
	browserFlags

	Tools         string   `enum:"auto,always" default:"auto" help:"When browser_dialog and browser_cdp are listed: as soon as there is an endpoint (auto), or always, for clients that ignore tools/list_changed."`
	ConfirmAccept bool     `help:"Ask the person at the client, where the client can, before an agent accepts a confirm, prompt or beforeunload dialog."`
	Stateless     bool     `help:"With HTTP: serve each request on its own, for clients of the newest protocol era."`
	TokenFile     string   `placeholder:"PATH" type:"homed" help:"With HTTP: file with the bearer token that clients must send. Default: $$CDPSUPERVISOR_TOKEN. Needed off loopback."`
	AllowHost     []string `placeholder:"NAME" help:"With HTTP: further host names under which clients may reach this server."`
}

// mcpCommand is "engine mcp".
type mcpCommand struct {
	mcpFlags

	HTTP string `name:"http" placeholder:"ADDR" help:"Speak streamable HTTP on this address, such as 127.0.0.1:8932, instead of stdio."`
}

// serveCommand is "engine serve", which is mcp over HTTP.
type serveCommand struct {
	mcpFlags

	HTTP string `name:"http" placeholder:"ADDR" default:"127.0.0.1:8932" help:"Address to listen on. Default: ${default}."`
}

// Run serves until standard input ends, or a signal comes.
func (c *mcpCommand) Run(ctx context.Context, a *app) error {
	if c.HTTP != "" {
		return c.serveHTTP(ctx, a, c.HTTP)
	}
	if c.Stateless || c.TokenFile != "" || len(c.AllowHost) > 0 {
		return usage("--stateless, --token-file and --allow-host go with --http only; add --http, or leave them out")
	}
	return c.serve(ctx, a, func(server *mcpserver.Server) error {
		// Standard output belongs to the protocol alone: whatever else writes
		// to it by accident goes to standard error.
		out := a.stdout
		if out == os.Stdout {
			os.Stdout = os.Stderr
		}
		return server.ServeStdio(ctx, os.Stdin, out)
	})
}

// Run serves until a signal comes.
func (c *serveCommand) Run(ctx context.Context, a *app) error { return c.serveHTTP(ctx, a, c.HTTP) }

func (f *mcpFlags) serveHTTP(ctx context.Context, a *app, addr string) error {
	if f.Stateless && f.ConfirmAccept {
		return usage("--confirm-accept and --stateless exclude each other: without a session nobody can be asked; leave one out")
	}
	if err := checkAddress(addr); err != nil {
		return usage("--http: %w, such as 127.0.0.1:8932", err)
	}
	token, err := f.token()
	if err != nil {
		return err
	}
	options := mcpserver.HTTPOptions{Token: token, Stateless: f.Stateless, Hosts: f.AllowHost}
	if err := mcpserver.CheckHTTP(addr, options); err != nil {
		return asUsage(err)
	}
	return f.serve(ctx, a, func(server *mcpserver.Server) error {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
		if err != nil {
			hint := "choose another address with --http"
			if errors.Is(err, syscall.EADDRINUSE) {
				hint = "another engine may run there, " + hint
			}
			return fmt.Errorf("listen on %s: %w; %s", addr, err, hint)
		}
		_, _ = fmt.Fprintf(a.stderr, "engine: MCP at http://%s/mcp\n", listener.Addr())
		return server.ServeHTTP(ctx, listener, options)
	})
}

// serve makes the engine, serves, and ends it in order.
func (f *mcpFlags) serve(ctx context.Context, a *app, serving func(*mcpserver.Server) error) error {
	log := a.log.logger(a.stderr, zerolog.InfoLevel)
	box, done, err := f.toolbox(log, f.Tools == "always")
	if err != nil {
		return err
	}
	server := mcpserver.New(mcpserver.Options{
		Tools: box, Version: version(), Log: log, Clock: cdpwire.WallClock{}, Confirm: f.ConfirmAccept,
	})
	return errors.Join(serving(server), done(ctx))
}

// toolbox starts the engine with the tools over it. The function that it
// returns ends the engine, within a bounded time, also when the context is
// over.
func (f *browserFlags) toolbox(log zerolog.Logger, always bool) (*tools.Toolbox, func(context.Context) error, error) {
	chosen, err := f.choose()
	if err != nil {
		return nil, nil, err
	}
	engine, err := startRegistry(log)
	if err != nil {
		return nil, nil, err
	}
	box, err := tools.New(tools.Options{
		Registry:    engine,
		Endpoint:    chosen.endpoint,
		Connect:     connect,
		TaskOptions: func(id messages.TaskID) []registry.TaskOption { return chosen.taskOptions(isUnnamed(id)) },
		Always:      always,
		NoCDP:       chosen.noCDP,

		HowToConfigure: "start the engine with --cdp-url, BROWSER_CDP_URL or --launch",
	})
	done := func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*messages.StopTimeout)
		defer cancel()
		return engine.Close(ctx)
	}
	if err != nil {
		return nil, nil, errors.Join(err, done(context.Background()))
	}
	return box, done, nil
}

// isUnnamed reports whether a task is one that its caller has without a
// task_id.
func isUnnamed(id messages.TaskID) bool {
	return id == tools.DefaultTask || strings.HasPrefix(string(id), mcpserver.TaskPrefix)
}
