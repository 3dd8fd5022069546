package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// parseError is what the parser did not take, with the way out: its own text
// names no command where none is known, and the first few where none is given.
func parseError(top *kong.Node, err error) error {
	node := top
	if parse, ok := errors.AsType[*kong.ParseError](err); ok && parse.Context != nil && parse.Context.Selected() != nil {
		node = parse.Context.Selected()
	}
	var commands []string
	for _, child := range node.Children {
		if child.Type == kong.CommandNode && !child.Hidden {
			commands = append(commands, child.Name)
		}
	}
	help := node.FullPath() + " --help says more"
	text := err.Error()
	switch {
	case len(commands) > 0 && strings.HasPrefix(text, "expected "):
		return fmt.Errorf("no command is given; give %s; %s", oneOf(commands), help)
	case len(commands) > 0 && strings.HasPrefix(text, "unexpected argument "):
		return fmt.Errorf("%w; give %s; %s", err, oneOf(commands), help)
	case strings.HasPrefix(text, "unexpected argument "), strings.HasPrefix(text, "unknown flag "), strings.HasPrefix(text, "expected "):
		return fmt.Errorf("%w; %s", err, help)
	}
	return err
}

// oneOf is a choice of words for people.
func oneOf(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
