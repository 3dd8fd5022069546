package config

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"cdpsupervisor/backends"
	"cdpsupervisor/messages"
)

// setting is one key below "browser".
type setting struct {
	key      string
	defaults string
	// allowed says which values there are.
	allowed string
	// file is what the value may be in the file; see [scalar].
	file scalarKind
	// set takes the value as text. Its error says what was found and what is
	// allowed, and holds no secret.
	set func(c *Config, value string) error
	// show returns the value as the file would have it, without secrets.
	show func(c *Config) string
}

// envPrefix is what the environment variables of the settings begin with.
const envPrefix = "BROWSER_"

// env is the environment variable of the setting.
func (s setting) env() string { return envPrefix + strings.ToUpper(s.key) }

// settings returns all keys in the order of the file.
func settings() []setting {
	return []setting{
		choice("backend", []Backend{Local, Browserbase, Camofox}, func(c *Config) *Backend { return &c.Backend }),
		{
			key: "cdp_url", file: textScalar,
			allowed: "ws://, wss://, http://, https://, host:port, or the folder of a browser profile; empty for none",
			set: func(c *Config, value string) error {
				if value == "" {
					c.CDPURL = ""
					return nil
				}
				lease, err := backends.Static(messages.Endpoint(value)).Open(context.Background()) // it only looks at the form
				if err != nil {
					return err // it says what is allowed and quotes nothing
				}
				c.CDPURL = lease.Endpoint
				return nil
			},
			show: func(c *Config) string { return strconv.Quote(c.CDPURL.String()) },
		},
		choice("dialog_policy", []messages.Policy{messages.PolicyMustRespond, messages.PolicyAutoDismiss, messages.PolicyAutoAccept},
			func(c *Config) *messages.Policy { return &c.DialogPolicy }),
		{
			key: "dialog_timeout_s", defaults: "300", file: numberScalar,
			allowed: "a number of seconds, more than 0 and at most 86400",
			set: func(c *Config, value string) error {
				d, err := ParseSeconds(value)
				if err != nil {
					return err
				}
				if d <= 0 || d > messages.MaxDialogTimeout {
					return fmt.Errorf("found %s; allowed is a number of seconds, more than 0 and at most 86400", clip(value))
				}
				c.DialogTimeout = d
				return nil
			},
			show: func(c *Config) string { return strconv.FormatFloat(c.DialogTimeout.Seconds(), 'f', -1, 64) },
		},
		onOff(choice("bridge", []messages.BridgeMode{messages.BridgeAuto, messages.BridgeOn, messages.BridgeOff},
			func(c *Config) *messages.BridgeMode { return &c.Bridge })),
		choice("scope", []messages.Scope{messages.ScopePage, messages.ScopeBrowser}, func(c *Config) *messages.Scope { return &c.Scope }),
		choice("on_stop", []messages.OnStop{messages.OnStopDismiss, messages.OnStopLeave}, func(c *Config) *messages.OnStop { return &c.OnStop }),
		choice("bridge_transport", []messages.BridgeTransport{messages.TransportAuto, messages.TransportXHR, messages.TransportDebugger},
			func(c *Config) *messages.BridgeTransport { return &c.BridgeTransport }),
		{
			key: "bypass_csp", defaults: "true", file: boolScalar, allowed: "true or false",
			set: func(c *Config, value string) error {
				b, err := strconv.ParseBool(value)
				if err != nil {
					return fmt.Errorf("found %q; allowed are true and false", clip(value))
				}
				c.BypassCSP = b
				return nil
			},
			show: func(c *Config) string { return strconv.FormatBool(c.BypassCSP) },
		},
	}
}

// choice is a setting with a few values, of which the first is the default.
func choice[T ~string](key string, values []T, field func(*Config) *T) setting {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	allowed := strings.Join(words, ", ")
	return setting{
		key: key, defaults: words[0], allowed: allowed, file: textScalar,
		set: func(c *Config, value string) error {
			if !slices.Contains(words, value) {
				return fmt.Errorf("found %q; allowed: %s%s", clip(value), allowed, meant(value, words))
			}
			*field(c) = T(value)
			return nil
		},
		show: func(c *Config) string { return string(*field(c)) },
	}
}

// onOff takes booleans for on and off: YAML 1.1 reads the words that way, and
// people who write them mean the words.
func onOff(s setting) setting {
	set := s.set
	s.file = textOrBoolScalar
	s.set = func(c *Config, value string) error {
		switch value {
		case "true":
			value = string(messages.BridgeOn)
		case "false":
			value = string(messages.BridgeOff)
		}
		return set(c, value)
	}
	return s
}

// ParseSeconds reads a duration as flags take it: "300" and "300s" are seconds,
// "5m" is minutes, as [time.ParseDuration] has it.
func ParseSeconds(s string) (time.Duration, error) {
	const allowed = "allowed are seconds such as 300 or 300s, or a duration such as 5m"
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		d := n * float64(time.Second)
		if math.IsNaN(d) || math.Abs(d) >= math.MaxInt64 {
			return 0, fmt.Errorf("found %s, which is no finite time; %s", clip(s), allowed)
		}
		if n > 0 && d < 1 {
			return 0, fmt.Errorf("found %s, which is less than a nanosecond; %s", clip(s), allowed)
		}
		return time.Duration(d), nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("found %q; %s", clip(s), allowed)
	}
	return d, nil
}

// meant names the word that was probably meant.
func meant(value string, words []string) string {
	for _, w := range words {
		if folded(w) == folded(value) {
			return fmt.Sprintf(" (did you mean %s?)", w)
		}
	}
	return ""
}

// folded makes auto-dismiss, AutoDismiss and auto_dismiss equal.
func folded(s string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s))
}

func clip(s string) string {
	s, cut := messages.Cut(s, 80)
	if cut {
		s += "…"
	}
	return s
}
