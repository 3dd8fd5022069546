package sim_test

import (
	"testing"
	"testing/synctest"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/fakebrowser"
	"cdpsupervisor/simulations/rig"
)

// TestAFrameThatNeverAnsweredIsRemoved: a dialog that opened before the engine
// came holds a frame, which its page then removes. The browser still points to
// the dialog, and would die of the navigation that follows.
func TestAFrameThatNeverAnsweredIsRemoved(t *testing.T) {
	for _, held := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			site := func(url string) (fakebrowser.Response, bool) {
				if url == "http://a.test/" {
					return fakebrowser.Response{HTML: `<title>outer</title><iframe src="http://b.test/"></iframe>`}, true
				}
				return fakebrowser.Response{HTML: `<title>plain</title>`}, true
			}
			r, err := rig.New(rig.Options{Quiet: synctest.Wait, Browser: fakebrowser.Options{Pages: site, SiteIsolation: true}})
			if err != nil {
				t.Fatal(err)
			}
			const task = "t"
			page := r.Browser.PageIDs()[0]
			r.Page.Navigate(page, "http://a.test/")
			r.Advance(time.Second, 10_000)
			frame := r.Browser.Frames(page)[1].ID
			if held {
				r.Page.Eval(page, frame, "setTimeout(() => alert('unseen'), 0)")
			}
			r.Advance(time.Second, 10_000)
			r.Start(task, messages.TaskOptions{Bridge: messages.BridgeOff, Policy: messages.PolicyMustRespond})
			r.Advance(10*time.Second, 10_000)
			r.Page.Top(page, "document.querySelector('iframe').remove()")
			r.Advance(time.Second, 10_000)
			s := r.Snapshot(task)
			if poisoned := s.Supervisor != nil && s.Supervisor.Status == messages.StatusPoisoned; poisoned != held {
				t.Errorf("a dialog was open %t: the state is %+v", held, s.Supervisor)
			}
			a := r.Ask(task, "navigate", &messages.NavigateRequest{URL: "http://a.test/next"})
			r.Advance(10*time.Second, 10_000)
			if _, ok := a.Answer().(*messages.NavigateResult); !ok || !r.Browser.Alive() {
				t.Errorf("a dialog was open %t: %s, the browser died of: %v", held, rig.Tell(a.Answer()), r.Browser.Crashed())
			}
			if s := r.Snapshot(task); s.Supervisor != nil || s.Page.URL != "http://a.test/next" {
				t.Errorf("a dialog was open %t: it shows %q, %+v", held, s.Page.URL, s.Supervisor)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
			time.Sleep(2 * time.Second) // of the bubble: the actor library's throttle of dead letters ends
		})
	}
}

// TestAPageThatNeverAnsweredIsHealed: a page stands still for a dialog of a popup
// that shares its renderer, since before the engine came, and a frame of it was
// removed under a dialog of its own. When it is left, its old frames go.
func TestAPageThatNeverAnsweredIsHealed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inside := map[string]string{"http://a.test/": "http://b.test/", "http://b.test/": "http://c.test/"}
		site := func(url string) (fakebrowser.Response, bool) {
			if frame := inside[url]; frame != "" {
				return fakebrowser.Response{HTML: `<title>outer</title><iframe src="` + frame + `"></iframe>`}, true
			}
			return fakebrowser.Response{HTML: `<title>plain</title>`}, true
		}
		r, err := rig.New(rig.Options{Quiet: synctest.Wait, Browser: fakebrowser.Options{Pages: site, SiteIsolation: true, AllowPopups: true}})
		if err != nil {
			t.Fatal(err)
		}
		const task = "t"
		page := r.Browser.PageIDs()[0]
		r.Page.Navigate(page, "http://a.test/")
		r.Advance(time.Second, 10_000)
		r.Page.Top(page, "open('http://a.test/popup')")
		r.Advance(time.Second, 10_000)
		frames := r.Browser.Frames(page)
		r.Page.Eval(page, frames[2].ID, "setTimeout(() => alert('unseen'), 0)")
		r.Page.Top(r.Browser.PageIDs()[1], "setTimeout(() => alert('in the way'), 0)")
		r.Advance(time.Second, 10_000)
		r.Start(task, messages.TaskOptions{Bridge: messages.BridgeOff, Policy: messages.PolicyMustRespond, TargetID: messages.TargetID(page)})
		r.Advance(10*time.Second, 10_000)
		r.Page.Eval(page, frames[1].ID, "document.querySelector('iframe').remove()")
		r.Advance(time.Second, 10_000)
		if s := r.Snapshot(task); s.Supervisor == nil || s.Supervisor.Status != messages.StatusPoisoned {
			t.Errorf("the state is %+v", s.Supervisor)
		}
		r.Ask(task, "navigate", &messages.NavigateRequest{URL: "http://d.test/next"})
		r.Advance(10*time.Second, 10_000)
		if s := r.Snapshot(task); s.FrameTree == nil || len(s.FrameTree.Children) != 0 || s.Page.URL != "http://d.test/next" {
			t.Errorf("it shows %q, %+v", s.Page.URL, s.FrameTree)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		time.Sleep(2 * time.Second) // of the bubble: the actor library's throttle of dead letters ends
	})
}
