package sim

import "math/rand/v2"

// Action is one thing that happens in a run. What it is done to is chosen by
// its numbers from what there is when its turn comes, so that an action means
// something whatever was before it.
type Action struct {
	// Name is one of the table's.
	Name string
	// N are the numbers of its choices.
	N [6]uint32
}

// Plan is what happens in a run, in order.
type Plan struct {
	// Seed makes everything that is not in the actions: the engine's jitter
	// and the kind of run.
	Seed uint64
	// Calm lets everything come to rest after each action.
	Calm bool
	// Actions happen one after the other.
	Actions []Action
}

// NewPlan makes the plan of a seed. Equal seeds give equal plans.
func NewPlan(seed uint64) Plan {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := Plan{Seed: seed, Calm: rng.IntN(4) == 0}
	table := actions()
	total := 0
	for _, a := range table {
		total += a.weight
	}
	for range 15 + rng.IntN(45) {
		at := rng.IntN(total)
		for _, a := range table {
			if at -= a.weight; at < 0 {
				action := Action{Name: a.name}
				for i := range action.N {
					action.N[i] = rng.Uint32()
				}
				p.Actions = append(p.Actions, action)
				break
			}
		}
	}
	return p
}

// Shrink drops actions from a failing plan while fails still holds, trying at
// most a number of plans.
func Shrink(p Plan, tries int, fails func(Plan) bool) Plan {
	for size := len(p.Actions) / 2; size > 0; size /= 2 {
		for from := 0; from < len(p.Actions) && tries > 0; {
			fewer := p
			fewer.Actions = append(append([]Action(nil), p.Actions[:from]...), p.Actions[min(from+size, len(p.Actions)):]...)
			tries--
			if fails(fewer) {
				p = fewer
			} else {
				from += size
			}
		}
	}
	return p
}
