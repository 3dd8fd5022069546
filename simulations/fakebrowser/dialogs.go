package fakebrowser

import (
	"slices"
	"strings"
	"time"
	"unicode/utf16"
)

// dialog is one JavaScript dialog. The page shows one at a time; the script
// that opened it stands still.
type dialog struct {
	frame    *frame
	url      string
	kind     string // "alert", "confirm", "prompt" or "beforeunload"
	message  string
	def      string
	wait     *block
	accepted bool
	text     string
	over     bool
	// dismissed runs before the end is told when a beforeunload dialog of a
	// navigation by the browser is dismissed.
	dismissed func()
}

// openDialog shows a dialog and stands still until it is over. It reports
// false when the renderer ended meanwhile. It runs on the renderer's thread.
func (b *Browser) openDialog(d *dialog) bool {
	p := d.frame.page
	doc := d.frame.doc
	if p.closing || p.closed || doc.leaving || doc.dead {
		return true
	}
	if p.stale && p.watched() {
		b.die("a new dialog while the browser still points to one whose frame was removed")
		return false
	}
	if b.opt.BlockCrossOriginDialogs && d.frame.parent != nil && doc.origin != p.main.doc.origin {
		p.blockDialog(d)
		return true
	}
	d.url = doc.url
	d.wait = &block{why: d.kind}
	before := p.dialog
	p.dialog = d
	opening := object{"url", d.url, "frameId", d.frame.id, "message", d.message, "type", d.kind,
		"hasBrowserHandler", true, "defaultPrompt", d.def}
	for _, s := range inOrder(p.target.sessions) {
		if s.pageOn {
			s.dialog = d
			s.event("Page.javascriptDialogOpening", opening)
		}
	}
	if before != nil {
		// The end of the old dialog makes every session forget the new one.
		p.endDialog(before, false, "")
	}
	if b.auto != nil {
		b.autoDismiss(d)
	}
	return doc.proc.wait(d.wait)
}

// blockDialog dismisses a dialog before it is shown: its end is told, its
// opening is not.
func (p *page) blockDialog(d *dialog) {
	d.over = true
	closed := object{"frameId", d.frame.id, "result", false, "userInput", ""}
	for _, s := range inOrder(p.target.sessions) {
		if s.pageOn {
			s.dialog = nil
			s.event("Page.javascriptDialogClosed", closed)
		}
	}
	p.target.log("other", "warning", "A different origin subframe tried to create a JavaScript dialog. This is no longer allowed and was blocked.", p.main.doc.url)
}

// endDialog closes a dialog and tells who watches the page. The script goes
// on in a later turn.
func (p *page) endDialog(d *dialog, accept bool, text string) {
	if d.over {
		return
	}
	d.over, d.accepted, d.text = true, accept, text
	if p.dialog == d {
		p.dialog = nil
	}
	if !accept && d.dismissed != nil {
		d.dismissed()
	}
	closed := object{"frameId", d.frame.id, "result", accept, "userInput", text}
	for _, s := range inOrder(p.target.sessions) {
		if s.pageOn {
			s.dialog = nil
			s.event("Page.javascriptDialogClosed", closed)
		}
	}
	p.b.post(func() {
		if d.wait != nil {
			d.wait.done = true
		}
	})
	if p.dialog == nil {
		held := p.held
		p.held = nil
		for _, f := range held {
			p.b.post(f)
		}
	}
}

// cancelDialog is what the start of a navigation of the page does to its
// dialog.
func (p *page) cancelDialog() {
	d := p.dialog
	if d == nil {
		return
	}
	if p.stale {
		if p.watched() {
			p.b.die("a navigation while the browser still points to a dialog whose frame was removed")
			return
		}
		p.dialog, p.stale = nil, false
		return
	}
	p.endDialog(d, false, "")
}

// ownerRemoved is what the removal of a frame does when a dialog of it, or
// of one below it, is showing: no event tells of it, and the browser keeps
// its pointer.
func (p *page) ownerRemoved(f *frame) {
	d := p.dialog
	if d == nil || !d.frame.within(f) {
		return
	}
	p.stale = true
	p.b.post(func() {
		if d.wait != nil {
			d.wait.done = true // the frame is gone, and with it the script's wait
		}
	})
}

