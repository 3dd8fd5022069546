package e2e

import (
	"html"
	"testing"

	"cdpsupervisor/messages"
)

// TestDialogsOfFrames opens dialogs in every kind of frame.
func TestDialogsOfFrames(t *testing.T) {
	// asking is what a frame loads that asks at once and shows the answer.
	const asking = `<script>document.title = confirm("from the frame")</script>`
	data := "data:text/html," + asking
	cases := []struct {
		name   string
		frame  func(*tab) string // the attributes of the iframe
		origin string
	}{
		{"same origin", func(p *tab) string { return `src="` + p.page("a.test", asking) + `"` }, "http://a.test"},
		{"same site", func(p *tab) string { return `src="` + p.page("sub.a.test", asking) + `"` }, "http://sub.a.test"},
		{"other site", func(p *tab) string { return `src="` + p.page("b.test", asking) + `"` }, "http://b.test"},
		{"nested in another site", func(p *tab) string { return `src="` + p.embed("b.test", p.page("c.test", asking)) + `"` }, "http://c.test"},
		{"the page's site nested in another", func(p *tab) string { return `src="` + p.embed("b.test", p.page("a.test", asking)) + `"` }, "http://a.test"},
		{"srcdoc", func(*tab) string { return `srcdoc="` + html.EscapeString(asking) + `"` }, "http://a.test"},
		{"data:", func(*tab) string { return `src="` + html.EscapeString(data) + `"` }, "null"},
		{"sandboxed with modals", func(p *tab) string {
			return `sandbox="allow-scripts allow-modals" src="` + p.page("a.test", asking) + `"`
		}, "null"},
	}
	var scenarios []scenario
	for _, c := range cases {
		scenarios = append(scenarios, scenario{name: c.name, run: func(p *tab) {
			ctx, cancel := p.context()
			defer cancel()
			if _, err := p.task.Navigate(ctx, p.page("a.test", `<iframe `+c.frame(p)+`></iframe>`)); err != nil {
				p.t.Fatal(err)
			}
			d := p.dialog()
			if d.Message != "from the frame" || d.Origin != c.origin {
				p.t.Errorf("the dialog is shown as %+v, want origin %s", d, c.origin)
			}
			if top := p.frames().Top.FrameID; d.FrameID == top {
				p.t.Error("the dialog is shown as the top frame's")
			}
			if d.TargetID != p.task.Snapshot().PageTargetID {
				p.t.Errorf("the dialog is shown on target %s, not the page", d.TargetID)
			}
			p.accept(d)
			where := at{frame: d.FrameID, sameProcess: true}
			p.poll("the frame to go on", func() bool {
				title, err := p.try(where, "document.title")
				return err == nil && title == "true"
			})
		}})
	}
	scenarios = append(scenarios, scenario{name: "sandboxed without modals", run: func(p *tab) {
		// Chromium opens nothing and tells nobody.
		p.open(p.page("a.test", `<iframe sandbox="allow-scripts" src="`+p.page("a.test", asking)+`"></iframe>`))
		f := p.frame(p.frames().Children[0].URL)
		if got := p.evalIn(in(f), "document.title"); got != "false" {
			p.t.Errorf("the frame saw %v", got)
		}
		if s := p.task.Snapshot(); len(s.PendingDialogs)+len(s.RecentDialogs) != 0 {
			p.t.Error(p.state())
		}
	}})
	play(t, scenarios)
}

