package frametree

import "cdpsupervisor/messages"

// State is the frame trees of one connection: those of the task's page and of
// every other page that was added.
type State struct {
	nodes    messages.Few[messages.FrameID, *node]
	sessions messages.Few[messages.SessionID, *session]
	pages    messages.Few[messages.TargetID, *page]
	order    []*page // in the order in which they were added
	early    early
	graves   graves

	seq     uint64 // events applied
	ghosts  int
	dropped Counters

	spare  *node   // free nodes, chained by next
	chunk  int     // how many nodes were last allocated at once
	doomed []*node // scratch of one removal

	attachedSlab  slab[SessionAttached]
	unclaimedSlab slab[SessionUnclaimed]
	endedSlab     slab[SessionEnded]
	removedSlab   slab[FramesRemoved]
	prunedSlab    slab[FramesPruned]
	committedSlab slab[Committed]
	reseedSlab    slab[Reseed]
	ids           []messages.FrameID // rest of a chunk that ids are cut from
	idsSize       int                // of that chunk
}

// Counters count what was not tracked. All are totals.
type Counters struct {
	Frames   uint64 // frames above messages.MaxFrames
	Sessions uint64 // sessions above messages.MaxSessions
	Early    uint64 // events of sessions not yet known, above their cap
}

// New returns an empty state.
func New() *State {
	return new(State)
}

// Frames is the number of frames that are tracked, on all pages.
func (s *State) Frames() int { return s.nodes.Len() - s.ghosts }

// SessionCount is the number of sessions that are tracked, on all pages.
func (s *State) SessionCount() int { return s.sessions.Len() }

// page is one page target and its tree.
type page struct {
	target  messages.TargetID
	session *session
	group   messages.TargetID // the first page of the chain of openers that can be scripted
	origin  string            // what a blank document inherited from the opener; "" if nothing
	linked  int               // frames reachable from the main frame, itself included
	dirty   bool

	firstSession, lastSession *session
}

// document is one session's account of what a frame shows.
type document struct {
	url    string
	origin string // Frame.securityOrigin as sent
	domain string // Frame.domainAndRegistry
	name   string
	loader messages.LoaderID
	// world is the origin of the document's script context as sent: "://" when
	// opaque, "" while unknown. It is the truth where securityOrigin, which is
	// computed from the URL, is not: in sandboxed and in blank documents.
	world string

	coming   messages.LoaderID // of the navigation that was last announced
	comingAt uint64            // when
}

// session is one attached session of ours.
type session struct {
	id     messages.SessionID
	parent *session // nil for a page's
	page   *page
	root   *node    // nil for a page whose main frame is not known yet
	doc    document // what the session says of its root
	// worlds holds the origins of contexts whose frames are not known yet:
	// Runtime.enable tells of them before the frame tree does.
	worlds messages.Few[messages.FrameID, string]

	targetURL string // what the target says of its URL
	byParent  bool   // the parent session has told targetURL
	told      bool   // the session has spoken of the document at its root
	early     bool   // it has listed its frames when that document was yet to come
	carried   bool   // its frame stayed over a commit, as one of the new document
	crashed   bool
	state     messages.FrameState
	since     uint64 // when it was attached

	placed     *node // the frames that it announced, chained by nextPlaced
	limbo      node  // holds ghosts, and frames that wait for the root
	prev, next *session
}

// rootID is the id of the frame at the root, or "".
func (s *session) rootID() messages.FrameID {
	if s.root == nil {
		return ""
	}
	return s.root.id
}

// account is where the session's words on a frame are kept: nil if it has no
// say in that frame.
func (s *session) account(n *node) *document {
	switch {
	case n.owner == s:
		return &s.doc
	case n.by == s:
		return &n.doc
	}
	return nil
}

// slab hands out zero values that were allocated many at a time. What it has
// handed out is never used again, so whoever got it owns it. It begins small, so
// that a page where little happens holds little.
type slab[T any] struct {
	rest []T
	size int // of the last chunk
}

const slabSize = 8

func (s *slab[T]) next() *T {
	if len(s.rest) == 0 {
		s.size = min(max(1, 2*s.size), slabSize)
		s.rest = make([]T, s.size)
	}
	v := &s.rest[0]
	s.rest = s.rest[1:]
	return v
}

const idChunk = 16

// cutIDs returns an empty list of ids with room for n, owned by the caller.
func (s *State) cutIDs(n int) []messages.FrameID {
	if n == 0 {
		return nil
	}
	if n > idChunk {
		return make([]messages.FrameID, 0, n)
	}
	if n > len(s.ids) {
		s.idsSize = min(max(n, 2*s.idsSize), idChunk)
		s.ids = make([]messages.FrameID, s.idsSize)
	}
	list := s.ids[:0:n]
	s.ids = s.ids[n:]
	return list
}
