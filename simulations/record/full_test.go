package record

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"cdpsupervisor/cdpwire"
)

// full is a disk on which nothing fits.
type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestWatchTellsOfWrites: whoever records is told at once that nothing is written
// any more, and not at the end.
func TestWatchTellsOfWrites(t *testing.T) {
	trace, err := cdpwire.NewTraceWriter(full{}, cdpwire.TraceHeader{}, cdpwire.WallClock{})
	if err != nil {
		t.Fatal(err)
	}
	r := &Recorder{o: Options{Clock: cdpwire.WallClock{}, Redactor: NewRedactor(nil)}, trace: trace, done: make(chan struct{})}
	r.Tap(cdpwire.Received, time.Now(), []byte(`{"method":"A.b","params":{"x":"`+strings.Repeat("y", 10_000)+`"}}`))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := r.Watch(ctx, nil); !errors.Is(err, errFull) {
		t.Errorf("watching ended with %v", err)
	}
	if err := r.Close(); !errors.Is(err, errFull) {
		t.Errorf("closed with %v", err)
	}
}
