package e2e

import (
	"strings"
	"sync"
	"testing"
	"time"

	"cdpsupervisor/messages"
)

// TestDialogs opens every type of dialog and answers it in every way.
func TestDialogs(t *testing.T) {
	text := func(s string) *string { return &s }
	yes, no := messages.ActionAccept, messages.ActionDismiss
	cases := []struct {
		name   string
		script string
		kind   messages.DialogType
		action messages.DialogAction
		text   *string
		saw    any
		answer any // prompt_text of the record
	}{
		{"alert accepted", `alert("m")`, messages.DialogAlert, yes, nil, nil, nil},
		{"alert dismissed", `alert("m")`, messages.DialogAlert, no, nil, nil, nil},
		{"confirm accepted", `confirm("m")`, messages.DialogConfirm, yes, nil, true, nil},
		{"confirm dismissed", `confirm("m")`, messages.DialogConfirm, no, nil, false, nil},
		{"prompt with text", `prompt("m", "old")`, messages.DialogPrompt, yes, text("neu ☃"), "neu ☃", "neu ☃"},
		{"prompt with an empty text", `prompt("m", "old")`, messages.DialogPrompt, yes, text(""), "", ""},
		{"prompt with its default", `prompt("m", "old")`, messages.DialogPrompt, yes, nil, "old", "old"},
		{"prompt without a default", `prompt("m")`, messages.DialogPrompt, yes, nil, "", ""},
		{"prompt dismissed", `prompt("m", "old")`, messages.DialogPrompt, no, nil, nil, nil},
	}
	var scenarios []scenario
	for _, c := range cases {
		scenarios = append(scenarios, scenario{name: c.name, run: func(p *tab) {
			url := p.blank("a.test")
			p.open(url)
			p.later(c.script)
			d := p.dialog()
			if d.Type != c.kind || d.Message != "m" || d.URL != url || d.Origin != "http://a.test" || d.Via != messages.ViaNative {
				p.t.Errorf("the dialog is shown as %+v", d)
			}
			if d.TargetID != p.task.Snapshot().PageTargetID || d.FrameID != p.frames().Top.FrameID {
				p.t.Errorf("the dialog is not shown as the top frame's: %+v", d)
			}
			if wait := time.Duration(d.DeadlineAt-d.OpenedAt) * time.Second; wait < 299*time.Second || wait > 301*time.Second {
				p.t.Errorf("the watchdog comes after %s, want 300 s", wait)
			}
			r := p.answer(messages.DialogRequest{Action: c.action, DialogID: d.ID, PromptText: c.text})
			if r.ID != d.ID || r.ClosedBy != messages.ClosedByAgent || r.Reason != "" || r.Result != (c.action == yes) || r.ClosedAt < r.OpenedAt {
				p.t.Errorf("the record is %+v", r)
			}
			if got := r.PromptText; (got == nil) != (c.answer == nil) || got != nil && *got != c.answer {
				p.t.Errorf("prompt_text is %v, want %v", got, c.answer)
			}
			p.saw(c.saw)
			s := p.task.Snapshot()
			if len(s.PendingDialogs) != 0 || len(s.RecentDialogs) != 1 || s.RecentDialogs[0].ID != d.ID || s.Supervisor != nil {
				p.t.Error(p.state())
			}
		}})
	}
	play(t, scenarios)
}

