package fakebrowser

import "time"

// gesture is the user's last action in a document. It lets a script open a
// window for a few seconds, once.
type gesture struct {
	at   time.Time
	live bool
}

const gestureLife = 5 * time.Second

// activate records a user action in the document and its ancestors of the
// same origin.
func (d *document) activate() {
	for f := d.frame; f != nil; f = f.parent {
		if f.doc.origin != d.origin {
			break
		}
		f.doc.activated = true
		f.doc.gesture = gesture{at: d.b.clock.Now(), live: true}
	}
}

// consumeGesture uses up the right to open a window; false when there is none.
func (d *document) consumeGesture() bool {
	g := d.gesture
	if !g.live || d.b.clock.Now().Sub(g.at) > gestureLife {
		return false
	}
	for f := d.frame; f != nil; f = f.parent {
		f.doc.gesture.live = false
	}
	return true
}

// unloadAskers are the documents of a frame and below whose beforeunload
// handlers are to be asked.
func (b *Browser) unloadAskers(f *frame) []*document {
	var out []*document
	f.walk(func(g *frame) {
		if g.doc.listens("beforeunload") && !g.doc.proc.dead {
			out = append(out, g.doc)
		}
	})
	return out
}

// askUnload runs beforeunload handlers, one document after the other, each on
// its renderer, and then with whether all let go. n is the navigation, if any,
// that a dismissed dialog ends before the dialog's own end is told.
func (b *Browser) askUnload(docs []*document, byBrowser bool, then func(ok bool), n *navigation) {
	if len(docs) == 0 {
		then(true)
		return
	}
	d := docs[0]
	d.proc.commits(func() {
		var dismissed func()
		if n != nil && byBrowser {
			dismissed = func() { n.fail("net::ERR_ABORTED") }
		}
		over := n != nil && n.over // another navigation has taken its place
		ok := over || d.left() || d.beforeUnload(dismissed)
		b.post(func() {
			if !ok {
				then(false)
				return
			}
			b.askUnload(docs[1:], byBrowser, then, n)
		})
	})
}

// beforeUnload fires the event and, where a handler objects and the user has
// done something in the document, shows the dialog. It runs on the renderer's
// thread and reports whether the document may go.
func (d *document) beforeUnload(dismissed func()) bool {
	d.inUnload = "beforeunload"
	objects := d.fireBeforeUnload()
	d.inUnload = ""
	if !objects || !d.activated {
		return true
	}
	dlg := &dialog{frame: d.frame, kind: "beforeunload", dismissed: dismissed}
	if !d.b.openDialog(dlg) {
		return false
	}
	return dlg.accepted || !dlg.over
}

// left reports whether the frame shows another document by now; this one may
// be cached.
func (d *document) left() bool { return d.dead || d.frame.doc != d }

// runUnload fires the events of a document that goes. What they show is
// swallowed.
func (d *document) runUnload() {
	d.frame.walk(func(f *frame) {
		k := f.doc
		if k.proc != d.proc || k.dead {
			return
		}
		for _, name := range []string{"pagehide", "visibilitychange", "unload"} {
			if k.listens(name) {
				k.inUnload = name
				k.fireWindow(name)
			}
		}
		k.inUnload = ""
	})
}

// closeAsking is Page.close and window.close: beforeunload handlers are asked
// first.
func (p *page) closeAsking() {
	if p.closing || p.closed {
		return
	}
	p.b.askUnload(p.b.unloadAskers(p.main), true, func(ok bool) {
		if ok {
			p.close(nil)
		}
	}, nil)
}
