package fakebrowser

import (
	"slices"
	"strings"
)

// navigation is one document on its way into a frame.
type navigation struct {
	frame     *frame
	url       string
	kind      string // CDP's navigationType
	loader    string
	initiator *document // whose script asked; nil for the browser itself
	html      string    // of srcdoc
	replace   bool      // no history entry of its own
	entry     *entry    // the history entry that it goes to
	cmd       *command  // Page.navigate, until it is answered
	back      func()    // runs when the navigation came to nothing
	began     bool      // its start was told
	over      bool
	redirects int
	target    *target // of the iframe that is to move to another renderer
	resp      Response
	errorText string
	place     place
	keeps     *renderer // that stays for the document, whoever leaves it meanwhile
	suspends  *target   // whose sessions it holds back
	first     bool      // the first one of a page that a command made
}

// reload reports whether the navigation shows the same document anew.
func (n *navigation) reload() bool { return n.kind == "reload" }

// navigate starts a navigation for the browser: by a command or for a new
// page. What the dialog of the page says is that it is over.
func (b *Browser) navigate(n *navigation) {
	f := n.frame
	if f.removed || f.page.closed {
		n.fail("net::ERR_ABORTED")
		return
	}
	if n.url == "chrome://crash" {
		b.crashByURL(n)
		return
	}
	if b.sameDocument(n) {
		return
	}
	b.begin(n)
	if b.gone() {
		return
	}
	b.askUnload(b.unloadAskers(f), n.cmd != nil || n.kind == "reload", func(ok bool) {
		if n.over {
			return
		}
		if !ok {
			n.fail("net::ERR_ABORTED")
			return
		}
		b.fetchLater(func() { b.load(n) })
	}, n)
}

// begin makes n the frame's navigation and tells that it started.
func (b *Browser) begin(n *navigation) {
	f := n.frame
	if old := f.nav; old != nil && !(f.parent == nil && f.page.stranded() && f.page.next == old) {
		old.began = false // the frame goes on loading
		old.fail("net::ERR_ABORTED")
	}
	if n.loader == "" {
		n.loader = b.ids.hex32()
	}
	f.nav = n
	f.loading = true
	n.began = true
	b.reviveAfterCrash(f)
	if f.target != nil {
		n.suspends = f.target
		f.target.suspended++
	}
	t := f.local()
	t.pageEvent("Page.frameStartedNavigating", object{"frameId", f.id, "url", n.url, "loaderId", n.loader, "navigationType", n.kind})
	t.pageEvent("Page.frameStartedLoading", object{"frameId", f.id})
	if n.kind == "reload" && n.cmd != nil {
		n.cmd.reply(nil) // reload answers before it closes a dialog
	}
	if f.parent == nil && !(n.reload() && f.page.stale && !f.page.watched()) {
		f.page.cancelDialog() // a reload gets round to a stale one only later
	}
}

// abortNavigation ends the frame's navigation without a commit.
func (f *frame) abortNavigation() {
	if n := f.nav; n != nil {
		n.fail("net::ERR_ABORTED")
	}
}

// finish takes the navigation off its frame; the sessions that were held
// back go on.
func (n *navigation) finish() {
	if n.over {
		return
	}
	n.over = true
	n.dropTarget()
	f := n.frame
	if f.nav == n {
		f.nav = nil
	}
	if r := n.keeps; r != nil {
		n.keeps = nil
		r.release()
	}
	if t := n.suspends; t != nil {
		n.suspends = nil
		t.suspended--
		f.page.b.post(t.flush)
	}
}

// dropTarget forgets the target of an iframe that has not moved after all.
func (n *navigation) dropTarget() {
	t := n.target
	if t == nil {
		return
	}
	n.target = nil
	t.leave()
	n.frame.page.b.dropTarget(t)
	n.place.proc.release()
}

// flush gives held commands to the renderer when nothing is under way.
func (t *target) flush() {
	if t.suspended > 0 || t.crashed {
		return
	}
	for _, s := range slices.Clone(t.sessions) {
		s.sendPending()
	}
}

// fail ends the navigation without a document.
func (n *navigation) fail(errorText string) {
	if n.over {
		return
	}
	f := n.frame
	n.finish()
	if n.cmd != nil && !n.reload() {
		n.cmd.reply(object{"frameId", f.id, "loaderId", n.loader, "errorText", errorText, "isDownload", errorText == "download"})
	}
	if n.began && !f.removed {
		f.stopLoading()
	}
	if n.back != nil {
		n.back()
	}
}

// stopLoading tells that a frame loads no more, and lets its parent's load
// event go on.
func (f *frame) stopLoading() {
	if !f.loading {
		return
	}
	f.loading = false
	f.local().pageEvent("Page.frameStoppedLoading", object{"frameId", f.id})
	if f.parent != nil {
		f.page.b.checkLoad(f.parent.doc)
	}
}

