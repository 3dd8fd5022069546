package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/rs/zerolog"

	"cdpsupervisor/tools"
)

// maxArguments is more than one message to a browser can hold.
const maxArguments = 128 << 20

// callCommand is "engine call": one tool, for people and scripts.
type callCommand struct {
	browserFlags

	Tool string `arg:"" help:"Name of the tool, such as browser_snapshot."`
	Args string `arg:"" optional:"" name:"json" empty:"" help:"Its arguments, a JSON object; - reads them from standard input."`
}

// Run calls the tool and prints its result, one JSON object on one line. The
// exit code is 0 when its success is true.
func (c *callCommand) Run(ctx context.Context, a *app) error {
	args := []byte(c.Args)
	if c.Args == "-" {
		text, err := io.ReadAll(io.LimitReader(os.Stdin, maxArguments+1))
		if err != nil {
			return fmt.Errorf("read the arguments from standard input: %w", err)
		}
		if len(text) > maxArguments {
			return usage("the arguments from standard input are larger than %d MiB, which no browser takes", maxArguments>>20)
		}
		args = text
	}
	box, done, err := c.toolbox(a.log.logger(a.stderr, zerolog.WarnLevel), true)
	if err != nil {
		return err
	}
	result := box.Call(ctx, tools.Caller{}, c.Tool, json.RawMessage(args))
	if _, err := fmt.Fprintln(a.stdout, result.JSON()); err != nil {
		return errors.Join(fmt.Errorf("print the result: %w", err), done(ctx))
	}
	if err := done(ctx); err != nil {
		return err
	}
	if !result.Success() {
		return &exitError{code: exitFailed}
	}
	return nil
}
