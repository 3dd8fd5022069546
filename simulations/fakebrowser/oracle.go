package fakebrowser

import "slices"

// Frame is one frame as it really is, whatever clients have been told.
type Frame struct {
	ID, ParentID string
	URL, Origin  string
	Name         string
	LoaderID     string
	// OOPIF: the frame lives in another renderer than its parent, and has a
	// target of its own.
	OOPIF bool
	// StandIn: its renderer has died, and the document that it is to get is not
	// there yet. The blank one meanwhile is told by no event, and nothing that a
	// client asks of it is answered.
	StandIn bool
	Depth   int
	// Renderer is the process that it lives in.
	Renderer int
}

// Frames is the true frame tree of the page of a target, parents first,
// children in document order. It is empty when there is no such page.
func (b *Browser) Frames(targetID string) []Frame {
	var out []Frame
	b.do(func() {
		t := b.target(targetID)
		if t == nil || t.page.closed {
			return
		}
		t.page.main.walk(func(f *frame) {
			fr := Frame{ID: f.id, URL: f.doc.url, Origin: f.doc.origin.String(), Name: f.name, LoaderID: f.doc.loader,
				OOPIF: f.remote(), StandIn: f.doc.revived && f.nav != nil, Depth: f.depth(), Renderer: f.doc.proc.id}
			if f.parent != nil {
				fr.ParentID = f.parent.id
			}
			out = append(out, fr)
		})
	})
	return out
}

// OpenDialog is a dialog that is showing.
type OpenDialog struct {
	TargetID, FrameID string
	URL, Type         string
	Message, Default  string
	// Renderer is the process that stands still for it.
	Renderer int
	// Answerable: some session can answer it.
	Answerable bool
	// Orphan: its frame has been removed, and the browser does not know.
	Orphan bool
	// Stranded: a document waits for its end, and no answer is taken.
	Stranded bool
}

// OpenDialogs lists the dialogs that are showing, page by page.
func (b *Browser) OpenDialogs() []OpenDialog {
	var out []OpenDialog
	b.do(func() {
		for _, p := range b.pages {
			d := p.dialog
			if d == nil {
				continue
			}
			out = append(out, OpenDialog{TargetID: p.target.id, FrameID: d.frame.id, URL: d.url, Type: d.kind,
				Message: d.message, Default: d.def, Renderer: d.frame.doc.proc.id, Orphan: p.stale, Stranded: p.stranded(),
				Answerable: slices.ContainsFunc(p.target.sessions, func(s *session) bool { return s.dialog == d })})
		}
	})
	return out
}

// PageIDs are the target ids of the pages, oldest first.
func (b *Browser) PageIDs() []string {
	var out []string
	b.do(func() {
		for _, p := range b.pages {
			if p.target.kind == "page" {
				out = append(out, p.target.id)
			}
		}
	})
	return out
}

// Calls is how often a method was received since New, over all connections
// and restarts.
func (b *Browser) Calls(method string) int {
	n := 0
	b.do(func() { n = b.calls[method] })
	return n
}

// Connections is how many clients are connected.
func (b *Browser) Connections() int { return len(b.connections()) }

// Sessions is how many sessions are attached, over all connections; root
// sessions do not count.
func (b *Browser) Sessions() int {
	n := 0
	b.do(func() {
		for _, c := range b.connections() {
			n += max(0, len(c.open)-1)
		}
	})
	return n
}

// HeldRequests is how many requests clients hold through the Fetch domain.
func (b *Browser) HeldRequests() int {
	n := 0
	b.do(func() { n = len(b.jobs) })
	return n
}
