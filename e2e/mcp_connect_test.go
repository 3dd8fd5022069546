package e2e

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpConnect is about endpoints that come and go.
func mcpConnect(t *testing.T, e *engineBinary, b *browser) {
	count := func(t *testing.T, a *agent) int {
		t.Helper()
		list, err := a.session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return len(list.Tools)
	}

	t.Run("from nothing", func(t *testing.T) {
		a := e.agent(t)
		if got := count(t, a); got != 4 {
			t.Errorf("%d tools before any endpoint", got)
		}
		r := a.refused("no_cdp", "browser_snapshot", nil)
		if len(r) != 3 || !strings.Contains(r["error"].(string), "browser_connect") {
			t.Errorf("got %s", r)
		}
		a.refused("no_cdp", "browser_cdp", args{"method": "Browser.getVersion"})
		r = a.do("browser_connect", args{"cdp_url": b.endpoint.Reveal()})
		if r["endpoint"] != "ws://"+b.address || strings.Contains(r.String(), "/devtools/") {
			t.Errorf("got %s", r)
		}
		select {
		case <-a.changed:
		case <-time.After(patience):
			t.Fatal("no tools/list_changed")
		}
		if got := count(t, a); got != 6 {
			t.Errorf("%d tools after it", got)
		}
		a.do("browser_cdp", args{"method": "Browser.getVersion"})
		a.do("browser_disconnect", nil)
		a.refused("no_cdp", "browser_cdp", args{"method": "Browser.getVersion"})
		if got := count(t, a); got != 6 {
			t.Errorf("%d tools after browser_disconnect", got)
		}
		a.do("browser_connect", args{"cdp_url": b.address})
	})

	t.Run("always", func(t *testing.T) {
		a := e.agent(t, "--tools", "always")
		if got := count(t, a); got != 6 {
			t.Errorf("%d tools", got)
		}
		a.refused("no_cdp", "browser_dialog", args{"action": "accept"})
	})

	t.Run("a dead endpoint leaves the old one", func(t *testing.T) {
		b := launch(t) // whose pages only this test opens
		a := e.agent(t, "--cdp-url", b.address, "--own-tab")
		target := a.do("browser_navigate", args{"url": b.page("a.test", `<script>setTimeout(() => seen.push(confirm("kept")), 0)</script>`)})["page_target_id"]
		open := a.pending(1, nil).in("pending_dialogs", 0, "id")
		before := pages(t, b)
		for _, url := range []string{"ws://127.0.0.1:1/devtools/browser/x?token=hunter2", "127.0.0.1:1", "http://" + b.site.address + "/?token=hunter2"} {
			began := time.Now()
			r := a.refused("no_cdp", "browser_connect", args{"cdp_url": url})
			if took := time.Since(began); took > 15*time.Second {
				t.Errorf("%s took %s", url, took)
			}
			if strings.Contains(r.String(), "hunter2") || !strings.Contains(r["error"].(string), "stays as it was") {
				t.Errorf("got %s", r)
			}
		}
		a.refused("invalid_argument", "browser_connect", args{"cdp_url": "ftp://h/?token=hunter2"})
		if r := a.pending(1, nil); r.in("pending_dialogs", 0, "id") != open {
			t.Errorf("the dialog is another: %s", r)
		}
		a.do("browser_dialog", args{"action": "accept"})
		if got := a.eval("seen[0]", nil); got != true {
			t.Errorf("the page saw %v", got)
		}
		if r := a.do("browser_snapshot", nil); r["page_target_id"] != target {
			t.Errorf("the page is another: %s", r)
		}
		if after := pages(t, b); after != before {
			t.Errorf("%d pages before, %d after", before, after)
		}
		if strings.Contains(a.stderr.String(), "hunter2") {
			t.Errorf("the log shows a secret:\n%s", a.stderr)
		}
	})

	t.Run("another browser", func(t *testing.T) {
		b, other := launch(t), launch(t)
		a := e.agent(t, "--cdp-url", b.address, "--own-tab")
		a.open(b.blank("a.test"), nil)
		a.later(`confirm("left behind")`, nil)
		a.pending(1, nil)
		tabs := pages(t, b)
		a.do("browser_connect", args{"cdp_url": "http://" + other.address})
		r := a.do("browser_snapshot", nil)
		if len(r["pending_dialogs"].([]any)) != 0 || len(r["recent_dialogs"].([]any)) != 0 {
			t.Errorf("state crossed endpoints: %s", r)
		}
		a.open(other.page("a.test", `<title>Other</title>`), nil)
		if got := a.eval("document.title", nil); got != "Other" {
			t.Errorf("the page is %v", got)
		}
		eventually(t, "the tab of our own is closed", func() bool { return pages(t, b) == tabs-1 })
		b.mustLive(t)
	})

	t.Run("a launched browser", func(t *testing.T) {
		a := e.agent(t, "--launch", "--headless", "--isolated")
		a.do("browser_navigate", args{"url": "data:text/html,<title>Mine</title><button>Go</button>"})
		eventually(t, "the page has loaded", func() bool {
			return strings.Contains(fmt.Sprint(a.do("browser_snapshot", nil)["snapshot"]), `button "Go"`)
		})
	})

	t.Run("a page that asks before it connects", func(t *testing.T) {
		// Probing an endpoint touches no page of that browser.
		other := launch(t)
		second := dialRaw(t, other.endpoint)
		_, session := second.page(other.blank("a.test"))
		eventually(t, "the page has loaded", func() bool { return second.eval(session, "typeof later") == "function" })
		second.eval(session, `later(() => confirm("not ours"))`)
		second.event(session, "Page.javascriptDialogOpening")
		before := pages(t, other)
		a := e.agent(t)
		a.try("browser_connect", args{"cdp_url": other.address})
		a.try("browser_disconnect", nil)
		if after := pages(t, other); after != before {
			t.Errorf("%d pages before, %d after", before, after)
		}
		// The dialog that was open before is still its other client's to answer.
		second.call(session, "Page.handleJavaScriptDialog", params{"accept": true})
		if got := second.eval(session, "seen[0]"); got != true {
			t.Errorf("the page saw %v", got)
		}
		other.mustLive(t)
	})
}

