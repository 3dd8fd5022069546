package backends

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"cdpsupervisor/messages"
)

const (
	bbMaxBody  = 1 << 20
	bbAttempts = 3
	bbTimeout  = 30 * time.Second // of one request
	bbMaxPause = 15 * time.Second // the longest wait that a server may ask for
)

// bbSession is what the API says of a session.
type bbSession struct {
	ID         string    `json:"id"`
	Status     string    `json:"status"`
	ConnectURL string    `json:"connectUrl"` // secret: it holds a signing key
	ExpiresAt  time.Time `json:"expiresAt"`
	KeepAlive  bool      `json:"keepAlive"`
}

// browserbaseClient speaks the session API.
type browserbaseClient struct {
	base, key, project string
	http               *http.Client
}

// browserbaseError is a refusal of the API.
type browserbaseError struct {
	doing  string
	status int
	says   string // the API's own words, capped, on one line
	pause  time.Duration
}

// Error names the cause and the way out, and no secret.
func (e *browserbaseError) Error() string {
	ways := map[int]string{
		http.StatusBadRequest:      "check BROWSERBASE_PROJECT_ID",
		http.StatusUnauthorized:    "the key was refused; check BROWSERBASE_API_KEY",
		http.StatusForbidden:       "the key may not do this; check that BROWSERBASE_API_KEY and BROWSERBASE_PROJECT_ID belong together",
		http.StatusPaymentRequired: "the account's plan does not cover it; see browserbase.com/settings",
		http.StatusNotFound:        "check BROWSERBASE_PROJECT_ID, and BROWSERBASE_BASE_URL if it is set",
		http.StatusTooManyRequests: "too many sessions or requests at once; stop a session, or wait",
	}
	way := ways[e.status]
	if way == "" {
		way = "the service has trouble; try again later"
	}
	s := fmt.Sprintf("browserbase: %s: status %d", e.doing, e.status)
	if e.says != "" {
		s += " (" + e.says + ")"
	}
	return s + "; " + way
}

// Unwrap lets errors.Is find [ErrBrowserbase].
func (*browserbaseError) Unwrap() error { return ErrBrowserbase }

// aboutKeepAlive reports whether a session was refused because the plan has no
// keep-alive.
func (e *browserbaseError) aboutKeepAlive() bool {
	switch e.status {
	case http.StatusPaymentRequired:
		return true
	case http.StatusBadRequest, http.StatusForbidden, http.StatusUnprocessableEntity:
		words := strings.ToLower(e.says)
		return strings.Contains(words, "keepalive") || strings.Contains(words, "keep alive") || strings.Contains(words, "keep-alive")
	default:
		return false
	}
}

func (e *browserbaseError) passing() bool {
	return e.status == http.StatusTooManyRequests || e.status >= http.StatusInternalServerError
}

// create makes a session.
func (c browserbaseClient) create(ctx context.Context, keepAlive bool, timeout time.Duration) (bbSession, error) {
	var made bbSession
	err := c.patiently(ctx, "make a session", http.MethodPost, "/v1/sessions", map[string]any{
		"projectId": c.project, "keepAlive": keepAlive, "timeout": int(timeout.Seconds()),
	}, &made)
	if err != nil {
		return bbSession{}, err
	}
	if made.ID == "" || made.ConnectURL == "" {
		return bbSession{}, fmt.Errorf("%w: make a session: the answer has no id or no connectUrl; is BROWSERBASE_BASE_URL right?", ErrBrowserbase)
	}
	made.KeepAlive = keepAlive // the answer may leave it out
	return made, nil
}

// status asks what a session does.
func (c browserbaseClient) status(ctx context.Context, id string) (string, error) {
	var session bbSession
	err := c.once(ctx, "look at a session", http.MethodGet, "/v1/sessions/"+url.PathEscape(id), nil, &session)
	return session.Status, err
}

// release ends a session. One that is over already is released.
func (c browserbaseClient) release(ctx context.Context, id string) error {
	err := c.patiently(ctx, "release a session", http.MethodPost, "/v1/sessions/"+url.PathEscape(id), map[string]any{
		"projectId": c.project, "status": "REQUEST_RELEASE",
	}, nil)
	if refused, ok := errors.AsType[*browserbaseError](err); ok && (refused.status == http.StatusNotFound || refused.status == http.StatusGone) {
		return nil
	}
	return err
}

// patiently tries again when the service says that its trouble passes. It is
// for requests that may be sent twice: a session that was made and never heard
// of ends by itself within five minutes, when nothing connects.
func (c browserbaseClient) patiently(ctx context.Context, doing, method, path string, body, into any) error {
	for attempt := 1; ; attempt++ {
		err := c.once(ctx, doing, method, path, body, into)
		refused, ok := errors.AsType[*browserbaseError](err)
		if err == nil || !ok || !refused.passing() || attempt == bbAttempts {
			return err
		}
		pause := refused.pause
		if pause == 0 {
			pause = time.Duration(attempt) * time.Second
		}
		waiting, cancel := context.WithTimeout(ctx, min(pause, bbMaxPause))
		<-waiting.Done()
		cancel()
		if ctx.Err() != nil {
			return errors.Join(err, context.Cause(ctx))
		}
	}
}

// once sends one request.
func (c browserbaseClient) once(ctx context.Context, doing, method, path string, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, bbTimeout)
	defer cancel()
	var sent io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrBrowserbase, doing, err)
		}
		sent = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(c.base, "/")+path, sent)
	if err != nil {
		return fmt.Errorf("%w: %s: BROWSERBASE_BASE_URL is not a URL", ErrBrowserbase, doing)
	}
	req.Header.Set("X-BB-API-Key", c.key)
	req.Header.Set("Content-Type", "application/json")
	res, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrBrowserbase, doing, unwrapURL(err))
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, bbMaxBody))
	if err != nil {
		return fmt.Errorf("%w: %s: read the answer: %w", ErrBrowserbase, doing, err)
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return &browserbaseError{doing: doing, status: res.StatusCode, says: c.words(text), pause: retryAfter(res.Header.Get("Retry-After"))}
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%w: %s: the answer is not the API's: is BROWSERBASE_BASE_URL right?", ErrBrowserbase, doing)
	}
	return nil
}

// words are the API's own words for a refusal, on one line, capped, and
// without the key, should it be quoted.
func (c browserbaseClient) words(body []byte) string {
	var said struct {
		Message string `json:"message"`
		Error   string `json:"error"`
	}
	text := string(body)
	if json.Unmarshal(body, &said) == nil && said.Message+said.Error != "" {
		text = strings.TrimSpace(said.Error + " " + said.Message)
	}
	text = strings.ReplaceAll(text, c.key, "…")
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
	text, _ = messages.Cut(strings.Join(strings.Fields(text), " "), 200)
	return text
}

// retryAfter reads the form in seconds; the form with a date is left to our
// own pauses.
func retryAfter(header string) time.Duration {
	seconds, err := strconv.Atoi(header)
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, bbMaxPause)
}
