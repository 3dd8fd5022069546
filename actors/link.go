package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/actors/attach"
	"cdpsupervisor/actors/frametree"
	"cdpsupervisor/messages"
)

// link is everything that belongs to one connection and ends with it.
type link struct {
	epoch     messages.Epoch
	socket    *actor.PID
	open      bool // the socket stands
	pageLevel bool // the root session is a page
	bridge    messages.BridgeHint
	product   string
	browser   string // tells it from others, see [messages.SocketOpened]

	root      attach.Root
	rootTimer messages.Timer
	tree      *frametree.State

	sessionsActor *actor.PID              // nil while there is nothing for it
	table         *sessionTable           // nil until a session is attached
	inputs        *messages.SessionInputs // for the sessions actor, at the end of the message

	sessions messages.Few[messages.SessionID, *sessionEntry]
	numbers  messages.Few[uint32, *sessionEntry]
	pages    messages.Few[messages.TargetID, *pageEntry]           // supervised page targets
	infos    messages.Few[messages.TargetID, *messages.TargetInfo] // page targets that discovery knows

	// expected are page targets that were asked for and will be ours.
	expected  messages.Few[messages.TargetID, bool]
	creating  int                           // tabs being opened
	undecided []*frametree.SessionUnclaimed // pages that may turn out to be ours
	claim     func(taken []messages.TargetID)

	probes    messages.Few[uint64, probe]
	lastProbe uint64
	heals     uint64 // healings that were begun

	own     messages.Few[uint64, ownCommand]
	lastOwn uint64

	// silent are frames that were there before us and whose sessions have never
	// answered, with the time since when: a dialog may hold them that we do not
	// know.
	silent map[messages.FrameID]time.Time

	lacks      messages.Few[string, string] // what the backend refused
	counts     messages.WireCounts
	droppedAt  time.Time                                            // when console events were last dropped; zero when that is over
	navigation map[messages.TargetID]map[messages.FrameID]time.Time // started, not committed
	wasReady   bool                                                 // the page could be used once

	bridging *bridging // set when the socket stands

	view   *messages.FrameTree // what was last shown
	viewOf messages.TargetID
}

// sessionEntry is one attached session.
type sessionEntry struct {
	n      uint32
	id     messages.SessionID
	page   messages.TargetID
	target messages.TargetID
	isPage bool
	state  messages.SessionState

	focus focus

	// liveFrom is the place in the stream of the answer to Runtime.enable; 0
	// until it has come. Console events before it are replays.
	liveFrom uint64
}

// pageEntry is one supervised page.
type pageEntry struct {
	session  messages.SessionID
	poisoned string           // why, or ""
	poisoner messages.FrameID // whose dialog it was
	healing  *healing         // nil when it is not being healed
	unseen   bool             // its Page domain is off
	// ordered is when an agent last asked for a navigation of the page.
	ordered time.Time
	crashed bool
}

func newLink(epoch messages.Epoch) *link {
	return &link{epoch: epoch, tree: frametree.New()}
}

// lack notes what the backend refused, once and bounded.
func (l *link) lack(capability, reason string) {
	if !l.lacks.Has(capability) && l.lacks.Len() < 32 {
		kept, _ := messages.Cut(reason, 256)
		l.lacks.Set(capability, kept)
	}
}

// pageSession is the session of a supervised page.
func (l *link) pageSession(page messages.TargetID) *sessionEntry {
	if p := l.pages.Get(page); p != nil {
		return l.sessions.Get(p.session)
	}
	return nil
}

func (l *link) startNavigating(page messages.TargetID, frame messages.FrameID, now time.Time) {
	m := l.navigation[page]
	if m == nil {
		if l.navigation == nil {
			l.navigation = make(map[messages.TargetID]map[messages.FrameID]time.Time)
		}
		m = make(map[messages.FrameID]time.Time)
		l.navigation[page] = m
	}
	if len(m) < messages.MaxFrames {
		m[frame] = now
	}
}

