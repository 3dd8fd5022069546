package e2e

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpStdio is an agent's ordinary life.
func mcpStdio(t *testing.T, e *engineBinary, b *browser) {
	own := []string{"--cdp-url", b.address, "--own-tab"}

	t.Run("tools", func(t *testing.T) {
		a := e.agent(t, own...)
		list, err := a.session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			if tool.Annotations == nil || tool.Annotations.DestructiveHint == nil || tool.Annotations.OpenWorldHint == nil {
				t.Errorf("%s lacks annotations", tool.Name)
			}
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != "browser_cdp browser_connect browser_dialog browser_disconnect browser_navigate browser_snapshot" {
			t.Errorf("tools %s", got)
		}
	})

	t.Run("snapshot of all frames", func(t *testing.T) {
		a := e.agent(t, own...)
		inner := b.page("deep.test", `<button>Innermost</button>`)
		cross := b.page("b.test", fmt.Sprintf(`<h2>Cross</h2><iframe title=inner src=%q></iframe>`, inner))
		same := b.page("a.test", `<button>Same</button>`)
		url := b.page("a.test", fmt.Sprintf(`<title>Shop</title><h1>Hello <b>you</b></h1><label>Name <input value=Ann required></label>
			<iframe title=same src=%q></iframe><iframe title=cross src=%q></iframe>
			<iframe title=doc srcdoc="<p>From srcdoc</p>"></iframe><input type=checkbox checked aria-label=News><button disabled>Go</button>`, same, cross))
		r := a.open(url, nil)
		if r["url"] != url || r["page_target_id"] == nil {
			t.Errorf("navigate answered %s", r)
		}
		r = a.do("browser_snapshot", nil)
		outline, _ := r["snapshot"].(string)
		at := 0
		for _, part := range []string{ // in this order, deeper where it says so
			`- heading "Hello you" [level=1]`, `- textbox "Name" = "Ann" [required, node=`,
			`- iframe "same" [frame_id=`, "\n  - button \"Same\" [node=",
			`- iframe "cross" [frame_id=`, "own process]\n  - heading \"Cross\" [level=2]", "\n  - iframe \"inner\" [frame_id=", "\n    - button \"Innermost\" [node=",
			`- iframe "doc" [frame_id=`, "\n  - text \"From srcdoc\"",
			`- checkbox "News" [checked, node=`, `- button "Go" [disabled, node=`,
		} {
			i := strings.Index(outline[at:], part)
			if i < 0 {
				t.Fatalf("%q is not in its place:\n%s", part, outline)
			}
			at += i
		}
		if r["url"] != url || r["title"] != "Shop" || r["element_count"].(float64) < 10 || r["supervisor"] != nil {
			t.Errorf("got %s", r)
		}
		if children, _ := r.in("frame_tree", "children").([]any); len(children) != 4 {
			t.Errorf("frame_tree %v", r["frame_tree"])
		}
		// node=N is what browser_cdp takes.
		var node int
		if _, err := fmt.Sscanf(outline[strings.Index(outline, `"Ann" [required, node=`)+len(`"Ann" [required, node=`):], "%d", &node); err != nil {
			t.Fatal(err)
		}
		a.do("browser_cdp", args{"method": "DOM.focus", "params": map[string]any{"backendNodeId": node}})
		a.do("browser_cdp", args{"method": "Input.insertText", "params": map[string]any{"text": "X"}})
		if got := a.eval(`document.querySelector("input").value`, nil); !strings.Contains(got.(string), "X") {
			t.Errorf("the page has %q", got)
		}
	})

	t.Run("a dialog", func(t *testing.T) {
		a := e.agent(t, own...)
		cross := b.page("b.test", `<button>Still here</button>`)
		a.open(b.page("a.test", fmt.Sprintf(`<h1>Top</h1><iframe src=%q></iframe>`, cross)), nil)
		a.do("browser_snapshot", nil)
		a.later(`confirm("Delete it?")`, nil)
		r := a.pending(1, nil)
		if d := r.in("pending_dialogs", 0).(map[string]any); d["id"] != "d-1" || d["type"] != "confirm" || d["message"] != "Delete it?" || d["via"] != "native" {
			t.Errorf("the dialog is %v", d)
		}
		began := time.Now()
		r = a.do("browser_snapshot", nil)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("a snapshot with a dialog open took %s", took)
		}
		outline := r["snapshot"].(string)
		if !strings.Contains(outline, "blocked by dialog d-1") || !strings.Contains(outline, `button "Still here"`) || strings.Contains(outline, "Top") {
			t.Errorf("the outline is\n%s", outline)
		}
		open := a.refused("dialog_open", "browser_cdp", evaluate("1", nil))
		if open.in("dialog", "id") != "d-1" || open.in("pending_dialogs", 0, "id") != "d-1" {
			t.Errorf("got %s", open)
		}
		r = a.do("browser_dialog", args{"action": "accept"})
		if r["action"] != "accept" || r.in("dialog", "closed_by") != "agent" || r.in("dialog", "result") != true || r["pending_dialogs"] != nil {
			t.Errorf("answered %s", r)
		}
		if got := a.eval("seen[0]", nil); got != true {
			t.Errorf("the page saw %v", got)
		}
		r = a.do("browser_snapshot", nil)
		if r.in("recent_dialogs", 0, "id") != "d-1" || len(r["pending_dialogs"].([]any)) != 0 {
			t.Errorf("after it %s", r)
		}
	})

	t.Run("a prompt", func(t *testing.T) {
		a := e.agent(t, own...)
		a.open(b.blank("a.test"), nil)
		for _, tc := range []struct {
			arguments args
			saw       any
		}{
			{args{"action": "accept", "prompt_text": "Ann"}, "Ann"},
			{args{"action": "accept", "prompt_text": ""}, ""},
			{args{"action": "accept"}, "suggested"},
			{args{"action": "dismiss"}, nil},
		} {
			a.later(`prompt("Who?", "suggested")`, nil)
			a.pending(1, nil)
			a.do("browser_dialog", tc.arguments)
			if got := a.eval("seen[seen.length - 1]", nil); got != tc.saw {
				t.Errorf("%v: the page saw %#v, want %#v", tc.arguments, got, tc.saw)
			}
		}
	})

	t.Run("an early dialog", func(t *testing.T) {
		// The page opens it before the agent has said anything.
		second := dialRaw(t, b.endpoint)
		release := make(chan struct{})
		gate := b.handle("early.test", func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		})
		url := b.page("early.test", fmt.Sprintf(`<script>fetch(%q).then(() => setTimeout(() => confirm("early"), 1000))</script>`, gate))
		target := field(t, second.call("", "Target.createTarget", params{"url": url, "background": true}), "targetId")
		a := e.agent(t, "--cdp-url", b.address, "--target-id", target)
		eventually(t, "the engine has attached to the page", func() bool {
			return strings.Contains(string(second.call("", "Target.getTargetInfo", params{"targetId": target})), `"attached":true`)
		})
		close(release)
		if r := a.pending(1, nil); r.in("pending_dialogs", 0, "message") != "early" {
			t.Errorf("got %s", r)
		}
		a.do("browser_dialog", args{"action": "dismiss"})
		a.do("browser_cdp", args{"method": "Target.closeTarget", "params": map[string]any{"targetId": target}})
	})

	t.Run("console errors", func(t *testing.T) {
		a := e.agent(t, own...)
		a.open(b.page("a.test", `<script>console.error("it", "broke", 7)</script>`), nil)
		r := a.do("browser_snapshot", args{"console": true})
		if text, _ := r.in("console_errors", 0, "text").(string); !strings.Contains(text, "broke") {
			t.Errorf("got %v", r["console_errors"])
		}
	})

	t.Run("progress and cancellation", func(t *testing.T) {
		a := e.agent(t, own...)
		a.open(b.blank("a.test"), nil)
		params := &mcp.CallToolParams{Name: "browser_cdp", Arguments: evaluate("new Promise(r => setTimeout(() => r('done'), 5000))", nil)}
		params.SetProgressToken("slow")
		r, err := callOf(t.Context(), t, a.session, params)
		if err != nil || r.in("result", "result", "value") != "done" {
			t.Errorf("%s, %v", r, err)
		}
		select {
		case p := <-a.progress:
			if p.ProgressToken != "slow" || p.Progress < 2 || !strings.Contains(p.Message, "browser_cdp") {
				t.Errorf("got %+v", p)
			}
		default:
			t.Error("no progress in 5 s")
		}
		cancelAfterStart(t, a)
	})

	t.Run("a stop answers what is under way", func(t *testing.T) {
		a := e.agent(t, own...)
		a.open(b.blank("a.test"), nil)
		answers := make(chan result, 1)
		go func() {
			r, err := callOf(t.Context(), t, a.session, &mcp.CallToolParams{Name: "browser_cdp", Arguments: evaluate("document.title = 'under way'; new Promise(() => {})", nil)})
			if err != nil {
				r = result{"code": err.Error()}
			}
			answers <- r
		}()
		eventually(t, "the call is under way", func() bool { return a.eval("document.title", nil) == "under way" })
		if code := a.signal(syscall.SIGTERM); code != 143 {
			t.Errorf("exit code %d, want 143\n%s", code, a.stderr)
		}
		if r := <-answers; r.code() != "stopped" {
			t.Errorf("the call got %s", r)
		}
		b.mustLive(t)
	})

	t.Run("a person confirms", func(t *testing.T) {
		action := "decline"
		var asked []string
		a := e.agentWith(t, func(_ *agent, o *mcp.ClientOptions) {
			o.ElicitationHandler = elicitation(func(p *mcp.ElicitParams) *mcp.ElicitResult {
				asked = append(asked, p.Message)
				return &mcp.ElicitResult{Action: action, Content: map[string]any{}}
			})
		}, append(own, "--confirm-accept")...)
		a.open(b.blank("a.test"), nil)
		a.later(`confirm("Pay 100 €?")`, nil)
		a.pending(1, nil)
		a.refused("denied", "browser_dialog", args{"action": "accept"})
		a.pending(1, nil) // it is still open
		action = "accept"
		a.do("browser_dialog", args{"action": "accept"})
		if got := a.eval("seen[0]", nil); got != true {
			t.Errorf("the page saw %v", got)
		}
		if len(asked) != 2 || !strings.Contains(asked[0], "Pay 100 €?") {
			t.Errorf("the person was asked %q", asked)
		}
	})
}

// elicitation answers questions to the person at the client.
func elicitation(answer func(*mcp.ElicitParams) *mcp.ElicitResult) func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return answer(r.Params), nil }
}

// cancelAfterStart cancels a call that would never end, and sees that the
// session lives on.
func cancelAfterStart(t *testing.T, a *agent) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := callOf(ctx, t, a.session, &mcp.CallToolParams{Name: "browser_cdp", Arguments: evaluate("document.title = 'begun'; new Promise(() => {})", nil)})
		ended <- err
	}()
	eventually(t, "the call has begun", func() bool { return a.eval("document.title", nil) == "begun" })
	cancel()
	if err := <-ended; err == nil {
		t.Error("a cancelled call returned a result")
	}
	if got := a.eval("1 + 1", nil); got != 2.0 {
		t.Errorf("after the cancelled call: %v", got)
	}
}

// eventually waits for a state; the deadline is for a test that has failed.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(20 * time.Millisecond) // between two looks
	}
}
