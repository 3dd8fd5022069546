package scenarios

import (
	"strings"
)

const (
	autoPages = `{"autoAttach":true,"flatten":true,"waitForDebuggerOnStart":true,"filter":[{"type":"page"}]}`
	autoOff   = `{"autoAttach":false,"flatten":true,"waitForDebuggerOnStart":false}`
)

// attachedTo waits for the session of a target on a root session.
func (s *session) attachedTo(target string) *session {
	s.c.r.Helper()
	found := &session{c: s.c, target: target}
	s.c.wait("an attach", func() bool {
		for id, at := range s.c.at {
			if up, live := s.c.above[id]; live && up == s.id && at == target {
				found.id = id
			}
		}
		return found.id != ""
	})
	return found
}

// sessions is how many live sessions a target has on this connection.
func (s *session) sessions(target string) (n int) {
	s.c.look(func() {
		for id := range s.c.above {
			if s.c.at[id] == target {
				n++
			}
		}
	})
	return n
}

func targetScenarios() []Scenario {
	return []Scenario{
		{Name: "pages of the browser's own", Covers: []string{"targets.browser-ui"}, Site: pages(nil), run: func(r *run) {
			root := r.dial()
			if m := root.ok("Target.getTargets", ""); strings.Count(m.raw, `"browser_ui"`) != 2 {
				r.Errorf("got %s", m.raw)
			}
			if m := root.ok("Target.getTargets", `{"filter":[{"type":"page"}]}`); strings.Contains(m.raw, "browser_ui") {
				r.Errorf("got %s", m.raw)
			}
			root.ok("Target.setAutoAttach", `{"autoAttach":true,"flatten":true,"waitForDebuggerOnStart":false}`)
			n := 0
			root.c.look(func() {
				for _, m := range root.c.all {
					if m.told.Info.Type == "browser_ui" {
						n++
					}
				}
			})
			if n != 2 {
				r.Errorf("%d attached without a filter", n)
			}
		}},
		{Name: "auto-attach of the root", Covers: []string{"targets.root-attaches-existing", "targets.root-again", "targets.root-flatten-only"}, Site: pages(nil), run: func(r *run) {
			p := r.open("")
			root := r.dial()
			root.post("Target.setAutoAttach", autoPages)
			reply := root.await("reply Target.setAutoAttach")
			first := root.attachedTo(p.target)
			root.c.look(func() {
				for _, m := range root.c.all[:reply.at] {
					if m.Method == "Target.attachedToTarget" && m.told.Waiting {
						r.Errorf("a page that was there is paused: %s", m.raw)
					}
				}
				if root.c.at[first.id] != p.target {
					r.Errorf("the page was not attached before the reply")
				}
			})
			second := root.attach(p.target)
			if second.id == first.id {
				r.Errorf("an explicit attach gave the same session")
			}
			root.ok("Target.setAutoAttach", autoPages)
			if n := root.sessions(p.target); n != 2 {
				r.Errorf("%d sessions after the second Target.setAutoAttach", n)
			}
			root.ok("Target.detachFromTarget", params(`{"sessionId":%q}`, first.id))
			root.ok("Target.setAutoAttach", autoPages)
			if n := root.sessions(p.target); n != 2 {
				r.Errorf("%d sessions after the detach and the third", n)
			}
			root.ok("Target.setAutoAttach", autoOff)
			if n := root.sessions(p.target); n != 1 {
				r.Errorf("%d sessions after auto-attach was turned off", n)
			}
			second.ok("Page.enable", "")
			root.fails("Target.setAutoAttach", `{"autoAttach":true,"flatten":false,"waitForDebuggerOnStart":false}`, invalid, "Only flatten protocol is supported with browser level auto-attach")
		}},
		{Name: "a page that was made is not held", Covers: []string{"targets.created-is-not-held", "targets.created-holds-next"},
			Site: pages(map[string]string{"http://a.test/al": "<title>al</title><script>window.ran=1</script>"}), run: func(r *run) {
				root := r.dial()
				root.ok("Target.setAutoAttach", autoPages)
				root.mark()
				root.post("Target.createTarget", `{"url":"http://a.test/al"}`)
				m := root.await("attachedToTarget top")
				if !m.told.Waiting {
					r.Errorf("got %s", m.raw)
				}
				p := &session{root.c, m.told.SessionID, m.told.Info.TargetID}
				root.await("reply Target.createTarget")
				p.loaded()
				p.want("[location.pathname,ran]", `["/al",1]`)
				nav := p.post("Page.navigate", navigate(plain+"?2"))
				r.unanswered(p, nav)
				p.post("Runtime.runIfWaitingForDebugger", "")
				if m := p.c.reply(nav); m.Error != nil {
					r.Errorf("got %s", m.raw)
				}
			}},
		{Name: "discovery of targets", Covers: []string{"targets.discovery"}, Site: pages(nil), run: func(r *run) {
			p := r.open("")
			root := r.dial()
			root.post("Target.setDiscoverTargets", `{"discover":true,"filter":[{"type":"page"}]}`)
			reply := root.await("reply Target.setDiscoverTargets")
			root.c.look(func() {
				known := false
				for _, m := range root.c.all[:reply.at] {
					known = known || m.Method == "Target.targetCreated" && m.told.Info.TargetID == p.target
				}
				if !known {
					r.Errorf("a target that was there is not told before the reply")
				}
			})
			q := root.newTab("")
			root.await("targetCreated top")
			root.await("targetInfoChanged top url=about:blank attached=true")
			root.await("attachedToTarget top")
			root.ok("Target.closeTarget", byTarget(q.target))
			root.await("targetInfoChanged top url=about:blank attached=false")
			root.await("detachedFromTarget top")
			root.await("targetDestroyed top")
		}},
		{Name: "targets that are not there", Covers: []string{"targets.unknown"}, Site: pages(nil), run: func(r *run) {
			root := r.dial()
			for _, x := range []command{{"Target.closeTarget", `{"targetId":"X"}`}, {"Target.attachToTarget", `{"targetId":"X","flatten":true}`}, {"Target.getTargetInfo", `{"targetId":"X"}`}} {
				root.fails(x.method, x.params, invalid, "No target with given id found")
			}
		}},
		{Name: "commands on a session that is gone", Covers: []string{"session.dead"}, Site: pages(nil), run: func(r *run) {
			p := r.open(plain)
			pending := p.post("Runtime.evaluate", `{"expression":"new Promise(()=>{})","awaitPromise":true}`)
			p.want("1", "1")
			p.root().ok("Target.closeTarget", byTarget(p.target))
			p.root().await("detachedFromTarget top")
			p.goneNow()
			r.unanswered(p, pending)
		}},
		{Name: "a page session goes with its children", Covers: []string{"session.takes-children-along"}, Site: nestedSite(), run: func(r *run) {
			p := r.open(nested)
			kids := p.children()
			if len(kids) != 4 {
				r.Errorf("%d frame sessions", len(kids))
			}
			p.mark()
			p.root().ok("Target.detachFromTarget", params(`{"sessionId":%q}`, p.id))
			p.root().await("detachedFromTarget top")
			for _, f := range kids {
				f.goneNow()
				f.not("detachedFromTarget")
			}
			p.not("detachedFromTarget")
		}},
	}
}
