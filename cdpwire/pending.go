package cdpwire

import "cdpsupervisor/messages"

// maxForgotten is for how many ids back it is remembered which calls were
// forgotten, so that a late reply to one is told from a second reply.
const maxForgotten = 4_096

// idSet is a set of ids among the last [maxForgotten] that were given.
type idSet [maxForgotten / 64]uint64

func (s *idSet) has(id int64) bool { return s[id%maxForgotten/64]&(1<<(id%64)) != 0 }
func (s *idSet) add(id int64)      { s[id%maxForgotten/64] |= 1 << (id % 64) }
func (s *idSet) remove(id int64)   { s[id%maxForgotten/64] &^= 1 << (id % 64) }

// pendingCall is a command on the wire whose reply has not come.
type pendingCall struct {
	ref     messages.Ref
	session messages.SessionID
	cmd     messages.Command
}

// pendingEntry is a pending call in the chain of its session.
type pendingEntry struct {
	pendingCall
	id         int64
	prev, next *pendingEntry
}

// pendingCalls gives commands their ids and finds them again by id alone: an
// error for a session that is gone comes without the session. The calls of one
// session are chained, so that its end costs what it has pending, not what all
// have.
type pendingCalls struct {
	calls     messages.Few[int64, *pendingEntry]
	sessions  messages.Few[messages.SessionID, *pendingEntry] // the call of each that came last
	spare     *pendingEntry                                   // free entries, chained by next
	spares    int
	forgotten *idSet // nil before the first
	last      int64  // the id given last
	wrapped   bool   // ids were given out twice
}

// maxSpares is how many free entries are kept.
const maxSpares = 256

// add gives a call its id: 1, 2, …, below [messages.MaxCommandID], then again
// from 1, leaving out ids that are pending.
func (p *pendingCalls) add(call pendingCall) int64 {
	for {
		p.last++
		if p.last >= messages.MaxCommandID {
			p.last, p.wrapped = 1, true
		}
		if !p.calls.Has(p.last) {
			break
		}
	}
	if p.forgotten != nil {
		p.forgotten.remove(p.last) // that of an id too long ago, which had its place
	}
	e := p.spare
	if e == nil {
		e = new(pendingEntry)
	} else {
		p.spare, p.spares = e.next, p.spares-1
	}
	if raw, ok := call.cmd.(messages.Raw); ok && len(raw.Params) > 0 {
		call.cmd = messages.Raw{Name: raw.Name} // a call without a reply would keep the rest
	}
	*e = pendingEntry{pendingCall: call, id: p.last, next: p.sessions.Get(call.session)}
	if e.next != nil {
		e.next.prev = e
	}
	p.sessions.Set(call.session, e)
	p.calls.Set(e.id, e)
	return e.id
}

// remove takes an entry out of both indexes and keeps it for later.
func (p *pendingCalls) remove(e *pendingEntry) {
	p.calls.Delete(e.id)
	switch {
	case e.prev != nil:
		e.prev.next = e.next
	case e.next != nil:
		p.sessions.Set(e.session, e.next)
	default:
		p.sessions.Delete(e.session)
	}
	if e.next != nil {
		e.next.prev = e.prev
	}
	*e = pendingEntry{}
	switch {
	case p.calls.Len() == 0: // quiet: it keeps one
		e.next, p.spare, p.spares = nil, e, 1
	case p.spares < maxSpares:
		e.next, p.spare, p.spares = p.spare, e, p.spares+1
	}
}

// lot is what a reply turned out to be.
type lot uint8

const (
	replyMatched   lot = iota // to a pending call
	replyDuplicate            // to a call that was answered before
	replyOrphan               // to no call, or to one that was forgotten
)

// settle takes the call out that a reply with the id answers.
func (p *pendingCalls) settle(id int64) (pendingCall, lot) {
	if e := p.calls.Get(id); e != nil {
		call := e.pendingCall
		p.remove(e)
		return call, replyMatched
	}
	if p.recent(id) && p.forgotten != nil && p.forgotten.has(id) {
		p.forgotten.remove(id)
		return pendingCall{}, replyOrphan
	}
	if id > 0 && (id <= p.last || p.wrapped && id < messages.MaxCommandID) {
		return pendingCall{}, replyDuplicate
	}
	return pendingCall{}, replyOrphan
}

// recent reports whether an id is one of the last that were given.
func (p *pendingCalls) recent(id int64) bool {
	return id > 0 && id <= p.last && id > p.last-maxForgotten
}

// forget takes out the calls of a session.
func (p *pendingCalls) forget(session messages.SessionID) {
	for e := p.sessions.Get(session); e != nil; {
		next := e.next
		if p.forgotten == nil {
			p.forgotten = new(idSet)
		}
		if p.recent(e.id) {
			p.forgotten.add(e.id)
		}
		p.remove(e)
		e = next
	}
}

// compact lets go of the room of calls that were answered.
func (p *pendingCalls) compact() {
	p.calls.Compact()
	p.sessions.Compact()
	p.spare, p.spares = nil, 0
}
