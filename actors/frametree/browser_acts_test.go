package frametree_test

import "cdpsupervisor/messages"

// addLocal adds a frame to its parent's renderer.
func (b *browser) addLocal(parent *frame) {
	f := b.addChild(parent)
	b.attached(f)
	if b.oneIn(3) {
		f.loader = messages.LoaderID(b.id("L"))
	} else {
		b.load(f)
	}
	b.committed(f, f.above())
}

// addRemote adds a frame that loads in a renderer of its own. Sometimes the
// attach overtakes frameAttached.
func (b *browser) addRemote(parent *frame) {
	f := b.addChild(parent)
	if b.oneIn(5) {
		b.goRemote(f, func() { b.attached(f) })
		return
	}
	b.attached(f)
	b.goRemote(f, func() {})
}

// goRemote moves a frame of its parent's renderer to one of its own. The events
// come in any of the orders that were seen.
func (b *browser) goRemote(f *frame, between func()) {
	on := f.above()
	swap := func() { b.say(on, &messages.FrameDetached{FrameID: f.id, Reason: messages.DetachSwap}) }
	b.load(f)
	b.attach(f, true)
	between()
	switch b.rng.IntN(7) {
	case 0: // not paused: the session hears of no commit, and asks
		b.seed(f)
	case 1: // and is told no URL
		info := f.info()
		info.URL = ""
		b.tell(step{ev: messages.Event{Session: f.session}, seed: &messages.FrameNode{Frame: info}})
	default:
		b.committed(f, f.session)
	}
	b.targetChanged(f)
	if b.oneIn(3) { // the new document is faster than the swap
		b.addLocal(f)
	}
	swap()
}

// toRemote: a frame with a document goes to another site. The old document is
// alive until the swap, and may still add frames.
func (b *browser) toRemote(f *frame) {
	b.unload(f)
	on := f.owner()
	if b.oneIn(4) { // the swap overtakes the attach
		b.say(on, &messages.FrameDetached{FrameID: f.id, Reason: messages.DetachSwap})
	}
	b.goRemote(f, func() {
		if b.oneIn(2) {
			b.say(on, &messages.FrameAttached{FrameID: messages.FrameID(b.id("old")), ParentID: f.id})
		}
	})
}

// toLocal: a remote frame comes back to its parent's renderer.
func (b *browser) toLocal(f *frame) {
	b.detach(f)
	f.children = nil
	b.attached(f)
	b.load(f)
	if b.oneIn(6) { // the commit was missed: somebody asks
		root := f
		for root.session == "" {
			root = root.parent
		}
		b.seed(root)
		return
	}
	b.committed(f, f.above())
}

// navigate: another document in the same session. Sessions of the old one are
// detached before the commit or, below the top, after it.
func (b *browser) navigate(f *frame) {
	on := f.owner()
	old, after := f.direct(), f.parent != nil && b.oneIn(2)
	if !after {
		b.unload(f)
	}
	f.children = nil
	b.load(f)
	if b.oneIn(2) {
		b.say(on, &messages.FrameStartedNavigating{FrameID: f.id, LoaderID: f.loader})
		if b.oneIn(2) { // the new document is faster than its commit
			c := b.addChild(f)
			b.load(c)
			b.attach(c, false)
			b.committed(c, c.session)
		}
	}
	b.committed(f, on)
	if after {
		for _, c := range old {
			b.say(on, &messages.DetachedFromTarget{SessionID: c.session, TargetID: messages.TargetID(c.id)})
		}
	}
	if f.session != "" && f.parent != nil {
		b.targetChanged(f)
	}
}

// push: history.pushState.
func (b *browser) push(f *frame) {
	if f.blank {
		return
	}
	f.url += "#" + b.id("h")
	b.say(f.owner(), &messages.NavigatedWithinDocument{FrameID: f.id, URL: f.url})
	if f.session != "" && f.parent != nil {
		b.targetChanged(f)
	}
}

