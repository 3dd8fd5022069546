package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"

	"cdpsupervisor/bench/compare"
)

// clients are those that this machine has: the Go ones always, the others where
// their program and their packages are there.
func clients(ctx context.Context, bin string) []compare.Client {
	client := filepath.Join(bin, "bench-client")
	list := []compare.Client{
		{Name: compare.Raw, About: "gorilla NextReader into one reused 64 KiB buffer; looks at nothing", Command: []string{client, "raw"}},
		{Name: compare.Engine, About: "this engine whole: sockets, actors, sessions set up, frame tree, contexts, console ring, snapshot published", Command: []string{client, "engine"}},
		{Name: compare.Map, About: "gorilla ReadMessage, encoding/json into map[string]any, a map of frames; sets no session up", Command: []string{client, "map"}},
		{Name: compare.Conns, About: "a WebSocket that nobody speaks on and a goroutine that waits for a byte", Command: []string{client, "conns"}},
	}
	if peers := filepath.Join(bin, "bench-peers"); exists(peers) {
		list = append(list,
			compare.Client{Name: compare.Chromedp, About: "chromedp as its manual has it: one tab context with a listener; decodes the events of the page's session and drops those of remote frames unread, so of the recorded page it does not know two thirds", Command: []string{peers, "chromedp"}},
			compare.Client{Name: compare.Chromedp + "'s decoder", About: "the connection and the decoder of chromedp without the rest of it: reads every message and decodes every event of every session into its type; keeps a map of frames", Command: []string{peers, "chromedp-all"}},
			compare.Client{Name: compare.Rod, About: "rod with EachEvent on the browser: sets each session up with four commands, frames, contexts and console of every session decoded; keeps a map of frames", Command: []string{peers, "rod-all"}},
			compare.Client{Name: compare.Rod + ", one page", About: "the same on the page's session only; what remote frames say is passed over", Command: []string{peers, "rod"}},
		)
	}
	node, err := exec.LookPath("node")
	scripts := filepath.Join("bench", "peers", "node")
	if err == nil && exists(filepath.Join(scripts, "node_modules")) {
		list = append(list,
			compare.Client{Name: compare.Puppeteer, About: "puppeteer-core connected to the browser; frames, contexts, console and network managers of the page and of every OOPIF", Command: []string{node, filepath.Join(scripts, "puppeteer.js")}},
			compare.Client{Name: compare.Playwright, About: "playwright-core over CDP; the same, with its own set-up", Command: []string{node, filepath.Join(scripts, "playwright.js")}},
			compare.Client{Name: compare.CRI, About: "chrome-remote-interface; JSON.parse and an emitted event for each, the listener keeps a map of frames", Command: []string{node, filepath.Join(scripts, "cri.js")}},
		)
	}
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if path, err := exec.LookPath(python); err == nil && exec.CommandContext(ctx, path, "-c", "import websockets").Run() == nil {
			script := filepath.Join("bench", "peers", "python", "client.py")
			list = append(list,
				compare.Client{Name: compare.Python, About: "websockets with json.loads; sets each session up with four commands; keeps a dict of frames", Command: []string{path, script}},
				compare.Client{Name: compare.Python + ", only reading", About: "the same without setting sessions up, so that a browser would not tell it most of what it reads here", Command: []string{path, script, "only-read"}},
			)
			break
		}
	}
	return list
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
