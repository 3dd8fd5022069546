package bridge

import "cdpsupervisor/messages"

// In a sandbox the script cannot know whether dialogs are allowed, so it tries
// a native one. It says so before, and asks after: where one opened, dialogs
// are allowed, and the question is held as any other.

// trial is what a question has to do with the try of a native dialog.
type trial string

const (
	trialBefore trial = "before" // nothing is asked yet: a native one is about to be tried
	trialAfter  trial = "after"  // it was tried
)

// tried is the one try that can be under way in a session: between its
// announcement and its question the session's renderer does nothing else.
type tried struct {
	document string // that announced it; "" means none
	frame    messages.FrameID
	typ      messages.DialogType
	opened   bool
}

// trialStep is what becomes of a question.
type trialStep uint8

const (
	trialIsNone trialStep = iota // it is asked
	trialGoesOn                  // what the native function does stands
	trialIsVoid                  // nobody knows of the try: the native decides
)

// trial takes a question of a sandboxed document, or any other.
func (on *session) trial(q *asked, frame messages.FrameID) trialStep {
	was := on.tried
	on.tried = tried{} // whatever speaks now, an old try is over
	switch q.Trial {
	case trialBefore:
		on.tried = tried{document: q.Document, frame: frame, typ: q.Type}
		return trialGoesOn
	case trialAfter:
		switch {
		case was.document != q.Document:
			return trialIsVoid
		case !was.opened:
			return trialGoesOn
		}
	}
	return trialIsNone
}

// Tries reports whether a native dialog that opens is one that the script
// tries. It stands for no question of its own, and is to be closed at once.
func (s *State) Tries(in NativeOpened) bool {
	on := s.sessions.Get(in.Session)
	if on == nil || !on.armed || on.tried.document == "" || on.tried.opened || on.tried.typ != in.Type {
		return false
	}
	// A request of a frame that has shown nothing yet is its creator's.
	frame := on.tried.frame
	return frame == "" || frame == in.Frame || frame == in.Parent
}
