package cdpwire

import (
	"errors"
	"strings"
	"testing"

	"cdpsupervisor/messages"
)

// A browser that takes commands and answers none, though it answers pings, ends
// the connection in good order: what waits for its replies would grow for ever.
func TestABrowserThatAnswersNothingIsLeft(t *testing.T) {
	one := func(c *Conn) error { return c.Send("S", messages.Ref{}, messages.PageEnable{}) }
	for name, send := range map[string]func(*Conn) error{
		"one": one,
		"several": func(c *Conn) (err error) {
			c.SendAll([]messages.SendCommand{{Session: "S", Command: messages.PageEnable{}}}, func(_ int, why error) { err = why })
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t)
			if err := r.SetWill("d1", "S", messages.HandleDialog{}); err != nil {
				t.Fatal(err)
			}
			r.mu.Lock()
			for range messages.MaxPendingCommands - 1 {
				r.pending.add(pendingCall{session: "S", cmd: messages.PageEnable{}})
			}
			r.mu.Unlock()
			if err := send(r.Conn); err != nil {
				t.Fatalf("the last one that may wait: %v", err)
			}
			if got := r.written().Method; got != "Page.enable" {
				t.Fatalf("%s was written", got)
			}
			if err := send(r.Conn); !errors.Is(err, ErrClosed) {
				t.Fatalf("one more: %v", err)
			}
			if got := r.written().Method; got != "Page.handleJavaScriptDialog" {
				t.Errorf("the will is %s", got)
			}
			r.clock.advance(messages.WillTimeout)
			if cause := r.end(messages.DisconnectLost); !strings.Contains(cause.Text, "65536 commands wait for their replies") {
				t.Errorf("it ended: %s", cause.Text)
			}
			if err := one(r.Conn); !errors.Is(err, ErrClosed) {
				t.Errorf("after the end: %v", err)
			}
		})
	}
}
