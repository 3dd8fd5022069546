package sim

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/fakebrowser"
	"cdpsupervisor/simulations/rig"
)

const (
	task = messages.TaskID("sim")
	// restMoves bounds how much may follow from one thing.
	restMoves = 200_000
	// longest is longer than any question of a run may take.
	longest = 60 * time.Second
)

// Options say how a plan is run. Quiet must be set.
type Options struct {
	// Quiet is testing/synctest.Wait, in the bubble of the run.
	Quiet func()
	// Trace keeps what goes over the sockets.
	Trace bool
	// Broken is called with the engine's messages, and may panic or do worse:
	// tests of the simulator itself make faults with it.
	Broken func(r *rig.Rig, actorName string, message any)
}

// Result is what came of a run.
type Result struct {
	// Err is everything that was found wrong, nil if nothing.
	Err error
	// Story is what happened, line by line.
	Story []string
	// Trace is what went over the engine's sockets.
	Trace []byte
	// Log is the engine's log, JSON lines.
	Log []byte
	// Moves is how many moves were made.
	Moves int
}

// run is one run.
type run struct {
	o      Options
	plan   Plan
	rig    *rig.Rig
	rng    *rand.Rand // the schedule of the action that is under way
	story  []string
	faults []error
	trace  bytes.Buffer
	log    bytes.Buffer
	moves  int

	started  *rig.Ask
	told     int // asks whose answer was told
	asks     []*rig.Ask
	foreign  map[string]bool // tabs that people opened
	watched  bool            // another debugger watches
	crashed  bool            // renderers have crashed in this run
	blind    bool            // connections were lost: dialogs may have opened unseen
	hurt     bool            // actors have panicked or connections were refused
	spoilt   []func()        // take back what is to go wrong with answers to dialogs
	panicIn  int             // messages until the next panic; 0 means none
	panicked string          // the actor it is meant for, "" for any
}

// Run runs a plan. It blocks until the run is over.
func Run(plan Plan, o Options) *Result {
	r := &run{o: o, plan: plan, foreign: make(map[string]bool)}
	r.rng = rand.New(rand.NewPCG(plan.Seed, 2))
	if err := r.begin(); err != nil {
		return &Result{Err: err}
	}
	for i := range plan.Actions {
		a := &plan.Actions[i]
		r.act(a)
		if r.failed() {
			break
		}
	}
	if !r.failed() {
		r.finish()
	}
	return r.end()
}

func (r *run) begin() error {
	jitter := rand.New(rand.NewPCG(r.plan.Seed, 3))
	o := rig.Options{
		Quiet: r.o.Quiet, Choose: r.choose, Chance: jitter.Float64, Saw: r.saw, Log: &r.log,
		Browser: fakebrowser.Options{Pages: site, SiteIsolation: r.plan.Seed%8 != 0, AllowPopups: true, NoBackForwardCache: r.plan.Seed%2 != 0, Seed: r.plan.Seed},
	}
	if r.o.Trace {
		o.Trace = &r.trace
	}
	var err error
	if r.rig, err = rig.New(o); err != nil {
		return fmt.Errorf("sim: %w", err)
	}
	r.start()
	r.advance(time.Second)
	return nil
}

func (r *run) options() messages.TaskOptions {
	policies := []messages.Policy{messages.PolicyMustRespond, messages.PolicyMustRespond, messages.PolicyMustRespond, messages.PolicyAutoAccept, messages.PolicyAutoDismiss}
	o := messages.TaskOptions{Bridge: messages.BridgeOff, OwnTab: r.plan.Seed%3 == 1, Policy: policies[r.plan.Seed/3%5]}
	switch r.plan.Seed % 16 {
	case 2:
		o.Bridge, o.BridgeTransport = messages.BridgeOn, messages.TransportXHR
	case 10:
		o.Bridge, o.BridgeTransport = messages.BridgeOn, messages.TransportDebugger
	case 6, 14:
		o.Bridge, o.BridgeTransport = messages.BridgeOn, messages.TransportAuto
	}
	if r.plan.Seed/48%4 == 1 {
		o.OnStop = messages.OnStopLeave
	}
	return o
}

