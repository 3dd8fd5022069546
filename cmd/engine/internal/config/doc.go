// Package config reads the engine's configuration: config.yaml, environment
// and flags. A flag wins over the environment, which wins over the file, which
// wins over the default; every value knows where it came from.
//
// The file is strict. An unknown key or a bad value is an error with file,
// line and column, the line itself with a caret under the place, what was
// found and what is allowed. It never silently means the default. Lines are
// shown without the secrets that a cdp_url can hold.
package config