// pages counts the page targets of a browser.
func pages(t *testing.T, b *browser) int {
	t.Helper()
	second := dialRaw(t, b.endpoint)
	n := 0
	for _, target := range targets(t, second.call("", "Target.getTargets", nil)) {
		if target.Type == "page" {
			n++
		}
	}
	return n
}

// mcpConcurrency is about many tasks and calls at once.
func mcpConcurrency(t *testing.T, e *engineBinary, b *browser) {
	a := e.agent(t, "--cdp-url", b.address, "--own-tab")

	t.Run("a stuck page delays no other", func(t *testing.T) {
		stuck, free := args{"task_id": "stuck"}, args{"task_id": "free"}
		a.open(b.blank("stuck.test"), stuck)
		a.open(b.blank("free.test"), free)
		var waiting sync.WaitGroup
		for range 20 {
			waiting.Go(func() {
				r, err := callOf(t.Context(), t, a.session, &mcp.CallToolParams{
					Name: "browser_cdp", Arguments: evaluate("for(;;);", args{"task_id": "stuck", "timeout": 15}),
				})
				if err != nil || r.code() != "timeout" && r.code() != "session_lost" { // when the tab is closed below
					t.Errorf("%s, %v", r, err)
				}
			})
		}
		for range 20 {
			began := time.Now()
			a.eval("1", free)
			a.do("browser_snapshot", free)
			if took := time.Since(began); took > 8*time.Second {
				t.Errorf("two calls took %s beside a stuck page", took)
			}
		}
		began := time.Now()
		r := a.do("browser_snapshot", stuck) // says so, within its own bound
		if took := time.Since(began); took > 14*time.Second || !strings.Contains(r["snapshot"].(string), "did not answer") {
			t.Errorf("after %s: %s", took, r)
		}
		a.do("browser_cdp", args{"task_id": "stuck", "method": "Target.closeTarget", "params": map[string]any{"targetId": r["page_target_id"]}})
		waitFor(t, &waiting)
	})

	t.Run("an answer overtakes the call that it frees", func(t *testing.T) {
		task := args{"task_id": "overtake"}
		a.open(b.blank("a.test"), task)
		a.refused("dialog_opened", "browser_cdp", evaluate(`confirm("?")`, task))
		a.do("browser_dialog", args{"task_id": "overtake", "action": "accept"})
	})

	t.Run("many tasks", func(t *testing.T) {
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				task := args{"task_id": fmt.Sprintf("many-%d", i)}
				a.open(b.page("a.test", fmt.Sprintf(`<title>page %d</title>`, i)), task)
				a.later(fmt.Sprintf(`prompt("number?", "%d")`, i), task)
				a.pending(1, task)
				a.do("browser_dialog", args{"task_id": task["task_id"], "action": "accept", "prompt_text": fmt.Sprint(i * i)})
				if got := a.eval(`document.title + " " + seen[0]`, task); got != fmt.Sprintf("page %d %d", i, i*i) {
					t.Errorf("task %d got %v", i, got)
				}
			})
		}
		waitFor(t, &all)
	})
}

// waitFor bounds a wait.
func waitFor(t *testing.T, wg *sync.WaitGroup) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		wg.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(4 * patience):
		t.Fatal("the calls did not end")
	}
}
