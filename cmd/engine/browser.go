package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"cdpsupervisor/backends"
	"cdpsupervisor/cmd/engine/internal/config"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// browserFlags say on which browser a command works, and how. A flag that is
// not given leaves its value to the environment and the configuration file.
type browserFlags struct {
	Config        string  `placeholder:"PATH" type:"homed" help:"Configuration file. Default: ./config.yaml if it is there."`
	CDPURL        *string `name:"cdp-url" empty:"" placeholder:"URL" help:"CDP endpoint: ws://, wss://, http(s)://host:port, host:port, or the folder of a browser profile."`
	Backend       *string `placeholder:"NAME" help:"Where the browser comes from: local, browserbase, camofox."`
	Bridge        *string `placeholder:"MODE" help:"Dialog bridge: auto, on, off."`
	DialogPolicy  *string `placeholder:"POLICY" help:"What happens to dialogs: must_respond, auto_dismiss, auto_accept."`
	DialogTimeout *string `placeholder:"TIME" help:"When an unanswered dialog is dismissed: 300, 300s, 5m."`
	TargetID      string  `placeholder:"ID" help:"Page target to supervise, instead of the first page."`
	OwnTab        bool    `help:"Open a tab for each task, and close only that."`

	Launch      bool   `help:"Find and start a Chromium-based browser, which ends with the engine."`
	AutoConnect bool   `help:"Use the browser that is running on this machine with remote debugging switched on."`
	Headless    bool   `help:"Launch without a window." xor:"window"`
	Headed      bool   `help:"Launch with a window. Without either flag: with a window where there is a display." xor:"window"`
	Executable  string `name:"executable-path" placeholder:"PATH" type:"homed" help:"Browser to launch. Default: $$CDPSUPERVISOR_CHROMIUM, else the first one found."`
	UserDataDir string `placeholder:"PATH" type:"homed" help:"Profile folder of the launched browser. Default: one of our own, kept from run to run."`
	Isolated    bool   `help:"Launch on a new, empty profile that is removed at the end."`
}

// load makes the effective configuration.
func (f *browserFlags) load() (*config.Config, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	given := map[string]config.Flag{}
	for _, flag := range []struct {
		key, name string
		value     *string
	}{
		{"cdp_url", "--cdp-url", f.CDPURL},
		{"backend", "--backend", f.Backend},
		{"bridge", "--bridge", f.Bridge},
		{"dialog_policy", "--dialog-policy", f.DialogPolicy},
		{"dialog_timeout_s", "--dialog-timeout", f.DialogTimeout},
	} {
		if flag.value != nil {
			given[flag.key] = config.Flag{Name: flag.name, Value: *flag.value}
		}
	}
	if f.Launch || f.AutoConnect {
		// These flags name the browser, so that they win over an endpoint and
		// a backend that come from elsewhere.
		given["cdp_url"] = config.Flag{Name: f.chooser(), Value: ""}
		given["backend"] = config.Flag{Name: f.chooser(), Value: string(config.Local)}
	}
	return config.Load(config.Input{File: f.Config, Env: os.LookupEnv, Flags: given})
}

// browser is where tasks get their browser, and how they treat it.
type browser struct {
	config *config.Config
	flags  *browserFlags
	// endpoint gives a task's source; nil means that nothing is configured.
	endpoint func(messages.TaskID) messages.EndpointSource
	// noCDP says why the backend has no endpoint at all, or is empty.
	noCDP string
}

// choose makes the browser that flags, environment and file ask for. It does
// no I/O but reading the file.
func (f *browserFlags) choose() (*browser, error) {
	c, err := f.load()
	if err != nil {
		return nil, asUsage(err)
	}
	b := &browser{config: c, flags: f}
	switch {
	case c.Backend == config.Camofox:
		b.noCDP = backends.CamofoxReason
	case c.Backend == config.Browserbase:
		account, err := backends.BrowserbaseFromEnv(os.Getenv)
		if err != nil {
			return nil, err
		}
		b.endpoint = eachTask(func(id messages.TaskID) (messages.EndpointSource, error) {
			own := account
			own.Name = string(id)
			return backends.NewBrowserbase(own)
		})
	case f.Launch:
		b.endpoint = allTasks(backends.NewLocal(f.launchOptions()))
	case f.AutoConnect:
		b.endpoint = allTasks(backends.NewRunning())
	case c.CDPURL != "":
		b.endpoint = allTasks(backends.Static(c.CDPURL))
	}
	return b, nil
}

func (f *browserFlags) launchOptions() backends.Options {
	return backends.Options{
		Executable:  f.Executable,
		Headless:    f.Headless || !f.Headed && !hasDisplay(runtime.GOOS, os.Getenv),
		UserDataDir: f.UserDataDir,
		Isolated:    f.Isolated,
	}
}

func hasDisplay(goos string, getenv func(string) string) bool {
	return goos != "linux" || getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != ""
}

// allTasks shares one source.
func allTasks(source messages.EndpointSource) func(messages.TaskID) messages.EndpointSource {
	return func(messages.TaskID) messages.EndpointSource { return source }
}

// eachTask makes a source for each task. It keeps none: tasks come and go, and
// two sources of one task are the same endpoint by their identity.
func eachTask(source func(messages.TaskID) (messages.EndpointSource, error)) func(messages.TaskID) messages.EndpointSource {
	return func(id messages.TaskID) messages.EndpointSource {
		s, err := source(id)
		if err != nil { // the account was checked before
			return nil
		}
		return s
	}
}

// taskOptions are the options of a task. The target and the tab of its own are
// for the task that its caller has without naming one.
func (b *browser) taskOptions(unnamed bool) []registry.TaskOption {
	c := b.config
	options := []registry.TaskOption{
		registry.WithPolicy(c.DialogPolicy),
		registry.WithDialogTimeout(c.DialogTimeout),
		registry.WithScope(c.Scope),
		registry.WithOnStop(c.OnStop),
		registry.WithBridge(c.Bridge),
		registry.WithBridgeTransport(c.BridgeTransport),
	}
	if !c.BypassCSP {
		options = append(options, registry.WithoutCSPBypass())
	}
	switch {
	case unnamed && b.flags.TargetID != "":
		options = append(options, registry.WithTarget(messages.TargetID(b.flags.TargetID)))
	case b.flags.OwnTab:
		options = append(options, registry.WithOwnTab())
	}
	return options
}

// connect turns a cdp_url into a source; it does no I/O.
func connect(url messages.Endpoint) (messages.EndpointSource, error) {
	source := backends.Static(url)
	if _, err := source.Open(context.Background()); err != nil { // it only looks at the form
		return nil, err
	}
	return source, nil
}

// usage is an error of the command line.
func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// asUsage makes an error one of the command line, unless it is one already.
func asUsage(err error) error {
	if coded, ok := errors.AsType[*exitError](err); ok {
		return coded
	}
	return &exitError{exitUsage, err}
}
