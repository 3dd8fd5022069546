package fakebrowser

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func targetID(id string) string { return fmt.Sprintf(`{"targetId":%q}`, id) }

// dies runs a scenario with a dialog of a subframe open, and wants the
// browser dead of it, with its sockets dropped.
func dies(frame string, last func(b *Browser, c *client, target, s string)) func(*testing.T) {
	return func(t *testing.T) {
		b, c, target, s, in := openFrames(t)
		openIn(c, s, in, frame)
		last(b, c, target, s)
		wantDead(t, b, c)
	}
}

func wantDead(t *testing.T, b *Browser, c *client) {
	t.Helper()
	c.pump()
	if b.Alive() || b.Crashed() == nil {
		t.Fatal("the browser lives")
	}
	if !errors.Is(c.end, ErrDropped) {
		t.Errorf("the socket ended with %v", c.end)
	}
	if !strings.Contains(b.Crashed().Error(), "SIGSEGV") {
		t.Errorf("died of %v", b.Crashed())
	}
}

// lives is dies for what the browser survives.
func lives(frame string, last func(b *Browser, c *client, target, s string)) func(*testing.T) {
	return func(t *testing.T) {
		b, c, target, s, in := openFrames(t)
		openIn(c, s, in, frame)
		last(b, c, target, s)
		c.pump()
		if !b.Alive() {
			t.Fatalf("the browser died: %v", b.Crashed())
		}
		c2 := newClient(t, b)
		c2.ok("", "Browser.getVersion", "")
	}
}

// openIn opens a dialog in a frame of framesPage.
func openIn(c *client, s string, in func(string) string, frame string) {
	switch frame {
	case "top":
		c.evalID(s, "confirm('top')")
	case "same":
		c.evalID(s, "setTimeout(()=>same.contentWindow.confirm('same'),0);1")
	default:
		c.evalID(in(frame), "confirm('sub')")
	}
}

func hazardRules() map[string]func(*testing.T) {
	removed := func(then func(b *Browser, c *client, target, s string)) func(b *Browser, c *client, target, s string) {
		return func(b *Browser, c *client, target, s string) {
			c.mark()
			c.eval(s, "other.remove()")
			if c.count(s, "Page.javascriptDialogClosed") != 0 {
				c.t.Error("the removal told of the dialog's end")
			}
			then(b, c, target, s)
		}
	}
	return map[string]func(*testing.T){
	}
}
