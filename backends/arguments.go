package backends

import (
	"fmt"
	"strings"
)

// disabledFeatures would each reach out to the network without a page's asking.
const disabledFeatures = "MediaRouter,NetworkTimeServiceQuerying,OptimizationHints,Translate"

// arguments builds the command line of a browser on a profile folder.
func arguments(options Options, profile, goos string, uid int) ([]string, error) {
	features := disabledFeatures
	var extra []string
	for _, arg := range options.ExtraArgs {
		name, value, _ := strings.Cut(arg, "=")
		switch name {
		case "--remote-debugging-port", "--remote-debugging-pipe", "--remote-debugging-address":
			return nil, fmt.Errorf("%w: %s is ours to choose, the browser would not be found; leave it out, "+
				"or start the browser yourself and give its --cdp-url", ErrBadOption, name)
		case "--user-data-dir":
			return nil, fmt.Errorf("%w: --user-data-dir stands among the extra arguments; "+
				"set the option of that name instead, so that its lock is checked", ErrBadOption)
		case "--disable-features":
			features += "," + value // the browser would take the last one only
		default:
			extra = append(extra, arg)
		}
	}
	args := []string{
		"--remote-debugging-port=0", // a free one, said in DevToolsActivePort
		"--user-data-dir=" + profile,

		// A profile of ours asks no person anything.
		"--no-first-run",
		"--no-default-browser-check",
		"--hide-crash-restore-bubble",
		"--password-store=basic", // no keyring prompt on Linux
		"--use-mock-keychain",    // nor on macOS

		// Only pages use the network. On a closed one these would be refused
		// connections by the hundred, on an open one they are somebody's data.
		"--disable-background-networking",
		"--disable-component-update",
		"--disable-default-apps",
		"--disable-domain-reliability",
		"--disable-quic",
		"--disable-sync",
		"--metrics-recording-only",
		"--no-pings",
		"--disable-features=" + features,

		// A tab that nobody looks at works like one in front: the agent's
		// usually is not.
		"--disable-background-timer-throttling",
		"--disable-backgrounding-occluded-windows",
		"--disable-renderer-backgrounding",
	}
	if options.Headless {
		// Before 132 a plain --headless was another, smaller browser.
		args = append(args, "--headless=new", "--mute-audio")
	}
	if goos == "linux" && uid == 0 {
		// As root Chromium's sandbox cannot drop privileges and the browser
		// refuses to start with it. Nobody else gives the sandbox up.
		args = append(args, "--no-sandbox")
	}
	args = append(args, extra...)
	return append(args, "about:blank"), nil // the start page would load from the network
}
