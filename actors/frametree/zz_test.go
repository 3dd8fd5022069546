package frametree_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	for seed := uint64(0); seed < 200000; seed++ {
		r := rand.New(rand.NewPCG(seed, 9))
		var log []step
		done := make(chan struct{})
		go func() {
			defer close(done)
			tr := newTree()
			s := &script{}
			for range 150 {
				st := s.make(byte(r.IntN(256)), byte(r.IntN(256)), byte(r.IntN(256)), byte(r.IntN(256)))
				log = append(log, st)
				tr.do(st)
				if err := tr.Verify(); err != nil {
					fmt.Fprintln(os.Stderr, "seed", seed, err, "\n", history(log))
					os.Exit(1)
				}
				look(t, tr)
			}
		}()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			fmt.Fprintln(os.Stderr, "HANG seed", seed, "\n", history(log))
			panic("x")
		}
	}
}