// load gets the document's response.
func (b *Browser) load(n *navigation) {
	if n.over {
		return
	}
	switch scheme, rest, _ := strings.Cut(n.url, ":"); scheme {
	case "about":
		n.resp = Response{HTML: n.html}
		b.respond(n)
	case "data":
		n.resp = Response{HTML: dataHTML(rest)}
		b.respond(n)
	case "blob":
		html, ok := b.scripts.blobs[n.url]
		if !ok {
			n.errorText = "net::ERR_FILE_NOT_FOUND"
		}
		n.resp = Response{HTML: html}
		b.respond(n)
	case "chrome":
		n.resp = Response{HTML: "<!doctype html><title>" + untitled(n.url) + "</title>"}
		b.respond(n)
	case "http", "https":
		b.request(&request{url: n.url, method: "GET", kind: "Document", frame: n.frame, target: n.frame.local(), done: func(r result) {
			if n.over {
				return
			}
			n.resp, n.errorText = r.resp, r.err
			b.respond(n)
		}})
	case "file", "chrome-error":
		n.errorText = "net::ERR_UNKNOWN_URL_SCHEME"
		b.respond(n)
	default: // for another program, if there is one
		b.noDocument(n, "net::ERR_ABORTED")
	}
}

// respond looks at the response: redirects, answers without a document,
// errors; a document goes on to its renderer.
func (b *Browser) respond(n *navigation) {
	r := n.resp
	if n.errorText == "" {
		switch {
		case r.Status >= 301 && r.Status <= 308 && header(r, "Location") != "":
			b.redirect(n)
			return
		case r.Status == 204 || r.Status == 205:
			b.noDocument(n, "net::ERR_ABORTED")
			return
		case strings.HasPrefix(header(r, "Content-Disposition"), "attachment"):
			n.frame.local().pageEvent("Page.downloadWillBegin", object{"frameId", n.frame.id, "guid", b.ids.guid(),
				"url", n.url, "suggestedFilename", "download"})
			b.noDocument(n, "download")
			return
		case r.Status == 401 && header(r, "WWW-Authenticate") != "":
			n.errorText = "net::ERR_INVALID_AUTH_CREDENTIALS"
		case n.frame.parent != nil && n.blockedByFrameOptions():
			n.errorText = "net::ERR_BLOCKED_BY_RESPONSE"
		}
	}
	b.chooseProcess(n)
}

func (b *Browser) redirect(n *navigation) {
	if n.redirects++; n.redirects > maxRedirects {
		n.errorText = "net::ERR_TOO_MANY_REDIRECTS"
		b.chooseProcess(n)
		return
	}
	to, ok := resolveURL(n.url, header(n.resp, "Location"))
	if !ok {
		n.errorText = "net::ERR_INVALID_REDIRECT"
		b.chooseProcess(n)
		return
	}
	n.url = to
	b.load(n)
}

// noDocument ends a navigation that leads to none. A frame that has shown
// nothing yet gets its script context now.
func (b *Browser) noDocument(n *navigation, errorText string) {
	f := n.frame
	if errorText == "download" {
		if n.cmd != nil {
			n.cmd.reply(object{"frameId", f.id, "loaderId", n.loader, "errorText", "net::ERR_ABORTED", "isDownload", true})
		}
		errorText = "net::ERR_ABORTED"
	}
	n.fail(errorText)
	if f.parent != nil && f.doc.initial && f.doc.main() == nil {
		f.doc.context()
	}
}

func (n *navigation) blockedByFrameOptions() bool {
	v := strings.ToLower(header(n.resp, "X-Frame-Options"))
	if v == "deny" {
		return true
	}
	if v != "sameorigin" {
		return false
	}
	o, _ := originOf(n.url)
	return o != n.frame.page.main.doc.origin
}

// header reads a response header without regard to case.
func header(r Response, name string) string {
	for k, v := range r.Header {
		if strings.EqualFold(k, name) {
			return v
		}
	}
	return ""
}

// sameDocument does a navigation that only changes the fragment. It reports
// whether it did.
func (b *Browser) sameDocument(n *navigation) bool {
	f, d := n.frame, n.frame.doc
	to, fragment := cutFragment(n.url)
	here, _ := cutFragment(d.url)
	if n.entry == nil && (fragment == "" || to != here || n.reload()) || n.entry != nil && n.entry.doc != d || d.initial {
		return false
	}
	f.abortNavigation()
	kind, start := "fragment", "sameDocument"
	if n.entry != nil {
		start = "historySameDocument"
	}
	t := f.local()
	n.loader = d.loader
	t.pageEvent("Page.frameStartedNavigating", object{"frameId", f.id, "url", n.url, "loaderId", b.ids.hex32(), "navigationType", start})
	t.pageEvent("Page.frameStartedLoading", object{"frameId", f.id})
	if f.parent == nil {
		f.page.cancelDialog()
	}
	if n.cmd != nil {
		n.cmd.reply(object{"frameId", f.id, "loaderId", d.loader, "isDownload", false})
	}
	d.later(func() { d.moveWithin(n.url, kind, n.replace, n.entry) })
	return true
}

// moveWithin changes the document's URL in place.
func (d *document) moveWithin(url, kind string, replace bool, to *entry) {
	if d.dead {
		return
	}
	f := d.frame
	old := d.url
	d.url = url
	t := f.local()
	t.pageEvent("Page.navigatedWithinDocument", object{"frameId", f.id, "url", url, "navigationType", kind})
	t.pageEvent("Page.frameStoppedLoading", object{"frameId", f.id})
	if f.parent == nil {
		f.page.history.within(d, replace, to)
		t.shows(url, d.shownTitle())
	} else if f.target != nil {
		f.target.shows(url, url)
	}
	if _, a := cutFragment(old); kind == "fragment" {
		if _, z := cutFragment(url); a != z {
			d.fireWindow("hashchange")
		}
	}
}
