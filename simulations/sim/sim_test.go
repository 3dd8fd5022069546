package sim_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"cdpsupervisor/simulations/sim"
)

// TestMain takes one core: a goroutine that the engine starts then runs when the
// actor that started it is done, which is what makes a seed one run. All cores
// are taken by several processes, see the Makefile.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(1)
	goleak.VerifyTestMain(m)
}

// fixedSeeds is how many seeds every test run takes, from 1 on.
const fixedSeeds = 60

// shrinkTries bounds how many plans a failing seed is shrunk with.
const shrinkTries = 200

// one runs a plan in a bubble of its own.
func one(t *testing.T, p sim.Plan, o sim.Options) (res *sim.Result) {
	synctest.Test(t, func(*testing.T) {
		o.Quiet = synctest.Wait
		res = sim.Run(p, o)
		time.Sleep(2 * time.Second) // of the bubble: the actor library's throttle of dead letters ends
	})
	return res
}

// TestSeeds runs a fixed set of seeds; with SIM_SEED that one, with SIM_SEEDS as
// many as it says, from SIM_FROM on, each SIM_EVERY-th.
func TestSeeds(t *testing.T) {
	from, count, every := number(t, "SIM_FROM", 1), number(t, "SIM_SEEDS", fixedSeeds), number(t, "SIM_EVERY", 1)
	if testing.Short() {
		count = min(count, 20)
	}
	if os.Getenv("SIM_SEED") != "" {
		from, count = number(t, "SIM_SEED", 0), 1
	}
	for i := range count {
		if i > 0 && i%1000 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d seeds\n", i, count)
		}
		seed(t, from+i*every, count == 1)
	}
}

func number(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s=%q is no number: %v", name, text, err)
	}
	return n
}

// seed runs one seed. A failing one is shrunk, and what is left of it is kept.
func seed(t *testing.T, seed uint64, tell bool) {
	plan := sim.NewPlan(seed)
	res := one(t, plan, sim.Options{})
	if res.Err == nil {
		if tell {
			t.Logf("seed %d: all is well after %d moves\n%s", seed, res.Moves, strings.Join(res.Story, "\n"))
		}
		return
	}
	small := sim.Shrink(plan, shrinkTries, func(p sim.Plan) bool { return res.Same(one(t, p, sim.Options{})) })
	last := one(t, small, sim.Options{Trace: true})
	story := strings.Join(last.Story, "\n")
	t.Errorf("seed %d failed; again: make sim SEED=%d\n%v\n\nof %d actions %d are enough:\n%s\n\nkept in %s",
		seed, seed, res.Err, len(plan.Actions), len(small.Actions), story, keep(t, seed, story, last))
}

// keep writes what is left of a failing seed into $SIM_OUT, or a temporary
// folder.
func keep(t *testing.T, seed uint64, story string, res *sim.Result) string {
	dir := os.Getenv("SIM_OUT")
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "cdpsupervisor-sim")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Error(err)
	}
	base := filepath.Join(dir, strconv.FormatUint(seed, 10))
	for name, text := range map[string][]byte{".txt": []byte(story + "\n"), ".cdp.jsonl": res.Trace, ".log": res.Log} {
		if err := os.WriteFile(base+name, text, 0o644); err != nil {
			t.Error(err)
		}
	}
	return base + ".*"
}
