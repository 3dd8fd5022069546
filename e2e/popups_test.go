package e2e

import (
	"testing"

	"cdpsupervisor/messages"
)

// TestPopups is about windows that the task's page opens.
func TestPopups(t *testing.T) {
	const alerting = `<script>alert("first thing"); seen.push("went on")</script>`
	closeTarget := func(p *tab, id messages.TargetID) {
		p.t.Helper()
		if _, err := p.call(messages.CallRequest{Method: "Target.closeTarget", Params: []byte(`{"targetId":"` + string(id) + `"}`)}); err != nil {
			p.t.Errorf("close the popup: %v", err)
		}
	}
	opens := func(host, features string) func(*tab) {
		return func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`{ open("` + p.page(host, alerting) + `", "_blank", "` + features + `"); return "opened" }`)
			d := p.dialog()
			if d.Message != "first thing" || d.TargetID == p.task.Snapshot().PageTargetID || d.Origin != "http://"+host {
				p.t.Errorf("the dialog is shown as %+v", d)
			}
			p.accept(d)
			p.sawIn(at{target: d.TargetID}, "went on")
			p.saw("opened")
			closeTarget(p, d.TargetID)
			p.poll("the popup to be gone", func() bool {
				_, err := p.try(at{target: d.TargetID}, "1")
				return err != nil
			})
		}
	}
	play(t, []scenario{
		{name: "of the same site that alerts first", run: opens("a.test", "")},
		{name: "of another site that alerts first", run: opens("b.test", "")},
		{name: "without an opener that alerts first", run: opens("a.test", "noopener")},
		{name: "a dialog in each", run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`{ open("` + p.page("b.test", `<script>setTimeout(() => seen.push(confirm("popup")))</script>`) + `", "_blank", "noopener"); return 1 }`)
			popup := p.dialog()
			p.later(`confirm("page")`)
			p.dialogs(2)
			_, err := p.respond(messages.DialogRequest{Action: messages.ActionAccept})
			if f := refused(p.t, err, messages.CodeAmbiguousDialog); len(f.Dialogs) != 2 {
				p.t.Errorf("%d dialogs are listed", len(f.Dialogs))
			}
			p.dismiss(popup)
			page := p.dialog()
			p.sawIn(at{target: popup.TargetID}, false)
			p.accept(page)
			p.saw(true)
			closeTarget(p, popup.TargetID)
		}},
		{name: "of a popup", run: func(p *tab) {
			p.open(p.blank("a.test"))
			inner := p.page("c.test", alerting)
			middle := p.page("b.test", `<script>setTimeout(() => open("`+inner+`", "_blank", "noopener"))</script>`)
			// The popup blocker may keep a popup's popup closed that nobody's
			// touch opened; then the task opens it by a touch.
			p.later(`{ open("` + middle + `", "_blank", "noopener"); return 1 }`)
			popup := at{target: p.popup()}
			p.poll("the popup to load", func() bool {
				kind, err := p.try(popup, "typeof later")
				return err == nil && kind == "function" || len(p.task.Snapshot().PendingDialogs) > 0
			})
			if len(p.task.Snapshot().PendingDialogs) == 0 {
				p.laterIn(popup, `open("`+inner+`", "_blank", "noopener") === null`)
			}
			d := p.wait("a dialog of the popup's popup", func(s *messages.Snapshot) bool { return len(s.PendingDialogs) > 0 }).PendingDialogs[0]
			if d.Origin != "http://c.test" {
				p.t.Errorf("the dialog is shown as %+v", d)
			}
			p.accept(d)
			p.sawIn(at{target: d.TargetID}, "went on")
		}},
		{name: "closed with its dialog open", run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`{ open("` + p.page("b.test", alerting) + `", "_blank", "noopener"); return 1 }`)
			d := p.dialog()
			closeTarget(p, d.TargetID)
			if r := p.record(d.ID); r.ClosedBy != messages.ClosedByAgent || r.Reason != messages.ReasonTargetClosed {
				p.t.Errorf("the record is %+v", r)
			}
			p.eval("1")
		}},
		{name: "focused", run: func(p *tab) {
			p.open(p.blank("a.test"))
			url := p.blank("b.test")
			p.later(`{ open("` + url + `", "_blank", "noopener"); return 1 }`)
			popup := p.popup()
			ctx, cancel := p.context()
			defer cancel()
			if err := p.task.Focus(ctx, popup); err != nil {
				p.t.Fatal(err)
			}
			if got := p.task.Snapshot().PageTargetID; got != popup {
				p.t.Errorf("page_target_id is %s", got)
			}
			p.poll("the popup to load", func() bool {
				got, err := p.try(at{}, "location.href")
				return err == nil && got == url
			})
		}},
		{name: "focus on a page that is not there", run: func(p *tab) {
			p.open(p.blank("a.test"))
			ctx, cancel := p.context()
			defer cancel()
			refused(p.t, p.task.Focus(ctx, "NO-SUCH-TARGET"), messages.CodeTabGone)
		}},
	})
}

// popup waits for a page whose opener is the task's page, and returns its id.
func (p *tab) popup() messages.TargetID {
	p.t.Helper()
	page := p.task.Snapshot().PageTargetID
	var id messages.TargetID
	p.poll("a popup", func() bool {
		result, err := p.call(messages.CallRequest{Method: "Target.getTargets"})
		if err != nil {
			return false
		}
		for _, info := range targets(p.t, result.Result) {
			if info.OpenerID == string(page) && info.Type == "page" {
				id = messages.TargetID(info.TargetID)
				_, err := p.try(at{target: id}, "1")
				return err == nil || messages.CodeOf(err) == messages.CodeDialogOpen
			}
		}
		return false
	})
	return id
}
