package e2e

import (
	"fmt"
	"testing"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// policy changes the policy of the running task.
func (p *tab) policy(policy messages.Policy, timeout time.Duration) {
	p.t.Helper()
	ctx, cancel := p.context()
	defer cancel()
	if err := p.task.SetPolicy(ctx, policy, timeout); err != nil {
		p.t.Fatalf("policy %s: %v", policy, err)
	}
}

// last waits until n dialogs are over and returns the record of the last.
func (p *tab) last(n int) messages.DialogRecord {
	p.t.Helper()
	s := p.wait(fmt.Sprintf("%d ended dialogs", n), func(s *messages.Snapshot) bool { return len(s.RecentDialogs) >= n })
	return s.RecentDialogs[len(s.RecentDialogs)-1]
}

// TestPolicies is about dialogs that no agent answers.
func TestPolicies(t *testing.T) {
	own := registry.WithOwnTab()
	play(t, []scenario{
		{name: "watchdog", opts: []registry.TaskOption{own, registry.WithDialogTimeout(300 * time.Millisecond)}, run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`confirm("m")`)
			r := p.last(1)
			if r.ClosedBy != messages.ClosedByWatchdog || r.Result || r.ClosedAt-r.OpenedAt < 0.29 || r.ClosedAt-r.OpenedAt > 5 {
				p.t.Errorf("the record is %+v", r)
			}
			p.saw(false)
		}},
		{name: "an agent before the watchdog", opts: []registry.TaskOption{own, registry.WithDialogTimeout(2 * time.Second)}, run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`confirm("m")`)
			if r := p.accept(p.dialog()); r.ClosedBy != messages.ClosedByAgent {
				p.t.Errorf("the record is %+v", r)
			}
			p.saw(true)
		}},
		{name: "auto_dismiss", opts: []registry.TaskOption{own, registry.WithPolicy(messages.PolicyAutoDismiss)}, run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`[alert("1"), confirm("2"), prompt("3", "d")].map(String).join()`)
			for _, r := range p.wait("3 records", func(s *messages.Snapshot) bool { return len(s.RecentDialogs) == 3 }).RecentDialogs {
				if r.ClosedBy != messages.ClosedByAutoPolicy || r.Result {
					p.t.Errorf("the record is %+v", r)
				}
			}
			p.saw("undefined,false,null")
		}},
		{name: "auto_accept", opts: []registry.TaskOption{own, registry.WithPolicy(messages.PolicyAutoAccept)}, run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`[alert("1"), confirm("2"), prompt("3", "d"), prompt("4")].map(String).join()`)
			p.last(4)
			p.saw("undefined,true,d,")
		}},
		{name: "changed while a dialog is open", run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`confirm("m")`)
			d := p.dialog()
			p.policy(messages.PolicyAutoAccept, 0)
			if r := p.record(d.ID); r.ClosedBy != messages.ClosedByAutoPolicy || !r.Result {
				p.t.Errorf("the record is %+v", r)
			}
			p.saw(true)
		}},
		{name: "a shorter time while a dialog is open", run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`confirm("m")`)
			d := p.dialog()
			p.policy(messages.PolicyMustRespond, 200*time.Millisecond)
			if r := p.record(d.ID); r.ClosedBy != messages.ClosedByWatchdog {
				p.t.Errorf("the record is %+v", r)
			}
			p.saw(false)
		}},
		{name: "an evaluation under auto_accept", opts: []registry.TaskOption{own, registry.WithPolicy(messages.PolicyAutoAccept)}, run: func(p *tab) {
			p.open(p.blank("a.test"))
			// It may come back with the dialog or, the answer being faster,
			// with the value; it must not hang, and the page must go on.
			_, err := p.try(at{}, `seen.push(confirm("m"))`)
			if err != nil {
				refused(p.t, err, messages.CodeDialogOpened)
			}
			p.last(1)
			p.saw(true)
		}},
		{name: "invalid", run: func(p *tab) {
			ctx, cancel := p.context()
			defer cancel()
			refused(p.t, p.task.SetPolicy(ctx, "sometimes", 0), messages.CodeInvalidArgument)
			refused(p.t, p.task.SetPolicy(ctx, messages.PolicyMustRespond, -time.Second), messages.CodeInvalidArgument)
		}},
	})
}

// TestStorms is about pages that open dialog after dialog.
func TestStorms(t *testing.T) {
	own := registry.WithOwnTab()
	dismissing := []registry.TaskOption{own, registry.WithPolicy(messages.PolicyAutoDismiss)}
	play(t, []scenario{
		{name: "of equal dialogs", opts: dismissing, run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`{ for (let i = 0; i < 200; i++) confirm("again"); return "over" }`)
			p.poll("the end of the storm", func() bool {
				v, err := p.try(at{}, "seen[0]")
				return err == nil && v == "over"
			})
			p.wait("one record of 200 equal dialogs", func(s *messages.Snapshot) bool {
				return len(s.PendingDialogs) == 0 && len(s.RecentDialogs) == 1 && s.RecentDialogs[0].Count == 200
			})
		}},
		{name: "of different dialogs", opts: dismissing, run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`{ for (let i = 1; i <= 50; i++) confirm("n" + i); return "over" }`)
			s := p.wait("the last of the storm", func(s *messages.Snapshot) bool {
				n := len(s.RecentDialogs)
				return n > 0 && s.RecentDialogs[n-1].Message == "n50"
			})
			if n := len(s.RecentDialogs); n != messages.MaxRecentDialogs || s.RecentDialogs[0].Message != "n31" {
				p.t.Errorf("%d records, the first %q", n, s.RecentDialogs[0].Message)
			}
		}},
		{name: "under a watchdog", opts: []registry.TaskOption{own, registry.WithDialogTimeout(50 * time.Millisecond)}, run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`{ for (let i = 1; i <= 5; i++) confirm("n" + i); return "over" }`)
			r := p.last(5)
			if r.Message != "n5" || r.ClosedBy != messages.ClosedByWatchdog {
				p.t.Errorf("the last record is %+v", r)
			}
			p.saw("over")
		}},
	})
}
