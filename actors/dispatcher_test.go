package actors

import (
	"sync"
	"sync/atomic"
	"testing"
)

// Whatever is scheduled while readers lend their goroutines runs once: a turn
// that is lost would hang the task.
func TestTurnRunsEverythingOnce(t *testing.T) {
	const each = 2_000
	var turn turn
	var ran atomic.Int64
	var scheduled, all sync.WaitGroup
	run := func() { ran.Add(1); scheduled.Done() }
	for range 2 { // the readers of two connections, and somebody else
		all.Go(func() {
			for range each {
				scheduled.Add(1)
				turn.lend(func() { turn.Schedule(run) })
			}
		})
	}
	all.Go(func() {
		for range each {
			scheduled.Add(1)
			turn.Schedule(run)
		}
	})
	all.Wait()
	scheduled.Wait()
	if got := ran.Load(); got != 3*each {
		t.Errorf("%d of %d ran", got, 3*each)
	}
}

// On a goroutine that is lent nothing else starts.
func TestTurnRunsOnTheReader(t *testing.T) {
	var turn turn
	done := false // unguarded: the race detector would see another goroutine
	turn.lend(func() { turn.Schedule(func() { done = true }) })
	if !done {
		t.Error("what was scheduled has not run when the reader goes on")
	}
}

// A panic of whoever hands over loses nothing that was scheduled.
func TestTurnSurvivesAPanic(t *testing.T) {
	var turn turn
	done := false
	func() {
		defer func() { _ = recover() }()
		turn.lend(func() {
			turn.Schedule(func() { done = true })
			panic("reader")
		})
	}()
	if !done || turn.state.Load() != turnNone {
		t.Errorf("ran: %v, state: %v", done, turn.state.Load())
	}
}
