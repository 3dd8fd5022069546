package backends

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"

	"cdpsupervisor/messages"
)

// ErrBrowserbase says that Browserbase did not do what it was asked for.
var ErrBrowserbase = errors.New("browserbase")

const (
	browserbaseAPI = "https://api.browserbase.com"
	// browserbaseSession is how long a session is asked to live; it is renewed
	// when it is over.
	browserbaseSession = time.Hour
)

// BrowserbaseOptions say with whose account sessions are made.
type BrowserbaseOptions struct {
	APIKey    string // secret; BROWSERBASE_API_KEY
	ProjectID string // BROWSERBASE_PROJECT_ID
	// BaseURL is where the API is; empty means Browserbase's own.
	BaseURL string // BROWSERBASE_BASE_URL
	// SessionTimeout is how long a session may live, 60 s to 6 h; zero means
	// an hour.
	SessionTimeout time.Duration
	// NotesFolder is where open sessions are noted, so that those which a
	// crash leaves behind are released at the next start. Empty means a folder
	// of our own in the user's cache folder.
	NotesFolder string
	// Name tells sources of one account apart: each name is a browser of its
	// own.
	Name string
}

// BrowserbaseFromEnv reads the account from the environment. White space around
// a value, such as the line break of the file that it came from, is not part of it.
func BrowserbaseFromEnv(getenv func(string) string) (BrowserbaseOptions, error) {
	o := BrowserbaseOptions{
		APIKey:    strings.TrimSpace(getenv("BROWSERBASE_API_KEY")),
		ProjectID: strings.TrimSpace(getenv("BROWSERBASE_PROJECT_ID")),
		BaseURL:   strings.TrimSpace(getenv("BROWSERBASE_BASE_URL")),
	}
	return o, o.check()
}

func (o BrowserbaseOptions) check() error {
	switch {
	case o.APIKey == "":
		return fmt.Errorf("%w: no API key; set BROWSERBASE_API_KEY to the one on browserbase.com/settings", ErrBrowserbase)
	case strings.ContainsFunc(o.APIKey, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return fmt.Errorf("%w: the API key holds white space or a control character; set BROWSERBASE_API_KEY to the key alone", ErrBrowserbase)
	case o.ProjectID == "":
		return fmt.Errorf("%w: no project; set BROWSERBASE_PROJECT_ID to the one on browserbase.com/settings", ErrBrowserbase)
	case o.SessionTimeout != 0 && (o.SessionTimeout < time.Minute || o.SessionTimeout > 6*time.Hour):
		return fmt.Errorf("%w: session timeout %s is not from 1m to 6h", ErrBrowserbase, o.SessionTimeout)
	}
	if o.BaseURL == "" {
		return nil
	}
	if u, err := url.Parse(o.BaseURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%w: BROWSERBASE_BASE_URL is not a URL with http:// or https://", ErrBrowserbase)
	}
	return nil
}

// BrowserbaseSource makes one Browserbase session for each lease. All methods
// are safe for use by several goroutines.
type BrowserbaseSource struct {
	options BrowserbaseOptions
	api     browserbaseClient
	notes   sessionNotes
	tidy    sync.Once // releases what a crash has left, before the first session

	mu       sync.Mutex                    // guards all below; nothing blocks while it is held
	sessions map[*messages.Lease]bbSession // those not released yet
	noKeep   bool                          // the account's plan has no keep-alive
}

// NewBrowserbase returns a source of Browserbase sessions. It does no I/O
// before the first Open.
func NewBrowserbase(o BrowserbaseOptions) (*BrowserbaseSource, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.BaseURL == "" {
		o.BaseURL = browserbaseAPI
	}
	if o.SessionTimeout == 0 {
		o.SessionTimeout = browserbaseSession
	}
	return &BrowserbaseSource{
		options:  o,
		api:      browserbaseClient{base: o.BaseURL, key: o.APIKey, project: o.ProjectID, http: &http.Client{Transport: http.DefaultTransport}},
		notes:    sessionNotes{folder: o.NotesFolder, account: o.BaseURL + " " + o.ProjectID},
		sessions: map[*messages.Lease]bbSession{},
	}, nil
}

// Identity is the account and the name.
func (s *BrowserbaseSource) Identity() string {
	return fmt.Sprintf("browserbase api=%q project=%q name=%q", s.options.BaseURL, s.options.ProjectID, s.options.Name)
}

// Open makes a session. It is kept alive between connections where the
// account's plan allows it; elsewhere it ends with its first connection.
func (s *BrowserbaseSource) Open(ctx context.Context) (*messages.Lease, error) {
	s.tidy.Do(func() { s.releaseLeftOvers(ctx) })
	session, err := s.create(ctx)
	if err != nil {
		return nil, err
	}
	s.notes.add(session.ID)
	lease := &messages.Lease{
		Endpoint:    messages.Endpoint(session.ConnectURL),
		ExpiresAt:   session.ExpiresAt,
		Bridge:      messages.BridgeNeeded,
		OwnsBrowser: true,
	}
	lease.Close = func(ctx context.Context) error { return s.release(ctx, lease) }
	s.mu.Lock()
	s.sessions[lease] = session
	s.mu.Unlock()
	return lease, nil
}

// create asks for a session that is kept alive, and for a plain one when the
// account's plan has none.
func (s *BrowserbaseSource) create(ctx context.Context) (bbSession, error) {
	s.mu.Lock()
	keep := !s.noKeep
	s.mu.Unlock()
	session, err := s.api.create(ctx, keep, s.options.SessionTimeout)
	if refused, ok := errors.AsType[*browserbaseError](err); ok && keep && refused.aboutKeepAlive() {
		if session, err = s.api.create(ctx, false, s.options.SessionTimeout); err == nil {
			s.mu.Lock()
			s.noKeep = true
			s.mu.Unlock()
		}
	}
	return session, err
}

// Renew returns old while its session runs, and makes another when it is over.
// A session that does not outlive its connection is over by then.
func (s *BrowserbaseSource) Renew(ctx context.Context, old *messages.Lease) (*messages.Lease, error) {
	s.mu.Lock()
	session, ours := s.sessions[old]
	s.mu.Unlock()
	if ours && session.KeepAlive {
		if status, err := s.api.status(ctx, session.ID); err == nil && status == "RUNNING" {
			return old, nil
		}
	}
	if ours {
		// Whether or not it was still there: it is not ours any more, and one
		// that cannot be released now ends by its own timeout.
		_ = s.release(ctx, old)
	}
	return s.Open(ctx)
}

// release ends a lease's session. Releasing it again is no error.
func (s *BrowserbaseSource) release(ctx context.Context, lease *messages.Lease) error {
	s.mu.Lock()
	session, ours := s.sessions[lease]
	delete(s.sessions, lease)
	s.mu.Unlock()
	if !ours {
		return nil
	}
	if err := s.api.release(ctx, session.ID); err != nil {
		return err // its note stays: the next start tries again
	}
	s.notes.remove(session.ID)
	return nil
}

// releaseLeftOvers ends the sessions that processes of ours have left behind
// which are no more. It is a courtesy: what fails is tried again next time.
func (s *BrowserbaseSource) releaseLeftOvers(ctx context.Context) {
	for _, id := range s.notes.orphans() {
		if err := s.api.release(ctx, id); err == nil {
			s.notes.remove(id)
		}
	}
}
