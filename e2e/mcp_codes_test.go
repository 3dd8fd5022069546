package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpCodes shows each code of the contract on the real browser.
func mcpCodes(t *testing.T, e *engineBinary, b *browser) {
	own := []string{"--cdp-url", b.address, "--own-tab"}
	a := e.agent(t, own...)
	tasks := 0
	// each runs one case in a task of its own.
	each := func(code string, run func(t *testing.T, task args)) {
		t.Run(code, func(t *testing.T) {
			tasks++
			task := args{"task_id": fmt.Sprintf("%s-%d", code, tasks)}
			saved := a.t
			a.t = t
			defer func() { a.t = saved }()
			run(t, task)
			if r := a.try("browser_disconnect", task); r.code() != "" && r.code() != "no_supervisor" && r.code() != "stopped" {
				t.Errorf("disconnect: %s", r)
			}
		})
	}
	with := func(task args, more args) args {
		all := args{}
		for _, m := range []args{task, more} {
			for k, v := range m {
				all[k] = v
			}
		}
		return all
	}
	eval := func(task args, expression string, more args) args { return with(evaluate(expression, task), more) }

	each("invalid_argument", func(t *testing.T, task args) {
		a.refused("invalid_argument", "browser_cdp", with(task, args{"method": "Runtime.evaluate", "timeout": 301}))
		a.refused("invalid_argument", "browser_dialog", with(task, args{"action": "maybe"}))
		a.refused("invalid_argument", "browser_snapshot", with(task, args{"depth": 3}))
	})
	each("no_dialog", func(t *testing.T, task args) {
		a.refused("no_dialog", "browser_dialog", with(task, args{"action": "accept"}))
	})
	each("unknown_dialog", func(t *testing.T, task args) {
		a.refused("unknown_dialog", "browser_dialog", with(task, args{"action": "accept", "dialog_id": "d-99999"}))
	})
	each("dialog_open", func(t *testing.T, task args) {
		a.open(b.blank("a.test"), task)
		a.later(`alert("open")`, task)
		id := a.pending(1, task).in("pending_dialogs", 0, "id")
		if r := a.refused("dialog_open", "browser_cdp", eval(task, "1", nil)); r.in("dialog", "id") != id {
			t.Errorf("got %s", r)
		}
		if r := a.refused("dialog_open", "browser_navigate", with(task, args{"url": b.blank("a.test")})); r.in("dialog", "id") != id {
			t.Errorf("got %s", r)
		}
		a.do("browser_dialog", with(task, args{"action": "accept"}))
		// and then it is over
		if r := a.refused("dialog_closed", "browser_dialog", with(task, args{"action": "accept", "dialog_id": id})); r.in("dialog", "closed_by") != "agent" {
			t.Errorf("got %s", r)
		}
	})
	each("dialog_opened", func(t *testing.T, task args) {
		a.open(b.blank("a.test"), task)
		began := time.Now()
		r := a.refused("dialog_opened", "browser_cdp", eval(task, `confirm("from the call itself")`, nil))
		if r.in("dialog", "message") != "from the call itself" || time.Since(began) > 10*time.Second {
			t.Errorf("after %s: %s", time.Since(began), r)
		}
		a.do("browser_dialog", with(task, args{"action": "dismiss"}))
	})
	each("ambiguous_dialog", func(t *testing.T, task args) {
		a.open(b.page("a.test", ""), task)
		popup := b.page("a.test", `<script>setTimeout(() => confirm("in the popup"), 300)</script>`)
		a.eval(fmt.Sprintf(`void open(%q, "_blank", "noopener")`, popup), task)
		a.later(`confirm("in the page")`, task)
		a.pending(2, task)
		r := a.refused("ambiguous_dialog", "browser_dialog", with(task, args{"action": "accept"}))
		list, _ := r["dialogs"].([]any)
		if len(list) != 2 || r.in("dialogs", 0, "id") == nil || !strings.Contains(r.String(), "in the popup") {
			t.Errorf("got %s", r)
		}
		for _, d := range list {
			a.do("browser_dialog", with(task, args{"action": "dismiss", "dialog_id": d.(map[string]any)["id"]}))
		}
	})
	each("unanswerable", func(t *testing.T, task args) {
		a.open(b.page("a.test", fmt.Sprintf(`<iframe src=%q></iframe>`, b.page("b.test", `<script>setTimeout(() => confirm("second"), 1500)</script>`))), task)
		a.later(`confirm("first")`, task)
		var second any
		eventually(t, "the second dialog supersedes the first", func() bool {
			r := a.do("browser_cdp", with(task, args{"method": "Browser.getVersion"}))
			open, _ := r["pending_dialogs"].([]any)
			for _, d := range open {
				if m := d.(map[string]any); m["state"] == "unanswerable" {
					second = m["id"]
				}
			}
			return second != nil
		})
		if r := a.refused("unanswerable", "browser_dialog", with(task, args{"action": "accept", "dialog_id": second})); r.in("dialog", "id") != second {
			t.Errorf("got %s", r)
		}
		a.open(b.blank("a.test"), task) // the way out
		b.mustLive(t)
	})
	each("unknown_frame", func(t *testing.T, task args) {
		a.refused("unknown_frame", "browser_cdp", eval(task, "1", args{"frame_id": "0123456789ABCDEF"}))
		if r := a.refused("unknown_frame", "browser_cdp", eval(task, "1", args{"target_id": "0123456789ABCDEF"})); !strings.Contains(r.String(), "no page target 0123456789ABCDEF") {
			t.Errorf("got %s", r)
		}
		for _, where := range []string{"frame_id", "target_id"} { // a method of the browser, too
			a.refused("unknown_frame", "browser_cdp", with(task, args{"method": "Browser.getVersion", where: "0123456789ABCDEF"}))
		}
	})
	each("not_oopif", func(t *testing.T, task args) {
		a.open(b.page("a.test", fmt.Sprintf(`<iframe src=%q></iframe>`, b.blank("a.test"))), task)
		frame := a.do("browser_snapshot", task).in("frame_tree", "children", 0, "frame_id")
		r := a.refused("not_oopif", "browser_cdp", eval(task, "1", args{"frame_id": frame}))
		if !strings.Contains(r["error"].(string), "contentWindow") && !strings.Contains(r["error"].(string), "contentDocument") {
			t.Errorf("no way out: %s", r)
		}
		if got := a.do("browser_cdp", eval(task, "parent !== self", args{"frame_id": frame, "same_process": true})).in("result", "result", "value"); got != true {
			t.Errorf("same_process evaluated %v", got)
		}
	})
	each("page_blocked", func(t *testing.T, task args) {
		second := dialRaw(t, b.endpoint)
		target, session := second.page(b.blank("a.test"))
		second.send(session, "Runtime.evaluate", params{"expression": `later(() => alert("before us"))`})
		second.silent(session, "Runtime.evaluate", params{"expression": "1"}, 500*time.Millisecond)
		blocked := e.agent(t, "--cdp-url", b.address, "--target-id", target)
		r := blocked.refused("page_blocked", "browser_cdp", evaluate("1", nil))
		if ways, _ := r["ways_out"].([]any); len(ways) == 0 {
			t.Errorf("got %s", r)
		}
		snapshot := blocked.do("browser_snapshot", nil)
		if snapshot.in("supervisor", "status") != "blocked" {
			t.Errorf("got %s", snapshot)
		}
		blocked.do("browser_cdp", args{"method": "Target.closeTarget", "params": map[string]any{"targetId": target}})
	})
	each("target_crashed", func(t *testing.T, task args) {
		a.open(b.blank("crash.test"), task)
		pending := make(chan result, 1)
		go func() {
			r, err := callOf(t.Context(), t, a.session, &mcp.CallToolParams{Name: "browser_cdp", Arguments: eval(task, "document.title='waiting'; new Promise(() => {})", nil)})
			if err != nil {
				r = result{"code": err.Error()}
			}
			pending <- r
		}()
		eventually(t, "a call is under way", func() bool { return a.eval("document.title", task) == "waiting" })
		a.try("browser_cdp", with(task, args{"method": "Page.crash", "timeout": 5}))
		if r := <-pending; r.code() != "target_crashed" {
			t.Errorf("the call under way got %s", r)
		}
		eventually(t, "the task knows", func() bool {
			return a.try("browser_cdp", eval(task, "1", nil)).code() == "target_crashed"
		})
		a.open(b.blank("crash.test"), task) // the way out
	})
	each("tab_gone", func(t *testing.T, task args) {
		target := a.open(b.blank("a.test"), task)["page_target_id"]
		a.do("browser_cdp", with(task, args{"method": "Target.closeTarget", "params": map[string]any{"targetId": target}}))
		eventually(t, "the task knows", func() bool { return a.try("browser_cdp", eval(task, "1", nil)).code() == "tab_gone" })
		if r := a.refused("tab_gone", "browser_snapshot", task); r.in("supervisor", "status") != "tab_gone" {
			t.Errorf("got %s", r)
		}
		a.open(b.blank("a.test"), task) // opens another
	})
	each("timeout", func(t *testing.T, task args) {
		a.open(b.blank("a.test"), task)
		a.refused("timeout", "browser_cdp", eval(task, "new Promise(() => {})", args{"timeout": 1}))
	})
	each("session_lost", func(t *testing.T, task args) {
		a.open(b.page("a.test", fmt.Sprintf(`<iframe src=%q></iframe>`, b.blank("b.test"))), task)
		frame := a.do("browser_snapshot", task).in("frame_tree", "children", 0, "frame_id")
		a.eval("window.heard = new Promise(done => addEventListener('message', () => done(1))); 1", task)
		pending := make(chan result, 1)
		go func() {
			r, err := callOf(t.Context(), t, a.session, &mcp.CallToolParams{Name: "browser_cdp", Arguments: eval(task, "parent.postMessage('waiting', '*'); new Promise(() => {})", args{"frame_id": frame})})
			if err != nil {
				r = result{"code": err.Error()}
			}
			pending <- r
		}()
		a.eval("heard", task)
		a.eval("document.querySelector('iframe').remove()", task)
		if r := <-pending; r.code() != "session_lost" {
			t.Errorf("got %s", r)
		}
	})
	each("cdp_error", func(t *testing.T, task args) {
		if r := a.refused("cdp_error", "browser_cdp", with(task, args{"method": "Page.noSuchMethod"})); r["cdp_code"] != -32601.0 {
			t.Errorf("got %s", r)
		}
		if r := a.refused("cdp_error", "browser_navigate", with(task, args{"url": "http://127.0.0.1:1/"})); !strings.HasPrefix(fmt.Sprint(r["error_text"]), "net::ERR_") {
			t.Errorf("got %s", r)
		}
	})
	each("too_large", func(t *testing.T, task args) {
		a.open(b.blank("a.test"), task)
		large := `"x".repeat(2 << 20)`
		if r := a.refused("too_large", "browser_cdp", eval(task, large, nil)); r["size"].(float64) < 2<<20 {
			t.Errorf("got %s", r)
		}
		a.do("browser_cdp", eval(task, large, args{"max_bytes": 4 << 20}))
	})
	each("denied", func(t *testing.T, task args) {
		a.refused("denied", "browser_cdp", with(task, args{"method": "Fetch.enable"}))
		a.refused("denied", "browser_cdp", with(task, args{"method": "Target.setAutoAttach", "params": map[string]any{}}))
	})
	each("cancelled_by_dialog", func(t *testing.T, task args) {
		a.open(b.page("a.test", `<script>onbeforeunload = e => e.preventDefault()</script>`), task)
		a.eval("1", task) // a touch, without which there is no question
		next := with(task, args{"url": b.blank("a.test")})
		if r := a.refused("dialog_opened", "browser_navigate", next); r.in("dialog", "type") != "beforeunload" {
			t.Errorf("got %s", r)
		}
		a.do("browser_dialog", with(task, args{"action": "dismiss"}))
		// A policy that dismisses by itself answers while the call waits.
		dismissing := e.agent(t, append(own, "--dialog-policy", "auto_dismiss")...)
		dismissing.open(b.page("a.test", `<script>onbeforeunload = e => e.preventDefault()</script>`), nil)
		dismissing.eval("1", nil)
		dismissing.refused("cancelled_by_dialog", "browser_navigate", args{"url": b.blank("a.test")})
	})
	each("no_supervisor", func(t *testing.T, task args) {
		a.refused("no_supervisor", "browser_disconnect", task)
		a.refused("no_cdp", "browser_snapshot", task)
	})
	t.Run("connection_lost", func(t *testing.T) {
		mine := launch(t)
		w := mine.behindWire(t)
		lost := e.agent(t, "--cdp-url", w.address, "--own-tab")
		lost.open(mine.blank("a.test"), nil)
		pending := make(chan result, 1)
		go func() {
			r, err := callOf(t.Context(), t, lost.session, &mcp.CallToolParams{Name: "browser_cdp", Arguments: evaluate("document.title='waiting'; new Promise(() => {})", nil)})
			if err != nil {
				r = result{"code": err.Error()}
			}
			pending <- r
		}()
		eventually(t, "a call is under way", func() bool { return lost.eval("document.title", nil) == "waiting" })
		w.lead("")
		if r := <-pending; r.code() != "connection_lost" {
			t.Errorf("got %s", r)
		}
		w.lead(mine.address)
		eventually(t, "it is back", func() bool { return lost.try("browser_cdp", evaluate("1", nil))["success"] == true })
	})
}