func (r *run) start() { r.started = r.keep(r.rig.Start(task, r.options())) }

func (r *run) choose(n int) int {
	r.moves++
	return r.rng.IntN(n)
}

// act does one action and lets some of what follows happen.
func (r *run) act(a *Action) {
	r.rng = a.schedule(r.plan.Seed)
	d := &draw{n: a.N}
	var said string
	for _, e := range actions() {
		if e.name == a.Name {
			said = e.do(r, d)
		}
	}
	r.rig.Quiet()
	if said != "" {
		r.say("%s: %s", a.Name, said)
	}
	switch {
	case r.plan.Calm || r.rng.IntN(3) == 0:
		r.rest()
	default:
		for range r.rng.IntN(40) {
			if !r.rig.Step() {
				break
			}
		}
	}
	r.after()
}

// after looks at what one action has brought about.
func (r *run) after() {
	for ; r.told < len(r.asks); r.told++ {
		if a := r.asks[r.told]; a.Answer() == nil {
			break
		} else {
			r.say("  %s -> %s", a.Name, rig.Tell(a.Answer()))
		}
	}
	if !r.rig.Browser.Alive() {
		r.buried()
	}
}

// buried: the browser has died. It may do so of what its pages do, and of a race
// that nobody can win, but not of what a supervisor does that has seen it all.
func (r *run) buried() {
	why := r.rig.Browser.Crashed()
	excused := r.crashed || r.blind || why != nil && strings.Contains(why.Error(), "a new dialog while") ||
		r.watched && why != nil && strings.Contains(why.Error(), "whose frame was removed") // Page.disable of ours is not all
	if why != nil && r.plan.Calm && !excused {
		r.fail("the browser died: %v", why)
	}
	r.say("the browser died (%v) and is started again", why)
	r.hurt = true // it may have been dead for long
	r.reborn()
}

func (r *run) reborn() {
	r.rig.Browser.Restart()
	r.rig.Page.Again()
	r.foreign = make(map[string]bool)
	r.watched = false
}

// rest lets everything happen that needs no time.
func (r *run) rest() {
	if !r.rig.Settle(restMoves) {
		r.fail("no rest: after %d moves there is more to do", restMoves)
	}
}

// advance lets time pass, with all that follows.
func (r *run) advance(d time.Duration) {
	if !r.rig.Advance(d, restMoves) {
		r.fail("no rest: after %d moves there is more to do", restMoves)
	}
}

// saw is told of each message before its actor handles it.
func (r *run) saw(actorName string, message any) {
	if r.o.Broken != nil {
		r.o.Broken(r.rig, actorName, message)
	}
	if r.plan.Calm {
		r.maybePanic(actorName, message)
		return
	}
	if r.rng.IntN(8) == 0 {
		r.rig.RunAnother(r.choose)
	}
	r.maybePanic(actorName, message)
}

func (r *run) maybePanic(actorName string, message any) {
	if r.panicIn == 0 || r.panicked != "" && r.panicked != actorName {
		return
	}
	if r.panicIn--; r.panicIn == 0 {
		r.hurt, r.blind = true, true
		r.say("  the %s panics at %T", actorName, message)
		panic("a panic of the simulation")
	}
}

func (r *run) keep(a *rig.Ask) *rig.Ask {
	if a != nil {
		r.asks = append(r.asks, a)
	}
	return a
}

func (r *run) say(format string, args ...any) {
	if len(r.story) < 10_000 {
		r.story = append(r.story, fmt.Sprintf("%8.3f ", r.rig.Clock.Now().Sub(time.Unix(1_700_000_000, 0)).Seconds())+fmt.Sprintf(format, args...))
	}
}

func (r *run) fail(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	r.say("WRONG: %v", err)
	if len(r.faults) < 20 {
		r.faults = append(r.faults, err)
	}
}

func (r *run) failed() bool { return len(r.faults) > 0 || r.rig.Err() != nil }

// Same reports whether another run failed in the same way: the words before the
// first colon name the law that was broken.
func (r *Result) Same(other *Result) bool {
	return r.Err != nil && other.Err != nil && law(r.Err) == law(other.Err)
}

func law(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	name, _, _ := strings.Cut(first, ":")
	return name
}
