package e2e

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"cdpsupervisor/messages"
)

// playwright connects the real thing to the browser: a Playwright that closes
// every native dialog. It ends with the test. `make bridge-e2e` installs it;
// where it is missing the test is skipped, unless BRIDGE_E2E is set.
func playwright(t *testing.T, b *browser) {
	t.Helper()
	folder := filepath.Join("testdata", "playwright")
	node, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join(folder, "node_modules", "playwright-core", "package.json"))
	}
	if err != nil {
		if os.Getenv("BRIDGE_E2E") != "" {
			t.Fatalf("Playwright is not installed: %v", err)
		}
		t.Skipf("`make bridge-e2e` installs Playwright: %v", err)
	}
	command := exec.CommandContext(t.Context(), node, "backend.js", b.endpoint.Reveal())
	command.Dir = folder
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = command.Wait() // killed with the test's context, if need be
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("Playwright said %q: %v", line, err)
	}
}

// TestBridgePlaywright is about a backend that runs Playwright.
func TestBridgePlaywright(t *testing.T) {
	t.Parallel()
	b := launchSecure(t)
	playwright(t, b)
	h := newHost(t)
	t.Run("auto notices it", func(t *testing.T) { notices(b.tab(t, h)) })
	for _, secure := range []bool{false, true} {
		origin := map[bool]string{false: "http://", true: "https://"}[secure]
		t.Run("the top frame of "+origin, func(t *testing.T) {
			p := b.tab(t, h, bridgeOn()...)
			p.show(p.served("a.test", secure, nil, askAll))
			answerAll(p, messages.ViaXHR, origin+"a.test")
		})
		t.Run("an OOPIF of "+origin, func(t *testing.T) {
			p := b.tab(t, h, bridgeOn()...)
			p.show(p.served("a.test", secure, nil, `<iframe src="`+p.served("b.test", secure, nil, askAll)+`"></iframe>`))
			answerAll(p, messages.ViaXHR, origin+"b.test")
		})
		t.Run("a popup of "+origin, func(t *testing.T) {
			p := b.tab(t, h, bridgeOn()...)
			p.open(p.served("a.test", secure, nil, ""))
			p.later(`open("` + p.served("b.test", secure, nil, askAll) + `", "_blank", "noopener") === null`)
			answerAll(p, messages.ViaXHR, origin+"b.test")
		})
	}
	for _, via := range []messages.ViaKind{messages.ViaXHR, messages.ViaDebugger} {
		t.Run("a sandbox by "+string(via), func(t *testing.T) {
			p := b.tab(t, h, bridgeOn(transport(messages.BridgeTransport(via)))...)
			p.show(p.page("a.test", `<iframe sandbox="allow-scripts allow-modals" src="`+p.page("b.test", askAll)+`"></iframe>`))
			answerAll(p, via, "null")
			p.show(p.page("a.test", `<iframe sandbox="allow-scripts" src="`+p.page("b.test", askAll)+`"></iframe>`))
			if got := fmt.Sprint(p.reported(t)); got != forbidden {
				t.Errorf("the page got %s", got)
			}
		})
	}
	t.Run("the debugger", func(t *testing.T) {
		p := b.tab(t, h, bridgeOn(transport(messages.TransportDebugger))...)
		p.show(p.served("a.test", true, nil, askAll))
		answerAll(p, messages.ViaDebugger, "https://a.test")
	})
	b.mustLive(t)
}
