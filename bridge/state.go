package bridge

import (
	"slices"

	"cdpsupervisor/messages"
)

const (
	// turnOnAfter is how many native dialogs in a row the backend must have
	// closed by itself: one can be an accident.
	turnOnAfter = 2
	// maxDocuments is how many documents per session are bound to their frames;
	// the oldest are forgotten.
	maxDocuments = 1_024
)

// Config is what the bridge of a connection starts with.
type Config struct {
	Mode      messages.BridgeMode
	Transport messages.BridgeTransport
	// KeepCSP leaves the pages' Content-Security-Policy in force.
	KeepCSP bool
	// Hint is what the backend says of itself.
	Hint messages.BridgeHint
	// Detected: on an earlier connection the backend closed dialogs by itself.
	Detected bool
	// Mark is how an override is known by its successor. It is the same for
	// all connections of a task, and never a page's business.
	Mark string
	// Secret returns a fresh unguessable word of letters and digits.
	Secret func() string
}

// State is the bridge of one connection. It belongs to whoever steps it.
type State struct {
	cfg      Config
	on       bool
	detected bool // by its own observation
	stopped  bool
	sessions messages.Few[messages.SessionID, *session]
	canary   string // the secret of the engine's own question
	proof    phase  // what the canary showed
	proofWhy string
	forged   uint64
}

// phase is how far a session's bridge can be trusted.
type phase uint8

const (
	unproven phase = iota // armed, and nobody has asked yet
	proven                // a question came through
	failed                // it does not work here, natives do
)

func (p phase) String() string { return [...]string{"unproven", "proven", "failed"}[p] }

// session is the bridge on one CDP session.
type session struct {
	id        messages.SessionID
	armed     bool // the script was sent
	secret    string
	transport messages.BridgeTransport // xhr or debugger
	phase     phase
	reason    string

	script  string // the identifier of the script in force
	pending []bool // scripts without a reply, oldest first: whether they stay

	documents map[string]messages.FrameID
	order     []string // of documents, oldest first
	contexts  messages.Few[messages.ContextID, place]
	asking    string // the call frame that was asked for its question
	telling   bool   // a script in the debugger is told something, and goes on then
	tried     tried
}

// place is where a context runs.
type place struct {
	frame  messages.FrameID
	origin string
}

// scriptName is what the debugger's patterns know the session's script by.
func (on *session) scriptName() string {
	if on == nil {
		return ""
	}
	return "b-" + on.secret[:min(len(on.secret), 8)]
}

// New returns the bridge of a new connection.
func New(cfg Config) *State {
	s := &State{cfg: cfg}
	switch cfg.Mode {
	case messages.BridgeOn:
		s.on = true
	case messages.BridgeOff:
	case messages.BridgeAuto:
		s.on = cfg.Hint == messages.BridgeNeeded || cfg.Detected
	}
	s.detected = cfg.Detected && s.on && cfg.Mode == messages.BridgeAuto
	s.canary = cfg.Secret()
	return s
}

// On reports whether pages are bridged.
func (s *State) On() bool { return s.on }

// WantsCanary reports whether it is worth to prove that requests are held.
func (s *State) WantsCanary() bool {
	return s.on && !s.stopped && s.cfg.Transport != messages.TransportDebugger && s.proof == unproven
}

// Forged is how many requests were refused because they did not come from the
// script.
func (s *State) Forged() uint64 { return s.forged }

// Show is what a snapshot says of the bridge: the worst of its sessions.
func (s *State) Show() messages.BridgeState {
	show := messages.BridgeState{Mode: s.cfg.Mode, State: "off"}
	if !s.on {
		return show
	}
	worst, reason := s.proof, s.proofWhy
	if s.proof == failed && s.cfg.Transport != messages.TransportXHR {
		worst, reason = unproven, s.proofWhy // another way was taken
	}
	for _, id := range s.ids() {
		switch on := s.sessions.Get(id); {
		case on.phase == failed:
			worst, reason = failed, on.reason
		case on.phase == proven && worst == unproven:
			worst = proven
			fallthrough
		default:
			if reason == "" {
				reason = on.reason
			}
		}
	}
	show.State, show.Reason = worst.String(), reason
	if reason == "" && s.detected {
		show.Reason = reasonDetected
	}
	return show
}

const reasonDetected = "the backend closes native dialogs by itself"

// Trouble says what is worth telling an agent that looks for nothing: that the
// bridge does not work, or that it had to be turned on. "" means neither.
func (s *State) Trouble() string {
	show := s.Show()
	switch {
	case show.State == failed.String():
		return "the dialog bridge does not work everywhere: " + show.Reason
	case s.detected:
		return reasonDetected + "; the dialog bridge is on"
	}
	return ""
}

// Compact moves what is known of sessions to new memory, with copies of their
// strings through keep. It is for a time when little happens.
func (s *State) Compact(keep messages.Strings) {
	var sessions messages.Few[messages.SessionID, *session]
	for _, on := range s.sessions.All() {
		moved := *on
		moved.id = messages.Kept(keep, on.id)
		moved.contexts = messages.Few[messages.ContextID, place]{}
		for id, at := range on.contexts.All() {
			moved.contexts.Set(id, place{frame: messages.Kept(keep, at.frame), origin: messages.Kept(keep, at.origin)})
		}
		sessions.Set(moved.id, &moved)
	}
	s.sessions = sessions
}

// ids are the sessions in a fixed order.
func (s *State) ids() []messages.SessionID {
	ids := make([]messages.SessionID, 0, s.sessions.Len())
	for id := range s.sessions.All() {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// bySecret is the session whose script knows the secret, or nil.
func (s *State) bySecret(secret string) *session {
	for _, on := range s.sessions.All() {
		if on.armed && on.secret == secret {
			return on
		}
	}
	return nil
}

// bind keeps a document to the frame that used its id first.
func (on *session) bind(document string, frame messages.FrameID) bool {
	if bound, known := on.documents[document]; known {
		return bound == frame
	}
	if len(on.order) >= maxDocuments {
		delete(on.documents, on.order[0])
		on.order = on.order[1:]
	}
	if on.documents == nil {
		on.documents = make(map[string]messages.FrameID)
	}
	on.documents[document] = frame
	on.order = append(on.order, document)
	return true
}
