package policy

import (
	"slices"
	"time"

	"cdpsupervisor/messages"
)

// Config is what a machine starts with. A value out of its range stands for
// its default.
type Config struct {
	Policy  messages.Policy // must_respond by default
	Timeout time.Duration   // of the watchdog; (0, MaxDialogTimeout], 300 s by default
	OnStop  messages.OnStop // dismiss by default; with leave, natives get no last will
	// Start are the counters to go on from; they belong to the task record,
	// so that no restart gives an id twice.
	Start Counters
}

// Counters are the numbers that a machine has used up.
type Counters struct {
	Dialogs     uint64 // the last dialog id is "d-<Dialogs>"
	Generations uint64 // of timers and commands
}

// MaxRemovedFrames is how many removed frames are remembered, for dialogs whose
// news comes after that of their frame's end.
const MaxRemovedFrames = 1024

const (
	// retryAfter is how long a dialog whose dismissal failed waits for the next.
	retryAfter = messages.AnswerTimeout
	// targetCloseWindow is how long before the end of a target the browser can
	// have closed the target's dialog because of that end.
	targetCloseWindow = time.Second
	// maxDialogs is how many dialogs are followed to their end. More renderers
	// than sessions cannot be blocked.
	maxDialogs = messages.MaxSessions
	// maxWaiters is how many callers may wait for the end of one dialog.
	maxWaiters = messages.MaxCalls
	// maxStale is how many commands without a reply are remembered per dialog;
	// a browser that stands still gets one every AnswerTimeout.
	maxStale = 32
	// maxSweeps is how many DismissAll are in force at a time.
	maxSweeps = 64
	// overflowTextBytes is what is kept of the text of a dialog past the cap.
	overflowTextBytes = 1 << 10
)

// State is the dialog machine of one task. It survives epochs. It belongs to
// whoever steps it, and must not be copied.
type State struct {
	policy  messages.Policy
	timeout time.Duration
	onStop  messages.OnStop
	used    Counters

	live     []*dialog // in the order of opening; what is closed leaves
	ring     []entry   // what is over, oldest first
	sweeps   []*sweep
	removed  RemovedFrames
	overflow uint64
	autoRow  int // native dialogs in a row that the backend closed by itself

	// observe is told of every move of a dialog; tests compare it with the
	// table.
	observe func(from phase, on event, to phase)
}

// dialog is one dialog that is not over.
type dialog struct {
	n           uint64
	shown       messages.Dialog // without State and DeadlineAt
	session     messages.SessionID
	via         messages.Via
	topFrame    bool
	trial       bool // of the bridge's, and not shown
	navInFlight bool // when it opened
	cutDefault  bool // its default is longer than what is kept
	openedAt    time.Time

	phase    phase
	timer    uint64    // the generation armed, 0 for none
	deadline time.Time // of the watchdog; zero when it has never run
	will     bool      // the socket holds its dismissal
	cmd      *attempt  // on the wire and believed in
	stale    []attempt // given up without a reply, oldest first
	waiters  []waiter
	close    *closing // what Closed said, once it came
	replaced bool     // another dialog opened in the tab
	wedged   bool     // it has been unanswerable
	stranded bool     // … because a navigation of its page waits for its end
	foreign  bool     // the browser closed a dialog we never saw while this one was open
}

// attempt is a command that was sent.
type attempt struct {
	Sent
	lost bool // no reply can come any more
}

// closing is what Closed said.
type closing struct {
	at          time.Time
	result      bool
	input       string
	navInFlight bool
	ordered     bool
}

// waiter is a caller that waits for the end of a command.
type waiter struct {
	ref    messages.Ref
	action messages.DialogAction
	note   string
}

// New returns a machine without dialogs.
func New(cfg Config) *State {
	s := &State{policy: messages.PolicyMustRespond, timeout: messages.DefaultDialogTimeout, onStop: cfg.OnStop, used: cfg.Start}
	if cfg.Policy.Valid() {
		s.policy = cfg.Policy
	}
	if validTimeout(cfg.Timeout) {
		s.timeout = cfg.Timeout
	}
	return s
}

func validTimeout(d time.Duration) bool { return d > 0 && d <= messages.MaxDialogTimeout }

// Counters returns the numbers used so far; the caller keeps them in the task
// record after every step.
func (s *State) Counters() Counters { return s.used }

// Policy returns the policy in force and the timeout of its watchdog.
func (s *State) Policy() (messages.Policy, time.Duration) { return s.policy, s.timeout }

func (s *State) generation() uint64 {
	s.used.Generations++
	return s.used.Generations
}

func (d *dialog) native() bool { return d.via.Kind() == messages.ViaNative }

// pending reports whether the dialog is open in the browser, as far as we know.
func (d *dialog) pending() bool {
	return d.phase == phaseOpen || d.phase == phaseAnswering || d.phase == phaseUnanswerable
}

// shows reports whether the dialog is among the pending ones of a snapshot.
func (d *dialog) shows() bool { return d.pending() && !d.trial }

// show is the dialog as a snapshot shows it now.
func (d *dialog) show() messages.Dialog {
	v := d.shown
	switch d.phase {
	case phaseOpen:
		v.DeadlineAt = messages.EpochSeconds(d.deadline)
	case phaseAnswering:
		v.State = messages.StateAnswering
	case phaseUnanswerable:
		v.State = messages.StateUnanswerable
	case phaseNone, phaseSettling, phaseClosed:
	}
	return v
}

// open is the dialog with all that is needed to build it again.
func (d *dialog) open() OpenDialog {
	o := OpenDialog{
		ID: d.shown.ID, Session: d.session, Target: d.shown.TargetID, Frame: d.shown.FrameID, Type: d.shown.Type,
		Via: d.via, TopFrame: d.topFrame, NavigationInFlight: d.navInFlight, Dialog: d.show(),
		Unanswerable: d.phase == phaseUnanswerable, Stranded: d.stranded,
	}
	if tried := d.tried(); len(tried) > 0 {
		sent := tried[len(tried)-1].Sent
		o.Sent = &sent
	}
	return o
}

// tried are the commands that have had no reply, oldest first.
func (d *dialog) tried() []attempt {
	if d.cmd == nil {
		return d.stale
	}
	return append(slices.Clip(d.stale), *d.cmd)
}

// awaitsReply reports whether a command that was given up can still be
// answered.
func (d *dialog) awaitsReply() bool {
	return slices.ContainsFunc(d.stale, func(a attempt) bool { return !a.lost })
}

// giveUp keeps a command that may yet have its effect.
func (d *dialog) giveUp(a attempt) {
	a.Text, _ = messages.Cut(a.Text, 2*messages.MaxDefaultPromptBytes) // a record keeps less
	if len(d.stale) == maxStale {
		d.stale = slices.Delete(d.stale, 0, 1)
	}
	d.stale = append(d.stale, a)
}

// find returns the dialog that is not over with this id, or nil.
func (s *State) find(id messages.DialogID) *dialog {
	for _, d := range s.live {
		if d.shown.ID == id {
			return d
		}
	}
	return nil
}
