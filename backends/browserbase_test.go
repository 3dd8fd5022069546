package backends

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"cdpsupervisor/messages"
)

// bbServer answers as the session API does.
type bbServer struct {
	*httptest.Server
	mu       sync.Mutex
	log      []string
	sessions map[string]string // id → status
	refuse   []refusal         // the next answers to a create
	noKeep   bool
	tearDown bool // releases fail
}

type refusal struct {
	status int
	body   string
	retry  string
}

func newBBServer(t *testing.T) *bbServer {
	t.Helper()
	s := &bbServer{sessions: map[string]string{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *bbServer) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	var in struct {
		ProjectID string `json:"projectId"`
		KeepAlive bool   `json:"keepAlive"`
		Timeout   int    `json:"timeout"`
		Status    string `json:"status"`
	}
	_ = json.Unmarshal(body, &in)
	fail := func(status int, words string) {
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"statusCode":%d,"error":"Refused","message":%q}`, status, words)
	}
	if r.Header.Get("X-BB-API-Key") != "key-secret" {
		fail(http.StatusUnauthorized, "Invalid API key "+r.Header.Get("X-BB-API-Key"))
		return
	}
	id := strings.TrimPrefix(r.URL.Path, "/v1/sessions/")
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/v1/sessions":
		s.log = append(s.log, fmt.Sprintf("create keep=%v timeout=%d", in.KeepAlive, in.Timeout))
		if len(s.refuse) > 0 {
			next := s.refuse[0]
			s.refuse = s.refuse[1:]
			if next.retry != "" {
				w.Header().Set("Retry-After", next.retry)
			}
			w.WriteHeader(next.status)
			_, _ = io.WriteString(w, next.body)
			return
		}
		if in.KeepAlive && s.noKeep {
			fail(http.StatusPaymentRequired, "keepAlive is not available on your plan")
			return
		}
		id = fmt.Sprintf("sess-%d", len(s.sessions)+1)
		s.sessions[id] = "RUNNING"
		w.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprintf(w, `{"id":%q,"status":"RUNNING","connectUrl":"wss://connect.example/?signingKey=sign-secret&id=%s","expiresAt":"2030-01-02T03:04:05.678Z"}`, id, id)
	case s.sessions[id] == "":
		fail(http.StatusNotFound, "no such session")
	case r.Method == http.MethodPost && in.Status == "REQUEST_RELEASE":
		s.log = append(s.log, "release "+id)
		if s.tearDown {
			fail(http.StatusForbidden, "not now")
			return
		}
		s.sessions[id] = "COMPLETED"
		_, _ = fmt.Fprintf(w, `{"id":%q,"status":"COMPLETED"}`, id)
	case r.Method == http.MethodGet:
		_, _ = fmt.Fprintf(w, `{"id":%q,"status":%q}`, id, s.sessions[id])
	default:
		fail(http.StatusBadRequest, "what?")
	}
}

func (s *bbServer) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.log...)
}

func (s *bbServer) set(f func(*bbServer)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s)
}

func (s *bbServer) source(t *testing.T, change ...func(*BrowserbaseOptions)) *BrowserbaseSource {
	t.Helper()
	o := BrowserbaseOptions{APIKey: "key-secret", ProjectID: "proj", BaseURL: s.URL, NotesFolder: t.TempDir()}
	for _, f := range change {
		f(&o)
	}
	source, err := NewBrowserbase(o)
	if err != nil {
		t.Fatal(err)
	}
	source.api.http = s.Client() // its idle connections end with the server
	return source
}

func TestBrowserbaseLease(t *testing.T) {
	s := newBBServer(t)
	source := s.source(t)
	lease, err := source.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if lease.Endpoint.Reveal() != "wss://connect.example/?signingKey=sign-secret&id=sess-1" || lease.Bridge != messages.BridgeNeeded || !lease.OwnsBrowser ||
		!lease.ExpiresAt.Equal(time.Date(2030, 1, 2, 3, 4, 5, 678e6, time.UTC)) {
		t.Errorf("got %+v", lease)
	}
	if s := fmt.Sprintf("%v %+v %#v %s", lease.Endpoint, lease, source.Identity(), source.Identity()); strings.Contains(s, "secret") {
		t.Errorf("a secret is printed: %s", s)
	}
	if again, err := source.Renew(t.Context(), lease); err != nil || again != lease {
		t.Errorf("a session that runs is kept: %v, %v", again, err)
	}
	s.set(func(s *bbServer) { s.sessions["sess-1"] = "TIMED_OUT" })
	fresh, err := source.Renew(t.Context(), lease)
	if err != nil || fresh == lease || !strings.Contains(fresh.Endpoint.Reveal(), "sess-2") {
		t.Errorf("a session that is over is replaced: %v, %v", fresh, err)
	}
	for range 2 { // twice is no error
		if err := fresh.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	want := []string{"create keep=true timeout=3600", "release sess-1", "create keep=true timeout=3600", "release sess-2"}
	if got := s.seen(); !reflect.DeepEqual(got, want) {
		t.Errorf("the API saw %v, want %v", got, want)
	}
}

func TestBrowserbaseWithoutKeepAlive(t *testing.T) {
	s := newBBServer(t)
	s.noKeep = true
	source := s.source(t)
	lease, err := source.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// Its session ends with its connection, whatever the API still says.
	fresh, err := source.Renew(t.Context(), lease)
	if err != nil || fresh == lease {
		t.Errorf("%v, %v", fresh, err)
	}
	want := []string{"create keep=true timeout=3600", "create keep=false timeout=3600", "release sess-1", "create keep=false timeout=3600"}
	if got := s.seen(); !reflect.DeepEqual(got, want) {
		t.Errorf("the API saw %v, want %v", got, want)
	}
}

func TestBrowserbaseRefusals(t *testing.T) {
	for _, tc := range []struct {
		name   string
		key    string
		refuse []refusal
		says   []string // empty means that it works in the end
		asked  int
	}{
		{"wrong key", "key-wrong-secret", nil, []string{"status 401", "check BROWSERBASE_API_KEY"}, 0},
		{"bad project", "", []refusal{{400, `{"message":"projectId is invalid"}`, ""}}, []string{"status 400 (projectId is invalid)", "check BROWSERBASE_PROJECT_ID"}, 1},
		{"forbidden", "", []refusal{{403, `nope`, ""}}, []string{"status 403 (nope)", "belong together"}, 1},
		{"rate limit that passes", "", []refusal{{429, `{"error":"Too Many Requests"}`, "1"}}, nil, 2},
		{"rate limit that stays", "", []refusal{{429, `{"message":"max 3 concurrent"}`, "0"}, {429, `{"message":"max 3 concurrent"}`, "0"}, {429, `{"message":"max 3 concurrent"}`, "0"}},
			[]string{"status 429 (max 3 concurrent)", "stop a session, or wait"}, 3},
		{"server trouble that passes", "", []refusal{{502, "<html>", "0"}}, nil, 2},
		{"keep-alive refused by its name", "", []refusal{{400, `{"message":"keepAlive requires a paid plan"}`, ""}}, nil, 2},
		{"no session in it", "", []refusal{{200, `{}`, ""}}, []string{"no id or no connectUrl"}, 1},
		{"not the API", "", []refusal{{200, `<html>hello`, ""}}, []string{"not the API's", "BROWSERBASE_BASE_URL"}, 1},
		{"hostile words", "", []refusal{{400, "\x1b[31m key-secret " + strings.Repeat("x", 5000), ""}}, []string{"status 400 ([31m … xxx"}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newBBServer(t)
			s.refuse = tc.refuse
			source := s.source(t, func(o *BrowserbaseOptions) {
				if tc.key != "" {
					o.APIKey = tc.key
				}
			})
			lease, err := source.Open(t.Context())
			if len(tc.says) == 0 && (err != nil || lease == nil) {
				t.Fatalf("%v, %v", lease, err)
			}
			for _, part := range tc.says {
				if err == nil || !errors.Is(err, ErrBrowserbase) || !strings.Contains(err.Error(), part) {
					t.Errorf("%v\nlacks %q", err, part)
				}
			}
			if err != nil && (strings.Contains(err.Error(), "secret") || strings.ContainsRune(err.Error(), '\x1b') || len(err.Error()) > 600) {
				t.Errorf("the error shows too much: %.900v", err)
			}
			if got := s.seen(); len(got) != tc.asked {
				t.Errorf("asked %v", got)
			}
		})
	}
}

func TestBrowserbaseWaitsNoLongerThanItsCaller(t *testing.T) {
	s := newBBServer(t)
	s.refuse = []refusal{{429, "", "3600"}}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := s.source(t).Open(ctx)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "429") || time.Since(began) > 10*time.Second {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
}

func TestBrowserbaseUnreachable(t *testing.T) {
	s := newBBServer(t)
	source := s.source(t)
	s.Close()
	if _, err := source.Open(t.Context()); !errors.Is(err, ErrBrowserbase) || strings.Contains(err.Error(), "http://") {
		t.Errorf("%v", err)
	}
}

func TestBrowserbaseReleasesWhatACrashHasLeft(t *testing.T) {
	s := newBBServer(t)
	folder := t.TempDir()
	crashed := s.source(t, func(o *BrowserbaseOptions) { o.NotesFolder = folder })
	for range 3 {
		if _, err := crashed.Open(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	notes, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(notes) != 3 {
		t.Fatalf("notes %v, %v", notes, err)
	}
	// The first belonged to a process that is no more, the second to one of
	// another account; the third is ours and lives.
	rewrite := func(path string, change func(*sessionNote)) {
		text, err := os.ReadFile(path)
		if err != nil || strings.Contains(string(text), "secret") {
			t.Fatalf("%s, %v", text, err)
		}
		var note sessionNote
		if err := json.Unmarshal(text, &note); err != nil {
			t.Fatal(err)
		}
		change(&note)
		text, _ = json.Marshal(note)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rewrite(notes[0], func(n *sessionNote) { n.PID = 1 << 30 })
	rewrite(notes[1], func(n *sessionNote) { n.PID = 1 << 30; n.Account = "other" })
	if err := os.WriteFile(filepath.Join(folder, "browserbase-broken.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	next := s.source(t, func(o *BrowserbaseOptions) { o.NotesFolder = folder })
	s.set(func(s *bbServer) { s.log = nil })
	lease, err := next.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := next.Open(t.Context()); err != nil { // it looks once
		t.Fatal(err)
	}
	want := []string{"release sess-1", "create keep=true timeout=3600", "create keep=true timeout=3600"}
	if got := s.seen(); !reflect.DeepEqual(got, want) {
		t.Errorf("the API saw %v, want %v", got, want)
	}
	// A release that fails leaves its note for the next start.
	s.set(func(s *bbServer) { s.tearDown = true })
	if err := lease.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "release a session") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(folder, "browserbase-sess-4.json")); err != nil {
		t.Errorf("the note is gone: %v", err)
	}
}

// a process id that came again is another process.
func TestAPidThatCameAgainIsNotTheSameProcess(t *testing.T) {
	ours := processBegan(os.Getpid())
	if !stillRuns(os.Getpid(), ours) || stillRuns(0, "") || stillRuns(1<<30, "") {
		t.Error("we do not run, or nobody does")
	}
	if ours != "" && stillRuns(os.Getpid(), ours+"0") {
		t.Error("an earlier process of our id counts as us")
	}
}

func TestBrowserbaseOptions(t *testing.T) {
	env := map[string]string{"BROWSERBASE_API_KEY": "key-secret", "BROWSERBASE_PROJECT_ID": "p", "BROWSERBASE_BASE_URL": "http://127.0.0.1:1"}
	o, err := BrowserbaseFromEnv(func(name string) string { return env[name] })
	if err != nil || o.APIKey != "key-secret" || o.ProjectID != "p" || o.BaseURL != "http://127.0.0.1:1" {
		t.Errorf("%+v, %v", o, err)
	}
	for name, says := range map[string]string{"BROWSERBASE_API_KEY": "set BROWSERBASE_API_KEY", "BROWSERBASE_PROJECT_ID": "set BROWSERBASE_PROJECT_ID"} {
		_, err := BrowserbaseFromEnv(func(n string) string {
			if n == name {
				return ""
			}
			return env[n]
		})
		if !errors.Is(err, ErrBrowserbase) || !strings.Contains(err.Error(), says) {
			t.Errorf("without %s: %v", name, err)
		}
	}
	for _, bad := range []BrowserbaseOptions{
		{APIKey: "k", ProjectID: "p", BaseURL: "localhost:1"}, {APIKey: "k", ProjectID: "p", SessionTimeout: time.Second}, {APIKey: "k", ProjectID: "p", SessionTimeout: 7 * time.Hour},
	} {
		if _, err := NewBrowserbase(bad); !errors.Is(err, ErrBrowserbase) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	a, _ := NewBrowserbase(BrowserbaseOptions{APIKey: "k", ProjectID: "p", Name: "a"})
	b, _ := NewBrowserbase(BrowserbaseOptions{APIKey: "k", ProjectID: "p", Name: "b"})
	if a.Identity() == b.Identity() {
		t.Error("two names are one endpoint")
	}
}

func TestCamofox(t *testing.T) {
	var source messages.EndpointSource = Camofox{}
	for _, f := range []func() (*messages.Lease, error){
		func() (*messages.Lease, error) { return source.Open(t.Context()) },
		func() (*messages.Lease, error) { return source.Renew(t.Context(), nil) },
	} {
		lease, err := f()
		if lease != nil || !errors.Is(err, ErrNoCDP) || messages.CodeOf(err) != messages.CodeNoCDP || !strings.Contains(err.Error(), "REST only") {
			t.Errorf("%v, %v", lease, err)
		}
	}
	if source.Identity() == "" {
		t.Error("no identity")
	}
}

// A line break comes along with a key that was read from a file.
func TestBrowserbaseFromEnvTakesWhiteSpaceOff(t *testing.T) {
	env := map[string]string{"BROWSERBASE_API_KEY": "key\n", "BROWSERBASE_PROJECT_ID": " project ", "BROWSERBASE_BASE_URL": " http://h:1\r\n"}
	got, err := BrowserbaseFromEnv(func(name string) string { return env[name] })
	if err != nil || got.APIKey != "key" || got.ProjectID != "project" || got.BaseURL != "http://h:1" {
		t.Errorf("got %+v, %v", got, err)
	}
	env["BROWSERBASE_API_KEY"] = "hunter2\nhunter2"
	if _, err := BrowserbaseFromEnv(func(name string) string { return env[name] }); err == nil ||
		!strings.Contains(err.Error(), "BROWSERBASE_API_KEY") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a key of two lines: %v", err)
	}
	env["BROWSERBASE_API_KEY"] = " \n"
	if _, err := BrowserbaseFromEnv(func(name string) string { return env[name] }); err == nil || !strings.Contains(err.Error(), "no API key") {
		t.Errorf("an empty key: %v", err)
	}
}