// TestDialogAnswers is about answering, whatever the dialog.
func TestDialogAnswers(t *testing.T) {
	play(t, []scenario{
		{name: "many at once get the same outcome", run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`confirm("m")`)
			d := p.dialog()
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					r, err := p.respond(messages.DialogRequest{Action: messages.ActionAccept, DialogID: d.ID})
					switch {
					case err == nil && r.Record.ID == d.ID && r.Record.ClosedBy == messages.ClosedByAgent:
					case messages.CodeOf(err) == messages.CodeDialogClosed: // it came after the end
					default:
						p.t.Errorf("one of many: %+v, %v", r, err)
					}
				})
			}
			all.Wait()
			p.saw(true)
		}},
		{name: "to a dialog that is over", run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`confirm("m")`)
			d := p.dialog()
			p.accept(d)
			_, err := p.respond(messages.DialogRequest{Action: messages.ActionDismiss, DialogID: d.ID})
			f := refused(p.t, err, messages.CodeDialogClosed)
			if f.Record == nil || f.Record.ID != d.ID || f.Record.ClosedBy != messages.ClosedByAgent {
				p.t.Errorf("the failure does not say who closed it: %+v", f.Record)
			}
		}},
		{name: "to a dialog that never was", run: func(p *tab) {
			_, err := p.respond(messages.DialogRequest{Action: messages.ActionAccept, DialogID: "d-999999"})
			refused(p.t, err, messages.CodeUnknownDialog)
		}},
		{name: "with nothing open", run: func(p *tab) {
			_, err := p.respond(messages.DialogRequest{Action: messages.ActionAccept})
			refused(p.t, err, messages.CodeNoDialog)
		}},
		{name: "with an action that is none", run: func(p *tab) {
			_, err := p.respond(messages.DialogRequest{Action: "maybe"})
			refused(p.t, err, messages.CodeInvalidArgument)
		}},
		{name: "without an id", run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`confirm("m")`)
			p.dialog()
			p.answer(messages.DialogRequest{Action: messages.ActionAccept})
			p.saw(true)
		}},
		{name: "with a text for a confirm", run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`confirm("m")`)
			d := p.dialog()
			text := "no use"
			r, err := p.respond(messages.DialogRequest{Action: messages.ActionAccept, DialogID: d.ID, PromptText: &text})
			if err != nil {
				p.t.Fatal(err)
			}
			if !strings.Contains(r.Note, "prompt_text") {
				p.t.Errorf("note %q does not say that the text was ignored", r.Note)
			}
			p.saw(true)
		}},
		{name: "by the raw method", run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`prompt("m")`)
			d := p.dialog()
			if _, err := p.call(messages.CallRequest{Method: "Page.handleJavaScriptDialog", Params: []byte(`{"accept":true,"promptText":"raw"}`)}); err != nil {
				p.t.Fatal(err)
			}
			if r := p.record(d.ID); r.ClosedBy != messages.ClosedByAgent {
				p.t.Errorf("the record is %+v", r)
			}
			p.saw("raw")
		}},
		{name: "one after the other", run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`[confirm("1"), confirm("2"), prompt("3")].join()`)
			var last messages.DialogID
			for _, message := range []string{"1", "2", "3"} {
				s := p.wait("dialog "+message, func(s *messages.Snapshot) bool {
					return len(s.PendingDialogs) == 1 && s.PendingDialogs[0].Message == message
				})
				d := s.PendingDialogs[0]
				if d.ID == last {
					p.t.Errorf("id %s was given twice", d.ID)
				}
				last = d.ID
				p.accept(d)
			}
			p.saw("true,true,")
		}},
	})
}

// TestDialogTexts is about what a page may say.
func TestDialogTexts(t *testing.T) {
	play(t, []scenario{
		{name: "control characters", run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`alert("a\n\t\u0007\u202e<b>\"")`)
			d := p.dialog()
			if want := "a\n\t\a\u202e<b>\""; d.Message != want {
				p.t.Errorf("message %q, want %q", d.Message, want)
			}
			p.accept(d)
		}},
		{name: "half a character", run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`confirm("a\ud800b")`)
			d := p.dialog()
			if d.Message != "a\ufffdb" {
				p.t.Errorf("message %q", d.Message)
			}
			p.accept(d)
			p.saw(true)
		}},
		{name: "more than is kept", run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`prompt("€".repeat(10000), "ü".repeat(10000))`)
			d := p.dialog()
			if !d.Truncated || len(d.Message) > messages.MaxDialogMessageBytes || len(d.Message) < messages.MaxDialogMessageBytes-4 {
				p.t.Errorf("%d bytes kept, truncated %t", len(d.Message), d.Truncated)
			}
			if len(d.DefaultPrompt) > messages.MaxDefaultPromptBytes {
				p.t.Errorf("%d bytes of the default kept", len(d.DefaultPrompt))
			}
			p.dismiss(d)
			p.saw(nil)
		}},
		{name: "nothing", run: func(p *tab) {
			p.open(p.blank("a.test"))
			p.later(`confirm()`)
			d := p.dialog()
			if d.Message != "" {
				p.t.Errorf("message %q", d.Message)
			}
			p.accept(d)
			p.saw(true)
		}},
	})
}
