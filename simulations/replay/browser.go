package replay

import (
	"strconv"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/importers"
	"cdpsupervisor/simulations/jsonscan"
)

// fate is what becomes of the messages of a session.
type fate uint8

const (
	fateLive   fate = iota // they reach the engine
	fateBridge             // a tab or browser target: what it says of targets is the root's
	fateAside              // the engine is not shown it: a second session of a page, or below one
	fateLeft               // the engine has detached it
	fateOver               // the browser has
)

// session is one session of the recorded browser.
type session struct {
	id, parent string
	target     string
	kind       string
	url        string
	fate       fate
	opened     time.Duration
	closed     time.Duration // 0 while it lives
	dialog     *dialog
}

// dialog is the dialog that a page shows.
type dialog struct {
	frame  []byte // JSON
	prompt bool
	ours   bool // the engine has answered it
}

// browser plays the browser of a trace. It passes on what that browser said and
// answers what the engine asks:
//
//   - A reply that was recorded for the same method on the same session is given,
//     once each, in order. If the recording client asked at about the same moment,
//     the reply comes at its place in the trace, else at once.
//   - What was asked then and never answered, though the trace goes on, is not
//     answered now.
//   - Without a recorded reply the answer is {}, or the least that such an answer
//     must hold, such as a frame tree of the main frame.
//   - A dialog that the engine answers closes there and then; how it closed in the
//     recording is left out.
//   - A session that the engine detaches says nothing any more.
type browser struct {
	plan     *plan
	wire     *conductor
	sessions map[string]*session
	order    []*session
	place    int           // of the message that comes next
	now      time.Duration // since the start of the trace
	withheld int           // messages that the engine was not shown
	silent   int           // commands that stay without answer
	text     []byte
}

func newBrowser(p *plan, wire *conductor) *browser {
	b := &browser{plan: p, wire: wire, sessions: make(map[string]*session)}
	if p.layout == layoutPage {
		b.add(&session{target: p.page.target, kind: p.page.kind})
	}
	return b
}

func (b *browser) add(s *session) {
	b.sessions[s.id] = s
	b.order = append(b.order, s)
}

// introduce attaches a page that the trace does not introduce itself.
func (b *browser) introduce() error {
	p := &b.plan.page
	b.add(&session{id: p.session, target: p.target, kind: p.kind})
	params := append([]byte(`{"sessionId":`), jsonscan.Quote(p.session)...)
	params = append(append(append(params, `,"targetInfo":`...), p.info...), `,"waitingForDebugger":false}`...)
	return b.pass(&jsonscan.Message{Method: "Target.attachedToTarget", Params: params})
}

// pass gives the engine a message.
func (b *browser) pass(m *jsonscan.Message) error {
	b.text = m.Append(b.text[:0])
	return b.wire.feed(b.text)
}

// received plays one message of the trace.
func (b *browser) received(m *importers.Message) error {
	b.now = m.T
	place := b.place
	b.place++
	e, err := jsonscan.ReadMessage(m.Msg)
	switch {
	case err != nil:
		return b.wire.feed(m.Msg) // the engine counts it
	case e.IsReply():
		return b.reply(place)
	case !e.IsEvent():
		return nil
	}
	s := b.sessions[e.Session]
	shown := e.Session == "" || s != nil && s.fate == fateLive
	if s != nil && s.fate == fateBridge && (e.Method == "Target.attachedToTarget" || e.Method == "Target.detachedFromTarget" || e.Method == "Target.targetInfoChanged") {
		shown, e.Session = true, ""
		m.Msg = e.Append(nil)
	}
	if !b.follow(&e, s) || !shown {
		b.withheld++
		return nil
	}
	return b.wire.feed(m.Msg)
}

// sent passes over a command of the recording client. One alone says something:
// the engine's own first command, when it comes again, begins a new connection,
// and the sessions of the last one are gone.
func (b *browser) sent(m *importers.Message) error {
	b.now = m.T
	b.place++
	if b.plan.format != importers.FormatTrace || b.plan.layout != layoutBrowser {
		return nil
	}
	e, err := jsonscan.ReadMessage(m.Msg)
	if err != nil || e.ID != 1 || e.Session != "" || e.Method != (messages.GetVersion{}).Method() {
		return nil
	}
	for _, s := range b.order {
		if s.parent != "" || s.id == "" || s.fate != fateLive {
			continue
		}
		b.end(s, fateOver)
		if err := b.detached("", s); err != nil {
			return err
		}
	}
	return nil
}

// detached tells the engine on a session that another one below it is gone.
func (b *browser) detached(on string, s *session) error {
	params := append([]byte(`{"sessionId":`), jsonscan.Quote(s.id)...)
	params = append(append(append(params, `,"targetId":`...), jsonscan.Quote(s.target)...), '}')
	return b.pass(&jsonscan.Message{Method: "Target.detachedFromTarget", Params: params, Session: on})
}

