package messages

import "strconv"

// TaskID names one browser task of a host. It is 1 to [MaxTaskIDBytes] bytes
// of letters, digits, and ". _ - : @".
type TaskID string

// Valid reports whether the id is one that the registry takes.
func (id TaskID) Valid() bool {
	if len(id) == 0 || len(id) > MaxTaskIDBytes {
		return false
	}
	for i := range len(id) {
		c := id[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case c == '.', c == '_', c == '-', c == ':', c == '@':
		default:
			return false
		}
	}
	return true
}

// Epoch counts the connections of one task, from 1. Everything that comes from
// or goes to a socket carries the epoch of that socket, and a receiver drops
// what belongs to an older one.
type Epoch uint32

// SessionID is a CDP session (Target.SessionID). The empty session is the root:
// the browser on a browser-level endpoint, the page on a page-level one.
type SessionID string

// TargetID is a CDP target (Target.TargetID).
type TargetID string

// FrameID is a CDP frame (Page.FrameId). For a target of type "iframe" it
// equals the target's id; a page's main frame must be read from its tree.
type FrameID string

// LoaderID identifies one document of a frame (Network.LoaderId).
type LoaderID string

// RequestID is a request held by the Fetch domain (Fetch.RequestId).
type RequestID string

// ContextID is a Runtime.ExecutionContextId; it is unique in its session only
// until the renderer process changes.
type ContextID int64

// DialogID names a dialog of a task: "d-1", "d-2", …. It is never given twice
// while the process lives.
type DialogID string

// NewDialogID returns the id of the n-th dialog, n from 1.
func NewDialogID(n uint64) DialogID {
	return DialogID("d-" + strconv.FormatUint(n, 10))
}

// Owner says which actor gets the reply to a command or the end of an ask.
type Owner uint8

// The owners of a [Ref].
const (
	// OwnerNone marks a command whose reply nobody waits for.
	OwnerNone Owner = iota
	// OwnerSupervisor is the task's supervisor.
	OwnerSupervisor
	// OwnerDialogs is the task's dialogs actor.
	OwnerDialogs
	// OwnerSession is the session numbered by Ref.Session, in the sessions
	// actor.
	OwnerSession
	// OwnerAsk is somebody outside who waits: the supervisor keeps who.
	OwnerAsk
)

// Ref names one thing that can be answered: a command on the wire, or an ask
// from outside. The zero Ref is answered to nobody.
type Ref struct {
	Owner   Owner
	Session uint32 // number of the session, for OwnerSession
	N       uint64 // the owner's own counter, from 1
}

// IsZero reports whether nobody waits behind this Ref.
func (r Ref) IsZero() bool { return r == Ref{} }
