package actors

import (
	"github.com/asynkron/protoactor-go/actor"

	"cdpsupervisor/messages"
)

// quiet: nothing has come for long. What was kept while a page was busy moves
// together, and the children rest that can: of a thousand tasks most wait for
// their agents, and should cost little while they do.
func (s *supervisor) quiet(ctx actor.Context) {
	s.gone = nil // the news of a dialog is not that late
	s.dropsOver()
	if !s.compacted {
		s.compacted = true
		s.compact()
		s.touched = true // what is published holds the old memory
		s.flush(ctx)
	}
	s.askRest(ctx)
}

// compact moves what the supervisor holds to new memory, with copies of its
// strings: those of events come in blocks that many share, and one of them keeps
// a block alive.
func (s *supervisor) compact() {
	keep := make(messages.Strings)
	l := s.link
	l.compact(keep)
	if l.bridging != nil {
		l.bridging.machine.Compact(keep)
	}
	s.console.compact(keep)
	s.page, s.rec.prefer = messages.Kept(keep, s.page), messages.Kept(keep, s.rec.prefer)
	keepInfo(&s.pageInfo, keep)
	s.rec.asks.open.Compact()
	s.effects, s.pages = nil, nil
	if l.wasReady {
		s.lastTree = nil // that of the connection before
	}
}

func (l *link) compact(keep messages.Strings) {
	l.tree.Compact(keep)
	var sessions messages.Few[messages.SessionID, *sessionEntry]
	var numbers messages.Few[uint32, *sessionEntry]
	for _, e := range l.sessions.All() {
		moved := *e
		moved.id, moved.page, moved.target = messages.Kept(keep, e.id), messages.Kept(keep, e.page), messages.Kept(keep, e.target)
		sessions.Set(moved.id, &moved)
		numbers.Set(moved.n, &moved)
	}
	var pages messages.Few[messages.TargetID, *pageEntry]
	for id, p := range l.pages.All() {
		moved := *p
		moved.session, moved.poisoner = messages.Kept(keep, p.session), messages.Kept(keep, p.poisoner)
		pages.Set(messages.Kept(keep, id), &moved)
	}
	var infos messages.Few[messages.TargetID, *messages.TargetInfo]
	for _, info := range l.infos.All() {
		moved := *info
		keepInfo(&moved, keep)
		infos.Set(moved.TargetID, &moved)
	}
	l.sessions, l.numbers, l.pages, l.infos = sessions, numbers, pages, infos
	silent := l.silent
	l.silent = nil
	for frame, since := range silent {
		l.expectWord(messages.Kept(keep, frame), since)
	}
	l.expected.Compact()
	l.own.Compact()
	l.probes.Compact()
	l.lacks.Compact()
	l.compactNavigation(keep)
	l.view = nil
}

func keepInfo(info *messages.TargetInfo, keep messages.Strings) {
	info.TargetID, info.OpenerID, info.ParentID = messages.Kept(keep, info.TargetID), messages.Kept(keep, info.OpenerID), messages.Kept(keep, info.ParentID)
	info.OpenerFrameID, info.ParentFrameID = messages.Kept(keep, info.OpenerFrameID), messages.Kept(keep, info.ParentFrameID)
	info.Type, info.Subtype = messages.Kept(keep, info.Type), messages.Kept(keep, info.Subtype)
	info.Title, info.URL = messages.Kept(keep, info.Title), messages.Kept(keep, info.URL)
	info.BrowserContextID = messages.Kept(keep, info.BrowserContextID)
}

// compact moves the errors that are kept to memory of their own.
func (c *console) compact(keep messages.Strings) {
	kept := c.last()
	c.all = make([]messages.ConsoleError, len(kept))
	for i, e := range kept {
		e.Kind, e.Text, e.URL = messages.Kept(keep, e.Kind), messages.Kept(keep, e.Text), messages.Kept(keep, e.URL)
		e.FrameID, e.TargetID = messages.Kept(keep, e.FrameID), messages.Kept(keep, e.TargetID)
		c.all[i] = e
	}
}

// compact moves the contexts of all sessions to new memory.
func (t *sessionTable) compact() {
	keep := make(messages.Strings)
	var sessions messages.Few[uint32, *session]
	for n, s := range t.sessions.All() {
		moved := *s
		moved.contexts = messages.Few[messages.ContextID, scriptContext]{}
		for id, c := range s.contexts.All() {
			moved.contexts.Set(id, scriptContext{unique: messages.Kept(keep, c.unique), frame: messages.Kept(keep, c.frame)})
		}
		begin := *s.begin
		begin.ID, begin.Target = messages.Kept(keep, begin.ID), messages.Kept(keep, begin.Target)
		moved.begin = &begin
		sessions.Set(n, &moved)
	}
	t.sessions = sessions
	t.told.drop()
	t.sent.drop()
}
