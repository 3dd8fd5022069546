package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/gorilla/websocket"
)

// mcpBackends is about browsers that come from elsewhere.
func mcpBackends(t *testing.T, e *engineBinary, b *browser) {
	t.Run("camofox", func(t *testing.T) {
		a := e.agent(t, "--backend", "camofox", "--tools", "always")
		list, err := a.session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			if tool.Name == "browser_dialog" || tool.Name == "browser_cdp" {
				t.Errorf("%s is listed", tool.Name)
			}
		}
		for _, name := range []string{"browser_snapshot", "browser_disconnect"} {
			if r := a.refused("no_cdp", name, nil); len(r) != 3 || !strings.Contains(r["error"].(string), "REST only") {
				t.Errorf("got %s", r)
			}
		}
		a.refused("no_cdp", "browser_dialog", args{"action": "accept"})
		a.refused("no_cdp", "browser_connect", args{"cdp_url": b.address})
	})

	t.Run("browserbase", func(t *testing.T) {
		// A browser whose backend closes native dialogs by itself, as
		// Browserbase does: only the bridge leaves them to the agent.
		b := launch(t)
		b.closeDialogs(t)
		api := newSessionAPI(t, b)
		account := func(key string) *engineBinary {
			return &engineBinary{path: e.path, env: []string{
				"XDG_CACHE_HOME=" + t.TempDir(), "BROWSERBASE_API_KEY=" + key, "BROWSERBASE_PROJECT_ID=proj", "BROWSERBASE_BASE_URL=" + api.URL,
			}}
		}
		a := account("key-secret").agent(t, "--backend", "browserbase")
		a.open(b.page("a.test", "<title>in the cloud</title>"), nil)
		if got := a.eval("document.title", nil); got != "in the cloud" {
			t.Errorf("the page is %v", got)
		}
		a.later(`prompt("Who?", "suggested")`, nil)
		if d := a.pending(1, nil).in("pending_dialogs", 0).(map[string]any); d["message"] != "Who?" || d["via"] == "native" {
			t.Errorf("the dialog is %v", d)
		}
		a.do("browser_dialog", args{"action": "accept", "prompt_text": "Ann"})
		if got := a.eval("seen[0]", nil); got != "Ann" {
			t.Errorf("the page saw %v", got)
		}
		if code := a.signal(syscall.SIGTERM); code != 143 {
			t.Errorf("exit code %d\n%s", code, a.stderr)
		}
		created, released := api.seen()
		if created != 1 || released != 1 {
			t.Errorf("%d sessions made, %d released", created, released)
		}
		if log := a.stderr.String(); strings.Contains(log, "secret") {
			t.Errorf("the log shows a secret:\n%s", log)
		}
		// The key is refused: an error that says so, at the first call.
		a = account("wrong-secret").agent(t, "--backend", "browserbase")
		r := a.try("browser_snapshot", nil)
		if r["success"] != false || !strings.Contains(fmt.Sprint(r["error"]), "BROWSERBASE_API_KEY") || strings.Contains(r.String(), "secret") {
			t.Errorf("got %s", r)
		}
	})
}

// closeDialogs dismisses every native dialog of a browser as it opens.
func (b *browser) closeDialogs(t *testing.T) {
	t.Helper()
	conn, response, err := websocket.DefaultDialer.DialContext(t.Context(), b.endpoint.Reveal(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	ended := make(chan struct{})
	t.Cleanup(func() {
		_ = conn.Close()
		<-ended
	})
	id := 0
	send := func(session, method string, p params) {
		id++
		message := map[string]any{"id": id, "method": method}
		if p != nil {
			message["params"] = p
		}
		if session != "" {
			message["sessionId"] = session
		}
		_ = conn.WriteJSON(message) // a connection that is over ends the loop below
	}
	send("", "Target.setAutoAttach", params{"autoAttach": true, "flatten": true, "waitForDebuggerOnStart": false, "filter": []params{{"type": "page"}}})
	go func() {
		defer close(ended)
		for {
			var m rawMessage
			if conn.ReadJSON(&m) != nil {
				return
			}
			switch m.Method {
			case "Target.attachedToTarget":
				var attached struct {
					SessionID string `json:"sessionId"`
				}
				if json.Unmarshal(m.Params, &attached) == nil {
					send(attached.SessionID, "Page.enable", nil)
				}
			case "Page.javascriptDialogOpening":
				send(m.SessionID, "Page.handleJavaScriptDialog", params{"accept": false})
			}
		}
	}()
}

// sessionAPI answers as Browserbase's does and hands out the browser.
type sessionAPI struct {
	*httptest.Server
	mu                sync.Mutex
	created, released int
}

func newSessionAPI(t *testing.T, b *browser) *sessionAPI {
	t.Helper()
	s := &sessionAPI{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		var in struct{ Status string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		switch {
		case r.Header.Get("X-BB-API-Key") != "key-secret":
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = fmt.Fprint(w, `{"message":"Invalid API key"}`)
		case r.URL.Path == "/v1/sessions":
			s.created++
			_, _ = fmt.Fprintf(w, `{"id":"s-%d","status":"RUNNING","connectUrl":%q,"expiresAt":"2099-01-01T00:00:00Z"}`, s.created, b.endpoint.Reveal()+"?signingKey=sign-secret")
		case in.Status == "REQUEST_RELEASE":
			s.released++
			_, _ = fmt.Fprint(w, `{}`)
		default:
			_, _ = fmt.Fprint(w, `{"status":"RUNNING"}`)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *sessionAPI) seen() (created, released int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.created, s.released
}
