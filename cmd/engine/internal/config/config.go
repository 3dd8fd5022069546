package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"cdpsupervisor/messages"
)

// DefaultFile is read when no other file is named, if it is there.
const DefaultFile = "config.yaml"

// Backend is where browsers come from.
type Backend string

// The backends.
const (
	Local       Backend = "local"
	Browserbase Backend = "browserbase"
	Camofox     Backend = "camofox"
)

// Config is the effective configuration.
type Config struct {
	Backend         Backend
	CDPURL          messages.Endpoint // "" means none
	DialogPolicy    messages.Policy
	DialogTimeout   time.Duration
	Bridge          messages.BridgeMode
	Scope           messages.Scope
	OnStop          messages.OnStop
	BridgeTransport messages.BridgeTransport
	BypassCSP       bool

	origins map[string]Origin
}

// Kind is what kind of place a value came from.
type Kind string

// The kinds, the strongest last.
const (
	FromDefault Kind = "default"
	FromFile    Kind = "file"
	FromEnv     Kind = "env"
	FromFlag    Kind = "flag"
)

// Origin is where a value came from.
type Origin struct {
	Kind Kind
	// Where is the flag, the variable, or file:line:column; empty for a default.
	Where string
}

// String is the origin for people.
func (o Origin) String() string {
	if o.Where == "" {
		return string(o.Kind)
	}
	return string(o.Kind) + " " + o.Where
}

// Flag is a flag that was given on the command line.
type Flag struct {
	Name  string // such as "--cdp-url"
	Value string
}

// Input is everything that a configuration is made of.
type Input struct {
	// File is the path of the file; empty means [DefaultFile] if it is there.
	File string
	// Env looks up an environment variable, as [os.LookupEnv] does. An empty
	// variable counts as not set.
	Env func(name string) (string, bool)
	// Flags are the flags that were given, by the key that they set, such as
	// "cdp_url".
	Flags map[string]Flag
}

// Load makes the effective configuration. Its error names every problem, each
// on a line of its own.
func Load(in Input) (*Config, error) {
	c := &Config{origins: map[string]Origin{}}
	for _, s := range settings() {
		if err := s.set(c, s.defaults); err != nil {
			return nil, fmt.Errorf("default of %s: %w", s.key, err)
		}
		c.origins[s.key] = Origin{Kind: FromDefault}
	}
	problems := errors.Join(c.readFile(in.File), c.readEnv(in.Env), c.readFlags(in.Flags))
	if problems == nil {
		problems = c.consistent()
	}
	if problems != nil {
		return nil, problems
	}
	return c, nil
}

// Origin returns where the value of a key such as "cdp_url" came from.
func (c *Config) Origin(key string) Origin { return c.origins[key] }

func (c *Config) readFile(path string) error {
	named := path != ""
	wayOut := "name a file that can be read, or leave --config out"
	if !named {
		path, wayOut = DefaultFile, "it is read because it is there; name another file with --config, or "+os.DevNull+" for none"
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return nil
	}
	if err != nil {
		return fmt.Errorf("configuration: %w; %s", err, wayOut)
	}
	defer func() { _ = file.Close() }()
	text, err := readSmall(file)
	switch {
	case errors.Is(err, errTooLarge):
		return fmt.Errorf("configuration %s: %w", path, err)
	case err != nil:
		return fmt.Errorf("configuration: %w; %s", err, wayOut)
	}
	return c.parse(path, text)
}

func (c *Config) readEnv(lookup func(string) (string, bool)) error {
	if lookup == nil {
		return nil
	}
	var problems []error
	for _, s := range settings() {
		value, ok := lookup(s.env())
		if !ok || value == "" {
			continue
		}
		problems = append(problems, c.apply(s, value, Origin{FromEnv, s.env()}))
	}
	return errors.Join(problems...)
}

func (c *Config) readFlags(flags map[string]Flag) error {
	var problems []error
	for _, s := range settings() {
		if flag, ok := flags[s.key]; ok {
			problems = append(problems, c.apply(s, flag.Value, Origin{FromFlag, flag.Name}))
		}
	}
	return errors.Join(problems...)
}

// apply sets a value that came as text.
func (c *Config) apply(s setting, value string, from Origin) error {
	if err := s.set(c, value); err != nil {
		return fmt.Errorf("%s: %w", from.Where, err)
	}
	c.origins[s.key] = from
	return nil
}

// consistent checks what no single value can tell.
func (c *Config) consistent() error {
	if c.Backend != Local && c.CDPURL != "" {
		return fmt.Errorf("browser.backend is %s (%s) and browser.cdp_url is set (%s): they exclude each other; leave one out",
			c.Backend, c.origins["backend"], c.origins["cdp_url"])
	}
	return nil
}
