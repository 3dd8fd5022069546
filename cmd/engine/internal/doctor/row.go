package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cdpsupervisor/messages"
)

// report is what --json prints.
type report struct {
	OK bool `json:"ok"`
	// Endpoint is scheme, host and port.
	Endpoint string `json:"endpoint"`
	Browser  string `json:"browser"`
	Rows     []row  `json:"rows"`
	// Error says why the examination could not begin or end.
	Error string `json:"error,omitempty"`
}

// row is how one check ended.
type row struct {
	Name string `json:"name"`
	// OK is null for what was not tried; Detail then says why.
	OK     *bool   `json:"ok"`
	Detail string  `json:"detail"`
	MS     float64 `json:"ms"`
}

// The names of the rows, in their order. Scripts may look for them.
const (
	rowReachable = "reachable"
	rowBrowser   = "browser"
	rowTab       = "own tab"
	rowLoopback  = "loopback pages"
	rowDetection = "dialog detection"
	rowResponse  = "dialog response"
	rowBridge    = "bridge"
	rowFrames    = "frame tree"
	rowOOPIF     = "oopif evaluate"
	rowPopups    = "popups"
	rowRoundTrip = "round trip"
	rowFrom      = "messages from the browser"
	rowTo        = "messages to the browser"
	rowSetUp     = "set-up"
)

// check is one thing to try. It returns what it found; a [notTried] as its
// error says why it could not be tried.
type check struct {
	name  string
	needs need
	slow  bool // six times the limit
	run   func(context.Context, *examination) (string, error)
}

// need is what must be there before a check can be tried.
type need uint8

const (
	needsNothing need = iota
	needsConnection
	needsTab
)

func checks() []check {
	return []check{
		{name: rowReachable, run: reachable},
		{name: rowBrowser, needs: needsConnection, run: version},
		{name: rowTab, run: ownTab},
		{name: rowLoopback, needs: needsTab, run: loopbackPages},
		{name: rowDetection, needs: needsTab, run: dialogDetection},
		{name: rowResponse, needs: needsTab, run: dialogResponse},
		{name: rowBridge, needs: needsTab, run: dialogBridge},
		{name: rowFrames, needs: needsTab, run: frameTree},
		{name: rowOOPIF, needs: needsTab, run: evaluateInOOPIF},
		{name: rowPopups, needs: needsTab, run: popups},
		{name: rowSetUp, needs: needsTab, run: refusals},
		{name: rowRoundTrip, needs: needsConnection, run: roundTrip},
		{name: rowFrom, needs: needsTab, slow: true, run: messagesFrom},
		{name: rowTo, needs: needsTab, slow: true, run: messagesTo},
	}
}

// notTried says why a check could not be tried.
type notTried struct{ why string }

// Error returns the reason.
func (n *notTried) Error() string { return n.why }

func untried(format string, args ...any) error { return &notTried{fmt.Sprintf(format, args...)} }

// try runs one check within its time.
func (x *examination) try(ctx context.Context, c check) row {
	limit := x.cfg.Limits.Check
	if c.slow {
		limit *= 6
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no end within %s", limit))
	defer cancel()
	x.took = 0
	start := x.cfg.Clock.Now()
	detail, err := "", x.has(c.needs)
	if err == nil {
		detail, err = c.run(ctx, x)
	}
	if x.took == 0 {
		x.took = x.cfg.Clock.Now().Sub(start)
	}
	r := row{Name: c.name, Detail: clean(detail), MS: milliseconds(x.took)}
	held := err == nil
	if err != nil {
		r.Detail = clean(err.Error())
	}
	if why, ok := errors.AsType[*notTried](err); ok {
		r.Detail, r.MS = clean("not tried: "+why.why), 0
	} else {
		r.OK = &held
	}
	return r
}

// has says what is missing for a check.
func (x *examination) has(n need) error {
	switch {
	case n == needsConnection && x.task == nil:
		return untried("there is no connection to try it on")
	case n == needsTab && !x.tab:
		return untried("there is no tab to try it on")
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// maxDetail is how much of a detail is kept, in bytes: errors quote browsers,
// and browsers quote pages.
const maxDetail = 1 << 10

// clean keeps a detail on one line and within its size, without what a terminal
// would obey.
func clean(text string) string {
	text, cut := messages.Cut(text, maxDetail)
	out := make([]rune, 0, len(text))
	for _, r := range text {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			r = ' '
		}
		out = append(out, r)
	}
	if cut {
		out = append(out, '…')
	}
	return string(out)
}