// TestOtherProcessesAnswer makes calls to frames beside the one that a dialog
// blocks.
func TestOtherProcessesAnswer(t *testing.T) {
	play(t, []scenario{
		{name: "dialog in a frame", run: func(p *tab) {
			b, c, sibling := p.blank("b.test"), p.blank("c.test"), p.blank("b.test")
			p.open(p.page("a.test", `<iframe src="`+b+`"></iframe><iframe src="`+c+`"></iframe><iframe src="`+sibling+`"></iframe>`))
			fb, fc, fs := p.frame(b), p.frame(c), p.frame(sibling)
			p.laterIn(in(fb), `confirm("m")`)
			d := p.dialog()
			if got := p.eval("1 + 1"); got != 2.0 {
				p.t.Errorf("the page answers %v", got)
			}
			if got := p.evalIn(in(fc), "location.host"); got != "c.test" {
				p.t.Errorf("a frame of another site answers %v", got)
			}
			for _, blocked := range []messages.FrameEntry{fb, fs} { // one renderer for the site
				quick(p.t, "a call to the dialog's site", func() {
					_, err := p.try(in(blocked), "1")
					refused(p.t, err, messages.CodeDialogOpen)
				})
			}
			p.accept(d)
			p.sawIn(in(fb), true)
			p.evalIn(in(fs), "1")
		}},
		{name: "dialog in the page", run: func(p *tab) {
			nested := p.blank("a.test")
			b := p.embed("b.test", nested)
			p.open(p.embed("a.test", b))
			fb, fn := p.frame(b), p.frame(nested)
			p.later(`confirm("m")`)
			d := p.dialog()
			if got := p.evalIn(in(fb), "location.host"); got != "b.test" {
				p.t.Errorf("a frame of another site answers %v", got)
			}
			quick(p.t, "a call to the page's site inside another", func() {
				_, err := p.try(in(fn), "1")
				if code := messages.CodeOf(err); code != messages.CodeDialogOpen && code != messages.CodeDialogOpened {
					p.t.Errorf("code %q (%v)", code, err)
				}
			})
			p.accept(d)
			p.saw(true)
			p.evalIn(in(fn), "1")
		}},
		{name: "an evaluation in a frame that opens the dialog", run: func(p *tab) {
			b := p.blank("b.test")
			p.open(p.embed("a.test", b))
			f := p.frame(b)
			quick(p.t, "the evaluation", func() {
				_, err := p.try(in(f), `seen.push(confirm("m"))`)
				refused(p.t, err, messages.CodeDialogOpened)
			})
			p.accept(p.dialog())
			p.sawIn(in(f), true)
		}},
	})
}

// TestSecondDialogInATab is about what Chromium cannot answer any more: a
// dialog that opens while another one is open in the same tab.
func TestSecondDialogInATab(t *testing.T) {
	wedge := func(p *tab) (first, second messages.Dialog, fb, fc messages.FrameEntry) {
		b, c := p.blank("b.test"), p.blank("c.test")
		p.open(p.page("a.test", `<iframe src="`+b+`"></iframe><iframe src="`+c+`"></iframe>`))
		fb, fc = p.frame(b), p.frame(c)
		p.laterIn(in(fb), `confirm("first")`)
		first = p.dialog()
		p.laterIn(in(fc), `confirm("second")`)
		s := p.wait("the second dialog", func(s *messages.Snapshot) bool {
			return len(s.PendingDialogs) == 1 && s.PendingDialogs[0].ID != first.ID
		})
		return first, s.PendingDialogs[0], fb, fc
	}
	play(t, []scenario{
		{name: "the first ends, the second is shown as it is", run: func(p *tab) {
			first, second, fb, fc := wedge(p)
			if r := p.record(first.ID); r.ClosedBy != messages.ClosedByRemote || r.Reason != messages.ReasonSuperseded || r.Result {
				p.t.Errorf("the record of the first is %+v", r)
			}
			p.sawIn(in(fb), false)
			if second.State != messages.StateUnanswerable || second.FrameID != fc.FrameID {
				p.t.Errorf("the second is shown as %+v", second)
			}
			_, err := p.respond(messages.DialogRequest{Action: messages.ActionAccept, DialogID: second.ID})
			if f := refused(p.t, err, messages.CodeUnanswerable); len(f.WaysOut) == 0 || f.Dialog == nil {
				p.t.Errorf("the failure names no way out: %+v", f)
			}
		}},
		{name: "a navigation leads out", run: func(p *tab) {
			_, second, _, _ := wedge(p)
			p.open(p.blank("a.test"))
			if r := p.record(second.ID); r.ClosedBy != messages.ClosedByRemote || r.Reason != messages.ReasonNavigation {
				p.t.Errorf("the record of the second is %+v", r)
			}
			p.later(`confirm("after")`)
			p.accept(p.dialog())
			p.saw(true)
		}},
		{name: "a stop leads out", run: func(p *tab) {
			wedge(p) // the scenario's end closes the tab; the browser must live
		}},
	})
}