// endDialogForClose is what closing the page does to its dialog. It reports
// false when the browser dies of it: a subframe's dialog, and a session that
// has the Page domain on.
func (p *page) endDialogForClose() bool {
	d := p.dialog
	if d == nil {
		return true
	}
	if (d.frame != p.main || p.stale) && p.watched() && !p.stranded() {
		p.b.die("the page was closed while a dialog of a subframe was showing")
		return false
	}
	if p.stale {
		p.dialog, p.stale = nil, false
		return true
	}
	p.endDialog(d, false, "")
	return true
}

// stranded reports whether a document waits for the renderer that the page's
// dialog blocks. It comes when the dialog is over, whatever is begun meanwhile.
func (p *page) stranded() bool {
	return p.dialog != nil && !p.stale && p.next != nil && !p.next.over && p.next.place.proc == p.dialog.frame.doc.proc
}

// goesWithin reports whether a document is on its way to the renderer of the one
// that it replaces in the page.
func (p *page) goesWithin(r *renderer) bool {
	return p.next != nil && !p.next.over && p.next.place.proc == r && p.main.doc.proc == r
}

// ofActivePage is a command for the document that the page shows, which its
// sessions have left when another one is about to come.
func ofActivePage(run func(*command)) method {
	return method{on: onPage, topOnly: true, browser: func(c *command) {
		if c.s.target.page.stranded() {
			c.fail(codeServer, "Not attached to an active page")
			return
		}
		run(c)
	}}
}

// unwatched is what the end of the Page domain on a session does to a page
// whose dialog another document waits for: the browser dies.
func (s *session) unwatched() {
	if s.pageOn && s.dialog != nil && s.target != nil && s.target.page.stranded() && !s.target.page.closing {
		s.conn.b.die("a session left the Page domain while a document waited for the dialog's end")
	}
}

// handleDialog is Page.handleJavaScriptDialog.
func handleDialog(c *command) {
	var params struct {
		Accept bool   `json:"accept"`
		Text   string `json:"promptText"`
	}
	if !c.bind(&params, "accept") {
		return
	}
	d, p := c.s.dialog, c.s.target.page
	if d == nil {
		c.fail(codeInvalidParams, "No dialog is showing")
		return
	}
	if p.stale {
		p.b.die("a dialog was answered after its frame had been removed")
		return
	}
	text := ""
	if params.Accept {
		text = strings.ToValidUTF8(params.Text, "\ufffd")
	}
	p.endDialog(d, params.Accept, text)
	c.reply(nil)
}

// pageDisabled is what Page.disable and the end of a session do: the dialog
// stays, nobody can answer it any more.
func (s *session) pageDisabled() {
	s.unwatched()
	s.pageOn = false
	s.dialog = nil
}

// dialogText is a message as the renderer passes it on: line ends unified,
// cut at Chromium's limit.
func dialogText(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	u := utf16.Encode([]rune(s))
	if len(u) > maxDialogMessage {
		u = u[:maxDialogMessage]
	}
	return string(utf16.Decode(u))
}

// AutoDismiss makes the browser close native dialogs by itself, as a backend
// does behind which another client answers them.
type AutoDismiss struct {
	// After is how long a dialog stays open, by the browser's clock.
	After time.Duration
	// Accept accepts them; beforeunload dialogs are always accepted.
	Accept bool
	// Only limits it to dialogs of these types; empty means all.
	Only []string
}

// SetAutoDismiss turns the closing of dialogs on, or off with nil.
func (b *Browser) SetAutoDismiss(a *AutoDismiss) { b.do(func() { b.auto = a }) }

func (b *Browser) autoDismiss(d *dialog) {
	a := *b.auto
	if len(a.Only) > 0 && !slices.Contains(a.Only, d.kind) {
		return
	}
	shut := func() {
		if p := d.frame.page; p.dialog == d && !p.stale {
			p.endDialog(d, a.Accept || d.kind == "beforeunload", "")
		}
	}
	if a.After <= 0 {
		b.post(shut)
		return
	}
	b.after(a.After, shut)
}
