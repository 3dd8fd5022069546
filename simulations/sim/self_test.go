package sim_test

import (
	"bytes"
	"strings"
	"testing"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/rig"
	"cdpsupervisor/simulations/sim"
)

// TestOneSeedIsOneRun: what goes over the sockets and in which order is the same
// each time.
func TestOneSeedIsOneRun(t *testing.T) {
	for seed := uint64(1); seed <= 6; seed++ {
		first := one(t, sim.NewPlan(seed), sim.Options{Trace: true})
		again := one(t, sim.NewPlan(seed), sim.Options{Trace: true})
		if first.Moves != again.Moves || !bytes.Equal(first.Trace, again.Trace) {
			t.Errorf("seed %d: two runs differ: %d and %d moves, traces of %d and %d bytes",
				seed, first.Moves, again.Moves, len(first.Trace), len(again.Trace))
		}
		if len(first.Trace) < 1000 {
			t.Errorf("seed %d: a trace of %d bytes", seed, len(first.Trace))
		}
	}
}

// breaks makes the engine forget that dialogs close.
func breaks(_ *rig.Rig, actorName string, message any) {
	if b, ok := message.(*messages.DialogsPart); ok && actorName == "snapshot" {
		b.Recent = []messages.DialogRecord{}
		b.Pending = []messages.Dialog{}
	}
}

// TestFindsAndShrinks: an engine that is broken on purpose is found out, and few
// actions are left of what showed it.
func TestFindsAndShrinks(t *testing.T) {
	broken := sim.Options{Broken: breaks}
	for seed := uint64(1); seed < 40; seed++ {
		plan := sim.NewPlan(seed)
		res := one(t, plan, broken)
		if res.Err == nil || !strings.HasPrefix(res.Err.Error(), "dialogs: differ") {
			continue
		}
		small := sim.Shrink(plan, 100, func(p sim.Plan) bool { return res.Same(one(t, p, broken)) })
		if len(small.Actions) > 8 {
			t.Errorf("seed %d: of %d actions %d are left", seed, len(plan.Actions), len(small.Actions))
		}
		if again := one(t, small, broken); !res.Same(again) {
			t.Errorf("seed %d: what is left does not fail in the same way: %v", seed, again.Err)
		}
		return
	}
	t.Error("no seed found the fault")
}
