package replay

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"cdpsupervisor/actors/attach"
	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/importers"
	"cdpsupervisor/simulations/jsonscan"
)

// layout says where a trace has its page.
type layout uint8

const (
	// layoutBrowser: the root session is the browser, the page has a session.
	layoutBrowser layout = iota
	// layoutPage: the root session is the page.
	layoutPage
	// layoutNone: there is no page.
	layoutNone
)

// maxSeen is how many sessions of a trace are kept apart.
const maxSeen = 100_000

// attachment is a session that a trace shows being attached.
type attachment struct {
	session string
	target  string
	kind    string // Target.TargetInfo.type
	info    []byte // the Target.TargetInfo as it stands in the trace
	real    bool   // a page with web content
	place   int
	at      time.Duration
}

// talk is what is said on one session.
type talk struct {
	place    int    // of the first message
	page     bool   // events of the Page domain
	attached bool   // somewhere in the trace
	main     string // the frame at its root, as far as it can be told
	mention  string // the first frame that is spoken of
}

// plan is what has to be known of a trace before it is played: it is read twice.
type plan struct {
	format   importers.Format
	header   cdpwire.TraceHeader
	layout   layout
	page     attachment // the task's page
	implied  bool       // no message attaches it
	begin    time.Duration
	end      time.Duration
	total    int
	replies  *replies
	talks    map[string]*talk
	attaches []attachment
}

// survey reads a trace once and finds its page. target, if not empty, says which
// one it has to be.
func survey(trace *importers.Trace, target messages.TargetID) (*plan, error) {
	p := &plan{format: trace.Format(), replies: newReplies(), talks: make(map[string]*talk)}
	rootTalk := -1 // where the root session first speaks as a page does
	for {
		m, err := trace.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read trace: %w", err)
		}
		if e, err := jsonscan.ReadMessage(m.Msg); err == nil {
			p.message(&e, m.Dir, m.T)
			if rootTalk < 0 && e.IsEvent() && e.Session == "" && m.Dir == cdpwire.Received && isPageTalk(e.Method) {
				rootTalk = p.total
			}
		}
		p.end = m.T
		p.total++
	}
	p.header = trace.Header()
	p.replies.done()
	if rootTalk < 0 && p.rootCommands() {
		rootTalk = 0
	}
	return p, p.choose(target, rootTalk)
}

// isPageTalk reports whether only a page sends such an event.
func isPageTalk(method string) bool {
	domain, _, _ := strings.Cut(method, ".")
	return domain == "Page" || domain == "Runtime" || domain == "Inspector" || domain == "Network"
}

// rootCommands reports whether the page domain was used on the root session, with
// success.
func (p *plan) rootCommands() bool {
	c := p.replies.next(key{"", messages.PageEnable{}.Method()}, func(c *recorded) bool { return c.result != nil })
	return c != nil
}

func (p *plan) message(e *jsonscan.Message, dir cdpwire.Direction, at time.Duration) {
	switch {
	case dir == cdpwire.Sent:
		if e.Method != "" {
			p.replies.command(e, at)
		}
	case e.IsReply():
		p.replies.reply(e, p.total, at)
		if tree := jsonscan.Field(e.Result, "frameTree", "frame", "id"); tree != nil {
			if t := p.talk(e.Session); t != nil && t.main == "" {
				t.main = jsonscan.String(tree)
			}
		}
	case e.IsEvent():
		p.event(e, at)
	}
}

func (p *plan) talk(session string) *talk {
	t := p.talks[session]
	if t == nil && len(p.talks) < maxSeen {
		t = &talk{place: p.total}
		p.talks[session] = t
	}
	return t
}

func (p *plan) event(e *jsonscan.Message, at time.Duration) {
	if t := p.talk(e.Session); t != nil && strings.HasPrefix(e.Method, "Page.") {
		t.page = true
		t.listen(e)
	}
	if e.Method == "Target.attachedToTarget" && len(p.attaches) < maxSeen {
		p.attach(e, at)
	}
}

