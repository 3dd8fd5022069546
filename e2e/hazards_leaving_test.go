package e2e

import (
	"slices"
	"testing"

	"cdpsupervisor/messages"
	"cdpsupervisor/registry"
)

// leavingPage brings a tab to where its page asks something while it goes to
// another of its own site, which waits for the dialog's end.
func leavingPage(t *testing.T, opts ...registry.TaskOption) (d *danger, next string) {
	t.Helper()
	t.Parallel()
	b := launch(t)
	p := b.tab(t, newHost(t), opts...)
	p.open(b.page("a.test", `<script>onpagehide = () => confirm("must you go?")</script>`))
	next = b.blank("a.test")
	p.eval(`setTimeout(() => { location.href = "` + next + `" }), 0`)
	d = &danger{tab: p, b: b, dialog: p.dialog()}
	d.target = p.task.Snapshot().PageTargetID
	return d, next
}

// TestHazardLeaving is about a dialog of a page that is being left.
func TestHazardLeaving(t *testing.T) {
	t.Run("answer", func(t *testing.T) {
		d, next := leavingPage(t)
		d.takesNoAnswer()
		d.wait("the next page", func(s *messages.Snapshot) bool {
			return s.Page.URL == next && s.Ready && s.Supervisor == nil && len(s.PendingDialogs) == 0
		})
		if r := d.record(d.dialog.ID); r.ClosedBy != messages.ClosedByRemote || r.Reason != messages.ReasonNavigation || r.Result {
			t.Errorf("the record is %+v", r)
		}
		d.wellAgain()
	})
	// The stop lets the page get to where it was going, and no further.
	t.Run("stop", func(t *testing.T) {
		d, next := leavingPage(t, registry.WithScope(messages.ScopePage))
		ctx, cancel := d.context()
		defer cancel()
		if err := d.host.Stop(ctx, d.task.ID()); err != nil {
			t.Error(err)
		}
		d.b.mustLive(t)
		r := dialRaw(t, d.b.endpoint)
		d.poll("the page to get there", func() bool {
			return slices.ContainsFunc(targets(t, r.call("", "Target.getTargets", nil)), func(i targetInfo) bool {
				return i.TargetID == string(d.target) && i.URL == next
			})
		})
	})
}
