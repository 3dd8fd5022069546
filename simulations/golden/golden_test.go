package golden_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/datadriven"
	"go.uber.org/goleak"

	"cdpsupervisor/simulations/golden"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestStories runs the transcripts. Each story is a bubble of its own: what is
// left running when it ends fails it.
func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		synctest.Test(t, func(t *testing.T) {
			s, err := golden.New(synctest.Wait)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				time.Sleep(2 * time.Second) // of the bubble: the actor library's throttle of dead letters ends
			}()
			datadriven.RunTest(t, path, func(_ *testing.T, td *datadriven.TestData) string {
				return s.Do(td.Cmd, words(td), td.Input)
			})
		})
	})
}

// words puts the arguments back as they stood on the line.
func words(td *datadriven.TestData) []string {
	var all []string
	for _, a := range td.CmdArgs {
		word := a.Key
		if len(a.Vals) > 0 {
			word += "=" + a.Vals[0]
		}
		all = append(all, word)
	}
	return all
}
