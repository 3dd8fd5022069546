package fakebrowser

import (
	"time"

	"cdpsupervisor/messages"
)

// Response is what a URL answers with.
type Response struct {
	// Status is the HTTP status; 0 means 200.
	Status int
	// Header holds what the fake understands: Location,
	// Content-Disposition, Content-Security-Policy (connect-src,
	// default-src, sandbox), Permissions-Policy (sync-xhr), X-Frame-Options,
	// Origin-Agent-Cluster, Cache-Control (no-store),
	// Access-Control-Allow-Origin and WWW-Authenticate.
	Header map[string]string
	// HTML is the body. It is cut at 1 MiB.
	HTML string
	// Delay is how long the answer takes, by the browser's clock.
	Delay time.Duration
}

// Site answers for every http and https URL, without its fragment. false
// means that the host does not resolve. It is called from the browser's
// goroutine and must not call the browser.
type Site func(url string) (Response, bool)

// Options configure a [Browser].
type Options struct {
	// Pages is the web. Nil means that no host resolves.
	Pages Site
	// Clock is where time comes from; its AfterFunc may run the function on
	// any goroutine. Nil means a clock of the browser's own that stands still
	// until [Browser.Advance].
	Clock messages.Clock
	// SiteIsolation puts frames of other sites into renderers of their own,
	// as --site-per-process does.
	SiteIsolation bool
	// AllowPopups lets scripts open windows without a user gesture, as
	// --disable-popup-blocking does.
	AllowPopups bool
	// BlockCrossOriginDialogs cancels dialogs of cross-origin subframes as
	// they open, as --enable-features=SuppressDifferentOriginSubframeJSDialogs
	// does.
	BlockCrossOriginDialogs bool
	// NoBackForwardCache destroys documents as soon as they are left.
	NoBackForwardCache bool
	// Seed makes the ids. Two browsers with one seed and one history give
	// the same ids.
	Seed uint64
}

// Caps on what a page can make the fake hold or do.
const (
	maxHTML          = 1 << 20 // bytes of a document
	maxScript        = 1 << 20 // bytes of one script
	maxNodes         = 50_000  // nodes of a document
	maxDepth         = 256     // depth of a document, and of nested frames
	maxFrames        = 2_000   // frames of a page
	maxConsoleArgs   = 100     // arguments of one console call
	maxStoredLines   = 1_000   // console lines kept for the next Runtime.enable
	maxTimers        = 10_000  // timers of one document
	maxRedirects     = 20
	maxHistory       = 50
	maxCachedPages   = 6         // documents in the back/forward cache
	maxDialogMessage = 10_240    // UTF-16 units, as in Chromium
	maxMessage       = 100 << 20 // bytes of one message from a client
	maxTasksPerInput = 200_000   // tasks that one input may cause before time must pass
)
