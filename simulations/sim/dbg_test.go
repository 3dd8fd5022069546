package sim_test
import ("testing";"os";"cdpsupervisor/simulations/sim")
func TestDbg(t *testing.T) {
	for i, n := range []string{"/tmp/da","/tmp/db"} { _ = i
		r := one(t, sim.NewPlan(1), sim.Options{Trace: true})
		os.WriteFile(n, append(r.Trace, r.Log...), 0o644)
		r = one(t, sim.NewPlan(2), sim.Options{Trace: true})
		os.WriteFile(n+"2", append(r.Trace, r.Log...), 0o644)
	}
}
