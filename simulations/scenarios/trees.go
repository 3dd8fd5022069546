package scenarios

func treeScenarios() []Scenario {
	return []Scenario{
		{Name: "nested frames", Covers: []string{"oopif.nested-attach", "frame-tree.local-only", "oopif.detach-on-parent"}, Site: nestedSite(), run: func(r *run) {
			p := r.open(nested)
			for suffix, on := range map[string]*session{"/n2": p, "?under": p, "/n3": p.frame("/n2"), "?deep": p.frame("/n3")} {
				f := p.frame(suffix)
				p.c.look(func() {
					if p.c.above[f.id] != on.id {
						r.Errorf("%s was attached on another session than its parent's", suffix)
					}
				})
			}
			p.mustShow(nestedTree)
			if own := p.ownFrames(); len(own) != 2 {
				r.Errorf("the page's session lists %v", own)
			}
			f := p.frame("?deep")
			p.root().fails("Target.detachFromTarget", params(`{"sessionId":%q}`, f.id), invalid, "No session with given id")
			p.frame("/n3").ok("Target.detachFromTarget", params(`{"sessionId":%q}`, f.id))
			p.frame("/n3").await("detachedFromTarget sub")
		}},
		{Name: "auto-attach on a loaded page", Covers: []string{"frame-tree.late-attach"}, Site: nestedSite(), run: func(r *run) {
			p := r.open(nested)
			root := r.dial()
			root.handleFrames(true)
			q := root.attach(p.target)
			q.ok("Page.enable", "")
			q.mark()
			q.post("Target.setAutoAttach", autoAttach(true))
			told := q.expect("attachedToTarget sub", "attachedToTarget sub", "reply Target.setAutoAttach")
			for _, m := range told[:2] {
				if m.told.Waiting || m.told.Info.URL == "" {
					r.Errorf("got %s", m.raw)
				}
			}
			q.frame("?deep")
			for _, f := range q.children() {
				f.saw("reply Target.setAutoAttach")
			}
			q.mustShow(nestedTree)
		}},
		{Name: "frames are listed late", Covers: []string{"frame-tree.in-order"}, Site: oneFrame("/plain"), run: func(r *run) {
			p := r.open("http://a.test/top")
			script := p.asks(p, "confirm('busy');f.remove();document.body.appendChild(document.createElement('iframe'));1", "top confirm busy")
			list := p.post("Page.getFrameTree", "")
			r.unanswered(p, list)
			p.ok(handle, accept)
			p.gives(script, "1")
			gone, came := p.saw("frameDetached sub remove"), p.saw("frameAttached sub")
			r.afterwards(p, gone, list)
			r.afterwards(p, came, list)
			own := p.listed(p.c.reply(list))
			if _, there := own[came.told.FrameID]; len(own) != 2 || !there {
				r.Errorf("the listing shows %v", own)
			}
		}},
		{Name: "a frame moves to another renderer", Covers: []string{"swap.local-to-remote"}, Site: oneFrame("/plain"), run: func(r *run) {
			p := r.open("http://a.test/top")
			id := p.onlyChild()
			p.eval("f.src='http://b.test/plain?r'")
			f := p.paused()
			if f.target != id {
				r.Errorf("the frame was %s and is %s", id, f.target)
			}
			commit := f.await("frameNavigated sub http://b.test/plain?r Navigation")
			if m := p.await("frameDetached sub swap"); m.told.FrameID != id || m.at < commit.at {
				r.Errorf("the swap came before the commit, or was another frame's: %s", m.raw)
			}
			f.await("loadEventFired")
			p.mustShow("http://a.test/top [http://b.test/plain?r]")
		}},
		{Name: "a frame comes back to its parent's renderer", Covers: []string{"swap.remote-to-local"}, Site: oneFrame("http://b.test/plain"), run: func(r *run) {
			p := r.open("http://a.test/top")
			p.frame("b.test/plain")
			p.mark()
			p.eval("f.src='/plain?home'")
			p.expect("detachedFromTarget sub", "frameAttached sub", "frameNavigated sub http://a.test/plain?home Navigation")
			p.mustShow("http://a.test/top [http://a.test/plain?home]")
		}},
		{Name: "a frame goes from one foreign renderer to another", Covers: []string{"swap.remote-to-remote"}, Site: oneFrame("http://b.test/plain"), run: func(r *run) {
			p := r.open("http://a.test/top")
			f := p.frame("b.test/plain")
			p.mark()
			f.mark()
			p.eval("f.src='http://c.test/plain'")
			f.expect("frameNavigated sub http://c.test/plain Navigation", "loadEventFired")
			p.await("targetInfoChanged sub url=http://c.test/plain attached=true")
			f.want("location.host", `"c.test"`)
			p.not("attachedToTarget")
			p.not("detachedFromTarget")
			p.not("frameDetached")
			p.mustShow("http://a.test/top [http://c.test/plain]")
		}},
	}
}
