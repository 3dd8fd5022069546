package main

import "fmt"

// configCommand is "engine config".
type configCommand struct {
	Show configShowCommand `cmd:"" help:"Print the effective configuration as a config.yaml, without secrets."`
}

// configShowCommand is "engine config show".
type configShowCommand struct {
	browserFlags

	Origin bool `help:"Say for each value where it came from."`
}

// Run prints the configuration.
func (c *configShowCommand) Run(a *app) error {
	loaded, err := c.load()
	if err != nil {
		return asUsage(err)
	}
	_, err = fmt.Fprint(a.stdout, loaded.Show(c.Origin))
	return err
}
