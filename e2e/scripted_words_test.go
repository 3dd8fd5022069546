package e2e

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"cdpsupervisor/messages"
)

// navigateTo takes the page to a URL as an agent does.
func (p *tab) navigateTo(url string) error {
	ctx, cancel := p.context()
	defer cancel()
	_, err := p.task.Navigate(ctx, url)
	return err
}

// TestDocumentLeft: what was begun in a document that is left is not refused,
// it may have had its effect.
func TestDocumentLeft(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	p := s.tab()
	for message, left := range map[string]bool{
		"Inspected target navigated or closed":  true,
		"Execution context was destroyed.":      true,
		"Cannot find context with specified id": false,
	} {
		s.on("Runtime.evaluate", func(c scriptedCommand) { c.refuse(-32000, message) })
		_, err := p.call(messages.CallRequest{Method: "Runtime.evaluate", Params: []byte(`{"expression":"1"}`)})
		var f *messages.Failure
		if !errors.As(err, &f) || f.Code != messages.CodeCDPError || f.CDPCode != -32000 || f.MayHaveRun != left || strings.Contains(f.Message, "refuses") == left {
			t.Errorf("%s: %v", message, err)
		}
	}
}

// TestDialogNames: errors speak of an alert and of a confirm.
func TestDialogNames(t *testing.T) {
	t.Parallel()
	for typ, want := range map[string]string{"alert": "an alert dialog (d-1) is open", "confirm": "a confirm dialog (d-1) is open"} {
		s := newScripted(t)
		p := s.tab()
		s.say(strings.Replace(scriptedOpening, "confirm", typ, 1))
		p.dialog()
		if _, err := p.call(messages.CallRequest{Method: "Runtime.evaluate", Params: []byte(`{"expression":"1"}`)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", typ, err)
		}
	}
}

// TestClosesItself closes a page that closes itself as soon as its dialog is
// dismissed: it is closed, and nobody is told that there is no such page.
func TestClosesItself(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	p := s.tab()
	s.say(scriptedOpening)
	p.dialog()
	s.on("Page.handleJavaScriptDialog", func(c scriptedCommand) {
		s.say(fmt.Sprintf(scriptedClosed, false),
			`{"method":"Target.detachedFromTarget","params":{"sessionId":"S1","targetId":"T1"}}`,
			`{"method":"Target.targetDestroyed","params":{"targetId":"T1"}}`)
		c.reply(`{}`)
	})
	s.on("Target.closeTarget", func(c scriptedCommand) { c.refuse(-32602, "No target with given id found") })
	quick(t, "Target.closeTarget", func() {
		if _, err := p.call(messages.CallRequest{Method: "Target.closeTarget", Params: []byte(`{"targetId":"T1"}`)}); err != nil {
			t.Error(err)
		}
	})
	p.status(messages.StatusTabGone)
}
