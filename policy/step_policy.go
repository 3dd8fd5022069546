package policy

import "cdpsupervisor/messages"

// fired takes in the end of a timer.
func (t *step) fired(in Timer) {
	d := t.s.find(in.Dialog)
	if d == nil || d.timer == 0 || d.timer != in.Gen {
		return
	}
	d.timer = 0
	t.on = onTimer
	switch d.phase {
	case phaseOpen:
		t.note(NoteWatchdog, d)
		t.send(d, Sent{By: messages.ClosedByWatchdog})
	case phaseAnswering:
		t.reopen(d, false, failTimeout)
	case phaseSettling:
		t.conclude(d, t.judge(d))
	case phaseNone, phaseUnanswerable, phaseClosed:
	}
}

// setPolicy changes the policy, for open dialogs too.
func (t *step) setPolicy(in SetPolicy) {
	policy, timeout := in.Policy, in.Timeout
	if !policy.Valid() {
		policy = t.s.policy
	}
	if !validTimeout(timeout) {
		timeout = t.s.timeout
	}
	if policy == t.s.policy && timeout == t.s.timeout {
		return
	}
	t.s.policy, t.s.timeout = policy, timeout
	for _, d := range t.meeting(onPolicy, func(*dialog) bool { return true }) {
		if !t.autoAnswer(d) {
			t.watch(d, t.at.Add(timeout))
		}
	}
}
