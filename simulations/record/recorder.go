package record

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"cdpsupervisor/cdpwire"
	"cdpsupervisor/messages"
)

// lookEvery is how often limits are looked at and progress is reported.
const lookEvery = 500 * time.Millisecond

// Reasons why a recording ended by itself.
var (
	// ErrSize: the file has reached its limit.
	ErrSize = errors.New("the file has reached the size that it may have")
	// ErrTime: the time is over.
	ErrTime = errors.New("the time for the recording is over")
)

// Options say how to record.
type Options struct {
	Clock messages.Clock
	// Raw keeps credentials in the trace.
	Raw bool
	// Redactor takes them out; nil means one that knows no endpoint.
	Redactor *Redactor
	// MaxBytes ends the recording at that size of the file, MaxTime after that
	// time; zero means never. The file may grow beyond by what comes within half
	// a second.
	MaxBytes int64
	MaxTime  time.Duration
}

// Progress is how far a recording has come.
type Progress struct {
	Received, Sent int
	Bytes          int64 // of messages, before compression
	FileBytes      int64 // of the file, as far as it is written
	Time           time.Duration
}

// Recorder writes one trace. What it has taken is with the operating system
// within half a second, so that a recorder that is killed loses no more.
type Recorder struct {
	o       Options
	path    string
	started time.Time
	trace   *cdpwire.TraceWriter

	done chan struct{} // closed by Close

	mu       sync.Mutex
	progress Progress
	closed   bool
}

// Create begins a trace file, which must not exist; .zst and .gz are compressed.
// The header needs no start: it is now.
func Create(path string, header cdpwire.TraceHeader, o Options) (*Recorder, error) {
	if o.Redactor == nil {
		o.Redactor = NewRedactor(nil)
	}
	now := o.Clock.Now()
	header.Start = messages.EpochSeconds(now)
	trace, err := cdpwire.CreateTrace(path, header, o.Clock)
	if err != nil {
		return nil, err
	}
	return &Recorder{o: o, path: path, started: now, trace: trace, done: make(chan struct{})}, nil
}

// Path is the file.
func (r *Recorder) Path() string { return r.path }

// Tap records one message. It fits registry.WithTap, and may be called by several
// goroutines: each message stands in the trace where its call took the lock.
func (r *Recorder) Tap(dir cdpwire.Direction, at time.Time, msg []byte) {
	if !r.o.Raw {
		msg = r.o.Redactor.Message(msg)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	if dir == cdpwire.Sent {
		r.progress.Sent++
	} else {
		r.progress.Received++
	}
	r.progress.Bytes += int64(len(msg))
	r.trace.Tap(dir, at, msg)
}

// Progress returns how far the recording has come.
func (r *Recorder) Progress() Progress {
	r.mu.Lock()
	p := r.progress
	r.mu.Unlock()
	p.Time = r.o.Clock.Now().Sub(r.started)
	if info, err := os.Stat(r.path); err == nil {
		p.FileBytes = info.Size()
	}
	return p
}

// Watch blocks until the context ends or the recorder is closed, which is no
// error, a limit is reached, which is [ErrSize] or [ErrTime], or the file cannot
// be written any more, such as on a full disk. report, if not nil, is called twice
// a second.
func (r *Recorder) Watch(ctx context.Context, report func(Progress)) error {
	for {
		due := make(chan struct{})
		timer := r.o.Clock.AfterFunc(lookEvery, func() { close(due) })
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-r.done:
			timer.Stop()
			return nil
		case <-due:
		}
		p := r.Progress()
		if report != nil {
			report(p)
		}
		err := r.trace.Err()
		switch {
		case err != nil:
			return err
		case r.o.MaxBytes > 0 && p.FileBytes >= r.o.MaxBytes:
			return ErrSize
		case r.o.MaxTime > 0 && p.Time >= r.o.MaxTime:
			return ErrTime
		}
	}
}

// Close ends the trace. It returns the first error of all writes: what came after
// that is not in the file.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		close(r.done)
	}
	return r.trace.Close()
}
