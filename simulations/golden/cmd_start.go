package golden

import (
	"strings"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/rig"
)

// start starts the task.
//
// Example:
//
//	start
//	start policy=auto_accept timeout=10s own-tab
func (s *Story) start(words []string, _ string) string {
	options := messages.TaskOptions{Bridge: messages.BridgeOff}
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		switch key {
		case "policy":
			options.Policy = messages.Policy(value)
		case "timeout":
			options.DialogTimeout, _ = time.ParseDuration(value)
		case "own-tab":
			options.OwnTab = true
		case "on-stop":
			options.OnStop = messages.OnStop(value)
		default:
			return "start has no option " + key
		}
	}
	return s.asked(s.rig.Start(task, options))
}

// stop ends the task.
//
// Example:
//
//	stop
func (s *Story) stop([]string, string) string {
	last, _ := s.rig.Registry.Get(task)
	a := s.rig.Stop(task)
	s.rig.Settle(most)
	if answer := a.Answer(); answer != nil {
		out := rig.Tell(answer)
		if last != nil {
			out += "\n" + s.shown(last.Snapshot())
		}
		return out
	}
	return s.asked(a)
}