// follow keeps account of sessions and dialogs, and reports whether the engine is
// to see the event.
func (b *browser) follow(e *jsonscan.Message, on *session) bool {
	switch e.Method {
	case "Target.attachedToTarget":
		return b.attached(e, on)
	case "Target.detachedFromTarget":
		id := jsonscan.String(jsonscan.Field(e.Params, "sessionId"))
		s := b.sessions[id]
		if s == nil {
			return id == ""
		}
		live := s.fate == fateLive
		b.end(s, fateOver)
		return live
	case "Target.targetInfoChanged":
		b.renamed(e)
	case "Page.javascriptDialogOpening":
		if on != nil {
			on.dialog = &dialog{
				frame:  append([]byte(nil), jsonscan.Field(e.Params, "frameId")...),
				prompt: jsonscan.String(jsonscan.Field(e.Params, "type")) == string(messages.DialogPrompt),
			}
		}
	case "Page.javascriptDialogClosed":
		if on != nil && on.dialog != nil {
			ours := on.dialog.ours
			on.dialog = nil
			return !ours
		}
	}
	return true
}

func (b *browser) attached(e *jsonscan.Message, on *session) bool {
	a := readAttachment(e.Params)
	if a.session == "" || len(b.order) >= maxSeen {
		return true // the engine counts it
	}
	s := &session{
		id: a.session, parent: e.Session, target: a.target, kind: a.kind,
		url: jsonscan.String(jsonscan.Field(a.info, "url")), opened: b.now,
	}
	switch {
	case on != nil && on.fate != fateLive && on.fate != fateBridge, on == nil && e.Session != "":
		s.fate = fateAside
	case a.kind == "tab", a.kind == "browser":
		s.fate = fateBridge
	case a.isPage() && b.surplus(&a):
		s.fate = fateAside
	}
	b.add(s)
	return s.fate == fateLive
}

// renamed keeps the newest URL of a target.
func (b *browser) renamed(e *jsonscan.Message) {
	target := jsonscan.String(jsonscan.Field(e.Params, "targetInfo", "targetId"))
	url := jsonscan.String(jsonscan.Field(e.Params, "targetInfo", "url"))
	for _, s := range b.order {
		if s.target == target && url != "" {
			s.url = url
		}
	}
}

// surplus reports whether the page is better seen on another session: one that it
// has already, or one that is to come and on which it speaks.
func (b *browser) surplus(a *attachment) bool {
	for _, s := range b.order {
		if s.target == a.target && s.fate == fateLive && s.id != a.session {
			return true
		}
	}
	if b.plan.speaks(a.session) {
		return false
	}
	for i := range b.plan.attaches {
		other := &b.plan.attaches[i]
		if other.place > b.place-1 && other.target == a.target && other.session != a.session && b.plan.speaks(other.session) {
			return true
		}
	}
	return false
}

// end ends a session and those below it.
func (b *browser) end(s *session, why fate) {
	s.fate, s.dialog = why, nil
	if s.closed == 0 {
		s.closed = max(b.now, 1)
	}
	for _, child := range b.order {
		if child.parent == s.id && child != s && child.fate != fateOver && s.id != "" {
			b.end(child, why)
		}
	}
}

// reply gives the engine the reply at its place in the trace, if it waits for it.
func (b *browser) reply(place int) error {
	r := b.plan.replies.at[place]
	if r == nil {
		return nil
	}
	r.passed = true
	if r.waiter == nil {
		return nil
	}
	if s := b.sessions[r.waiter.session]; s != nil && s.fate != fateLive {
		return nil
	}
	return b.answer(r.waiter.id, r.waiter.session, r)
}

// answer gives a recorded reply to a command of the engine.
func (b *browser) answer(id int64, session string, r *recorded) error {
	m := jsonscan.Message{ID: id, HasID: true, Session: session, Result: r.result, Error: r.failure}
	if m.Error == nil && m.Result == nil {
		m.Result = []byte("{}") // it was too long to be kept
	}
	return b.pass(&m)
}

// result answers a command of the engine.
func (b *browser) result(cmd *jsonscan.Message, result string) error {
	return b.pass(&jsonscan.Message{ID: cmd.ID, HasID: true, Session: cmd.Session, Result: []byte(result)})
}

// refuse answers a command of the engine with an error.
func (b *browser) refuse(cmd *jsonscan.Message, session string, code int, text string) error {
	failure := append([]byte(`{"code":`+strconv.Itoa(code)+`,"message":`), jsonscan.Quote(text)...)
	return b.pass(&jsonscan.Message{ID: cmd.ID, HasID: true, Session: session, Error: append(failure, '}')})
}