// open: document.open gives a frame of the renderer the URL of its parent.
func (b *browser) open(f *frame) {
	if f.parent.blank {
		return
	}
	for len(f.children) > 0 {
		b.remove(f.children[0])
	}
	f.url, f.blank = f.parent.url, false
	b.say(f.owner(), &messages.DocumentOpened{Frame: f.info()})
}

// remove takes a frame out of its parent document, leaves first.
func (b *browser) remove(f *frame) {
	for len(f.children) > 0 {
		b.remove(f.children[0])
	}
	on := f.above()
	if f.session != "" && b.oneIn(2) {
		b.detach(f)
	}
	b.say(on, &messages.FrameDetached{FrameID: f.id, Reason: messages.DetachRemove})
	if f.session != "" {
		b.detach(f)
	}
	for i, c := range f.parent.children {
		if c == f {
			f.parent.children = append(f.parent.children[:i], f.parent.children[i+1:]...)
			break
		}
	}
}

// goNowhere: a frame of its parent's renderer is about to go to another one, and
// its navigation is ended by one to nothing. The old document lives on.
func (b *browser) goNowhere(f *frame) {
	b.attach(f, true)
	if b.oneIn(2) {
		root := notYet(f.id, f.parent.id)
		b.tell(step{ev: messages.Event{Session: f.session}, seed: &root})
	}
	s := f.session
	f.session = ""
	if b.oneIn(2) {
		b.addLocal(f)
	}
	f.session = s
	b.detach(f)
}

// blink: the session of a frame is replaced by another one.
func (b *browser) blink(f *frame) {
	b.detach(f)
	b.attach(f, false)
	b.reannounce(f)
}

// reannounce tells a session anew what is in its renderer: by a frame tree
// reply, before or after what is remote is attached.
func (b *browser) reannounce(f *frame) {
	remote := f.direct()
	first := b.oneIn(2)
	if first {
		b.seed(f)
	}
	for _, c := range remote {
		c.session = "" // of another life
		b.attach(c, false)
	}
	if !first {
		b.seed(f)
	}
	for _, c := range remote {
		b.reannounce(c)
	}
}

// seed is a Page.getFrameTree reply on the session of f.
func (b *browser) seed(f *frame) {
	var node func(f *frame) messages.FrameNode
	node = func(f *frame) messages.FrameNode {
		n := messages.FrameNode{Frame: f.info()}
		for _, c := range f.children {
			if c.session == "" {
				n.Children = append(n.Children, node(c))
			}
		}
		return n
	}
	root := node(f)
	b.tell(step{ev: messages.Event{Session: f.session}, seed: &root})
}

// goBack restores a document from the back/forward cache; without one, the page
// goes on and the current document is kept there.
func (b *browser) goBack(p *page) {
	now := p.main
	old := &frame{id: now.id, session: now.session, url: now.url, loader: now.loader, children: now.children}
	for _, c := range old.children {
		c.parent = old
	}
	var late []*frame
	for _, c := range old.direct() {
		if len(p.history) > 0 && b.oneIn(4) {
			late = append(late, &frame{id: c.id, session: c.session, parent: old})
		} else {
			b.say(now.session, &messages.DetachedFromTarget{SessionID: c.session, TargetID: messages.TargetID(c.id)})
		}
		c.session = "asleep"
	}
	now.children = nil
	if len(p.history) == 0 {
		b.load(now)
		b.committed(now, now.session)
		p.history = append(p.history, old)
		return
	}
	back := p.history[0]
	p.history = []*frame{old}
	now.children, now.url, now.loader = back.children, back.url, back.loader
	for _, c := range now.children {
		c.parent = now
	}
	remote := now.direct()
	for _, c := range remote {
		c.session = ""
		b.attach(c, false)
	}
	b.say(now.session, &messages.FrameNavigated{Frame: now.info(), Type: messages.NavigationBFCache})
	for _, c := range late {
		b.detach(c)
	}
	b.seed(now)
	for _, c := range remote {
		b.reannounce(c)
	}
}
