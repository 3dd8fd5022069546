package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Scenario is one story that goes the same way in every browser.
type Scenario struct {
	// Name says what happens; it is unique.
	Name string
	// Covers holds the ids of the rules in docs/chromium.md that it shows.
	Covers []string
	// Site is the web that its pages are on.
	Site Site
	// Own says that it needs a browser for itself, because it ends it.
	Own bool
	// Kills says that the browser crashes of it. Own is true, too.
	Kills bool
	// BlockCrossOriginDialogs asks for a browser that was started with
	// --enable-features=SuppressDifferentOriginSubframeJSDialogs.
	BlockCrossOriginDialogs bool

	run func(*run)
}

// Response is what a URL answers with.
type Response struct {
	Status int               // HTTP status; 0 means 200
	Header map[string]string // besides the content type, which is HTML
	HTML   string
	Delay  time.Duration // before the answer
}

// Site answers for every URL on a *.test host, without its fragment. Hosts
// elsewhere do not resolve. It may be called from several goroutines.
type Site func(url string) Response

// Conn is a client's end of a connection to a browser. Read and Write may be
// called from two goroutines.
type Conn interface {
	// Read waits for a message and appends it to dst[:0].
	Read(dst []byte) ([]byte, error)
	Write(message []byte) error
	// Close hangs up and ends a Read that waits.
	Close() error
}

// Lab is a browser that scenarios run in. It shows the site of the scenario
// that is being played; host names resolve as [Site] says.
type Lab interface {
	// Dial connects to the browser or, given a target's id, to a page. It
	// blocks until it is connected or the context ends.
	Dial(ctx context.Context, target string) (Conn, error)
	// Address is the host and port of the browser's DevTools server.
	Address() string
	// Terminate sends SIGTERM to the process.
	Terminate() error
	// Gone waits until the process is dead. It fails when the context ends
	// before.
	Gone(ctx context.Context) error
}

// T is what a scenario needs of a *testing.T. Fatalf must not return.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Play runs a scenario. The context bounds every wait in it; pages that the
// scenario leaves are closed, unless it has the browser for itself.
func Play(ctx context.Context, t T, lab Lab, s Scenario) {
	t.Helper()
	r := &run{T: t, ctx: ctx, lab: lab}
	defer r.hangUp()
	if !s.Own {
		before := r.pagesThatAre()
		defer func() {
			if ctx.Err() == nil { // else it fails anyway
				r.closeOthers(before)
			}
		}()
	}
	s.run(r)
}

// All is the table.
func All() []Scenario {
	return slices.Concat(
		dialogScenarios(), concurrentDialogs(), dialogNavigations(), orphanScenarios(), commitScenarios(), hazardScenarios(), survivalScenarios(),
		hangScenarios(), oopifScenarios(), treeScenarios(), frameScenarios(), leftScenarios(), cacheScenarios(), targetScenarios(),
		popupScenarios(), runtimeScenarios(), scriptScenarios(), fetchScenarios(), blockedRequests(), bridgeScenarios(), tabScenarios(), wireScenarios(),
	)
}

// pages serves a map from URL to HTML, a few pages by the end of their path,
// and 404 elsewhere. A query does not count unless the map has it.
func pages(m map[string]string) Site {
	return func(u string) Response {
		if h, ok := m[u]; ok {
			return Response{HTML: h}
		}
		base, _, _ := strings.Cut(u, "?")
		if h, ok := m[base]; ok {
			return Response{HTML: h}
		}
		switch base[strings.LastIndex(base, "/"):] {
		case "/plain":
			return Response{HTML: "<!doctype html><title>plain</title><body>plain"}
		case "/204":
			return Response{Status: 204}
		case "/download":
			return Response{Header: map[string]string{"Content-Disposition": "attachment; filename=x"}}
		case "/unframed":
			return Response{HTML: "x", Header: map[string]string{"X-Frame-Options": "DENY"}}
		case "/agent":
			return Response{HTML: "x", Header: map[string]string{"Origin-Agent-Cluster": "?1"}}
		case "/slow":
			return Response{HTML: "<!doctype html><title>slow</title>", Delay: 300 * time.Millisecond}
		}
		return Response{Status: 404, HTML: "not found"}
	}
}

// withHeader adds a header to every response.
func withHeader(in Site, name, value string) Site {
	return func(u string) Response {
		r := in(u)
		r.Header = map[string]string{name: value}
		return r
	}
}

// slowly delays what is at a path, as a network does.
func slowly(in Site, path string) Site {
	return func(u string) Response {
		r := in(u)
		if strings.HasSuffix(u, path) {
			r.Delay = 200 * time.Millisecond
		}
		return r
	}
}

// params makes the JSON of a command's parameters.
func params(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// Resolves reports whether the host of a URL does.
func Resolves(url string) bool {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return strings.HasSuffix(host, ".test")
}