// listen finds the frame at the root of a session.
func (t *talk) listen(e *jsonscan.Message) {
	if t.main != "" {
		return
	}
	if frame := jsonscan.Field(e.Params, "frame"); frame != nil {
		if jsonscan.Field(frame, "parentId") == nil {
			t.main = jsonscan.String(jsonscan.Field(frame, "id"))
		}
		return
	}
	if t.mention == "" {
		t.mention = jsonscan.String(jsonscan.Field(e.Params, "parentFrameId"))
	}
	if t.mention == "" {
		t.mention = jsonscan.String(jsonscan.Field(e.Params, "frameId"))
	}
}

// root is the frame at the root of a session, or "".
func (p *plan) root(session string) string {
	t := p.talks[session]
	switch {
	case t == nil:
		return ""
	case t.main != "":
		return t.main
	}
	return t.mention
}

func (p *plan) attach(e *jsonscan.Message, at time.Duration) {
	a := readAttachment(e.Params)
	if a.session == "" {
		return
	}
	if t := p.talk(a.session); t != nil {
		t.attached = true
	}
	a.place, a.at = p.total, at
	p.attaches = append(p.attaches, a)
}

// readAttachment reads the parameters of Target.attachedToTarget. What it returns
// is its own.
func readAttachment(params []byte) attachment {
	info := append([]byte(nil), jsonscan.Field(params, "targetInfo")...)
	text := func(name string) string { return jsonscan.String(jsonscan.Field(info, name)) }
	a := attachment{session: jsonscan.String(jsonscan.Field(params, "sessionId")), target: text("targetId"), kind: text("type"), info: info}
	a.real = attach.RealPage(messages.TargetInfo{Type: messages.TargetType(a.kind), Subtype: text("subtype"), URL: text("url")})
	return a
}

// isPage reports whether the session is that of a page.
func (a *attachment) isPage() bool { return a.kind == string(messages.TargetPage) }

// choose finds the page.
func (p *plan) choose(target messages.TargetID, rootTalk int) error {
	first := p.firstPage(target)
	switch {
	case target != "" && first == nil:
		return p.noTarget(target)
	case first != nil && (rootTalk < 0 || first.place <= rootTalk || target != ""):
		p.layout, p.page, p.begin = layoutBrowser, *first, first.at
		return nil
	case rootTalk >= 0:
		p.layout = layoutPage
		p.page = p.made("")
		return nil
	}
	session, found := p.speaker()
	if !found {
		p.layout = layoutNone
		return nil
	}
	p.layout, p.implied = layoutBrowser, true
	p.page = p.made(session)
	return nil
}

// firstPage is the first page that is attached, web content before pages of the
// browser itself. Where a page has several sessions it is the one on which it
// speaks.
func (p *plan) firstPage(target messages.TargetID) *attachment {
	var found *attachment
	for i := range p.attaches {
		a := &p.attaches[i]
		if !a.isPage() || target != "" && a.target != string(target) {
			continue
		}
		switch {
		case found == nil, a.real && !found.real:
			found = a
		case a.target == found.target && !p.speaks(found.session) && p.speaks(a.session):
			found = a
		}
	}
	return found
}

func (p *plan) speaks(session string) bool { return p.talks[session] != nil && p.talks[session].page }

// speaker is the first session on which a page speaks that was attached before
// the recording began.
func (p *plan) speaker() (string, bool) {
	best, found := "", false
	for session, t := range p.talks {
		if session != "" && t.page && !t.attached && (!found || t.place < p.talks[best].place) {
			best, found = session, true
		}
	}
	return best, found
}

// made is the page of a trace that does not introduce it.
func (p *plan) made(session string) attachment {
	target := p.root(session)
	if target == "" {
		target = "page"
	}
	info := append([]byte(`{"targetId":`), jsonscan.Quote(target)...)
	info = append(info, `,"type":"page","title":"","url":"","attached":true,"canAccessOpener":false}`...)
	return attachment{session: session, target: target, kind: string(messages.TargetPage), info: info, real: true}
}

func (p *plan) noTarget(target messages.TargetID) error {
	var pages []string
	for i := range p.attaches {
		if a := &p.attaches[i]; a.isPage() && len(pages) < 20 {
			pages = append(pages, a.target)
		}
	}
	if len(pages) == 0 {
		return fmt.Errorf("%w: no page is attached in this trace, so there is no target %q; leave --target out", messages.ErrInvalid, target)
	}
	return fmt.Errorf("%w: no page %q is attached in this trace; there are %s", messages.ErrInvalid, target, strings.Join(pages, ", "))
}
