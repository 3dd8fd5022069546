package attach

import (
	"time"

	"cdpsupervisor/messages"
)

// Phase is where a session's set-up stands.
type Phase uint8

// The phases.
const (
	// New: nothing was sent.
	New Phase = iota
	// Pending: everything was sent, replies are missing.
	Pending
	// Ready: dialogs and frames of the session are watched.
	Ready
	// Blocked: a page whose browser answers and whose renderer does not: a
	// dialog opened before us, or a busy renderer.
	Blocked
	// Unresponsive: a child whose renderer does not answer.
	Unresponsive
	// Crashed: the renderer is gone, the session stays.
	Crashed
	// Ended: the session is gone.
	Ended
)

// String is the word for logs.
func (p Phase) String() string {
	return [...]string{"new", "pending", "ready", "blocked", "unresponsive", "crashed", "ended"}[p]
}

// Step names a command of the set-up, so that its reply can be told.
type Step uint8

// The steps, in the order in which they are sent.
const (
	StepPageEnable Step = iota + 1
	StepRuntimeEnable
	StepBridge
	StepAutoAttach
	StepFrameTree
	StepResume
	// StepProbe asks the browser whether the target still lives.
	StepProbe
	// StepContexts reads the execution contexts again after a restart.
	StepContexts
)

// steps is a set of steps.
type steps uint16

func (s steps) has(step Step) bool { return s&(1<<step) != 0 }
func (s *steps) add(step Step)     { *s |= 1 << step }
func (s *steps) remove(step Step)  { *s &^= 1 << step }

// Setup is the machine of one session. The zero value is ready for [Begin].
type Setup struct {
	phase   Phase
	page    bool
	target  messages.TargetID
	gen     uint64
	waiting steps // steps without reply
	armed   bool  // Page.enable was answered: dialogs are seen
}

// Phase returns where the set-up stands.
func (s *Setup) Phase() Phase { return s.phase }

// Input is something that happened to the session.
type Input interface{ setupInput() }

type (
	// Begin starts the set-up.
	Begin struct {
		At     time.Time
		Page   bool // a page or popup, else an iframe
		Target messages.TargetID
		// Bridge is what installs the dialog bridge, in order, or nothing.
		Bridge []messages.Command
	}
	// Replied is the reply to a step.
	Replied struct {
		At   time.Time
		Step Step
		Err  *messages.ProtocolError
	}
	// Timer fired with its generation.
	Timer struct {
		At  time.Time
		Gen uint64
	}
	// TargetCrashed: the renderer is gone.
	TargetCrashed struct{ At time.Time }
	// Reloaded: the crashed target lives again on the same session.
	Reloaded struct{ At time.Time }
	// Resync: the actor lost what it knew and reads it again on the same
	// session, which is not set up a second time.
	Resync struct {
		At     time.Time
		Page   bool
		Target messages.TargetID
	}
)

func (Begin) setupInput()         {}
func (Replied) setupInput()       {}
func (Timer) setupInput()         {}
func (TargetCrashed) setupInput() {}
func (Reloaded) setupInput()      {}
func (Resync) setupInput()        {}

// Effect is something to be done.
type Effect interface{ setupEffect() }

type (
	// Send a command: on the root session if Root is set, else on the
	// session itself.
	Send struct {
		Step    Step
		Root    bool
		Command messages.Command
	}
	// Arm a timer that comes back as [Timer] with this generation.
	Arm struct {
		Gen uint64
		At  time.Time
	}
	// Became says that the phase changed.
	Became struct{ Phase Phase }
	// Lacks says that the backend refused something, and what is lost by it.
	Lacks struct{ Capability, Reason string }
)

func (Send) setupEffect()   {}
func (Arm) setupEffect()    {}
func (Became) setupEffect() {}
func (Lacks) setupEffect()  {}

// codeSessionGone is the protocol's code for a session that is no more.
const codeSessionGone = -32001

