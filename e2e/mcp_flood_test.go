package e2e

import (
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpFlood throws all at once at the engine; every line on its stdout must
// stay JSON-RPC (see checkedLines) and every call must be answered.
func mcpFlood(t *testing.T, e *engineBinary, b *browser) {
	a := e.agent(t, "--cdp-url", b.address, "--own-tab", "--log-level", "debug")
	flood := b.page("flood.test", `<script>
		let n = 0;
		setInterval(() => { for (let i = 0; i < 40; i++) console.error("\u001b[31m{\"jsonrpc\":", n++, "\n\n", "x".repeat(500)) }, 5);
		setInterval(() => { const f = document.createElement("iframe"); f.srcdoc = "<p>" + n; document.body.append(f); if (document.querySelectorAll("iframe").length > 20) document.querySelector("iframe").remove() }, 20);
		setInterval(() => alert("{\"jsonrpc\":\"2.0\",\"id\":" + n + "}\n"), 200);
	</script><body>`)
	quiet := args{"task_id": "quiet"}
	a.do("browser_navigate", args{"url": flood})
	a.open(b.blank("quiet.test"), quiet)

	stop := make(chan struct{})
	var noise sync.WaitGroup
	noise.Go(func() { // what is no message must be answered, and hurt nobody
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			for _, line := range []string{"garbage \x00\xff {\n", "\n", "[]\n", `{"jsonrpc":"2.0","method":"notifications/nothing"}` + "\n"} {
				if _, err := io.WriteString(a.stdin, line); err != nil {
					return
				}
			}
			a.eval("1", quiet)
		}
	})
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			for i := range 12 {
				name, arguments := "browser_snapshot", args{"console": true}
				switch i % 4 {
				case 1:
					name, arguments = "browser_dialog", args{"action": "accept"}
				case 2:
					name, arguments = "browser_cdp", evaluate(fmt.Sprintf("%d", i), nil)
				case 3:
					name, arguments = "browser_cdp", args{"method": "Browser.getVersion"}
				}
				r, err := callOf(t.Context(), t, a.session, &mcp.CallToolParams{Name: name, Arguments: arguments})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				switch r.code() {
				case "", "no_dialog", "ambiguous_dialog", "dialog_open", "dialog_opened", "dialog_closed", "timeout", "unanswerable":
				default:
					t.Errorf("%s: %s", name, r)
				}
			}
		})
	}
	waitFor(t, &calls)
	close(stop)
	waitFor(t, &noise)
	if n := a.stdout.lines(); n < 96 {
		t.Errorf("only %d lines came", n)
	}
	b.mustLive(t)
}