// navigatesNoMore forgets the navigations of frames that are gone.
func (l *link) navigatesNoMore(page messages.TargetID, frames []messages.FrameID) {
	m := l.navigation[page]
	for _, frame := range frames {
		delete(m, frame)
	}
}

// navigationForgotten is when a navigation that was never committed, such as a
// download, no longer counts as in flight.
const navigationForgotten = 10 * time.Second

// navigating reports whether a frame of the page has begun a navigation that
// is not committed: Chromium may then cancel a dialog by itself.
func (l *link) navigating(page messages.TargetID, now time.Time) bool {
	for _, since := range l.navigation[page] {
		if now.Sub(since) < navigationForgotten {
			return true
		}
	}
	return false
}

// mayLeave reports whether the page itself has begun a navigation that is not
// committed, however long ago: a server may take its time. While its main frame
// is not known it may have.
func (l *link) mayLeave(page messages.TargetID) bool {
	main, known := l.tree.MainFrame(page)
	_, begun := l.navigation[page][main.Frame]
	return begun || !known
}

// compactNavigation keeps only what mayLeave looks at.
func (l *link) compactNavigation(keep messages.Strings) {
	old := l.navigation
	l.navigation = nil
	for page := range l.pages.All() {
		main, known := l.tree.MainFrame(page)
		if since, begun := old[page][main.Frame]; begun && known {
			l.startNavigating(messages.Kept(keep, page), messages.Kept(keep, main.Frame), since)
		}
	}
}

// frameNavigating is navigating for one frame.
func (l *link) frameNavigating(page messages.TargetID, frame messages.FrameID, now time.Time) bool {
	since, begun := l.navigation[page][frame]
	return begun && now.Sub(since) < navigationForgotten
}

// send sends a command whose reply goes to the owner of ref.
func (s *supervisor) send(ctx actor.Context, session messages.SessionID, ref messages.Ref, cmd messages.Command) {
	s.tellSessions(ctx) // their set-up was first
	Tell(s.env.System, s.link.socket, &messages.SendCommand{Epoch: s.link.epoch, Session: session, Ref: ref, Command: cmd})
}

// sendOwn sends a command of the supervisor's own; then is called with its
// reply, and not at all if the session or the connection ends first.
func (s *supervisor) sendOwn(ctx actor.Context, session messages.SessionID, cmd messages.Command, then func(actor.Context, *messages.Reply)) {
	s.send(ctx, session, messages.Ref{Owner: messages.OwnerSupervisor, N: s.link.ask(session, then)}, cmd)
}

// ownCommand is a command of the supervisor's own without its reply.
type ownCommand struct {
	session messages.SessionID
	then    func(actor.Context, *messages.Reply)
}

// ask keeps what is to be done with a reply, and returns the number of its Ref.
func (l *link) ask(session messages.SessionID, then func(actor.Context, *messages.Reply)) uint64 {
	l.lastOwn++
	l.own.Set(l.lastOwn, ownCommand{session, then})
	return l.lastOwn
}

// answered takes what is to be done with a reply, or nil.
func (l *link) answered(n uint64) func(actor.Context, *messages.Reply) {
	then := l.own.Get(n).then
	l.own.Delete(n)
	return then
}

// forget drops what is kept of a session that is gone: no reply comes any more.
func (l *link) forget(session messages.SessionID) {
	for n, o := range l.own.All() {
		if o.session == session {
			l.own.Delete(n)
		}
	}
	if l.bridging != nil {
		delete(l.bridging.stopped, session)
	}
}

// input is something for the sessions actor.
func (s *supervisor) input(in messages.SessionInput) {
	l := s.link
	if l.inputs == nil {
		l.inputs = l.sessionTable().told.take()
	}
	l.inputs.List = append(l.inputs.List, in)
}

