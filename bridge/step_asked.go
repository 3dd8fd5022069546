package bridge

import (
	"fmt"
	"strconv"
	"strings"

	"cdpsupervisor/messages"
)

// paused takes a request that the Fetch domain holds.
func (s *State) paused(in Paused, dst []Effect) []Effect {
	r := in.Request
	if !ours(r) {
		// Of a pattern that is not the bridge's: somebody else's business.
		return append(dst, Send{Session: in.Session, Command: messages.ContinueRequest{RequestID: r.RequestID}})
	}
	q, err := decodeQuestion(r.PostData)
	if err != nil || !shaped(r) {
		return s.forgery(in.Session, r.RequestID, dst)
	}
	if q.Secret == s.canary && q.Type == typeCanary {
		s.proof, s.proofWhy = proven, ""
		return append(dst, Send{Session: in.Session, Command: fulfil(r.RequestID, encodeAnswer(true, ""))})
	}
	on := s.bySecret(q.Secret)
	if on == nil || q.Type == typeCanary || !on.bind(q.Document, r.FrameID) {
		return s.forgery(in.Session, r.RequestID, dst)
	}
	on.proven()
	frame := r.FrameID
	if in.Session != on.id {
		frame = "" // it is the opener's
	}
	switch on.trial(&q, frame) {
	case trialGoesOn:
		return append(dst, Send{Session: in.Session, Command: fulfil(r.RequestID, encode(answer{Native: true}))})
	case trialIsVoid:
		return append(dst, Send{Session: in.Session, Command: refuse(r.RequestID)})
	case trialIsNone:
	}
	return append(dst, Asked{Question{
		Session: on.id, Via: messages.XHRVia{Session: in.Session, Request: r.RequestID}, Frame: r.FrameID,
		Type: q.Type, Message: q.Message, DefaultPrompt: q.Default, URL: q.URL, Truncated: q.Truncated,
		Origin: header(r, "Origin"),
	}})
}

func header(r *messages.RequestPaused, name string) string {
	for key, value := range r.Headers {
		if strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

// proven: a question came through. One that asks the debugger keeps the reason
// why it does.
func (on *session) proven() {
	if on.phase == failed {
		on.reason = ""
	}
	on.phase = proven
}

// forgery refuses what a page made up. It learns what everybody learns of a
// host that is not there.
func (s *State) forgery(session messages.SessionID, id messages.RequestID, dst []Effect) []Effect {
	return s.countForged(append(dst, Send{Session: session, Command: refuse(id)}))
}

func (s *State) countForged(dst []Effect) []Effect {
	s.forged++
	if s.forged&(s.forged-1) == 0 { // the 1st, 2nd, 4th, …: a page sets the pace
		dst = append(dst, Note{"warn", fmt.Sprintf("dialog bridge: %d forged questions were refused", s.forged)})
	}
	return dst
}

// broke takes a stop of the debugger. Only the bridge's own is asked what it
// is about; every other goes on at once.
func (s *State) broke(in Broke, dst []Effect) []Effect {
	on, e := s.sessions.Get(in.Session), in.Event
	named := e.ScriptURL == on.scriptName() || e.ScriptURL == "" // Chromium gives the name to the patterns only
	if on == nil || !on.armed || e.HitBreak || e.FunctionName != askFunction || !named {
		return append(dst, Send{Session: in.Session, Command: messages.DebuggerResume{}})
	}
	on.asking = e.CallFrameID
	return append(dst, Send{
		Session: in.Session, Await: true,
		Command: messages.EvaluateOnCallFrame{CallFrameID: e.CallFrameID, Expression: "question"},
	})
}

// questionRead takes the question of a stopped script.
func (s *State) questionRead(on *session, in Replied, dst []Effect) []Effect {
	frame := on.asking
	on.asking = ""
	if frame == "" {
		return dst
	}
	at := on.contexts.Get(contextOf(frame))
	q, err := decodeQuestion(in.Value)
	if in.Err != nil || err != nil || !on.armed || q.Secret != on.secret || q.Type == typeCanary || !on.bind(q.Document, at.frame) {
		dst = append(dst, Send{Session: on.id, Command: messages.DebuggerResume{}})
		if in.Err != nil {
			return dst // it was let go before it said anything
		}
		return s.countForged(dst)
	}
	on.proven()
	switch on.trial(&q, at.frame) {
	case trialGoesOn:
		on.telling = true
		return append(dst, Send{Session: on.id, Await: true, Command: told(frame, encode(answer{Native: true}))})
	case trialIsVoid:
		return append(dst, Send{Session: on.id, Command: messages.DebuggerResume{}})
	case trialIsNone:
	}
	return append(dst, Asked{Question{
		Session: on.id, Via: messages.DebuggerVia{Session: on.id, CallFrame: frame}, Frame: at.frame,
		Type: q.Type, Message: q.Message, DefaultPrompt: q.Default, URL: q.URL, Truncated: q.Truncated, Origin: at.origin,
	}})
}

// contextOf reads the execution context from a call frame's id, which V8 writes
// as isolate.context.ordinal; 0 when it is written otherwise.
func contextOf(callFrame string) messages.ContextID {
	parts := strings.Split(callFrame, ".")
	if len(parts) != 3 {
		return 0
	}
	n, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return 0
	}
	return messages.ContextID(n)
}

func (s *State) contextCreated(in ContextCreated) {
	on := s.sessions.Get(in.Session)
	if on == nil || on.contexts.Len() >= messages.MaxContextsPerSession {
		return
	}
	on.contexts.Set(in.Context, place{frame: in.Frame, origin: origin(in.Origin)})
}

// origin is a context's origin in the words of the contract: Chromium writes an
// opaque one as "://".
func origin(of string) string {
	if of == "://" || of == "" {
		return "null"
	}
	return of
}

func (s *State) contextGone(in ContextGone) {
	on := s.sessions.Get(in.Session)
	switch {
	case on == nil:
	case in.Context == 0:
		on.contexts.Clear()
	default:
		on.contexts.Delete(in.Context)
	}
}
