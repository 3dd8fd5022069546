package e2e

import (
	"context"
	"sync"
	"testing"
	"time"

	"cdpsupervisor/backends"
	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// TestClosedElsewhere has a second client of the browser close dialogs.
func TestClosedElsewhere(t *testing.T) {
	t.Parallel()
	b := launch(t)
	h := newHost(t)
	// Without the bridge, which would come on after two dialogs that were
	// closed as they opened, and show the other client nothing any more.
	p := b.tab(t, h, registry.WithOwnTab(), registry.WithBridge(messages.BridgeOff))
	other := dialRaw(t, b.endpoint)
	session := other.attach(string(p.task.Snapshot().PageTargetID))

	t.Run("answered", func(t *testing.T) {
		p, other := p.in(t), other.in(t)
		p.open(p.blank("a.test"))
		p.later(`prompt("m")`)
		d := p.dialog()
		other.event(session, "Page.javascriptDialogOpening")
		// Later than what is taken for a backend that closes by itself.
		p.poll("the dialog to stand for a while", func() bool {
			return time.Since(d.OpenedAt.Time()) > 2*messages.AutoDismissWindow
		})
		other.call(session, "Page.handleJavaScriptDialog", params{"accept": true, "promptText": "theirs"})
		r := p.record(d.ID)
		if r.ClosedBy != messages.ClosedByRemote || r.Reason != messages.ReasonAnsweredElsewhere || !r.Result {
			t.Errorf("the record is %+v", r)
		}
		if r.PromptText == nil || *r.PromptText != "theirs" {
			t.Errorf("prompt_text is %v", r.PromptText)
		}
		p.saw("theirs")
		_, err := p.respond(messages.DialogRequest{Action: messages.ActionAccept, DialogID: d.ID})
		if f := refused(t, err, messages.CodeDialogClosed); f.Record == nil || f.Record.ClosedBy != messages.ClosedByRemote {
			t.Errorf("the failure does not say who closed it: %+v", f.Record)
		}
	})

	t.Run("dismissed as it opens", func(t *testing.T) {
		p, other := p.in(t), other.in(t)
		p.open(p.blank("a.test"))
		p.later(`confirm("quick")`)
		other.event(session, "Page.javascriptDialogOpening")
		other.send(session, "Page.handleJavaScriptDialog", params{"accept": false})
		s := p.wait("the record", func(s *messages.Snapshot) bool {
			n := len(s.RecentDialogs)
			return n > 0 && s.RecentDialogs[n-1].Message == "quick"
		})
		r := s.RecentDialogs[len(s.RecentDialogs)-1]
		want := messages.ReasonAutoDismissed
		if r.ClosedAt.Time().Sub(r.OpenedAt.Time()) > messages.AutoDismissWindow {
			want = messages.ReasonAnsweredElsewhere // the machine was too busy
		}
		if r.ClosedBy != messages.ClosedByRemote || r.Reason != want {
			t.Errorf("the record is %+v, want reason %s", r, want)
		}
		p.saw(false)
	})

	t.Run("both answer at once", func(t *testing.T) {
		p, other := p.in(t), other.in(t)
		for range 10 {
			p.open(p.blank("a.test"))
			p.later(`confirm("race")`)
			d := p.dialog()
			other.event(session, "Page.javascriptDialogOpening")
			other.send(session, "Page.handleJavaScriptDialog", params{"accept": false})
			_, err := p.respond(messages.DialogRequest{Action: messages.ActionAccept, DialogID: d.ID})
			if err != nil {
				refused(t, err, messages.CodeDialogClosed)
			}
			r := p.record(d.ID)
			if ours := r.ClosedBy == messages.ClosedByAgent; ours != (err == nil) || ours != r.Result {
				t.Errorf("the ask ended with %v and the record is %+v", err, r)
			}
			p.saw(r.Result)
		}
	})
	b.mustLive(t)
}

// in is the tab in a subtest.
func (p *tab) in(t *testing.T) *tab {
	q := *p
	q.t = t
	return &q
}

// TestTwoTabs is about dialogs that are open in two tasks at once.
func TestTwoTabs(t *testing.T) {
	t.Parallel()
	b := launch(t)
	h := newHost(t)
	one, two := b.tab(t, h), b.tab(t, h)
	for _, p := range []*tab{one, two} {
		p.open(p.blank("a.test"))
		p.later(`confirm("m")`)
	}
	d1, d2 := one.dialog(), two.dialog()
	if d1.TargetID == d2.TargetID {
		t.Fatalf("the dialogs are mixed up: %+v and %+v", d1, d2)
	}
	two.dismiss(d2)
	if one.dialog().ID != d1.ID {
		t.Error("an answer in one task touched the other's dialog")
	}
	two.saw(false)
	one.accept(d1)
	one.saw(true)
	b.mustLive(t)
}

// TestTasksDoNotShareAPage starts tasks side by side that adopt what they find.
func TestTasksDoNotShareAPage(t *testing.T) {
	t.Parallel()
	b := launch(t)
	h := newHost(t)
	const n = 4
	tabs := make(chan *tab, n)
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			id := h.newID()
			task, err := h.GetOrStart(ctx, id, backends.Static(b.endpoint)) // adopt, or create
			if err != nil {
				t.Errorf("start %s: %v", id, err)
				return
			}
			tabs <- &tab{t: t, task: task}
		})
	}
	all.Wait()
	close(tabs)
	seen := map[messages.TargetID]bool{}
	for p := range tabs {
		p.status("")
		id := p.task.Snapshot().PageTargetID
		if id == "" || seen[id] {
			t.Errorf("page %q is supervised by two tasks", id)
		}
		seen[id] = true
	}
}
