package main

import (
	"reflect"
	"strings"

	"github.com/alecthomas/kong"

	"cdpsupervisor/backends"
)

// checkGiven refuses what the parser takes without a word: a flag that is given
// twice, of which the last would count, and an empty value, which would mean
// that the flag is not given. Both are mistakes of who wrote the command line,
// often of a script whose variable is not set. A field whose empty value has a
// meaning of its own has the tag empty:"".
func checkGiven(line *kong.Context) error {
	seen := map[*kong.Flag]bool{}
	for _, part := range line.Path {
		switch {
		case part.Flag != nil:
			if seen[part.Flag] && !part.Flag.IsCumulative() {
				return usage("--%s is given twice; leave one out", part.Flag.Name)
			}
			seen[part.Flag] = true
			if isBlank(part.Flag.Value) {
				return usage("--%s is empty; give it a value, or leave --%s out", part.Flag.Name, part.Flag.Name)
			}
		case part.Positional != nil && isBlank(part.Positional):
			return usage("%s is empty; give it a value", part.Positional.Summary())
		}
	}
	return nil
}

// isBlank reports whether a value that was given is white space, or a list that
// holds such a text.
func isBlank(v *kong.Value) bool {
	if v.Tag.Has("empty") {
		return false
	}
	target := v.Target
	if target.Kind() == reflect.Pointer {
		target = target.Elem()
	}
	switch text := target.Interface().(type) {
	case string:
		return strings.TrimSpace(text) == ""
	case []string:
		for _, one := range text {
			if strings.TrimSpace(one) == "" {
				return true
			}
		}
		return len(text) == 0
	}
	return false
}

// homed is the mapper of paths (type:"homed"): a leading ~/ is the home folder,
// which no shell puts there in --flag=~/file.
func homed(scan *kong.DecodeContext, target reflect.Value) error {
	var path string
	if err := scan.Scan.PopValueInto("path", &path); err != nil {
		return err
	}
	whole, err := backends.ExpandHome(path)
	target.SetString(whole)
	return err
}
