package frametree

import "cdpsupervisor/messages"

// Effect is what a step asks its owner to do. An effect and what it points to
// belong to whoever receives it: the tree never writes to it again.
//
//sumtype:decl
type Effect interface{ effect() }

type (
	// SessionAttached: a target of ours has got a session. For an iframe it
	// comes out of [State.Apply], for a page out of [State.AddPage]. The owner
	// sets the session up, and resumes it last.
	SessionAttached struct {
		Session messages.SessionID
		Parent  messages.SessionID // the session that it was announced on; "" for a page
		Page    messages.TargetID  // the page that it belongs to
		Target  messages.TargetID  // its own target; Page itself for a page
		Frame   messages.FrameID   // the frame at its root; "" for a page whose tree is not known yet
		Waiting bool               // it waits for Runtime.runIfWaitingForDebugger
	}
	// SessionUnclaimed: a session was attached that the tree does not take: a
	// page (the owner decides, see [State.AddPage]), a worker, a second session
	// of a frame that has one, one above the cap, one whose parent is not ours.
	// If Waiting, its target stands still until the owner resumes it. But for a
	// page, what comes on that session is dropped from now on.
	SessionUnclaimed struct {
		Session messages.SessionID
		Parent  messages.SessionID // the session that it was announced on
		Info    messages.TargetInfo
		Waiting bool
		Why     Unclaimed
	}
	// SessionEnded: a session of ours is over, by itself or with the one above
	// it. Commands pending on it are never answered. The session itself comes
	// before those that it took along.
	SessionEnded struct {
		Session messages.SessionID
		Page    messages.TargetID
		Frame   messages.FrameID // the frame at its root; "" if it was never known
	}
	// FramesRemoved: the parent document took a frame out
	// (Page.frameDetached{remove}). A dialog of one of these frames must never
	// be answered.
	FramesRemoved struct {
		Page   messages.TargetID
		Frames []messages.FrameID // the frame and all below it
	}
	// FramesPruned: frames went away without having been taken out of a living
	// document: their session ended, or a frame tree reply showed another
	// document. What a commit prunes stands in [Committed].
	FramesPruned struct {
		Page   messages.TargetID
		Frames []messages.FrameID
	}
	// Committed: a frame shows another document (Page.frameNavigated).
	Committed struct {
		Page      messages.TargetID
		Session   messages.SessionID // the session that told it
		Frame     messages.FrameID
		MainFrame bool
		Loader    messages.LoaderID
		Type      messages.NavigationType
		Frames    []messages.FrameID // the frames of the old document, now gone; not the frame itself
	}
	// Reseed: the tree has a hole that only Page.getFrameTree on this session
	// can fill; its reply goes to [State.Seed].
	Reseed struct{ Session messages.SessionID }
)

// Unclaimed says why the tree did not take a session.
type Unclaimed uint8

// The reasons.
const (
	// UnclaimedType: no iframe. Pages come this way.
	UnclaimedType Unclaimed = iota
	// UnclaimedSurplus: the target has a session already.
	UnclaimedSurplus
	// UnclaimedStranger: it was announced on a session that is not ours.
	UnclaimedStranger
	// UnclaimedOver: the document or session that it belonged to is gone.
	UnclaimedOver
	// UnclaimedCap: [messages.MaxSessions] or [messages.MaxFrames] is reached.
	UnclaimedCap
)

func (*SessionAttached) effect()  {}
func (*SessionUnclaimed) effect() {}
func (*SessionEnded) effect()     {}
func (*FramesRemoved) effect()    {}
func (*FramesPruned) effect()     {}
func (*Committed) effect()        {}
func (*Reseed) effect()           {}
