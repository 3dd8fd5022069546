package cdpwire

import "cdpsupervisor/messages"

// maxForgotten is how many forgotten calls are remembered, so that a late reply
// to one is told from a second reply.
const maxForgotten = 1_024

// pendingCall is a command on the wire whose reply has not come.
type pendingCall struct {
	ref     messages.Ref
	session messages.SessionID
	cmd     messages.Command
}

// pendingCalls gives commands their ids and finds them again by id alone: an
// error for a session that is gone comes without the session.
type pendingCalls struct {
	calls     map[int64]pendingCall
	forgotten map[int64]struct{}
	last      int64 // the id given last
	wrapped   bool  // ids were given out twice
}

// add gives a call its id: 1, 2, …, below [messages.MaxCommandID], then again
// from 1, leaving out ids that are pending.
func (p *pendingCalls) add(call pendingCall) int64 {
	if p.calls == nil {
		p.calls = make(map[int64]pendingCall)
	}
	for {
		p.last++
		if p.last >= messages.MaxCommandID {
			p.last, p.wrapped = 1, true
		}
		if _, taken := p.calls[p.last]; !taken {
			break
		}
	}
	p.calls[p.last] = call
	return p.last
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
	if call, ok := p.calls[id]; ok {
		delete(p.calls, id)
		return call, replyMatched
	}
	if _, ok := p.forgotten[id]; ok {
		delete(p.forgotten, id)
		return pendingCall{}, replyOrphan
	}
	if id > 0 && (id <= p.last || p.wrapped && id < messages.MaxCommandID) {
		return pendingCall{}, replyDuplicate
	}
	return pendingCall{}, replyOrphan
}

// forget takes out the calls of a session.
func (p *pendingCalls) forget(session messages.SessionID) {
	for id, call := range p.calls {
		if call.session != session {
			continue
		}
		delete(p.calls, id)
		if p.forgotten == nil || len(p.forgotten) >= maxForgotten {
			p.forgotten = make(map[int64]struct{})
		}
		p.forgotten[id] = struct{}{}
	}
}
