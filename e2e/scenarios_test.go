package e2e

import (
	"context"
	"testing"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// scenario is one test with a tab of its own in a browser that it shares with
// others and leaves alive.
type scenario struct {
	name string
	run  func(*tab)
	opts []registry.TaskOption // instead of a tab of the task's own
}

// play runs scenarios in one browser, beside other tests in theirs. Within the
// browser they run one after the other: Chromium puts frames of one site into
// one process across tabs, so that a dialog in one scenario's frame would hold
// up the frames of another.
func play(t *testing.T, scenarios []scenario) {
	t.Helper()
	t.Parallel()
	b := launch(t)
	h := newHost(t)
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) { s.run(b.tab(t, h, s.opts...)) })
	}
	b.mustLive(t)
}

// frames returns the whole tree of the page.
func (p *tab) frames() *messages.FrameTree {
	p.t.Helper()
	ctx, cancel := p.context()
	defer cancel()
	tree, err := p.task.Frames(ctx, "")
	if err != nil {
		p.t.Fatalf("frames: %v\n%s", err, p.state())
	}
	return tree
}

// entry returns a frame of a tree by its URL.
func entry(tree *messages.FrameTree, url string) (messages.FrameEntry, bool) {
	for _, f := range tree.Children {
		if f.URL == url {
			return f, true
		}
	}
	return messages.FrameEntry{}, false
}

// frame waits for a frame with a URL whose document has loaded.
func (p *tab) frame(url string) messages.FrameEntry {
	p.t.Helper()
	var found messages.FrameEntry
	p.poll("the frame "+url, func() bool {
		f, ok := entry(p.frames(), url)
		found = f
		return ok && f.State == "" && p.hasLoaded(f)
	})
	return found
}

func (p *tab) hasLoaded(f messages.FrameEntry) bool {
	state, err := p.try(in(f), `location.href + " " + document.readyState`)
	return err == nil && state == f.URL+" complete"
}

// in says to evaluate in a frame, with a session of its own or without.
func in(f messages.FrameEntry) at {
	return at{frame: f.FrameID, sameProcess: f.OOPIF == nil || !*f.OOPIF}
}

// isOOPIF reports whether a frame is shown as out of process.
func isOOPIF(f messages.FrameEntry) bool { return f.OOPIF != nil && *f.OOPIF }

// poll looks again and again at what no snapshot announces. It is a bound on
// how often to look, not a wait for time to pass.
func (p *tab) poll(what string, holds func() bool) {
	p.t.Helper()
	p.pollOr(what, holds, p.state)
}

// pollOr is poll with something else to show when it fails.
func (p *tab) pollOr(what string, holds func() bool, state func() string) {
	p.t.Helper()
	ctx, cancel := p.context()
	defer cancel()
	for !holds() {
		soon, stop := context.WithTimeout(ctx, 30*time.Millisecond)
		_, _ = p.task.Wait(soon, func(*messages.Snapshot) bool { return false })
		stop()
		if ctx.Err() != nil {
			p.t.Fatalf("waited for %s\n%s", what, state())
		}
	}
}