// sessionTable is what the sessions actor works on.
func (l *link) sessionTable() *sessionTable {
	if l.table == nil {
		l.table = new(sessionTable)
	}
	return l.table
}

// tellSessions hands over what happened to the sessions. It does so once per
// message of the supervisor, unless something must not overtake it.
func (s *supervisor) tellSessions(ctx actor.Context) {
	if l := s.link; l != nil && l.inputs != nil {
		m := l.inputs
		l.inputs = nil
		s.beginSessions(ctx)
		s.awake = true
		ctx.Send(l.sessionsActor, m)
	}
}

// reseed asks for the frames of a session; the reply goes into the tree at its
// place in the stream.
func (s *supervisor) reseed(ctx actor.Context, session messages.SessionID) {
	s.sendOwn(ctx, session, messages.GetFrameTree{}, func(actor.Context, *messages.Reply) {})
}

// seed takes the frames of a session.
func (s *supervisor) seed(ctx actor.Context, session messages.SessionID, tree *messages.FrameTreeReply) {
	s.effects = s.link.tree.Seed(session, &tree.Root, s.effects[:0])
	s.treeEffects(ctx, s.env.Clock.Now(), s.effects)
	s.commitsSeen(ctx, s.pageOf(session))
}

// reply takes the answer to a command to whoever sent it.
func (s *supervisor) reply(ctx actor.Context, ev *messages.Event, r *messages.Reply) {
	if tree, ok := r.Body.(*messages.FrameTreeReply); ok {
		s.seed(ctx, ev.Session, tree)
	}
	switch r.Ref.Owner {
	case messages.OwnerSupervisor:
		if then := s.link.answered(r.Ref.N); then != nil {
			then(ctx, r)
		}
	case messages.OwnerDialogs:
		s.toDialogs(ctx, &dialogReply{n: r.Ref.N, err: r.Err})
	case messages.OwnerSession:
		if e := s.link.numbers.Get(r.Ref.Session); e != nil {
			if r.Method == (messages.RuntimeEnable{}).Method() {
				e.liveFrom = ev.Seq
			}
			if r.Ref.N == uint64(attach.StepBridge) {
				s.bridgeReplied(ctx, e.id, r)
			}
			s.input(messages.SessionInput{Session: e.n, Kind: messages.SessionReplied, N: r.Ref.N, Err: r.Err})
		}
	case messages.OwnerAsk:
		s.askReply(ctx, r)
	case messages.OwnerNone:
	}
}

// sendFailed: a command did not reach the wire.
func (s *supervisor) sendFailed(ctx actor.Context, m *messages.SendFailed) {
	switch m.Ref.Owner {
	case messages.OwnerAsk:
		s.answer(ctx, s.rec.asks.open.Get(m.Ref.N), m.Failure)
	case messages.OwnerDialogs:
		s.toDialogs(ctx, &dialogReply{n: m.Ref.N, lost: true})
	case messages.OwnerSupervisor:
		if s.current(m.Epoch) {
			s.link.own.Delete(m.Ref.N)
		}
	case messages.OwnerNone, messages.OwnerSession:
	}
}

// outgoing sends a command of the dialogs actor on the connection of now.
func (s *supervisor) outgoing(ctx actor.Context, m *messages.Outgoing) {
	if s.link == nil || !s.link.open {
		if !m.Ref.IsZero() {
			s.toDialogs(ctx, &dialogReply{n: m.Ref.N, lost: true})
		}
		return
	}
	s.send(ctx, m.Session, m.Ref, m.Command)
}

// after is a timer of the connection.
func (s *supervisor) after(ctx actor.Context, kind messages.SupervisorTimer, gen uint64, d time.Duration) messages.Timer {
	system, self := s.env.System, ctx.Self()
	msg := &messages.TimerFired{Timer: kind, Gen: gen}
	if s.link != nil {
		msg.Epoch = s.link.epoch
	}
	return s.env.Clock.AfterFunc(d, func() { Tell(system, self, msg) })
}
