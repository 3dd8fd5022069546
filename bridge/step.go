package bridge

import (
	"strings"

	"cdpsupervisor/messages"
)

// Step feeds one input to the bridge and appends the effects to dst, in the
// order in which they are to be performed. It takes every input in every state
// and never panics.
func Step(s *State, in Input, dst []Effect) []Effect {
	switch in := in.(type) {
	case Attached:
		return s.attached(in, dst)
	case Ended:
		s.sessions.Delete(in.Session)
	case ContextCreated:
		s.contextCreated(in)
	case ContextGone:
		s.contextGone(in)
	case Replied:
		return s.replied(in, dst)
	case Paused:
		return s.paused(in, dst)
	case Broke:
		return s.broke(in, dst)
	case NativeOpened:
		return s.nativeOpened(in, dst)
	case ClosedUnasked:
		return s.closedUnasked(in, dst)
	case CanaryEnded:
		return s.canaryEnded(in, dst)
	case Stopped:
		return s.stop(dst)
	}
	return dst
}

func (s *State) attached(in Attached, dst []Effect) []Effect {
	if s.sessions.Get(in.Session) != nil || s.sessions.Len() >= messages.MaxSessions {
		return dst
	}
	on := &session{id: in.Session}
	s.sessions.Set(in.Session, on)
	if !s.on || s.stopped {
		return dst
	}
	return s.arm(on, s.transport(), dst)
}

// transport is how a session asks that begins now.
func (s *State) transport() messages.BridgeTransport {
	switch s.cfg.Transport {
	case messages.TransportDebugger:
		return messages.TransportDebugger
	case messages.TransportAuto:
		if s.proof == failed {
			return messages.TransportDebugger
		}
	case messages.TransportXHR:
	}
	return messages.TransportXHR
}

// arm installs the bridge on a session: what holds the question first, and the
// script after it, or the first dialog would find nobody.
func (s *State) arm(on *session, transport messages.BridgeTransport, dst []Effect) []Effect {
	if on.secret == "" {
		on.secret = s.cfg.Secret()
	}
	on.armed, on.transport, on.phase = true, transport, unproven
	send := func(cmd messages.Command) { dst = append(dst, Send{Session: on.id, Command: cmd, Await: true}) }
	if transport == messages.TransportDebugger {
		send(messages.DebuggerEnable{})
		// Everything but the bridge's own script, so that no debugger statement
		// of a page stops it.
		send(messages.SetBlackbox{Patterns: []string{"^(?!" + on.scriptName() + "$)"}, Anonymous: true})
	} else {
		send(messages.FetchEnable{Pattern: pattern})
		if !s.cfg.KeepCSP {
			send(messages.SetBypassCSP{On: true})
		}
	}
	dst = s.dropScripts(on, dst)
	on.pending = append(on.pending, true)
	send(messages.AddScript{Source: s.installed(on), Now: true})
	return dst
}

// dropScripts removes every script of a session that is in force or on its way.
func (s *State) dropScripts(on *session, dst []Effect) []Effect {
	for i := range on.pending {
		on.pending[i] = false
	}
	if on.script != "" {
		dst = append(dst, Send{Session: on.id, Command: messages.RemoveScript{Identifier: on.script}})
		on.script = ""
	}
	return dst
}

// disarm gives the documents of a session their natives back. The secret is
// void from now on.
func (s *State) disarm(on *session, dst []Effect) []Effect {
	dst = s.dropScripts(on, dst)
	on.pending = append(on.pending, false)
	dst = append(dst, Send{Session: on.id, Command: messages.AddScript{Source: s.restoring(on), Now: true}, Await: true})
	on.armed, on.secret, on.documents, on.order, on.tried = false, "", nil, nil, tried{}
	return dst
}

// replied takes the replies to what was installed.
func (s *State) replied(in Replied, dst []Effect) []Effect {
	on := s.sessions.Get(in.Session)
	if on == nil {
		return dst
	}
	switch in.Method {
	case (messages.AddScript{}).Method():
		return s.scriptReplied(on, in, dst)
	case (messages.EvaluateOnCallFrame{}).Method():
		if on.telling {
			on.telling = false
			return append(dst, Send{Session: on.id, Command: messages.DebuggerResume{}})
		}
		return s.questionRead(on, in, dst)
	case (messages.FetchEnable{}).Method():
		if in.Err != nil && on.armed && on.transport == messages.TransportXHR {
			return s.fail(on, "the browser refuses Fetch.enable: "+oneLine(in.Err.Message), dst)
		}
	case (messages.DebuggerEnable{}).Method():
		if in.Err != nil && on.armed && on.transport == messages.TransportDebugger {
			return s.fail(on, "the browser refuses Debugger.enable: "+oneLine(in.Err.Message), dst)
		}
	}
	return dst
}

