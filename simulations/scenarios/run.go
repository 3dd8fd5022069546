package scenarios

import (
	"context"
	"fmt"
	"slices"
)

// run is a scenario that is being played.
type run struct {
	T
	ctx     context.Context //nolint:containedctx // a run lasts as long as the call that has the context
	lab     Lab
	clients []*client
	idle    *session // a page that has nothing to do with the scenario
}

const plain = "http://a.test/plain"

// hangUp ends all connections.
func (r *run) hangUp() {
	for _, c := range r.clients {
		c.hangUp()
	}
}

// pagesThatAre lists the pages before a scenario begins.
func (r *run) pagesThatAre() []string {
	r.Helper()
	return r.dial().pages()
}

// pages lists the browser's pages.
func (s *session) pages() (ids []string) {
	s.c.r.Helper()
	var t struct {
		Infos []targetInfo `json:"targetInfos"`
	}
	s.ok("Target.getTargets", "").decode(s.c.r, &t)
	for _, i := range t.Infos {
		if i.Type == "page" {
			ids = append(ids, i.TargetID)
		}
	}
	return ids
}

// closeOthers closes the pages that a scenario has left. Its connections end
// before: with the Page domain on, an open dialog could kill the browser.
func (r *run) closeOthers(keep []string) {
	r.Helper()
	r.hangUp()
	root := r.dial()
	root.ok("Target.setDiscoverTargets", `{"discover":true,"filter":[{"type":"page"}]}`)
	for _, id := range root.pages() {
		if slices.Contains(keep, id) {
			continue
		}
		// A popup goes with its opener, so it may be gone already.
		root.call("Target.closeTarget", byTarget(id))
		root.c.wait("the end of a page", func() bool {
			return slices.ContainsFunc(root.c.all, func(m message) bool { return m.Method == "Target.targetDestroyed" && m.told.TargetID == id })
		})
	}
	root.c.hangUp()
}

// byTarget are parameters that name a target.
func byTarget(id string) string { return fmt.Sprintf(`{"targetId":%q}`, id) }

// newTab makes a page and attaches to it, with nothing enabled.
func (s *session) newTab(context string) *session {
	s.c.r.Helper()
	var made struct {
		TargetID string `json:"targetId"`
	}
	in := ""
	if context != "" {
		in = fmt.Sprintf(`,"browserContextId":%q`, context)
	}
	s.ok("Target.createTarget", `{"url":"about:blank"`+in+`}`).decode(s.c.r, &made)
	return s.attach(made.TargetID)
}

// attach attaches to a page.
func (s *session) attach(target string) *session {
	s.c.r.Helper()
	var made struct {
		SessionID string `json:"sessionId"`
	}
	s.ok("Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, target)).decode(s.c.r, &made)
	return &session{s.c, made.SessionID, target}
}

// autoAttach are the parameters of a page session's Target.setAutoAttach.
func autoAttach(wait bool) string {
	return fmt.Sprintf(`{"autoAttach":true,"flatten":true,"waitForDebuggerOnStart":%v}`, wait)
}

// enable does what a supervisor does on a new session, without the resume.
func (s *session) enable(wait bool) {
	s.post("Page.enable", "")
	s.post("Runtime.enable", "")
	s.post("Target.setAutoAttach", autoAttach(wait))
}

// enableNow is enable for a page: a navigation that was sent behind it would
// overtake it.
func (s *session) enableNow(wait bool) {
	s.c.r.Helper()
	s.ok("Page.enable", "")
	s.ok("Runtime.enable", "")
	s.ok("Target.setAutoAttach", autoAttach(wait))
}

// handleFrames makes the client set up every frame that is attached.
func (s *session) handleFrames(wait bool) {
	s.c.look(func() {
		s.c.auto = func(f *session, waiting bool) {
			f.enable(wait)
			if waiting {
				f.post("Runtime.runIfWaitingForDebugger", "")
			}
		}
	})
}

// tab makes a page on this connection and loads a URL into it, frames
// included. "" leaves it blank.
func (s *session) tab(url string) *session {
	s.c.r.Helper()
	p := s.newTab("")
	p.enableNow(true)
	if url != "" {
		p.load(url)
	}
	p.mark()
	return p
}

// open is tab on a connection of its own that handles frames.
func (r *run) open(url string) *session {
	r.Helper()
	root := r.dial()
	root.handleFrames(true)
	return root.tab(url)
}

// navigate are the parameters of Page.navigate.
func navigate(url string) string { return fmt.Sprintf(`{"url":%q}`, url) }

// load navigates and waits until the page, frames and all, has loaded.
func (s *session) load(url string) {
	s.c.r.Helper()
	s.mark()
	s.ok("Page.navigate", navigate(url))
	s.saw("frameNavigated top")
	s.await("loadEventFired")
	s.await("frameStoppedLoading top")
}

// barrier returns when the browser and a page that has nothing to do with the
// scenario have answered commands that were sent now.
func (r *run) barrier() {
	r.Helper()
	if r.idle == nil {
		root := r.dial()
		var made struct {
			TargetID string `json:"targetId"`
		}
		// In front of the scenario's pages it would keep them from being drawn.
		root.ok("Target.createTarget", `{"url":"about:blank","background":true}`).decode(r, &made)
		r.idle = root.attach(made.TargetID)
	}
	for range 2 {
		r.idle.root().ok("Browser.getVersion", "")
		r.idle.want("1", "1")
	}
}

// unanswered fails if one of the commands has been answered after a barrier.
func (r *run) unanswered(s *session, ids ...int64) {
	r.Helper()
	r.barrier()
	for _, id := range ids {
		if s.c.answered(id) {
			r.Errorf("%s was answered: %s", s.c.method(id), s.c.reply(id).raw)
		}
	}
}

// afterwards waits for the replies of commands and fails if one came before
// the given message.
func (r *run) afterwards(s *session, m message, ids ...int64) {
	r.Helper()
	for _, id := range ids {
		if re := s.c.reply(id); re.at < m.at {
			r.Errorf("%s was answered before %s", s.c.method(id), m.Method)
		}
	}
}

// ended waits until the process is gone and the connection dropped.
func (r *run) ended(s *session) {
	r.Helper()
	s.c.mustEnd()
	if err := r.lab.Gone(r.ctx); err != nil {
		r.Errorf("the browser lives: %v", err)
	}
}

// died is ended for a process that crashes: one that ends in good order tells
// the end of the page before.
func (r *run) died(s *session) {
	r.Helper()
	r.ended(s)
	s.not("Inspector.detached")
	s.root().not("detachedFromTarget top")
}

// lives fails unless the browser takes and serves a new connection.
func (r *run) lives() {
	r.Helper()
	r.dial().ok("Browser.getVersion", "")
}
