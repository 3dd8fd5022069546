package scenarios

import (
	"slices"
	"strings"
	"time"
)

// cachedSite has a page with one frame of its own renderer and one of another.
func cachedSite() Site {
	return pages(map[string]string{"http://a.test/two": `<!doctype html><title>two</title><iframe src="/plain?same"></iframe><iframe src="http://c.test/plain?oop"></iframe>`})
}

// longDelayed delays what is at a path until nobody waits for it any more.
func longDelayed(in Site, path string) Site {
	return func(u string) Response {
		r := in(u)
		if strings.HasSuffix(u, path) {
			r.Delay = time.Minute
		}
		return r
	}
}

const two = "http://a.test/two"

func cacheScenarios() []Scenario {
	return []Scenario{
		{Name: "a page comes back from the cache", Covers: []string{"bfcache.restore"}, Site: cachedSite(), run: func(r *run) {
			p := r.open(two)
			p.eval("window.kept=5")
			ids, _ := p.frames()
			p.load("http://b.test/plain")
			p.eval("history.back()")
			told := p.expect("attachedToTarget sub", "executionContextCreated sub", "executionContextCreated top", "frameNavigated top "+two+" BackForwardCacheRestore")
			if m := told[0].told; m.Waiting || m.Info.URL != "http://c.test/plain?oop" || ids[m.Info.TargetID] != p.target {
				r.Errorf("attached %+v", m)
			}
			p.not("frameAttached")
			p.want("kept", "5")
			p.mustShow(two + " [http://a.test/plain?same http://c.test/plain?oop]")
			again, _ := p.frames()
			for id := range again {
				if _, ok := ids[id]; !ok {
					r.Errorf("a frame came back with another id")
				}
			}
			p.mark()
			p.eval("history.forward()")
			p.expect("detachedFromTarget sub", "frameNavigated top http://b.test/plain BackForwardCacheRestore")
		}},
		{Name: "nothing goes on in the cache", Covers: []string{"bfcache.frozen"}, Site: cachedSite(), run: func(r *run) {
			p := r.open(two)
			p.want(`onpagehide=()=>frames[0].setTimeout("parent.seen=parent.shown;location.href='/plain?later'",0);onpageshow=()=>{shown=1};1`, "1")
			p.load("http://b.test/plain")
			p.mark()
			p.want("1", "1") // behind whatever the timer would have done
			p.not("frameStartedNavigating")
			p.eval("history.back()")
			p.expect("frameNavigated top "+two+" BackForwardCacheRestore", "frameNavigated sub http://a.test/plain?later")
			p.want("seen", "1")
		}},
		{Name: "the cache lets go of a page", Covers: []string{"bfcache.eviction"}, Site: cachedSite(), run: func(r *run) {
			p := r.open(two)
			frames, _ := p.frames()
			p.load("http://b.test/plain")
			p.mark()
			p.root().post("Target.closeTarget", byTarget(p.target))
			m := p.saw("frameDetached sub remove")
			if frames[m.told.FrameID] != p.target {
				r.Errorf("another frame was removed")
			}
			p.root().await("detachedFromTarget top")
		}},
		{Name: "pages that are not cached", Covers: []string{"bfcache.not-for"}, Site: longDelayed(cachedSite(), "/long"), run: func(r *run) {
			for _, prepare := range []string{
				"addEventListener('unload',()=>{});1", "open('/plain');1",
				"document.querySelector('iframe').src='/long';1", "document.querySelector('iframe').src='http://c.test/long';1",
			} {
				p := r.open(two)
				p.gives(p.gesture(prepare), "1")
				p.eval("window.kept=5")
				p.load("http://b.test/plain")
				p.eval("history.back()")
				if m := p.await("frameNavigated top " + two); m.told.Type != "Navigation" {
					r.Errorf("%s: came back by %v", prepare, m.told.Type)
				}
				p.await("loadEventFired")
				p.want("typeof kept", `"undefined"`)
			}
		}},
		{Name: "the history of a page", Covers: []string{"history.entries"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			// An entry that no user has acted on is skipped by some, so one does.
			p.gives(p.gesture("1"), "1")
			p.load(plain + "?2")
			var h struct {
				Current int `json:"currentIndex"`
				Entries []struct {
					ID  int    `json:"id"`
					URL string `json:"url"`
				} `json:"entries"`
			}
			p.ok("Page.getNavigationHistory", "").decode(r, &h)
			var urls []string
			for _, e := range h.Entries {
				urls = append(urls, e.URL)
			}
			if h.Current != 2 || !slices.Equal(urls, []string{"about:blank", plain, plain + "?2"}) {
				r.Fatalf("at %d of %s", h.Current, strings.Join(urls, " "))
			}
			p.ok("Page.navigateToHistoryEntry", params(`{"entryId":%d}`, h.Entries[1].ID))
			p.await("frameNavigated top " + plain)
			p.want("location.href", quote(plain))
			p.fails("Page.navigateToHistoryEntry", `{"entryId":9999}`, invalid, "No entry with passed id")
		}},
		{Name: "a page asks while another comes back", Covers: []string{"bfcache.waits-for-dialog"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			p.load(plain + "?2")
			p.mark()
			id := p.start("history.back();confirm('q')")
			p.await("javascriptDialogOpening top confirm q")
			r.unanswered(p, id)
			p.not("frameNavigated top")
			p.ok(handle, accept)
			p.gives(id, "true")
			p.await("frameNavigated top " + plain + " BackForwardCacheRestore")
			p.want("location.search", `""`)
		}},
	}
}
