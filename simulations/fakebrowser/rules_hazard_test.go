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
		"crash.close-target": dies("other", func(_ *Browser, c *client, target, _ string) {
			c.send("", "Target.closeTarget", targetID(target))
		}),
		"crash.close-target-same-process": dies("same", func(_ *Browser, c *client, target, _ string) {
			c.send("", "Target.closeTarget", targetID(target))
		}),
		"crash.page-close": dies("other", func(_ *Browser, c *client, _, s string) { c.send(s, "Page.close", "") }),
		"crash.browser-close": dies("other", func(_ *Browser, c *client, _, _ string) {
			c.send("", "Browser.close", "")
		}),
		"crash.sigterm": dies("other", func(b *Browser, _ *client, _, _ string) { b.Terminate() }),
		"crash.dispose-context": func(t *testing.T) {
			b, c := start(t, framesPage())
			var made struct {
				Context  string `json:"browserContextId"`
				TargetID string `json:"targetId"`
			}
			c.decode(c.ok("", "Target.createBrowserContext", ""), &made)
			c.decode(c.ok("", "Target.createTarget", fmt.Sprintf(`{"url":"http://a.test/top","browserContextId":%q}`, made.Context)), &made)
			c.ok("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, made.TargetID))
			s := c.session(made.TargetID)
			c.ok(s, "Page.enable", "")
			openIn(c, s, nil, "same")
			c.send("", "Target.disposeBrowserContext", fmt.Sprintf(`{"browserContextId":%q}`, made.Context))
			wantDead(t, b, c)
		},
		"crash.page-renderer-dies": dies("other", func(_ *Browser, c *client, _, s string) { c.send(s, "Page.crash", "") }),
		"crash.wedge-close": func(t *testing.T) {
			b, c, target, _, in := openFrames(t)
			c.evalID(in("third"), "confirm('one')")
			c.evalID(in("other"), "confirm('two')")
			c.send("", "Target.closeTarget", targetID(target))
			wantDead(t, b, c)
		},
		"crash.removed-then-answer": dies("other", removed(func(_ *Browser, c *client, _, s string) { c.send(s, handle, dismiss) })),
		"crash.removed-then-navigate": dies("other", removed(func(_ *Browser, c *client, _, s string) {
			c.send(s, "Page.navigate", `{"url":"http://a.test/plain"}`)
		})),
		"crash.removed-then-close": dies("other", removed(func(_ *Browser, c *client, target, _ string) {
			c.send("", "Target.closeTarget", targetID(target))
		})),
		"crash.removed-then-dialog": dies("other", removed(func(_ *Browser, c *client, _, s string) { c.evalID(s, "alert('new')") })),
		"crash.second-client": dies("other", func(b *Browser, c *client, target, s string) {
			c2 := newClient(c.t, b)
			c2.ok("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, target))
			c2.ok(c2.session(target), "Page.enable", "")
			c.ok(s, "Page.disable", "")
			c.send("", "Target.closeTarget", targetID(target))
		}),
		"crash.heal-without-navigation": dies("other", removed(func(_ *Browser, c *client, _, s string) {
			c.ok(s, "Page.disable", "")
			c.ok(s, "Page.enable", "")
			c.evalID(s, "alert('new')")
		})),
		"crash.safe-answer-first": lives("other", func(_ *Browser, c *client, target, s string) {
			c.post(s, handle, dismiss)
			c.post("", "Target.closeTarget", targetID(target))
		}),
		"crash.safe-page-disable": lives("other", func(_ *Browser, c *client, target, s string) {
			c.post(s, "Page.disable", "")
			c.post("", "Target.closeTarget", targetID(target))
		}),
		"crash.safe-navigation": lives("other", func(_ *Browser, c *client, target, s string) {
			c.ok(s, "Page.navigate", `{"url":"http://a.test/plain"}`)
			c.send("", "Target.closeTarget", targetID(target))
		}),
		"crash.safe-disconnect": lives("other", func(b *Browser, c *client, target, _ string) {
			_ = c.tr.Close()
			c2 := newClient(c.t, b)
			c2.send("", "Target.closeTarget", targetID(target))
		}),
		"crash.safe-child-crash": lives("other", func(b *Browser, c *client, target, s string) {
			for _, f := range b.Frames(target) {
				if f.OOPIF && strings.HasSuffix(f.URL, "?other") {
					b.CrashPage(f.ID)
				}
			}
			c.pump()
			c.ok(s, handle, dismiss)
		}),
		"crash.safe-idle": lives("other", removed(func(b *Browser, c *client, _, s string) {
			b.Advance(time.Minute)
			c.want(s, "1+1", "2")
			c.ok("", "Target.getTargets", "")
		})),
		"crash.safe-top-dialog": lives("top", func(_ *Browser, c *client, target, _ string) {
			c.ok("", "Target.closeTarget", targetID(target))
		}),
		"crash.heal": lives("other", removed(func(b *Browser, c *client, _, s string) {
			c.ok(s, "Page.disable", "")
			c.ok(s, "Page.navigate", `{"url":"http://a.test/plain"}`)
			c.ok(s, "Page.enable", "")
			c.evalID(s, "window.r=confirm('works')")
			c.ok(s, handle, accept)
			c.want(s, "r", "true")
		})),
		"crash.heal-too-early": func(t *testing.T) {
			loads := 0
			b, c, _, s, in := openFrames(t, func(o *Options) {
				fast := o.Pages
				o.Pages = func(u string) (Response, bool) {
					r, ok := fast(u)
					if strings.HasSuffix(u, "/top") {
						r.Delay = time.Duration(loads) * time.Second
						loads++
					}
					return r, ok
				}
			})
			openIn(c, s, in, "other")
			c.eval(s, "other.remove()")
			c.ok(s, "Page.disable", "")
			c.ok(s, "Page.reload", "")
			c.send(s, "Page.enable", "")
			b.Advance(time.Minute)
			wantDead(t, b, c)
		},
	}
}