// StepSetup applies one input and appends what is to be done to dst. It is
// total: a late or doubled input changes nothing.
func StepSetup(s *Setup, in Input, dst []Effect) []Effect {
	if s.phase == Ended {
		return dst
	}
	switch in := in.(type) {
	case Begin:
		if s.phase != New {
			return dst
		}
		return s.begin(in, dst)
	case Resync:
		s.page, s.target, s.armed = in.Page, in.Target, true
		s.waiting = 1 << StepContexts
		dst = append(dst,
			Send{Command: messages.RuntimeDisable{}},
			Send{Step: StepContexts, Command: messages.RuntimeEnable{}},
			Send{Command: messages.GetFrameTree{}},
			// Whatever the lost incarnation got done: the target must run.
			Send{Command: messages.RunIfWaiting{}})
		return s.become(Ready, dst)
	case Replied:
		return s.replied(in, dst)
	case Timer:
		return s.timer(in, dst)
	case TargetCrashed:
		s.gen++ // whatever timer runs speaks of another life
		return s.become(Crashed, dst)
	case Reloaded:
		if s.phase != Crashed {
			return dst
		}
		dst = append(dst, Send{Step: StepFrameTree, Command: messages.GetFrameTree{}})
		return s.become(Ready, dst)
	}
	return dst
}

func (s *Setup) begin(in Begin, dst []Effect) []Effect {
	s.page, s.target = in.Page, in.Target
	s.waiting = 0
	send := func(step Step, cmd messages.Command) {
		if step != StepResume && step != StepBridge {
			s.waiting.add(step)
		}
		dst = append(dst, Send{Step: step, Command: cmd})
	}
	send(StepPageEnable, messages.PageEnable{})
	send(StepRuntimeEnable, messages.RuntimeEnable{})
	for _, cmd := range in.Bridge {
		send(StepBridge, cmd)
	}
	send(StepAutoAttach, messages.SetAutoAttach{})
	send(StepFrameTree, messages.GetFrameTree{})
	send(StepResume, messages.RunIfWaiting{})
	after := messages.UnresponsiveAfter
	if s.page {
		after = messages.BlockedAfter
	}
	s.gen++
	dst = append(dst, Arm{Gen: s.gen, At: in.At.Add(after)})
	return s.become(Pending, dst)
}

func (s *Setup) replied(in Replied, dst []Effect) []Effect {
	if in.Err != nil && in.Err.Code == codeSessionGone {
		return s.become(Ended, dst)
	}
	if in.Step == StepProbe {
		return s.probed(in, dst)
	}
	if !s.waiting.has(in.Step) {
		return dst
	}
	s.waiting.remove(in.Step)
	if in.Step == StepPageEnable && in.Err == nil {
		s.armed = true
	}
	if in.Err != nil && s.phase != Crashed {
		dst = append(dst, lacks(in.Step, in.Err))
	}
	// Commands of one session are answered in order, so what is still missing
	// after Page.enable comes with the renderer, too.
	if s.waiting == 0 && s.phase != Crashed {
		s.gen++
		return s.become(Ready, dst)
	}
	return dst
}

// lacks says what a refusal costs. It degrades a capability, never the task.
func lacks(step Step, err *messages.ProtocolError) Effect {
	name := map[Step]string{
		StepPageEnable: "dialogs", StepRuntimeEnable: "console", StepAutoAttach: "oopif",
		StepFrameTree: "frame_tree", StepContexts: "same_process",
	}[step]
	return Lacks{Capability: name, Reason: err.Error()}
}

func (s *Setup) timer(in Timer, dst []Effect) []Effect {
	if in.Gen != s.gen || s.phase != Pending {
		return dst
	}
	if !s.page {
		return s.become(Unresponsive, dst)
	}
	// The browser answers for a page whose renderer does not.
	s.waiting.add(StepProbe)
	return append(dst, Send{Step: StepProbe, Root: true, Command: messages.GetTargetInfo{TargetID: s.target}})
}

func (s *Setup) probed(in Replied, dst []Effect) []Effect {
	if !s.waiting.has(StepProbe) {
		return dst
	}
	s.waiting.remove(StepProbe)
	if s.phase != Pending {
		return dst
	}
	if s.waiting == 0 {
		return s.become(Ready, dst)
	}
	// A browser that refuses the question is alive as well.
	return s.become(Blocked, dst)
}

func (s *Setup) become(p Phase, dst []Effect) []Effect {
	if s.phase == p {
		return dst
	}
	s.phase = p
	return append(dst, Became{Phase: p})
}
