package sim_test

import (
	"testing"
	"testing/synctest"
	"time"

	"cdpsupervisor/messages"
	"cdpsupervisor/simulations/rig"
)

// TestSilenceKeepsTheConnection: a sign of life that comes at the very time of the
// ping counts. Clocks are coarse, and a browser on the same machine is quick.
func TestSilenceKeepsTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := rig.New(rig.Options{Quiet: synctest.Wait})
		if err != nil {
			t.Fatal(err)
		}
		r.Start("t", messages.TaskOptions{Bridge: messages.BridgeOff, Policy: messages.PolicyMustRespond})
		r.Advance(5*(messages.IdlePing+messages.PongWait), 10_000)
		if s := r.Snapshot("t"); s.Epoch != 1 || s.Supervisor != nil {
			t.Errorf("after a silence it shows epoch %d, %+v", s.Epoch, s.Supervisor)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		time.Sleep(2 * time.Second) // of the bubble: the actor library's throttle of dead letters ends
	})
}