func (s *State) scriptReplied(on *session, in Replied, dst []Effect) []Effect {
	if len(on.pending) == 0 {
		return dst
	}
	stays := on.pending[0]
	on.pending = on.pending[1:]
	switch {
	case in.Err != nil && stays && on.armed:
		on.phase, on.reason = failed, "the browser takes no script: "+oneLine(in.Err.Message)
	case in.Err != nil, in.Script == "":
	case stays:
		on.script = in.Script
	default:
		dst = append(dst, Send{Session: on.id, Command: messages.RemoveScript{Identifier: in.Script}})
	}
	return dst
}

// fail ends a way of asking on a session: another is taken where there is one,
// else the natives are put back.
func (s *State) fail(on *session, reason string, dst []Effect) []Effect {
	dst = append(dst, Note{"warn", "dialog bridge: " + reason})
	if s.cfg.Transport == messages.TransportAuto && on.transport == messages.TransportXHR {
		dst = s.arm(on, messages.TransportDebugger, dst)
		on.reason = "through the debugger, because " + reason
		return dst
	}
	dst = s.disarm(on, dst)
	on.phase, on.reason = failed, reason
	return dst
}

// nativeOpened: a page showed a native dialog although it was bridged.
func (s *State) nativeOpened(in NativeOpened, dst []Effect) []Effect {
	on := s.sessions.Get(in.Session)
	if on == nil || !on.armed || in.Type == messages.DialogBeforeUnload {
		return dst
	}
	if s.Tries(in) {
		on.tried.opened = true
		return dst
	}
	if on.script == "" {
		return dst // it may have opened before the script was there
	}
	const reason = "a dialog opened natively: a policy of its page (connect-src, sync-xhr) or a service worker keeps the question from being asked"
	if s.cfg.Transport == messages.TransportAuto && on.transport == messages.TransportXHR {
		return s.fail(on, reason, dst)
	}
	if on.phase != failed {
		dst = append(dst, Note{"warn", "dialog bridge: " + reason})
	}
	on.phase, on.reason = failed, reason
	return dst
}

func (s *State) closedUnasked(in ClosedUnasked, dst []Effect) []Effect {
	if s.on || s.stopped || s.cfg.Mode != messages.BridgeAuto || in.InARow < turnOnAfter {
		return dst
	}
	s.on, s.detected = true, true
	dst = append(dst, TurnedOn{}, Note{"warn", "dialog bridge: on, because " + reasonDetected})
	for _, id := range s.ids() {
		dst = s.arm(s.sessions.Get(id), s.transport(), dst)
	}
	return dst
}

func (s *State) canaryEnded(in CanaryEnded, dst []Effect) []Effect {
	if s.proof == proven || s.stopped {
		return dst
	}
	s.proof = failed
	s.proofWhy = "the browser holds no requests"
	if in.Value == "ok" { // somebody answered, and it was not us
		s.proofWhy = "somebody else answers the bridge's requests"
	}
	dst = append(dst, Note{"warn", "dialog bridge: " + s.proofWhy})
	for _, id := range s.ids() {
		if on := s.sessions.Get(id); on.armed && on.transport == messages.TransportXHR {
			dst = s.fail(on, s.proofWhy, dst)
		}
	}
	return dst
}

// stop puts everything back.
func (s *State) stop(dst []Effect) []Effect {
	if s.stopped {
		return dst
	}
	s.stopped = true
	for _, id := range s.ids() {
		on := s.sessions.Get(id)
		if !on.armed {
			continue
		}
		dst = s.disarm(on, dst)
		if on.transport == messages.TransportDebugger {
			dst = append(dst, Send{Session: id, Command: messages.DebuggerDisable{}, Await: true})
		}
		dst = append(dst, Send{Session: id, Command: messages.FetchDisable{}, Await: true})
		if !s.cfg.KeepCSP {
			dst = append(dst, Send{Session: id, Command: messages.SetBypassCSP{}, Await: true})
		}
	}
	return dst
}

// oneLine keeps an error's text short.
func oneLine(text string) string {
	text, _ = messages.Cut(strings.ReplaceAll(text, "\n", " "), 200)
	return text
}
